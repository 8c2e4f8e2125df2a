//! Reads one record: its fields, its HTTP head and its decoded body.

use super::scan::{member, parts};
use super::stored_head::body_offset;
use crate::engine::budget::Budget;
use crate::engine::{decode, head};
use crate::error::{Error, Result};

#[derive(Debug)]
pub struct Content {
    /// The record's fields, names in lower case.
    pub fields: Vec<(String, String)>,
    /// Empty if the record is not HTTP.
    pub http_head: Vec<u8>,
    /// Decoded by its content-coding, or as stored if decoding fails.
    pub body: Vec<u8>,
}

/// `data` is one gzip member. Reads at most `cap` bytes of the body.
pub fn read(data: &[u8], cap: usize) -> Result<Content> {
    let (content, _) = member(data).ok_or_else(|| corrupt("it is not a whole gzip member"))?;
    let (head, block) = parts(&content).ok_or_else(|| corrupt("it is not a WARC record"))?;
    let fields = fields(head);
    let is_http = fields
        .iter()
        .any(|(name, value)| name == "content-type" && value.starts_with("application/http"));
    let (http_head, stored) = block.split_at(if is_http { body_offset(block) } else { 0 });
    Ok(Content {
        fields,
        http_head: http_head.to_vec(),
        body: decoded(http_head, stored, cap),
    })
}

/// The body of an answer as it is stored: without chunks, in its content-coding. `data` is one gzip member.
pub fn stored_body(data: &[u8]) -> Result<Vec<u8>> {
    let (content, _) = member(data).ok_or_else(|| corrupt("it is not a whole gzip member"))?;
    let (_, block) = parts(&content).ok_or_else(|| corrupt("it is not a WARC record"))?;
    Ok(block[body_offset(block)..].to_vec())
}

fn fields(head: &[u8]) -> Vec<(String, String)> {
    String::from_utf8_lossy(head)
        .lines()
        .filter_map(|line| line.split_once(':'))
        .map(|(name, value)| (name.to_ascii_lowercase(), value.trim().to_owned()))
        .collect()
}

fn decoded(http_head: &[u8], stored: &[u8], cap: usize) -> Vec<u8> {
    let whole = || {
        let codings = decode::codings(&head::parse(http_head).ok()?.headers).ok()?;
        let budget = Budget::new(usize::MAX, None);
        decode::decode(stored, &codings, cap, &budget).ok()
    };
    match whole() {
        Some(decoded) => decoded.body.as_slice().to_vec(),
        None => stored[..stored.len().min(cap)].to_vec(),
    }
}

fn corrupt(reason: &str) -> Error {
    Error::Corrupt(format!("{reason} that lies there; run `hondius verify`"))
}
