//! Replay: any style sheet, document or script is read within its caps, and what is rewritten leads ahead of time nowhere.

use std::time::Duration;

use encoding_rs::UTF_8;
use hondius_native::css;
use hondius_native::media_type::Syntax;
use hondius_native::requisites::{MOST, Search};
use hondius_native::rewriting::walk::Markup;
use hondius_native::rewriting::{Prefixes, hidden, rewrite};
use hondius_native::url::Identity;
use url::Url;

use super::{Target, Verdict, choice, must};

const TYPES: [&str; 6] = [
    "text/html; charset=utf-8",
    "text/html",
    "image/svg+xml",
    "application/xml",
    "text/css",
    "",
];
/// What a document may become beside a multiple of its length.
const MOST_ADDED: usize = 64 * 1024 * 1024;

fn page() -> Url {
    Url::parse("http://a.test/dir/page").expect("a URL")
}

/// Style sheets: what is found is in the text, in order.
pub struct Sheets;

impl Target for Sheets {
    fn name(&self) -> &'static str {
        "css"
    }

    fn seeds(&self) -> Vec<Vec<u8>> {
        [
            "@charset 'utf-8'; @import url(a.css) screen; @import 'b.css'; @namespace x 'c';",
            "a { background: url( \"d\\\"e\" ), u\\72l(f), image-set('g' 1x, url(h) 2x) } /* url(i) */",
            "@font-face { src: url(j) format('woff'), local(k) } b { c: url(l m) url(n",
        ]
        .map(|seed| seed.as_bytes().to_vec())
        .to_vec()
    }

    fn tokens(&self) -> &'static [&'static str] {
        &[
            "url(",
            "u\\72 l(",
            ")",
            "'",
            "\"",
            "\\",
            "\n",
            "/*",
            "*/",
            "@import ",
            "@namespace ",
            "image-set(",
            "{",
            "}",
            ";",
            "(",
            "src(",
            "\u{e9}",
            "\\0",
            "\\110000 ",
        ]
    }

    fn run(&self, input: &[u8]) -> Verdict {
        let text = String::from_utf8_lossy(input);
        let mut end = 0;
        let mut verdict = Ok(());
        css::find_urls(&text, |found| {
            let is_whole = found.range.start >= end && text.get(found.range.clone()).is_some();
            end = found.range.end;
            if !is_whole || found.url.len() > 3 * found.range.len() {
                verdict = Err(format!("range: {:?} of {:?}", found.range, found.url));
            }
        });
        verdict
    }
}

/// Documents, and the requisites of documents and scripts.
pub struct Documents;

impl Documents {
    fn check_requisites(input: &[u8]) -> Verdict {
        let text = String::from_utf8_lossy(input);
        let (identity, document) = (Identity::default(), page());
        let search = Search {
            identity: &identity,
            document: &document,
            encoding: UTF_8,
            media: true,
        };
        for found in [
            search.of_document(&text, Syntax::Html),
            search.of_document(&text, Syntax::Xml),
            search.of_sheet(&text),
            search.of_script(&text),
        ] {
            must(found.len() <= MOST, || "cap: of requisites".into())?;
            for one in found {
                let is_web = one.href.starts_with("http://") || one.href.starts_with("https://");
                must(is_web, || format!("href: {}", one.href))?;
            }
        }
        Ok(())
    }
}

impl Target for Documents {
    fn name(&self) -> &'static str {
        "replay"
    }

    fn seeds(&self) -> Vec<Vec<u8>> {
        [
            "\0<!doctype html><base href=/b/><link rel='stylesheet preconnect' href=s><img srcset='a 1x, b 2x' style='x:url(c)'>\
             <script src=d></script><iframe srcdoc='&lt;a href=e>'></iframe><meta http-equiv=refresh content='1;url=f'>",
            "\x41<!-- a --><!doctype html><select><textarea></select><link rel=preconnect href=//b.test><iframe srcdoc='<p>'>",
            "\x02<!DOCTYPE svg [<!ENTITY a '<link/>'><!ATTLIST link rel CDATA 'x'>]><svg><style>a{b:url(c)}</style><image xlink:href='d'/></svg>",
            "\0<script>x = `${y}a.png`; z = '<img src=\\'b.svg\\'>'</script><a onclick='c(\"d.gif\")' href=e target=f>",
            "\x04a { b: url(c.png) } @import 'd';",
        ]
        .map(|seed| seed.as_bytes().to_vec())
        .to_vec()
    }

    fn tokens(&self) -> &'static [&'static str] {
        &[
            "<link rel=preconnect href=//b.test>",
            "<link ",
            "rel=",
            "preconnect",
            "dns-prefetch",
            "<x:link ",
            "<iframe srcdoc='",
            "</iframe>",
            "&lt;",
            "&quot;",
            "&#99;",
            "<select>",
            "<textarea>",
            "</textarea>",
            "<plaintext>",
            "<noscript>",
            "<xmp>",
            "<svg>",
            "</svg>",
            "<style>",
            "</style>",
            "<script>",
            "</script>",
            "<!--",
            "-->",
            "<!doctype html>",
            "<?xml ",
            "<!ENTITY a '",
            "<!ENTITY % a '",
            "<!ATTLIST ",
            "]>",
            "<?xml-stylesheet ",
            "<base href=/c/>",
            "srcset='a 1x'",
            "style='a:url(b)'",
            "a.png'",
            "\\/",
            ".woff2\"",
            "<title>",
            "<math>",
            "<![CDATA[",
            "'",
            "\"",
            ">",
            "=",
        ]
    }

    fn ceiling(&self) -> Duration {
        Duration::from_millis(100)
    }

    fn run(&self, input: &[u8]) -> Verdict {
        let (way, body) = choice(input);
        let content_type = TYPES[way as usize % 8 % TYPES.len()];
        let is_guarded = way & 0x40 != 0;
        let headers = [("content-type".to_owned(), content_type.to_owned())];
        let prefixes = Prefixes {
            page: "/p/".into(),
            frame: "/f/".into(),
            asset: "/x/".into(),
        };
        let rewritten = rewrite(body, &page(), &headers, &prefixes, is_guarded);
        if let Some(text) = rewritten.body {
            must(text.len() < 8 * body.len() + MOST_ADDED, || "growth".into())?;
            let kind = rewritten.content_type.split(';').next().unwrap_or_default();
            let markup = if kind == "text/html" {
                Markup::Html
            } else {
                Markup::Xml
            };
            // Declarations of XML that were renamed are renamed again: a page may have used the new name itself.
            let declares = |word| markup == Markup::Xml && text.contains(word);
            let is_final = !["<!ENTITY", "<!ATTLIST", "<?xml-stylesheet"]
                .into_iter()
                .any(declares);
            if kind != "text/css" && !is_guarded && is_final {
                let again = hidden::disarm(text.clone(), markup, false);
                must(again == text, || format!("ahead: {text}"))?;
            }
        }
        Self::check_requisites(body)
    }
}
