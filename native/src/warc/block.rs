//! Turns fetches into records.

use rustc_hash::FxHashMap;

use super::Settings;
use super::cdxj::{self, Line};
use super::date::warc_date;
use super::digest;
use super::member::{Members, append_stored};
use super::record::{END, RecordHead, RecordId};
use super::stored_head::stored_head;
use crate::engine::decode::codings;
use crate::engine::failure::cause;
use crate::error::{Error, Result};
use crate::fetched::{Exchange, Fetched};

const HTTP_REQUEST: &str = "application/http; msgtype=request";
const HTTP_RESPONSE: &str = "application/http; msgtype=response";
/// Bytes that the heads of a fetch's records usually take.
const HEADS: usize = 2 * 1024;
const FIELDS: &str = "application/warc-fields";
const SAME_PAYLOAD: &str = "http://netpreserve.org/warc/1.1/revisit/identical-payload-digest";
const NOT_MODIFIED: &str = "http://netpreserve.org/warc/1.1/revisit/server-not-modified";

/// The record that already contains the body.
#[derive(Debug, Clone)]
pub struct Original {
    pub target: String,
    pub warc_date: String,
    /// Its `WARC-Payload-Digest`; empty if unknown. Equal text in another coding has other stored bytes, so a revisit is
    /// written only if this equals the digest of the new body.
    pub payload_digest: String,
}

#[derive(Debug)]
pub struct ArchivedFetch<'a> {
    pub fetched: &'a Fetched,
    pub original: Option<Original>,
    /// Lines of `application/warc-fields`; empty: no metadata record.
    pub fields: &'a str,
    /// False if the page asked not to be archived (`noarchive`, D4): only its head is stored.
    pub keep_body: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Position {
    pub offset: u64,
    pub length: u64,
}

#[derive(Debug, Default)]
pub struct Block {
    pub data: Vec<u8>,
    /// The response or revisit record of each fetch.
    pub positions: Vec<Position>,
    /// The date of each fetch. Revisits refer to their originals by it.
    pub dates: Vec<String>,
    /// The payload digest of each response record; empty for revisits.
    pub payload_digests: Vec<String>,
    /// One index line for each response or revisit.
    pub cdxj: Vec<String>,
}

/// The first record of a file.
pub fn information(settings: &Settings, file_name: &str, written_at: f64) -> Result<Vec<u8>> {
    let mut fields = format!(
        "software: {}\r\nformat: WARC File Format 1.1\r\n\
         conformsTo: http://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/\r\n\
         robots: {}\r\n",
        settings.software, settings.robots_policy
    );
    if !settings.operator.is_empty() {
        fields.push_str(&format!("operator: {}\r\n", settings.operator));
    }
    let id = RecordId::of(&[b"warcinfo", file_name.as_bytes()]);
    let head = RecordHead::new("warcinfo", id, &warc_date(written_at))
        .field("WARC-Filename", file_name)
        .field("WARC-Block-Digest", &digest::of(&[fields.as_bytes()]))
        .end(FIELDS, fields.len());
    let mut data = Vec::new();
    Members::new(settings.compression)?.append(&[&head, fields.as_bytes(), END], &mut data)?;
    Ok(data)
}

/// `base_offset` is the position in the file at which the block will be appended.
pub fn block(
    settings: &Settings,
    fetches: &[ArchivedFetch<'_>],
    base_offset: u64,
    file_name: &str,
) -> Result<Block> {
    let mut members = Members::new(settings.compression)?;
    let mut block = Block {
        data: Vec::with_capacity(fetches.iter().map(usual_length).sum()),
        ..Block::default()
    };
    let mut kept = Kept::default();
    for fetch in fetches {
        let Some(exchange) = &fetch.fetched.exchange else {
            let reason = format!("{} was never answered", fetch.fetched.href);
            return Err(Error::Invalid(reason));
        };
        let records = Records::new(fetch, exchange, &kept);
        let start = block.data.len();
        records.append_response(&mut members, &mut block.data)?;
        let position = Position {
            offset: base_offset + start as u64,
            length: (block.data.len() - start) as u64,
        };
        block.cdxj.push(records.index_line(position, file_name));
        block.positions.push(position);
        records.append_request(&mut members, &mut block.data)?;
        records.append_metadata(&mut members, &mut block.data)?;
        block.dates.push(records.date.clone());
        block.payload_digests.push(kept.remember(records));
    }
    Ok(block)
}

/// Length of the records of a fetch whose body came compressed. Others become shorter.
fn usual_length(fetch: &ArchivedFetch<'_>) -> usize {
    let exchange = fetch.fetched.exchange.as_ref();
    HEADS + exchange.map_or(0, |exchange| exchange.wire_body.as_slice().len())
}

/// The payload digests of this block, by URL and date: a copy often follows its original closely.
#[derive(Default)]
struct Kept<'a>(FxHashMap<(&'a str, String), String>);

impl<'a> Kept<'a> {
    fn remember(&mut self, records: Records<'a>) -> String {
        if !matches!(records.form, Form::Response) {
            return String::new();
        }
        let place = (records.fetch.fetched.href.as_str(), records.date);
        self.0.insert(place, records.payload_digest.clone());
        records.payload_digest
    }

    fn digest(&self, original: &'a Original) -> &str {
        match original.payload_digest.as_str() {
            "" => {
                let place = (original.target.as_str(), original.warc_date.clone());
                self.0.get(&place).map_or("", String::as_str)
            }
            known => known,
        }
    }
}

enum Form {
    Response,
    SamePayload,
    NotModified,
}

/// Builds the records of one fetch.
struct Records<'a> {
    fetch: &'a ArchivedFetch<'a>,
    exchange: &'a Exchange,
    date: String,
    form: Form,
    http_head: Vec<u8>,
    /// The part of the body that is stored.
    body: &'a [u8],
    payload_digest: String,
    /// Digest of head and body, if it was computed together with that of the body.
    block_digest: Option<String>,
}

impl<'a> Records<'a> {
    fn new(fetch: &'a ArchivedFetch<'a>, exchange: &'a Exchange, kept: &Kept<'a>) -> Self {
        let body = match fetch.keep_body {
            true => exchange.wire_body.as_slice(),
            false => &[],
        };
        let http_head = match exchange.status {
            304 => exchange.response_head.to_vec(),
            _ => stored_head(&exchange.response_head, exchange.chunked, body.len()),
        };
        let (form, payload_digest, block_digest) = form(fetch, exchange, &http_head, body, kept);
        Records {
            fetch,
            exchange,
            date: warc_date(fetch.fetched.started_at),
            body: if matches!(form, Form::Response) {
                body
            } else {
                &[]
            },
            form,
            http_head,
            payload_digest,
            block_digest,
        }
    }

    fn append_response(&self, members: &mut Members, output: &mut Vec<u8>) -> Result<()> {
        let block_digest = match (&self.form, &self.block_digest) {
            (Form::Response, Some(digest)) => digest.clone(),
            _ => digest::of(&[&self.http_head, self.body]),
        };
        let payload_digest = Some(self.payload_digest.as_str()).filter(|text| !text.is_empty());
        let mut head = self
            .head(self.kind(), "response")
            .field_if("WARC-Payload-Digest", payload_digest)
            .field("WARC-Block-Digest", &block_digest)
            .field_if("WARC-Truncated", self.truncated());
        if let Some(address) = self.fetch.fetched.address {
            head = head.field("WARC-IP-Address", &address.ip().to_string());
        }
        let head = self
            .refer(head)
            .end(HTTP_RESPONSE, self.http_head.len() + self.body.len());
        match self.came_compressed() {
            true => {
                append_stored(&[&head, &self.http_head, self.body, END], output);
                Ok(())
            }
            false => members.append(&[&head, &self.http_head, self.body, END], output),
        }
    }

    fn append_request(&self, members: &mut Members, output: &mut Vec<u8>) -> Result<()> {
        let request = &self.exchange.request_head;
        if request.is_empty() {
            return Ok(()); // imported: nothing was sent
        }
        let head = self
            .head("request", "request")
            .field("WARC-Concurrent-To", &self.id("response").to_string())
            .field("WARC-Block-Digest", &digest::of(&[request]))
            .end(HTTP_REQUEST, request.len());
        members.append(&[&head, request, END], output)
    }

    fn append_metadata(&self, members: &mut Members, output: &mut Vec<u8>) -> Result<()> {
        if self.fetch.fields.is_empty() {
            return Ok(());
        }
        let milliseconds = (self.fetch.fetched.ended_at - self.fetch.fetched.started_at) * 1000.0;
        let fields = format!("{}fetchTimeMs: {milliseconds:.0}\r\n", self.fetch.fields);
        let head = self
            .head("metadata", "metadata")
            .field("WARC-Concurrent-To", &self.id("response").to_string())
            .field("WARC-Block-Digest", &digest::of(&[fields.as_bytes()]))
            .end(FIELDS, fields.len());
        members.append(&[&head, fields.as_bytes(), END], output)
    }

    fn head(&self, kind: &str, role: &str) -> RecordHead {
        RecordHead::new(kind, self.id(role), &self.date)
            .field("WARC-Target-URI", &self.fetch.fetched.href)
    }

    fn refer(&self, head: RecordHead) -> RecordHead {
        let head = match self.form {
            Form::Response => return head,
            Form::SamePayload => head.field("WARC-Profile", SAME_PAYLOAD),
            Form::NotModified => head.field("WARC-Profile", NOT_MODIFIED),
        };
        match &self.fetch.original {
            Some(original) => head
                .field("WARC-Refers-To-Target-URI", &original.target)
                .field("WARC-Refers-To-Date", &original.warc_date),
            None => head,
        }
    }

    fn index_line(&self, position: Position, file_name: &str) -> String {
        let declared = super::stored_head::field(&self.http_head, "content-type");
        let mime = match self.form {
            Form::Response => cdxj::mime(declared),
            _ => cdxj::REVISIT.to_owned(),
        };
        let line = Line {
            target: &self.fetch.fetched.href,
            warc_date: &self.date,
            mime: &mime,
            status: &cdxj::status(&self.http_head),
            digest: &self.payload_digest,
            offset: position.offset,
            length: position.length,
            file_name,
        };
        line.text()
    }

    fn id(&self, role: &str) -> RecordId {
        let fetched = self.fetch.fetched;
        RecordId::of(&[
            role.as_bytes(),
            &fetched.key,
            &fetched.ticket.to_le_bytes(),
            &fetched.started_at.to_bits().to_le_bytes(),
        ])
    }

    fn kind(&self) -> &'static str {
        match self.form {
            Form::Response => "response",
            _ => "revisit",
        }
    }

    /// Why the stored body is shorter than the sent one. A complete body that cannot be decoded is not truncated.
    fn truncated(&self) -> Option<&'static str> {
        if !matches!(self.form, Form::Response) {
            return None;
        }
        let failure = self.fetch.fetched.failure.as_ref();
        match failure.map(|(cause, _)| *cause) {
            _ if !self.fetch.keep_body => Some("unspecified"),
            None | Some(cause::DECODE_FAILED) => self.exchange.truncated.then_some("length"),
            Some(cause::READ_TIMEOUT | cause::TOTAL_TIMEOUT) => Some("time"),
            Some(cause::BODY_INCOMPLETE | cause::CONNECTION_RESET) => Some("disconnect"),
            Some(_) => Some("unspecified"),
        }
    }

    fn came_compressed(&self) -> bool {
        !self.body.is_empty() && is_coded(self.exchange)
    }
}

/// How the response is recorded, its payload digest, and the digest of head and body if it was computed, too.
fn form<'a>(
    fetch: &'a ArchivedFetch<'a>,
    exchange: &Exchange,
    http_head: &[u8],
    body: &[u8],
    kept: &Kept<'a>,
) -> (Form, String, Option<String>) {
    let original = fetch.original.as_ref();
    let original = original.map_or("", |original| kept.digest(original));
    if exchange.status == 304 {
        return (Form::NotModified, original.to_owned(), None);
    }
    let (digest, of_block) = digests(fetch.fetched, exchange, http_head, body);
    let whole = fetch.keep_body && !exchange.truncated && fetch.fetched.failure.is_none();
    match whole && original == digest {
        true => (Form::SamePayload, digest, None),
        false => (Form::Response, digest, of_block),
    }
}

/// The digests of the payload and, unless the first was known, of head and payload. If the body was not coded, the hash
/// of the decoded body is that of the stored one.
fn digests(
    fetched: &Fetched,
    exchange: &Exchange,
    http_head: &[u8],
    body: &[u8],
) -> (String, Option<String>) {
    match fetched.content_hash {
        Some(hash)
            if !is_coded(exchange)
                && !exchange.truncated
                && fetched.decoded_length == body.len() as u64 =>
        {
            (digest::label(&hash), None)
        }
        _ => {
            let (payload, block) = digest::of_both(&[body], &[http_head, body]);
            (payload, Some(block))
        }
    }
}

fn is_coded(exchange: &Exchange) -> bool {
    codings(&exchange.headers).map_or(true, |codings| !codings.is_empty())
}

#[cfg(test)]
#[path = "block_tests.rs"]
mod tests;
