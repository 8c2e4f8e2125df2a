//! Recognises sitemaps, feeds and HTML pages by their first bytes, in linear time.

use std::borrow::Cow;

use super::{decode, is_absolute, is_blank};

/// Decompressed bytes that are examined.
const LOOKED_AT: usize = 16 * 1024;
/// Bytes in which the first tag of an HTML page is searched.
const LOOKED_AT_FOR_HTML: usize = 4 * 1024;
const GZIP: &[u8] = b"\x1f\x8b";
const MAX_LAYERS: usize = 2;

/// A `urlset`, a `sitemapindex`, an RSS or Atom feed, or a list of URLs; gzipped or not. A body that is declared as HTML
/// is not a list.
pub fn is_sitemap(body: &[u8], is_html_type: bool) -> bool {
    let (start, is_whole) = start_of(body);
    let text = decode::text(&start);
    let text = text.trim_start_matches(is_blank);
    if text.starts_with('<') {
        root_of(text).is_some_and(|root| is_root_of_sitemap(root, text))
    } else {
        !is_html_type && is_list(text, is_whole)
    }
}

/// False if, from its first bytes, [`is_sitemap`] cannot be true of the whole body.
pub fn may_be_sitemap(start: &[u8]) -> bool {
    let text = start.strip_prefix(b"\xef\xbb\xbf").unwrap_or(start);
    let text = text.trim_ascii_start();
    let scheme = text.len().min(4);
    // The first bytes of UTF-16 and of white space outside ASCII.
    let is_blank_or_wide = matches!(
        text,
        [] | [0 | 0xfe | 0xff]
            | [0, b'<', ..]
            | [0xfe, 0xff, ..]
            | [0xff, 0xfe, ..]
            | [0x0b | 0xc2 | 0xe1..=0xe3 | 0xef, ..]
    );
    GZIP.starts_with(&start[..start.len().min(2)])
        || is_blank_or_wide
        || matches!(text[0], b'<' | b'#')
        || text[..scheme].eq_ignore_ascii_case(&b"http"[..scheme])
}

/// True if the first tag, after white space and comments, is one of an HTML document.
pub fn looks_like_html(body: &[u8]) -> bool {
    let mut text = &body[..body.len().min(LOOKED_AT_FOR_HTML)];
    text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text);
    loop {
        text = text.trim_ascii_start();
        let Some(comment) = text.strip_prefix(b"<!--") else {
            break;
        };
        let Some(end) = memchr::memmem::find(comment, b"-->") else {
            return false;
        };
        text = &comment[end + 3..];
    }
    let Some(tag) = text.strip_prefix(b"<") else {
        return false;
    };
    let doctype = strip_word(tag, b"!doctype").map(<[u8]>::trim_ascii_start);
    match doctype {
        Some(name) => strip_word(name, b"html").is_some(),
        None => [&b"html"[..], b"head", b"body"]
            .iter()
            .any(|name| strip_word(tag, name).is_some()),
    }
}

/// The rest after `word`, ignoring case, unless the word continues.
fn strip_word<'a>(text: &'a [u8], word: &[u8]) -> Option<&'a [u8]> {
    let (start, rest) = text.split_at_checked(word.len())?;
    let ends = !matches!(rest.first(), Some(byte) if byte.is_ascii_alphanumeric() || *byte == b'_');
    (start.eq_ignore_ascii_case(word) && ends).then_some(rest)
}

/// The first decompressed bytes, and whether they are the whole body.
fn start_of(body: &[u8]) -> (Cow<'_, [u8]>, bool) {
    let mut start = Cow::Borrowed(body);
    for _ in 0..MAX_LAYERS {
        if !start.starts_with(GZIP) {
            break;
        }
        start = Cow::Owned(decode::gunzip(&start, LOOKED_AT + 1));
    }
    if start.len() <= LOOKED_AT {
        return (start, true);
    }
    let cut = match start {
        Cow::Borrowed(bytes) => Cow::Borrowed(&bytes[..LOOKED_AT]),
        Cow::Owned(mut bytes) => {
            bytes.truncate(LOOKED_AT);
            Cow::Owned(bytes)
        }
    };
    (cut, false)
}

/// The name of the root element without its prefix. Skips declaration, comments and document type.
fn root_of(text: &str) -> Option<&str> {
    let mut rest = text;
    loop {
        rest = rest.trim_start_matches(is_blank);
        let end = match rest.as_bytes() {
            [b'<', b'!', b'-', b'-', ..] => "-->",
            [b'<', b'?', ..] => "?>",
            [b'<', b'!', ..] if is_subset_first(rest) => "]>",
            [b'<', b'!', ..] => ">",
            [b'<', ..] => break,
            _ => return None,
        };
        rest = &rest[rest.find(end)? + end.len()..];
    }
    let name = &rest[1..];
    let ends = |character: char| character.is_whitespace() || matches!(character, '>' | '/');
    let name = &name[..name.find(ends)?];
    Some(name.rsplit_once(':').map_or(name, |(_, local)| local))
}

/// A document type with declarations of its own: `<!DOCTYPE x [ … ]>`.
fn is_subset_first(text: &str) -> bool {
    text.find(['[', '>'])
        .is_some_and(|position| text.as_bytes()[position] == b'[')
}

fn is_root_of_sitemap(root: &str, text: &str) -> bool {
    let is = |name: &str| root.eq_ignore_ascii_case(name);
    let is_rss_1 = || text.contains("purl.org/rss/") || text.contains("netscape.com/rdf/");
    is("urlset") || is("sitemapindex") || is("rss") || is("feed") || (is("rdf") && is_rss_1())
}

/// One URL per line, comments, and nothing else. If the body is longer, its last line may be cut and does not count.
fn is_list(text: &str, is_whole: bool) -> bool {
    let text = match text.rfind(['\n', '\r']) {
        Some(end) if !is_whole => &text[..end],
        _ => text,
    };
    let lines = text
        .split(['\n', '\r'])
        .map(|line| line.trim_matches(is_blank));
    let mut urls = 0;
    for line in lines.filter(|line| !line.is_empty() && !line.starts_with('#')) {
        if !is_absolute(line) || line.contains(is_blank) {
            return false;
        }
        urls += 1;
    }
    urls > 0
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    fn gzip(data: &[u8]) -> Vec<u8> {
        let mut writer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        writer.write_all(data).unwrap();
        writer.finish().unwrap()
    }

    #[test]
    fn d1_sitemaps_and_feeds_are_known_by_their_root() {
        for body in [
            "<?xml version=\"1.0\"?>\n<!-- > --><urlset xmlns=\"x\">",
            "\u{feff}  <sm:sitemapindex>",
            "<!DOCTYPE rss [<!ENTITY a \">\">]><rss version='2.0'>",
            "<feed xmlns=\"http://www.w3.org/2005/Atom\">",
            "<rdf:RDF xmlns=\"http://purl.org/rss/1.0/\">",
            "http://a.test/1\r\n\r\n# more\r\nHTTPS://a.test/2",
        ] {
            assert!(is_sitemap(body.as_bytes(), false), "{body}");
            assert!(is_sitemap(&gzip(body.as_bytes()), false), "{body} gzipped");
            let twice = gzip(&gzip(body.as_bytes()));
            assert!(is_sitemap(&twice, false), "{body} gzipped twice");
            for length in 0..=body.len() {
                assert!(
                    may_be_sitemap(&body.as_bytes()[..length]),
                    "{body} {length}"
                );
            }
        }
        assert!(may_be_sitemap(b"\x1f") && may_be_sitemap(b"\x1f\x8b\x08"));
    }

    #[test]
    fn d1_pages_are_no_sitemaps() {
        for body in [
            "<!DOCTYPE html><html><body><urlset>",
            "<html>",
            "<rdf:RDF xmlns:foaf='x'>",
            "<svg xmlns='x'/>",
            "<!-- <urlset>",
            "<urlset",
            "http://a.test/ is where I live",
            "",
            "# nothing",
            "\u{1f}\u{8b}",
        ] {
            assert!(!is_sitemap(body.as_bytes(), false), "{body}");
        }
        assert!(!is_sitemap(b"http://a.test/", true));
        assert!(
            !may_be_sitemap(b"\x89PNG")
                && !may_be_sitemap(b"\xff\xd8\xff")
                && !may_be_sitemap(b"%PDF")
        );
    }

    #[test]
    fn d2_html_is_known_behind_any_number_of_comments() {
        for body in [
            "<!DOCTYPE  HTML>",
            "\u{feff} <!-- a --> \n<HTML lang=en>",
            "<head>",
            "<body",
        ] {
            assert!(looks_like_html(body.as_bytes()), "{body}");
        }
        let flood = "<!---->".repeat(100_000);
        for body in [
            "<urlset>",
            "<header>",
            "<!doctype xhtml>",
            "<!-- never closed <html>",
            "",
            "<",
            &flood,
        ] {
            assert!(!looks_like_html(body.as_bytes()), "{}", body.len());
        }
        assert!(looks_like_html(
            ("<!---->".repeat(60) + "<html>").as_bytes()
        ));
    }
}
