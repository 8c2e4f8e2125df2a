//! Our own formats, as a broken disk may hand them back: discoveries, WARC records, link segments.

use hondius_native::links::{self, Source};
use hondius_native::page::{Link, LinkKind};
use hondius_native::url::{Identity, parse};
use hondius_native::url_store::discoveries::{Group, GroupWriter, decode, encode};
use hondius_native::warc;

use super::sitemap::gzipped;
use super::{Target, Verdict, choice, must};

pub struct DiscoveriesBlobs;

fn encoded(groups: &[Group<'_>]) -> Vec<u8> {
    let writers: Vec<_> = groups
        .iter()
        .map(|group| {
            let mut writer = GroupWriter::new(group.attributes.clone());
            group.rows.iter().for_each(|row| writer.push(*row));
            writer
        })
        .collect();
    encode(&writers)
}

impl Target for DiscoveriesBlobs {
    fn name(&self) -> &'static str {
        "discoveries"
    }

    /// Mutation finds what attributes may be; a row is a key, the number of its origin, the origin, a path.
    fn seeds(&self) -> Vec<Vec<u8>> {
        let row = b"0123456789abcdef\0\x0Dhttp://a.test\x02/a";
        let mut seeds = vec![vec![], vec![1]];
        for attributes in 0..48 {
            let mut seed = vec![1];
            seed.extend(std::iter::repeat_n(0, attributes));
            seed.push(1);
            seed.extend_from_slice(row);
            seeds.push(seed);
        }
        seeds
    }

    fn tokens(&self) -> &'static [&'static str] {
        &[
            "0123456789abcdef\0\x0Dhttp://a.test\x02/a",
            "\0\x0Dhttp://a.test",
            "\x02/b",
            "\x01",
            "\x7F",
            "http://",
            "\0\0\0\0\0\0\0\0",
        ]
    }

    fn run(&self, input: &[u8]) -> Verdict {
        let Ok(groups) = decode(input) else {
            return Ok(());
        };
        let full: Vec<_> = groups
            .into_iter()
            .filter(|group| !group.rows.is_empty())
            .collect();
        let data = encoded(&full);
        let again = decode(&data).map_err(|error| format!("again: {error}"))?;
        must(encoded(&again) == data, || {
            "again: is not what it was".into()
        })
    }
}

pub struct WarcRecords;

impl Target for WarcRecords {
    fn name(&self) -> &'static str {
        "warc"
    }

    fn seeds(&self) -> Vec<Vec<u8>> {
        let record = "\x01WARC/1.1\r\nWARC-Type: response\r\nWARC-Target-URI: http://a.test/\r\nWARC-Date: 2024-01-01T00:00:00Z\r\n\
                      Content-Type: application/http;msgtype=response\r\nContent-Length: 60\r\n\r\nHTTP/1.1 200 OK\r\n\
                      Content-Encoding: gzip\r\nContent-Type: text/html\r\n\r\nbody\r\n\r\n";
        let information =
            "\x01WARC/1.1\r\nWARC-Type: warcinfo\r\nContent-Length: 9\r\n\r\nsoftware:\r\n\r\n";
        let mut whole = vec![0];
        whole.extend(gzipped(&record.as_bytes()[1..]));
        vec![record.into(), information.into(), whole]
    }

    fn tokens(&self) -> &'static [&'static str] {
        &[
            "WARC/1.1\r\n",
            "WARC-Type: ",
            "response",
            "revisit",
            "metadata",
            "Content-Length: ",
            "WARC-Target-URI: ",
            "http://a.test/",
            "\r\n",
            "\r\n\r\n",
            "HTTP/1.1 200 OK\r\n",
            "Content-Encoding: ",
            "gzip",
            "zstd",
            "br",
            "application/http",
            "WARC-Date: ",
        ]
    }

    fn run(&self, input: &[u8]) -> Verdict {
        let (way, rest) = choice(input);
        let data = if way % 2 == 1 {
            gzipped(rest)
        } else {
            rest.to_vec()
        };
        let content = warc::read(&data, 1 << 20);
        let scan = warc::scan(&data, 0, "a.warc.gz");
        drop((content, scan));
        Ok(())
    }
}

/// The input is what the checksum covers, so that mutation is not in vain; what is read is written and read again.
pub struct LinkBlocks {
    identity: Identity,
}

impl LinkBlocks {
    pub fn new() -> Self {
        let identity = Identity::default();
        LinkBlocks { identity }
    }

    fn link(&self, href: &str, kind: LinkKind, rel: u8, anchor: &str) -> Link {
        let url = parse(href, None).expect("an href");
        Link {
            key: self.identity.key_of(&url),
            href: url.into(),
            kind,
            rel,
            anchor: anchor.into(),
        }
    }
}

fn with_head(content: &[u8]) -> Vec<u8> {
    let length = u32::try_from(content.len()).unwrap_or(u32::MAX);
    let checksum = crc32fast::hash(content);
    let mut block = [length.to_le_bytes(), checksum.to_le_bytes()].concat();
    block.extend_from_slice(content);
    block
}

impl Target for LinkBlocks {
    fn name(&self) -> &'static str {
        "links"
    }

    fn seeds(&self) -> Vec<Vec<u8>> {
        let links = [
            self.link("http://a.test/b", LinkKind::Anchor, 0, "words"),
            self.link("http://a.test/bc?d=e", LinkKind::Area, 3, ""),
            self.link("https://other.test/", LinkKind::Sitemap, 7, "\u{e4}"),
        ];
        let source = |links| Source {
            key: [7; 16],
            href: "http://a.test/",
            directives: 1,
            links,
        };
        let written = [
            links::write(&[source(&links[..])], 0),
            links::write(&[source(&links[..0]), source(&links[1..])], 0),
        ];
        let seeds = written.into_iter().flatten();
        seeds
            .map(|blocks| blocks.data[links::HEAD_BYTES..].to_vec())
            .collect()
    }

    fn tokens(&self) -> &'static [&'static str] {
        &[
            "http://a.test/",
            "https://",
            "\t",
            "\n",
            "\0",
            "\x01",
            "\x7F",
            "0123456789abcdef\0\0\0\0\x01\0\0",
        ]
    }

    fn run(&self, input: &[u8]) -> Verdict {
        let Ok(pages) = links::read(&with_head(input), &self.identity) else {
            return Ok(());
        };
        let sources: Vec<_> = pages
            .iter()
            .map(|page| Source {
                key: page.key,
                href: &page.href,
                directives: page.directives,
                links: &page.links,
            })
            .collect();
        let again = links::write(&sources, 0).map_err(|error| format!("again: {error}"))?;
        let mut read = Vec::new();
        let starts = again.places.iter().filter(|place| place.index == 0);
        for place in starts {
            let block = &again.data[place.offset as usize..];
            let found = links::read(block, &self.identity);
            read.extend(found.map_err(|error| format!("again: {error}"))?);
        }
        let is_same = pages.len() == read.len()
            && pages.iter().zip(&read).all(|(one, other)| {
                let hrefs = |page: &links::PageLinks| {
                    let links = page.links.iter();
                    links
                        .map(|link| (link.href.clone(), link.anchor.clone()))
                        .collect::<Vec<_>>()
                };
                one.href == other.href && hrefs(one) == hrefs(other)
            });
        must(is_same, || "again: is not what it was".into())
    }
}
