//! An answer understood (decoded, read, hashed), and kept as WARC records. Both begin with an answer whose
//! bytes are here already: what the network costs is not counted.

use std::hint::black_box;
use std::io::Write;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;

use bytes::Bytes;
use flate2::Compression;
use flate2::write::GzEncoder;
use hondius_native::engine::fetch::Job;
use hondius_native::engine::rehearsal::{Act, Rehearsal};
use hondius_native::fetched::{Fetched, Kind};
use hondius_native::html::Reader;
use hondius_native::page::ReadOptions;
use hondius_native::url::{Identity, Switches};
use hondius_native::warc::{ArchivedFetch, Settings, block};
use url::Url;

use crate::Kernel;

const HREF: &str = "http://b0004.test/journal/entry-05.html";
/// Of a commit, whose records are written together.
const FETCHES: usize = 5;
const AGENT: &str = "Hondius/0.1 (+https://contact.example/crawler)";

/// Decoded from gzip, its charset found, links, text and directives read, SHA-256 and SimHash.
pub fn analyse(page: &[u8]) -> Kernel {
    let (rehearsal, answer) = (rehearsal(), coded(page));
    let fetched = fetch(&rehearsal, &answer);
    let read = fetched.page.expect("a page that is read");
    assert!(!read.links.is_empty() && read.simhash.is_some() && !read.slow_road);
    assert_eq!(fetched.decoded_length, page.len() as u64);
    Kernel {
        operations: 1,
        lap: Box::new(move |_| drop(black_box(fetch(&rehearsal, black_box(&answer))))),
    }
}

/// The body came as it is, and is compressed here.
pub fn warc_plain(page: &[u8]) -> Kernel {
    written(Answer::new("", page.to_vec()))
}

/// The body came compressed, and is kept so.
pub fn warc_coded(page: &[u8]) -> Kernel {
    written(coded(page))
}

/// The records of each fetch: response, request and metadata, each a gzip member, and its index line.
fn written(answer: Answer) -> Kernel {
    let rehearsal = rehearsal();
    let fetches: Vec<_> = (0..FETCHES).map(|_| fetch(&rehearsal, &answer)).collect();
    let settings = Settings {
        software: "Hondius/0.1.0".into(),
        operator: String::new(),
        robots_policy: "obey".into(),
        compression: 1,
    };
    let lap = move |_| {
        let archived: Vec<_> = black_box(&fetches).iter().map(archived).collect();
        let block = block(&settings, &archived, 1 << 20, "hondius-00001.warc.gz");
        black_box(block.expect("records"));
    };
    Kernel {
        operations: FETCHES,
        lap: Box::new(lap),
    }
}

fn archived(fetched: &Fetched) -> ArchivedFetch<'_> {
    ArchivedFetch {
        fetched,
        original: None,
        fields: "via: http://b0004.test/\r\nhopsFromSeed: 1\r\nfetchTimeMs: 12\r\n",
        keep_body: true,
    }
}

struct Answer {
    head: Bytes,
    body: Bytes,
}

impl Answer {
    fn new(coding: &str, body: Vec<u8>) -> Self {
        let head = format!(
            "HTTP/1.1 200 OK\r\nServer: nginx\r\nDate: Sun, 15 Nov 2026 08:00:00 GMT\r\nContent-Type: text/html; \
             charset=utf-8\r\nContent-Length: {}\r\nLast-Modified: Sat, 14 Nov 2026 08:00:00 GMT\r\n\
             ETag: \"6552a1b0-c350\"\r\nConnection: keep-alive\r\nVary: Accept-Encoding\r\n{coding}\r\n",
            body.len()
        );
        Answer {
            head: Bytes::from(head),
            body: Bytes::from(body),
        }
    }
}

fn coded(page: &[u8]) -> Answer {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::new(6));
    encoder.write_all(page).expect("room in memory");
    let body = encoder.finish().expect("room in memory");
    Answer::new("Content-Encoding: gzip\r\n", body)
}

fn rehearsal() -> Rehearsal {
    let options = ReadOptions {
        agent_token: "hondius".into(),
        media: false,
        scripts: false,
        requisites: false,
        max_links: 10_000,
        max_text: 1_000_000,
        want_text: false,
        keywords: None,
    };
    let reader = Reader::new(Identity::new(Switches::default()), options);
    Rehearsal::new(Arc::new(reader), AGENT, vec!["text/html".into()]).expect("a user agent")
}

fn fetch(rehearsal: &Rehearsal, answer: &Answer) -> Fetched {
    let job = Job {
        ticket: 1,
        key: [7; 16],
        url: Url::parse(HREF).expect("a URL"),
        href: HREF.into(),
        address: SocketAddr::from((Ipv4Addr::LOCALHOST, 80)),
        kind: Kind::Page,
        within: None,
        is_seed: false,
        extra: Vec::new(),
    };
    let act = Act {
        started_at: 1_794_729_600.25,
        ended_at: 1_794_729_600.75,
        head: answer.head.clone(),
        body: answer.body.clone(),
        failure: None,
    };
    rehearsal.play(&job, act).expect("an answer")
}
