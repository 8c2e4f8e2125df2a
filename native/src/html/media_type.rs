//! How a body is to be read, by its content type and, where that is missing or known to lie, by
//! its first bytes.

/// The ways of reading.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Syntax {
    Html,
    Xml,
    Text,
    /// Nothing in it is for us.
    Opaque,
}

/// Looked at for the signs of XML and feeds.
const SNIFFED_BYTES: usize = 512;

/// The reading for `content_type`, a whole header or only its essence.
pub fn syntax_of(content_type: &str, body: &[u8]) -> Syntax {
    let essence = content_type
        .split([';', ',', ' ', '\t'])
        .find(|part| !part.is_empty())
        .unwrap_or_default()
        .to_ascii_lowercase();
    match essence.split_once('/') {
        Some(("text", "html")) if is_feed(body) => Syntax::Xml,
        Some(("text", "html")) => Syntax::Html,
        Some(("text" | "application", "xml")) => Syntax::Xml,
        Some((_, subtype)) if subtype.ends_with("+xml") => Syntax::Xml,
        Some(("text", _)) => Syntax::Text,
        Some(_) => Syntax::Opaque,
        None if is_xml(body) => Syntax::Xml,
        None => Syntax::Html,
    }
}

/// Feeds are often served as HTML; browsers look for them too.
fn is_feed(body: &[u8]) -> bool {
    let head = head_of(body);
    let Some(root) = after_prolog(head) else {
        return false;
    };
    [&b"<rss"[..], b"<feed", b"<rdf:rdf"]
        .iter()
        .any(|sign| starts_with(root, sign))
}

fn is_xml(body: &[u8]) -> bool {
    let head = head_of(body);
    is_feed(body)
        || (starts_with(head, b"<?xml")
            && !after_prolog(head).is_some_and(|root| starts_with(root, b"<html")))
}

fn head_of(body: &[u8]) -> &[u8] {
    let body = body.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(body);
    body[..body.len().min(SNIFFED_BYTES)].trim_ascii_start()
}

/// What follows the declaration, comments and doctype; `None` where they do not end.
fn after_prolog(mut head: &[u8]) -> Option<&[u8]> {
    loop {
        head = head.trim_ascii_start();
        let end: &[u8] = match head {
            [b'<', b'!', b'-', b'-', ..] => b"-->",
            [b'<', b'?' | b'!', ..] => b">",
            _ => return Some(head),
        };
        head = &head[memchr::memmem::find(head, end)? + end.len()..];
    }
}

fn starts_with(bytes: &[u8], sign: &[u8]) -> bool {
    bytes.len() >= sign.len() && bytes[..sign.len()].eq_ignore_ascii_case(sign)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_type_decides() {
        assert_eq!(
            syntax_of("text/html; charset=utf-8", b"<?xml?>"),
            Syntax::Html
        );
        assert_eq!(syntax_of(" TEXT/HTML,text/plain", b""), Syntax::Html);
        assert_eq!(syntax_of("application/xhtml+xml", b""), Syntax::Xml);
        assert_eq!(syntax_of("application/rss+xml", b""), Syntax::Xml);
        assert_eq!(syntax_of("text/markdown", b"<p>"), Syntax::Text);
        assert_eq!(syntax_of("image/png", b"<html>"), Syntax::Opaque);
    }

    #[test]
    fn bytes_decide_where_the_type_is_missing_or_a_feed_pretends_to_be_html() {
        assert_eq!(
            syntax_of("", b"  <?xml version='1.0'?><urlset>"),
            Syntax::Xml
        );
        assert_eq!(
            syntax_of("", b"<?xml version='1.0'?><!DOCTYPE html><html>"),
            Syntax::Html
        );
        assert_eq!(syntax_of("html", b"hello"), Syntax::Html);
        assert_eq!(
            syntax_of(
                "text/html",
                b"\xEF\xBB\xBF<?xml?><!-- > --><RSS version='2.0'>"
            ),
            Syntax::Xml
        );
        assert_eq!(
            syntax_of("text/html", b"<!-- never closed <rss>"),
            Syntax::Html
        );
    }
}
