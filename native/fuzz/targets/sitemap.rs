//! Sitemaps: broken ones yield what can be read, each entry a URL with its key.

use std::io::Write;

use flate2::Compression;
use flate2::write::GzEncoder;
use hondius_native::sitemap::{MAX_ENTRIES, is_sitemap, looks_like_html, may_be_sitemap, read};
use hondius_native::url::{Identity, Switches, parse};
use url::Url;

use super::{Target, Verdict, choice, must};

pub struct Sitemaps {
    identity: Identity,
    url: Url,
}

impl Sitemaps {
    pub fn new() -> Self {
        Sitemaps {
            identity: Identity::new(Switches::default()),
            url: Url::parse("http://a.test/sitemap.xml").expect("a URL"),
        }
    }
}

pub fn gzipped(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder
        .write_all(bytes)
        .and_then(|()| encoder.finish())
        .unwrap_or_default()
}

impl Target for Sitemaps {
    fn name(&self) -> &'static str {
        "sitemap"
    }

    fn seeds(&self) -> Vec<Vec<u8>> {
        [
            "\0<?xml version='1.0'?><urlset><url><loc>http://a.test/1</loc><lastmod>2024-01-01T00:00:00Z</lastmod>\
             <changefreq>daily</changefreq><priority>0.5</priority></url></urlset>",
            "\0<sitemapindex><sitemap><loc><![CDATA[http://a.test/2.xml]]></loc></sitemap></sitemapindex>",
            "\0http://a.test/1\r\nhttp://a.test/2\n",
            "\x01<rss><channel><item><link>http://a.test/3</link><pubDate>Mon, 01 Jan 2024 00:00:00 GMT</pubDate></item></channel></rss>",
            "\0<feed><entry><link href='http://a.test/4'/><updated>2024-01-01</updated></entry></feed>",
        ]
        .map(|seed| seed.as_bytes().to_vec())
        .to_vec()
    }

    fn tokens(&self) -> &'static [&'static str] {
        &[
            "<url>",
            "</url>",
            "<loc>",
            "</loc>",
            "http://a.test/",
            "<lastmod>",
            "2024-02-30",
            "<priority>",
            "0.5",
            "1e9",
            "NaN",
            "<changefreq>",
            "daily",
            "<sitemap>",
            "<sitemapindex>",
            "<urlset>",
            "<![CDATA[",
            "]]>",
            "&amp;",
            "&#x41;",
            "&lt;",
            "<!--",
            "-->",
            "<?xml",
            "?>",
            "<item>",
            "<link>",
            "<link href='x'/>",
            "<entry>",
            "<x:loc>",
            "encoding='utf-16'",
            "+25:99",
        ]
    }

    fn run(&self, input: &[u8]) -> Verdict {
        let (way, body) = choice(input);
        let body = if way % 2 == 1 {
            gzipped(body)
        } else {
            body.to_vec()
        };
        looks_like_html(&body);
        let start = &body[..body.len().min(way as usize)];
        must(!is_sitemap(&body, false) || may_be_sitemap(start), || {
            "sniff: a sitemap whose first bytes cannot be one's".into()
        })?;
        let sitemap = read(&body, &self.url, &self.identity);
        must(sitemap.entries.len() <= MAX_ENTRIES, || {
            "cap: of entries".into()
        })?;
        for entry in &sitemap.entries {
            let href = &entry.href;
            let url =
                parse(href, None).map_err(|reason| format!("href: {href} is none, {reason}"))?;
            must(url.as_str() == href, || {
                format!("href: {href} becomes {url}")
            })?;
            must(self.identity.key_of(&url) == entry.key, || {
                format!("key: of {href}")
            })?;
            let priority = entry.priority.unwrap_or_default();
            must((0.0..=1.0).contains(&priority), || {
                format!("priority: {priority}")
            })?;
        }
        Ok(())
    }
}
