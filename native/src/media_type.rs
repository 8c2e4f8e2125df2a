//! What a body is and how it is read: by the type that its headers declare, or else by its first bytes.

/// Bytes examined of a body whose type is missing or unreliable.
const SNIFFED_BYTES: usize = 512;

/// How a body is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Syntax {
    Html,
    Xml,
    Text,
    /// It is not read.
    Opaque,
}

/// Lower-case `type/subtype` of the `Content-Type` values, as browsers extract it: the last valid one counts, except
/// `*/*`.
pub fn essence<'a>(values: impl Iterator<Item = &'a str>) -> Option<String> {
    let declared = last_valid(values)?;
    essence_of(declared).map(str::to_ascii_lowercase)
}

/// The content type by which a page is read, now and whenever it is read again: the last valid type in its headers,
/// with parameters, or the type that its first bytes suggest.
pub fn declared_or_sniffed<'a>(headers: &'a [(String, String)], body: &[u8]) -> &'a str {
    let declared = headers.iter().filter(|(name, _)| name == "content-type");
    last_valid(declared.map(|(_, value)| value.as_str())).unwrap_or_else(|| sniff(body))
}

/// Whether a type in lower case is that of scripts.
pub fn is_script(essence: &str) -> bool {
    matches!(
        essence,
        "text/javascript"
            | "application/javascript"
            | "application/x-javascript"
            | "text/ecmascript"
            | "application/ecmascript"
    )
}

/// How a body of `content_type` is read. Without a valid type it counts as XML or HTML.
pub fn syntax_of(content_type: &str, body: &[u8]) -> Syntax {
    let Some(essence) = essence(std::iter::once(content_type)) else {
        return match sniff(body) {
            "application/xml" => Syntax::Xml,
            _ => Syntax::Html,
        };
    };
    match essence.split_once('/') {
        // Feeds are often served as HTML; browsers look for them too.
        Some(("text", "html")) if is_feed(start_of(body)) => Syntax::Xml,
        Some(("text", "html")) => Syntax::Html,
        Some(("text" | "application", "xml")) => Syntax::Xml,
        Some((_, subtype)) if subtype.ends_with("+xml") => Syntax::Xml,
        Some(("text", _)) => Syntax::Text,
        _ => Syntax::Opaque,
    }
}

pub fn is_html(essence: &str) -> bool {
    matches!(essence, "text/html" | "application/xhtml+xml")
}

fn last_valid<'a>(values: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    values
        .flat_map(split_outside_quotes)
        .filter(|value| essence_of(value).is_some())
        .last()
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

fn essence_of(value: &str) -> Option<&str> {
    let essence = value
        .split(';')
        .next()?
        .trim_matches([' ', '\t', '\r', '\n']);
    let (kind, subtype) = essence.split_once('/')?;
    let valid = is_token(kind) && is_token(subtype) && essence != "*/*";
    valid.then_some(essence)
}

pub fn is_token(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(is_token_byte)
}

fn is_token_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte)
}

/// Detects the type of a body without one. Deliberately simple: binary, XML, HTML or text.
pub fn sniff(body: &[u8]) -> &'static str {
    let start = &body[..body.len().min(SNIFFED_BYTES)];
    let text = start_of(body);
    let wide = start.starts_with(b"\xff\xfe") || start.starts_with(b"\xfe\xff");
    if !wide && start.iter().any(is_binary) {
        "application/octet-stream"
    } else if starts_with(text, b"<?xml") || is_feed(text) {
        "application/xml"
    } else if HTML_STARTS.iter().any(|tag| starts_with(text, tag)) {
        "text/html"
    } else {
        "text/plain"
    }
}

/// Tags by which the MIME sniffing standard recognises HTML.
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

fn start_of(body: &[u8]) -> &[u8] {
    let start = &body[..body.len().min(SNIFFED_BYTES)];
    let text = start.strip_prefix(b"\xef\xbb\xbf").unwrap_or(start);
    text.trim_ascii_start()
}

fn is_feed(start: &[u8]) -> bool {
    after_prolog(start).is_some_and(|root| {
        [&b"<rss"[..], b"<feed", b"<rdf:rdf"]
            .iter()
            .any(|sign| starts_with(root, sign))
    })
}

/// The text after declaration, comments and doctype; `None` if they do not end.
fn after_prolog(mut start: &[u8]) -> Option<&[u8]> {
    loop {
        start = start.trim_ascii_start();
        let end: &[u8] = match start {
            [b'<', b'!', b'-', b'-', ..] => b"-->",
            [b'<', b'?' | b'!', ..] => b">",
            _ => return Some(start),
        };
        start = &start[memchr::memmem::find(start, end)? + end.len()..];
    }
}

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
    fn a_page_is_read_by_the_type_that_the_catalog_names() {
        let headers = |value: &str| vec![("content-type".to_owned(), value.to_owned())];
        for (value, body, expected) in [
            ("text/html, text/plain; charset=x", "<p>", Syntax::Text),
            ("text/plain, */*", "<p>", Syntax::Text),
            ("html", "<p>", Syntax::Html),
            ("html", "hello", Syntax::Text),
        ] {
            let headers = headers(value);
            let read_by = declared_or_sniffed(&headers, body.as_bytes());
            assert_eq!(syntax_of(read_by, body.as_bytes()), expected, "{value}");
            let named = essence([value].into_iter());
            assert_eq!(
                named,
                essence([read_by].into_iter()).filter(|_| value != "html")
            );
        }
    }

    #[test]
    fn h5_bodies_without_a_type_are_known_by_their_first_bytes() {
        for (body, expected) in [
            (&b"\xef\xbb\xbf \n<!DOCTYPE HTML>"[..], "text/html"),
            (b"<?xml version='1.0'?><urlset/>", "application/xml"),
            (b"<!-- a feed --><rss version='2.0'>", "application/xml"),
            (b"User-agent: *", "text/plain"),
            (b"\x89PNG\r\n\x1a\n\0\0", "application/octet-stream"),
            (b"", "text/plain"),
        ] {
            assert_eq!(sniff(body), expected);
        }
    }

    #[test]
    fn the_type_decides_how_a_body_is_read() {
        for (content_type, body, expected) in [
            ("text/html; charset=utf-8", "<?xml?>", Syntax::Html),
            (" TEXT/HTML,text/plain", "", Syntax::Text),
            ("application/xhtml+xml", "", Syntax::Xml),
            ("application/rss+xml", "", Syntax::Xml),
            ("text/markdown", "<p>", Syntax::Text),
            ("image/png", "<html>", Syntax::Opaque),
        ] {
            let found = syntax_of(content_type, body.as_bytes());
            assert_eq!(found, expected, "{content_type}");
        }
    }

    #[test]
    fn bytes_decide_where_the_type_is_missing_or_a_feed_pretends_to_be_html() {
        for (content_type, body, expected) in [
            ("", "  <?xml version='1.0'?><urlset>", Syntax::Xml),
            ("", "<feed>", Syntax::Xml),
            ("html", "hello", Syntax::Html),
            (
                "text/html",
                "\u{feff}<?xml?><!-- > --><RSS version='2.0'>",
                Syntax::Xml,
            ),
            ("text/html", "<!-- never closed <rss>", Syntax::Html),
        ] {
            let found = syntax_of(content_type, body.as_bytes());
            assert_eq!(found, expected, "{content_type} {body}");
        }
    }
}
