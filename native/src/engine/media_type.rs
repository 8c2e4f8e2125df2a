//! What a body is: the MIME essence of the headers, or a look at its first bytes.

use super::head::values;

/// Lower-case `type/subtype` of the `Content-Type` values, as browsers extract it: the last valid
/// one counts, `*/*` never does.
pub fn essence<'a>(values: impl Iterator<Item = &'a str>) -> Option<String> {
    values
        .flat_map(split_outside_quotes)
        .filter_map(valid_essence)
        .last()
}

/// What a page is read by, when it comes and whenever it is read again: the last type that its headers declare, with
/// its parameters, or else what its first bytes look like.
pub fn declared_or_sniffed<'a>(headers: &'a [(String, String)], body: &[u8]) -> &'a str {
    let declared = values(headers, "content-type").next_back();
    declared.unwrap_or_else(|| sniff(body))
}

pub fn is_html(essence: &str) -> bool {
    matches!(essence, "text/html" | "application/xhtml+xml")
}

fn split_outside_quotes(value: &str) -> impl Iterator<Item = &str> {
    let mut quoted = false;
    let mut escaped = false;
    value.split(move |character| {
        let separates = character == ',' && !quoted;
        if character == '"' && !escaped {
            quoted = !quoted;
        }
        escaped = quoted && character == '\\' && !escaped;
        separates
    })
}

fn valid_essence(value: &str) -> Option<String> {
    let essence = value
        .split(';')
        .next()?
        .trim_matches([' ', '\t', '\r', '\n']);
    let (kind, subtype) = essence.split_once('/')?;
    let valid = is_token(kind) && is_token(subtype) && essence != "*/*";
    valid.then(|| essence.to_ascii_lowercase())
}

pub(super) fn is_token(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(is_token_byte)
}

fn is_token_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte)
}

/// For answers without a type. Deliberately small: binary, HTML, XML or text.
pub fn sniff(body: &[u8]) -> &'static str {
    let start = &body[..body.len().min(512)];
    let text = start.strip_prefix(b"\xef\xbb\xbf").unwrap_or(start);
    let text = text.trim_ascii_start();
    let wide = start.starts_with(b"\xff\xfe") || start.starts_with(b"\xfe\xff");
    if !wide && start.iter().any(is_binary) {
        "application/octet-stream"
    } else if starts_with(text, b"<?xml") {
        "application/xml"
    } else if HTML_STARTS.iter().any(|tag| starts_with(text, tag)) {
        "text/html"
    } else {
        "text/plain"
    }
}

/// The tags by which the MIME sniffing standard knows HTML.
const HTML_STARTS: [&[u8]; 17] = [
    b"<!doctype html",
    b"<html",
    b"<head",
    b"<script",
    b"<iframe",
    b"<h1",
    b"<div",
    b"<font",
    b"<table",
    b"<a ",
    b"<style",
    b"<title",
    b"<body",
    b"<br",
    b"<p",
    b"<meta",
    b"<!--",
];

fn starts_with(text: &[u8], prefix: &[u8]) -> bool {
    text.len() >= prefix.len() && text[..prefix.len()].eq_ignore_ascii_case(prefix)
}

fn is_binary(byte: &u8) -> bool {
    matches!(byte, 0..=8 | 0x0b | 0x0e..=0x1a | 0x1c..=0x1f)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_valid_type_counts() {
        for (values, expected) in [
            (vec!["text/html; charset=utf-8"], Some("text/html")),
            (vec!["TEXT/HTML"], Some("text/html")),
            (vec!["text/html", "text/plain"], Some("text/plain")),
            (vec!["text/html, */*"], Some("text/html")),
            (vec!["text/html;x=\",text/plain\""], Some("text/html")),
            (vec!["text/plain", ""], Some("text/plain")),
            (vec!["html"], None),
            (vec![""], None),
            (vec!["text/ html"], None),
        ] {
            let found = essence(values.iter().copied());
            assert_eq!(found.as_deref(), expected, "{values:?}");
        }
    }

    #[test]
    fn h5_bodies_without_a_type_are_known_by_their_first_bytes() {
        for (body, expected) in [
            (&b"\xef\xbb\xbf \n<!DOCTYPE HTML>"[..], "text/html"),
            (b"<?xml version='1.0'?><urlset/>", "application/xml"),
            (b"User-agent: *", "text/plain"),
            (b"\x89PNG\r\n\x1a\n\0\0", "application/octet-stream"),
            (b"", "text/plain"),
        ] {
            assert_eq!(sniff(body), expected);
        }
    }
}
