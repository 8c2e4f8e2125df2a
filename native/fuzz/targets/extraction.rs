//! The deep pass: any bytes give a main text, Markdown and structured data of bounded size.

use std::time::Duration;

use hondius_native::extraction::Extraction;
use hondius_native::html::Reader;
use hondius_native::page::ReadOptions;
use hondius_native::url::{Identity, Switches};
use serde_json::Value;
use url::Url;

use super::{Target, Verdict, choice, must};

const TYPES: [&str; 4] = [
    "text/html; charset=utf-8",
    "text/html",
    "application/xhtml+xml",
    "text/plain",
];
/// What any page may take beside a multiple of its length.
const ALLOWANCE: usize = 300_000;

pub struct Extractions {
    reader: Reader,
    url: Url,
}

impl Extractions {
    pub fn new() -> Self {
        let options = ReadOptions {
            agent_token: "hondius".into(),
            media: false,
            scripts: false,
            requisites: false,
            max_links: 100_000,
            max_text: 1_000_000,
            want_text: true,
            keywords: None,
        };
        Extractions {
            reader: Reader::new(Identity::new(Switches::default()), options),
            url: Url::parse("http://a.test/dir/page").expect("a URL"),
        }
    }
}

impl Target for Extractions {
    fn name(&self) -> &'static str {
        "extraction"
    }

    fn seeds(&self) -> Vec<Vec<u8>> {
        [
            "\0<title>T</title><base href=/b/><nav><a href=n>N</a></nav><article class=post><h1>H</h1><p class=intro>A lead that is long enough to \
             be one, and says so.</p><div class=entry-content><p>text <a href='a?b'>link</a> <b>bold</b> <code>c</code></p><ul><li>one<ol start=3>\
             <li>two</ol></ul><pre class=language-c>x\n  y</pre><blockquote>q</blockquote></div></article><div id=comments>c</div>",
            "\0<table><caption>c</caption><tr><th rowspan=2>a<th colspan=3>b|<tr><td><p>x<p>y</table><dl><dt>t<dd>d</dl><ruby>a<rt>b</ruby>",
            "\0<div class='post has-x'><p>One post of a forum that is long enough to count as prose, whatever it says about its subject.</div>\
             <div class=post><p>Another post of a forum that is long enough to count as prose, and answers the first of them.</div>",
            "\0<script type=application/ld+json>{\"@type\":[\"Product\"],\"a\":[1,],}</script><div itemscope itemtype=t itemref='r s'><b itemprop='n m'>v</b>\
             </div><p id=r itemprop=x>y</p><div vocab=v/ typeof=T property=p resource=r><i property=q content=c></i></div><meta property=og:type content=product>",
            "\x02<?xml version='1.0'?><html xmlns='http://www.w3.org/1999/xhtml'><body><p>x</p></body></html>",
        ]
        .map(|seed| seed.as_bytes().to_vec())
        .to_vec()
    }

    fn tokens(&self) -> &'static [&'static str] {
        &[
            "<div class=comment>",
            "<div class=post>",
            "<div class=sidebar>",
            "<div itemscope itemprop='a b'>",
            "<div typeof=T>",
            "<p itemprop=x>",
            "itemref='r'",
            "<table>",
            "<tr>",
            "<td colspan=99 rowspan=99>",
            "<th>",
            "<ul>",
            "<ol start=9>",
            "<li>",
            "<blockquote>",
            "<pre>",
            "<code>",
            "<b>",
            "</b>",
            "<i>",
            "<a href=x>",
            "</a>",
            "<h1>",
            "<h2>related",
            "<br>",
            "<p>",
            "*",
            "`",
            "_",
            "|",
            "\n",
            "&lt;",
            "\u{ad}",
            "</div>",
            "<article>",
            "<main>",
            "<aside>",
            "<noscript>",
            "<svg>",
            "<template>",
            "<base href=//x>",
            "<script type=application/ld+json>{",
            "</script>",
        ]
    }

    fn ceiling(&self) -> Duration {
        Duration::from_millis(50)
    }

    fn run(&self, input: &[u8]) -> Verdict {
        let (way, body) = choice(input);
        let content_type = TYPES[way as usize % TYPES.len()];
        let found = Extraction::read(&self.reader, body, &self.url, content_type, &[]);
        let most = 20 * body.len() + ALLOWANCE;
        must(found.main.markdown.len() <= most, || {
            format!("cap: {} bytes of Markdown", found.main.markdown.len())
        })?;
        must(found.main.plain.len() <= most, || {
            format!("cap: {} bytes of text", found.main.plain.len())
        })?;
        must(found.structured_data.len() <= most, || {
            format!("cap: {} bytes of data", found.structured_data.len())
        })?;
        let data: Result<Value, _> = serde_json::from_str(&found.structured_data);
        must(data.is_ok(), || {
            format!("json: {:?}", found.structured_data)
        })?;
        must(!found.main.markdown.contains('\0'), || {
            "nul: in Markdown".into()
        })
    }
}
