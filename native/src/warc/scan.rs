//! Lists records and checks them: for repair, `verify`, and lost indices.

use std::io::Read;

use super::cdxj::{self, Line};
use super::digest;
use super::record::END;
use super::stored_head::{body_offset, field};

/// Longest decompressed record. Ours are shorter: body caps are far below.
const LONGEST: u64 = 1 << 30;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    pub offset: u64,
    pub length: u64,
    /// `WARC-Type`.
    pub kind: String,
    pub target: String,
    /// Why it differs from what was written, if it does.
    pub problem: Option<String>,
    /// Its index line, for responses and revisits.
    pub cdxj: Option<String>,
}

#[derive(Debug, Default)]
pub struct Scan {
    pub entries: Vec<Entry>,
    /// Length of the complete gzip members. What follows is cut off or damaged.
    pub whole: usize,
}

/// `data` begins with the record at `base_offset` of the file.
pub fn scan(data: &[u8], base_offset: u64, file_name: &str) -> Scan {
    let mut found = Scan::default();
    while let Some((content, length)) = member(&data[found.whole..]) {
        let offset = base_offset + found.whole as u64;
        found
            .entries
            .push(entry(&content, offset, length as u64, file_name));
        found.whole += length;
    }
    found
}

/// The content and length of the gzip member at the start of `data`; None unless it is complete.
pub fn member(data: &[u8]) -> Option<(Vec<u8>, usize)> {
    let mut decoder = flate2::bufread::GzDecoder::new(data);
    let mut content = Vec::with_capacity(data.len().min(1 << 16));
    decoder
        .by_ref()
        .take(LONGEST)
        .read_to_end(&mut content)
        .ok()?;
    let whole = decoder.read(&mut [0]).ok()? == 0;
    let length = data.len() - decoder.into_inner().len();
    (whole && length > 0).then_some((content, length))
}

/// The head and the block of a record; None if `Content-Length` is wrong.
pub fn parts(content: &[u8]) -> Option<(&[u8], &[u8])> {
    if !content.starts_with(b"WARC/1.") {
        return None;
    }
    let (head, rest) = content.split_at(body_offset(content));
    let length = std::str::from_utf8(field(head, "content-length")?).ok()?;
    let block = rest.strip_suffix(END)?;
    (length.parse() == Ok(block.len())).then_some((head, block))
}

pub fn entry(content: &[u8], offset: u64, length: u64, file_name: &str) -> Entry {
    let Some((head, block)) = parts(content) else {
        return Entry {
            offset,
            length,
            kind: String::new(),
            target: String::new(),
            problem: Some(String::from(
                "it is not a WARC record of the length that it says",
            )),
            cdxj: None,
        };
    };
    let text = |name| String::from_utf8_lossy(field(head, name).unwrap_or_default()).into_owned();
    let (kind, target) = (text("warc-type"), text("warc-target-uri"));
    let is_indexed = matches!(kind.as_str(), "response" | "revisit");
    let http_head = &block[..body_offset(block)];
    let cdxj = is_indexed.then(|| {
        let mime = match kind.as_str() {
            "revisit" => cdxj::REVISIT.to_owned(),
            _ => cdxj::mime(field(http_head, "content-type")),
        };
        let line = Line {
            target: &target,
            warc_date: &text("warc-date"),
            mime: &mime,
            status: &cdxj::status(http_head),
            digest: &text("warc-payload-digest"),
            offset,
            length,
            file_name,
        };
        line.text()
    });
    Entry {
        offset,
        length,
        problem: problem(&kind, head, block),
        kind,
        target,
        cdxj,
    }
}

fn problem(kind: &str, head: &[u8], block: &[u8]) -> Option<String> {
    if differs(field(head, "warc-block-digest"), block) {
        return Some(String::from("its block is not what its digest says"));
    }
    let payload = &block[body_offset(block)..];
    let is_whole = kind == "response";
    (is_whole && differs(field(head, "warc-payload-digest"), payload))
        .then(|| String::from("its payload is not what its digest says"))
}

fn differs(written: Option<&[u8]>, stored: &[u8]) -> bool {
    written.is_some_and(|written| {
        written.starts_with(b"sha256:") && written != digest::of(&[stored]).as_bytes()
    })
}
