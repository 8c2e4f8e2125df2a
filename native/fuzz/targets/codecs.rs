//! Our own formats, as a broken disk may hand them back: discoveries, WARC records.

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
        let content = warc::read(&data);
        let scan = warc::scan(&data, 0, "a.warc.gz");
        drop((content, scan));
        Ok(())
    }
}
