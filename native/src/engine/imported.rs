//! An answer from an archive, processed as the engine processes one from the network (S11). No request is sent.

use std::net::SocketAddr;
use std::sync::Arc;

use bytes::Bytes;
use parking_lot::Mutex;
use url::Url;

use super::Analyse;
use super::answer_processor::AnswerProcessor;
use super::budget::Budget;
use super::fetch::is_success;
use super::framing::Chunks;
use super::head::{self, Head};
use super::settings::Caps;
use super::spent::Spent;
use super::turns::Turns;
use crate::fetched::{Body, Exchange, Fetched, Kind};
use crate::media_type;
use crate::url::Key;

/// What the archive says about one answer.
pub struct ArchivedAnswer {
    pub key: Key,
    pub href: String,
    pub url: Url,
    pub kind: Kind,
    pub address: Option<SocketAddr>,
    pub at: f64,
    /// The file that it comes from.
    pub file: String,
    pub head: Vec<u8>,
    /// As stored: perhaps in chunks.
    pub body: Vec<u8>,
    /// The body comes from another record, and has no chunks.
    pub is_joined: bool,
    pub is_cut: bool,
}

pub struct Importer {
    processor: AnswerProcessor,
}

impl Importer {
    pub fn new(
        analyser: Arc<dyn Analyse>,
        content_types: Vec<String>,
        caps: Caps,
        budget: usize,
    ) -> Self {
        Importer {
            processor: AnswerProcessor {
                spent: Spent::default(),
                analyser,
                caps,
                content_types,
                budget: Budget::new(budget, None),
                turns: Turns::new(1, usize::MAX),
                one_sitemap: Mutex::default(),
            },
        }
    }

    /// The error says why the record is no answer.
    pub fn process(&self, answer: ArchivedAnswer) -> Result<Fetched, String> {
        let head = head::parse(&answer.head).map_err(|failure| {
            let (_, detail): (&str, String) = failure.into();
            format!("its HTTP head cannot be read: {detail}")
        })?;
        let mut fetched = Fetched {
            address: answer.address,
            started_at: answer.at,
            ended_at: answer.at,
            imported: Some(answer.file),
            is_seed: true, // what is a sitemap or a feed is read as one
            ..Fetched::new(0, answer.key, answer.href, answer.kind)
        };
        let declared = media_type::essence(head.values("content-type"));
        fetched.content_type = declared.unwrap_or_default();
        let (body, chunked) = match answer.is_joined {
            true => (answer.body, false),
            false => join_chunks(&head, answer.body),
        };
        let cap = self.processor.caps.of(answer.kind);
        let is_kept = !is_success(head.status)
            || fetched.content_type.is_empty()
            || self.processor.wants(answer.kind, &fetched.content_type);
        let is_cut = answer.is_cut || body.len() > cap || !is_kept;
        let mut body = Bytes::from(if is_kept { body } else { Vec::new() });
        body.truncate(cap);
        fetched.exchange = Some(Exchange {
            request_head: Bytes::new(),
            wire_bytes: (answer.head.len() + body.len()) as u64,
            response_head: Bytes::from(answer.head),
            status: head.status,
            headers: head.headers,
            wire_body: Body::Memory(body),
            truncated: is_cut,
            chunked,
        });
        self.processor.process(&answer.url, &mut fetched);
        Ok(fetched)
    }
}

/// The body without chunks, and whether the head says that it has some. Some archives have joined them, but not changed
/// the head: their bodies do not begin with the size of a chunk.
fn join_chunks(head: &Head, body: Vec<u8>) -> (Vec<u8>, bool) {
    let is_chunked = head
        .elements("transfer-encoding")
        .last()
        .is_some_and(|last| last == "chunked");
    if !is_chunked {
        return (body, false);
    }
    let mut joined = Vec::with_capacity(body.len());
    let mut chunks = Chunks::default();
    let fed = chunks.feed(&body, |piece| {
        joined.extend_from_slice(piece);
        true
    });
    match fed {
        Ok(_) if chunks.is_done() || !joined.is_empty() => (joined, true),
        _ => (body, true),
    }
}
