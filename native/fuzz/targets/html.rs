//! Pages: any bytes give one within its caps, and where the fast road is certain the tree agrees.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use hondius_native::focus::Keywords;
use hondius_native::html::Reader;
use hondius_native::page::{Page, ReadOptions};
use hondius_native::url::{Identity, Switches, parse};
use url::Url;

use super::{Target, Verdict, choice, must};

const TYPES: [&str; 8] = [
    "text/html; charset=utf-8",
    "text/html",
    "application/xhtml+xml",
    "application/rss+xml",
    "text/plain",
    "",
    "text/html; charset=utf-16le",
    "text/html; charset=shift_jis",
];
const MAX_LINKS: usize = 100_000;
const MAX_TEXT: usize = 5_000;

pub struct Html {
    reader: Reader,
    identity: Identity,
    url: Url,
}

impl Html {
    pub fn new() -> Self {
        let identity = Identity::new(Switches::default());
        let keywords = ["a", "the map", "図", "地図帳"].map(|word| (word.to_owned(), 1.0));
        let options = ReadOptions {
            agent_token: "hondius".into(),
            media: true,
            scripts: true,
            requisites: false,
            max_links: MAX_LINKS,
            max_text: MAX_TEXT,
            want_text: true,
            keywords: Keywords::new(&keywords).ok().map(Arc::new),
        };
        Html {
            reader: Reader::new(identity.clone(), options),
            identity,
            url: Url::parse("http://a.test/dir/page").expect("a URL"),
        }
    }

    fn check_page(&self, page: &Page) -> Verdict {
        must(page.text.chars().count() <= MAX_TEXT, || {
            "cap: of text".into()
        })?;
        must(page.links.len() <= MAX_LINKS, || "cap: of links".into())?;
        must(page.links.len() <= page.links_found as usize, || {
            "count: of links".into()
        })?;
        must(
            page.headings.len() <= 200 && page.open_graph.len() <= 64,
            || "cap: of lists".into(),
        )?;
        must(page.main_text().len() <= page.text.len(), || {
            "main: is more than the text".into()
        })?;
        let scores = page.focus.iter().map(|focus| focus.score);
        must(
            scores
                .chain(page.quality)
                .all(|score| (0.0..=1.0).contains(&score)),
            || format!("scores: {:?}, {:?}", page.focus, page.quality),
        )?;
        let has_words = page.text.chars().any(char::is_alphanumeric);
        must(page.simhash.is_some() == has_words, || {
            format!("simhash: {:?} of {:?}", page.simhash, page.text)
        })?;
        must(
            page.usage.len() < 200_000
                && (page.usage.is_empty() || page.usage.split('\n').all(is_signal)),
            || format!("usage: {}", page.usage),
        )?;
        must(page.detected_language().len() <= 2, || {
            "language: of no two letters".into()
        })?;
        for text in [&page.text, &page.title, &page.description] {
            must(is_folded(text), || format!("fold: {text:?}"))?;
        }
        page.links
            .iter()
            .try_for_each(|link| self.check_link(&link.href, link.key))
    }

    fn check_link(&self, href: &str, key: [u8; 16]) -> Verdict {
        let url = parse(href, None).map_err(|reason| format!("href: {href} is none, {reason}"))?;
        must(url.as_str() == href, || {
            format!("href: {href} becomes {url}")
        })?;
        must(self.identity.key_of(&url) == key, || {
            format!("key: of {href}")
        })
    }

    fn check_roads(&self, text: &str) -> Verdict {
        let roads = self.reader.read_both_paths(text, &self.url);
        let Some(slow) = roads.slow.filter(|_| roads.certain) else {
            return Ok(());
        };
        must(hrefs(&roads.fast) == hrefs(&slow), || {
            format!(
                "roads: links {:?} and {:?}",
                hrefs(&roads.fast),
                hrefs(&slow)
            )
        })?;
        must(roads.fast.title == slow.title, || {
            format!("roads: titles {:?} and {:?}", roads.fast.title, slow.title)
        })?;
        must(roads.fast.directives == slow.directives, || {
            "roads: directives".into()
        })
    }
}

fn hrefs(page: &Page) -> BTreeSet<&str> {
    page.links.iter().map(|link| link.href.as_str()).collect()
}

fn is_folded(text: &str) -> bool {
    text.trim() == text && !text.contains("  ") && !text.contains(['\n', '\t', '\0'])
}

fn is_signal(line: &str) -> bool {
    ["header ", "meta ", "link "]
        .iter()
        .any(|place| line.starts_with(place))
        && !line.contains(char::is_control)
}

impl Target for Html {
    fn name(&self) -> &'static str {
        "html"
    }

    fn seeds(&self) -> Vec<Vec<u8>> {
        [
            "\0<!doctype html><html lang=en><head><title>T &amp; t</title><base href=/b/><meta name=robots content=noindex>\
             <meta property=og:title content=x><link rel=canonical href=/c></head><body><nav><a href=n>N</a></nav><main><h1>H</h1>\
             <p>text <a href='a?b=1&amp;c' rel=nofollow>link</a></p></main><script>if (a<b) '<!--'</script></body></html>",
            "\0<svg><title>i</title><path d='M0'/><a xlink:href=x>y</a></svg><math><mi>x</mi></math><table><tr><td><a href=c>x</table>\
             <select><option>1</select><textarea>&lt;</textarea><template><a href=t></template><noscript><a href=n></noscript>",
            "\0<frameset><frame src=f><noframes><a href=x></noframes></frameset>",
            "\x02<?xml version='1.0'?><html xmlns='http://www.w3.org/1999/xhtml'><title/><body><a href='x'/></body></html>",
            "\x03<rss><channel><title>N</title><link>/l</link><item><link><![CDATA[/one]]></link></item></channel></rss>",
            "\0<main><p>\u{5730}\u{56f3}\u{5e33} atlas \u{e17}\u{e35}\u{e48}</p></main><a href=//xn--a/>x</a>",
            "\x01<meta charset=windows-1251><p>\u{416}<img srcset='1 1x, 2 2x'><video poster=p src=v><source src=s></video>",
        ]
        .map(|seed| seed.as_bytes().to_vec())
        .to_vec()
    }

    fn tokens(&self) -> &'static [&'static str] {
        &[
            "<a href=/x>",
            "</a>",
            "<a rel=license href=l>",
            "<link rel='license' type=application/rsl+xml href=/r>",
            "<meta name=tdm-reservation content=1>",
            "<meta name=robots content='noai,noimageai'>",
            "<a href='",
            "<base href=/y/>",
            "<title>",
            "</title>",
            "<script>",
            "</script>",
            "<!--",
            "-->",
            "<style>",
            "</style>",
            "<svg>",
            "</svg>",
            "<math>",
            "<mi>",
            "</math>",
            "<foreignObject>",
            "<desc>",
            "<![CDATA[",
            "]]>",
            "<template>",
            "</template>",
            "<table>",
            "<tr>",
            "<td>",
            "</table>",
            "<col>",
            "<colgroup>",
            "<select>",
            "<option>",
            "</select>",
            "<textarea>",
            "</textarea>",
            "<noscript>",
            "</noscript>",
            "<plaintext>",
            "<xmp>",
            "<iframe src=f>",
            "</iframe>",
            "<frameset>",
            "<frame src=g>",
            "<p>",
            "</p>",
            "<b>",
            "</b>",
            "<font color=r>",
            "<font>",
            "<annotation-xml>",
            "<h1>",
            "</h1>",
            "<main>",
            "</main>",
            "<nav>",
            "<form>",
            "<br>",
            "<meta http-equiv=refresh content='0;url=z'>",
            "<meta name=robots content=none>",
            "<html lang=de>",
            "&amp;",
            "&#x26;",
            "&nbsp;",
            "&#0;",
            " srcset='a 1x'",
            "=",
            "'",
            "\"",
            "<image src=i>",
            "<embed src=e>",
            "<g>",
            "</g>",
            "<path/>",
            "</path>",
            "<body>",
            "</body>",
            "</html>",
            "<noembed>",
        ]
    }

    /// The slow road may work quadratically until it gives up.
    fn ceiling(&self) -> Duration {
        Duration::from_millis(500)
    }

    fn run(&self, input: &[u8]) -> Verdict {
        let (way, body) = choice(input);
        let content_type = TYPES[way as usize % TYPES.len()];
        let header = String::from_utf8_lossy(&body[..body.len().min(60)]).into_owned();
        let names = [
            "link",
            "x-robots-tag",
            "refresh",
            "content-language",
            "content-usage",
            "tdm-reservation",
            "tdm-policy",
        ];
        let headers = names.map(|name| (name.to_owned(), header.clone()));
        let headers = if way & 0x40 != 0 { &headers[..] } else { &[] };
        self.check_page(&self.reader.read(body, &self.url, content_type, headers))?;
        match std::str::from_utf8(body) {
            Ok(text) if way as usize % TYPES.len() < 2 => self.check_roads(text),
            _ => Ok(()),
        }
    }
}
