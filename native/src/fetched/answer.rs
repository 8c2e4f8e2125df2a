//! The values of an answer's head. Its text stays here: code that decides about a URL gets numbers, URLs and validators,
//! each with a cap.

use std::borrow::Cow;

use url::Url;

use super::{Exchange, Fetched};
use crate::http_date;
use crate::url::Reason;

/// Longer validators are dropped: a truncated one would be useless.
const LONGEST_VALIDATOR: usize = 1_000;
/// Most digits that are read of a number of seconds: 31,000 years.
const MOST_DIGITS: usize = 12;

impl Fetched {
    /// Whether it has a redirect status and a target.
    pub fn is_redirect(&self) -> bool {
        let status = self.exchange.as_ref().map_or(0, |exchange| exchange.status);
        matches!(status, 301 | 302 | 303 | 307 | 308)
            && self.header("location").is_some_and(|to| !to.is_empty())
    }

    /// The target of a redirect, or the reason why it is not a valid URL; `None` if the answer names none.
    pub fn location(&self) -> Option<Result<Url, Reason>> {
        let text = self.header("location").filter(|text| !text.is_empty())?;
        let parsed = crate::url::parse_base(&self.href)
            .and_then(|base| crate::url::parse(&location_text(text), Some(&base)));
        Some(parsed)
    }

    /// Seconds to wait: a number, or a date relative to the end of this answer (P2).
    pub fn retry_after(&self) -> Option<f64> {
        let value = self.header("retry-after")?.trim_ascii();
        let date = || http_date::parse(value).map(|at| (at as f64 - self.ended_at).max(0.0));
        seconds(value).or_else(date)
    }

    /// `max-age` of `Cache-Control`, in seconds.
    pub fn max_age(&self) -> Option<f64> {
        let values = self.headers().filter(|(name, _)| name == "cache-control");
        values
            .flat_map(|(_, value)| value.split(','))
            .filter_map(|part| part.split_once('='))
            .find(|(name, _)| name.trim_ascii().eq_ignore_ascii_case("max-age"))
            .and_then(|(_, value)| seconds(value.trim_ascii().trim_matches('"')))
    }

    /// Byte for byte as received, for `If-None-Match` (H4); empty if missing or impossible to send back.
    pub fn etag(&self) -> Cow<'_, [u8]> {
        self.validator("etag")
    }

    /// The same for `If-Modified-Since`.
    pub fn last_modified(&self) -> Cow<'_, [u8]> {
        self.validator("last-modified")
    }

    /// The server's clock in standard form; empty if missing or invalid.
    pub fn http_date(&self) -> String {
        let date = self.header("date").and_then(http_date::in_standard_form);
        date.map_or_else(String::new, Cow::into_owned)
    }

    fn validator(&self, name: &str) -> Cow<'_, [u8]> {
        let (Some(value), Some(exchange)) = (self.header(name), &self.exchange) else {
            return Cow::Borrowed(b"");
        };
        let bytes = bytes_of(value);
        if bytes.len() <= LONGEST_VALIDATOR && is_sendable(&bytes) && is_verbatim(&bytes, exchange)
        {
            bytes
        } else {
            Cow::Borrowed(b"")
        }
    }

    /// The first value of a header; names are in lower case.
    fn header(&self, name: &str) -> Option<&str> {
        self.headers()
            .find(|(known, _)| known == name)
            .map(|(_, value)| value.as_str())
    }

    fn headers(&self) -> impl Iterator<Item = &(String, String)> {
        self.exchange.iter().flat_map(|exchange| &exchange.headers)
    }
}

/// Whether a value can stand in a line of a request: nothing that ends the line, no control characters.
pub fn is_sendable(value: &[u8]) -> bool {
    value
        .iter()
        .all(|byte| *byte == b'\t' || (*byte >= b' ' && *byte != 0x7f))
}

/// False if the value was repaired during parsing (a NUL, a folded line), so that the head does not contain it
/// verbatim.
fn is_verbatim(value: &[u8], exchange: &Exchange) -> bool {
    memchr::memmem::find(&exchange.response_head, value).is_some()
}

/// The bytes of a header value, whose text has one character per byte.
fn bytes_of(text: &str) -> Cow<'_, [u8]> {
    if text.is_ascii() {
        return Cow::Borrowed(text.as_bytes());
    }
    let byte = |character| u8::try_from(character).unwrap_or(b'?');
    Cow::Owned(text.chars().map(byte).collect())
}

/// Decodes `Location` as browsers do: as UTF-8, with other bytes unchanged.
fn location_text(text: &str) -> Cow<'_, str> {
    match bytes_of(text) {
        Cow::Borrowed(_) => Cow::Borrowed(text),
        Cow::Owned(bytes) => Cow::Owned(String::from_utf8(bytes).unwrap_or_else(|error| {
            let escaped = |byte: &u8| match byte {
                0..0x80 => char::from(*byte).to_string(),
                byte => format!("%{byte:02X}"),
            };
            error.as_bytes().iter().map(escaped).collect()
        })),
    }
}

fn seconds(text: &str) -> Option<f64> {
    let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let digits = text.get(..text.len().min(MOST_DIGITS))?;
    is_number.then(|| digits.parse().ok()).flatten()
}

#[cfg(test)]
mod tests;
