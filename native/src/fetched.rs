//! One finished fetch: everything about it, in native memory until it is archived.

use std::net::SocketAddr;
use std::sync::Arc;

use bytes::Bytes;

use crate::engine::budget::Budget;
use crate::engine::decode;
use crate::engine::turns::Held;
use crate::page::Page;
use crate::sitemap::Sitemap;
use crate::url::Key;

mod answer;

pub use answer::is_sendable;

/// What is fetched. Caps (H2) and analysis depend on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    Page,
    Robots,
    Sitemap,
    /// What a browser needs to show a page (D7).
    Requisite,
}

impl Kind {
    const ALL: [Kind; 4] = [Kind::Page, Kind::Robots, Kind::Sitemap, Kind::Requisite];

    pub fn name(self) -> &'static str {
        match self {
            Kind::Page => "page",
            Kind::Robots => "robots",
            Kind::Sitemap => "sitemap",
            Kind::Requisite => "requisite",
        }
    }

    pub fn from_name(name: &str) -> Option<Kind> {
        Kind::ALL.into_iter().find(|kind| kind.name() == name)
    }
}

/// A body, in memory or spilled to an anonymous file when the budget of bodies is used up.
#[derive(Debug, Clone)]
pub enum Body {
    Memory(Bytes),
    Spilled(Arc<memmap2::Mmap>),
}

impl Body {
    pub fn as_slice(&self) -> &[u8] {
        match self {
            Body::Memory(bytes) => bytes,
            Body::Spilled(map) => map,
        }
    }
}

/// The exchange as sent and received. Absent if nothing was sent.
#[derive(Debug)]
pub struct Exchange {
    /// The request head as sent, ending in the empty line; without values that may be secrets of the operator.
    pub request_head: Bytes,
    /// The final response head exactly as received (1xx heads dropped), ending in the empty line.
    pub response_head: Bytes,
    pub status: u16,
    /// Parsed headers, names in lower case, values as bytes turned into text (Latin-1).
    pub headers: Vec<(String, String)>,
    /// The body without chunked framing, still with its content-coding: this is stored in the WARC file.
    pub wire_body: Body,
    /// True when a cap cut the body on the wire.
    pub truncated: bool,
    /// True when the body came in chunks (the stored head must say so).
    pub chunked: bool,
    /// Bytes read off the socket for this response, head included.
    pub wire_bytes: u64,
}

#[derive(Debug)]
pub struct Fetched {
    pub ticket: u64,
    pub key: Key,
    pub href: String,
    pub kind: Kind,
    /// A seed: if it is a sitemap or a feed, it is read as one (D1).
    pub is_seed: bool,
    pub address: Option<SocketAddr>,
    /// Seconds since the epoch, by the clock of the process: at the actual send and at the last byte.
    pub started_at: f64,
    pub ended_at: f64,
    /// A cause of the failure table where the fetch failed; an HTTP status is not a failure here.
    pub failure: Option<(&'static str, String)>,
    /// The archive of others that it comes from; nothing was sent then (S11).
    pub imported: Option<String>,
    /// An accepted problem that should be reported, such as an untrusted certificate.
    pub note: String,
    pub exchange: Option<Exchange>,
    /// The decoded body of a robots.txt. Other bodies are dropped after the analysis.
    pub robots_txt: Option<Body>,
    pub decoded_length: u64,
    /// True when a cap or damage ended the decoding of a body that came whole.
    pub is_partly_decoded: bool,
    /// SHA-256 of the decoded body (X1).
    pub content_hash: Option<[u8; 32]>,
    /// MIME essence in lower case, e.g. `text/html`; sniffed where the header is missing.
    pub content_type: String,
    /// At most one of the two is set.
    pub page: Option<Arc<Page>>,
    pub sitemap: Option<Arc<Sitemap>>,
    /// Usage preferences in the headers of an answer whose body is not read as a page: an error, a redirect, a 304.
    pub usage: String,
    /// The share of the findings budget that the two take; none if they are small.
    pub held: Option<Held>,
}

impl Fetched {
    /// A fetch before anything has happened.
    pub fn new(ticket: u64, key: Key, href: String, kind: Kind) -> Self {
        Fetched {
            ticket,
            key,
            href,
            kind,
            is_seed: false,
            address: None,
            started_at: 0.0,
            ended_at: 0.0,
            failure: None,
            imported: None,
            note: String::new(),
            exchange: None,
            robots_txt: None,
            decoded_length: 0,
            is_partly_decoded: false,
            content_hash: None,
            content_type: String::new(),
            page: None,
            sitemap: None,
            usage: String::new(),
            held: None,
        }
    }

    /// The decoded body, at most `cap` bytes of it: decoded again each time, because it is dropped after it was read.
    /// A body that is not coded as its headers say is returned as it came. None without an answer.
    pub fn decode_body(&self, cap: usize) -> Option<Vec<u8>> {
        let exchange = self.exchange.as_ref()?;
        let wire = exchange.wire_body.as_slice();
        let decoded = decode::codings(&exchange.headers).ok().and_then(|codings| {
            let budget = Budget::new(usize::MAX, None);
            decode::decode(wire, &codings, cap, &budget).ok()
        });
        Some(match decoded {
            Some(decoded) => decoded.body.as_slice().to_vec(),
            None => wire[..wire.len().min(cap)].to_vec(),
        })
    }
}
