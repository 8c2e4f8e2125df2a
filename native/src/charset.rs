//! Decides the encoding of a body and decodes it (A1).
//!
//! The order is: byte order mark, `charset` of the HTTP header, declaration in the document, detection. A body that is
//! already valid UTF-8 is not copied.

mod prescan;

use std::borrow::Cow;

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{Encoding, UTF_8, WINDOWS_1252};

/// Where a document of this kind may declare its encoding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Declaration {
    /// `<meta charset>` or an XML declaration.
    Html,
    /// An XML declaration.
    Xml,
    /// Nowhere.
    None,
}

/// Bytes used for detection: a megabyte decides as well as ten.
const DETECTED_BYTES: usize = 1024 * 1024;

/// Text with more than this many valid sequences for each invalid one is UTF-8 with errors, not another encoding:
/// legacy text rarely forms a valid multi-byte sequence.
const TOLERATED_BREAKAGE: usize = 10;

/// The encoding of `body`. `http` is the label of the HTTP header, `top_level_domain` a hint for
/// detection.
pub fn decide(
    body: &[u8],
    http: Option<&str>,
    declaration: Declaration,
    top_level_domain: Option<&str>,
) -> &'static Encoding {
    Encoding::for_bom(body)
        .map(|(encoding, _)| encoding)
        .or_else(|| Encoding::for_label(http?.as_bytes()))
        .or_else(|| declared(body, declaration))
        .unwrap_or_else(|| detect(body, top_level_domain))
}

/// The text of `body`, without byte order mark; malformed sequences become U+FFFD.
pub fn decode<'b>(body: &'b [u8], encoding: &'static Encoding) -> Cow<'b, str> {
    encoding.decode_with_bom_removal(body).0
}

/// The value of `charset` in a `Content-Type` header.
pub fn label_of(content_type: &str) -> Option<&str> {
    content_type.split(';').skip(1).find_map(|parameter| {
        let (name, value) = parameter.split_once('=')?;
        let value = value.trim().trim_matches(['"', '\'']);
        (name.trim().eq_ignore_ascii_case("charset") && !value.is_empty()).then_some(value)
    })
}

fn declared(body: &[u8], declaration: Declaration) -> Option<&'static Encoding> {
    match declaration {
        Declaration::Html => prescan::html(body),
        Declaration::Xml => prescan::xml(body),
        Declaration::None => None,
    }
}

fn detect(body: &[u8], top_level_domain: Option<&str>) -> &'static Encoding {
    let sample = &body[..body.len().min(DETECTED_BYTES)];
    let Some(first) = sample.iter().position(|byte| !byte.is_ascii()) else {
        return WINDOWS_1252;
    };
    if is_mostly_utf8(&sample[first..]) {
        return UTF_8;
    }
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Deny);
    detector.feed(
        &sample[first.saturating_sub(2)..],
        sample.len() == body.len(),
    );
    let hint = top_level_domain.filter(|label| is_plain_label(label));
    detector.guess(hint.map(str::as_bytes), Utf8Detection::Allow)
}

fn is_mostly_utf8(bytes: &[u8]) -> bool {
    let (mut good, mut broken) = (0, 0);
    let mut chunks = bytes.utf8_chunks().peekable();
    while let Some(chunk) = chunks.next() {
        good += chunk.valid().bytes().filter(|byte| *byte >= 0xC0).count();
        let cut_off_at_the_end = chunks.peek().is_none() && could_continue(chunk.invalid());
        broken += usize::from(!chunk.invalid().is_empty() && !cut_off_at_the_end);
    }
    good > broken * TOLERATED_BREAKAGE
}

fn could_continue(bytes: &[u8]) -> bool {
    std::str::from_utf8(bytes).is_err_and(|error| error.error_len().is_none())
}

/// The detector panics at any other label.
fn is_plain_label(label: &str) -> bool {
    label
        .bytes()
        .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-')
}

#[cfg(test)]
mod tests {
    use super::*;
    use encoding_rs::{EUC_JP, ISO_8859_2, UTF_16LE, WINDOWS_1251};

    fn decided(body: &[u8], http: Option<&str>) -> &'static str {
        decide(body, http, Declaration::Html, None).name()
    }

    #[test]
    fn a_byte_order_mark_beats_the_header_and_the_header_beats_meta() {
        let meta = b"<meta charset=iso-8859-2>";
        assert_eq!(
            decided(b"\xEF\xBB\xBF<meta charset=iso-8859-2>", Some("euc-jp")),
            UTF_8.name()
        );
        assert_eq!(decided(b"\xFF\xFEa\0", Some("euc-jp")), UTF_16LE.name());
        assert_eq!(decided(meta, Some("euc-jp")), EUC_JP.name());
        assert_eq!(decided(meta, Some("no such label")), ISO_8859_2.name());
        assert_eq!(decided(meta, None), ISO_8859_2.name());
    }

    #[test]
    fn undeclared_text_is_detected() {
        let (russian, _, _) =
            WINDOWS_1251.encode("Съешь же ещё этих мягких французских булок, да выпей чаю");
        assert_eq!(decided(&russian, None), WINDOWS_1251.name());
        assert_eq!(decided("žluťoučký kůň".as_bytes(), None), UTF_8.name());
        assert_eq!(decided(b"plain", None), WINDOWS_1252.name());
    }

    #[test]
    fn one_broken_byte_does_not_turn_utf8_into_something_else() {
        let mut body = "Příliš žluťoučký kůň úpěl ďábelské ódy. "
            .repeat(3)
            .into_bytes();
        body.push(0xFF);
        body.extend(b" and on");
        assert_eq!(decided(&body, None), UTF_8.name());
    }

    #[test]
    fn a_character_cut_in_half_at_the_end_is_no_breakage() {
        assert_eq!(decided(b"abc \xE4\xBD\xA0\xE5\xA5", None), UTF_8.name());
        assert_eq!(
            decode(b"abc \xE4\xBD\xA0\xE5\xA5", UTF_8),
            "abc \u{4f60}\u{fffd}"
        );
    }

    #[test]
    fn valid_utf8_is_not_copied() {
        assert!(matches!(
            decode("žluťoučký".as_bytes(), UTF_8),
            Cow::Borrowed(_)
        ));
        assert!(matches!(
            decode(b"\xEF\xBB\xBFabc", UTF_8),
            Cow::Borrowed("abc")
        ));
    }

    #[test]
    fn an_odd_top_level_domain_does_not_panic() {
        for label in ["", "RU", "r.u", "рф", "xn--p1ai"] {
            decide(b"\xE6\xE7", None, Declaration::None, Some(label));
        }
    }

    #[test]
    fn the_label_of_a_content_type_is_found_in_any_dress() {
        assert_eq!(label_of("text/html; charset=utf-8"), Some("utf-8"));
        assert_eq!(
            label_of("text/html;boundary=x; Charset = \"EUC-JP\" "),
            Some("EUC-JP")
        );
        assert_eq!(label_of("text/html; charset="), None);
        assert_eq!(label_of("charset=utf-8"), None);
    }
}
