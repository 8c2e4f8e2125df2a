//! The query of a link is written in the encoding of its document (the encoding override of the URL standard).

use std::borrow::Cow;

use encoding_rs::{EncoderResult, Encoding, ISO_2022_JP, UTF_8};
use url::{ParseError, Url};

pub(super) fn parse(
    text: &str,
    base: Option<&Url>,
    encoding: &'static Encoding,
) -> Result<Url, ParseError> {
    let options = Url::options().base_url(base);
    if !matters(text, encoding) {
        return options.parse(text);
    }
    let encode: &dyn for<'q> Fn(&'q str) -> Cow<'q, [u8]> =
        &|query| Cow::Owned(encode(query, encoding));
    options.encoding_override(Some(encode)).parse(text)
}

/// False if the query is the same in UTF-8, as for nearly every link. ISO-2022-JP also changes some ASCII octets.
fn matters(text: &str, encoding: &'static Encoding) -> bool {
    encoding != UTF_8 && (!text.is_ascii() || encoding == ISO_2022_JP)
}

/// Characters that the encoding lacks become `%26%23…%3B`, an escaped character reference. UTF-16 is not used in URLs:
/// UTF-8 replaces it.
fn encode(query: &str, encoding: &'static Encoding) -> Vec<u8> {
    let mut encoder = encoding.new_encoder();
    let mut octets = Vec::with_capacity(query.len() * 2);
    let mut rest = query;
    loop {
        let needed = encoder.max_buffer_length_from_utf8_without_replacement(rest.len());
        octets.reserve(needed.unwrap_or(rest.len()));
        let (result, read) =
            encoder.encode_from_utf8_to_vec_without_replacement(rest, &mut octets, true);
        rest = &rest[read..];
        match result {
            EncoderResult::InputEmpty => return octets,
            EncoderResult::OutputFull => octets.reserve(64),
            EncoderResult::Unmappable(character) => {
                let reference = format!("%26%23{}%3B", u32::from(character));
                octets.extend_from_slice(reference.as_bytes());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use encoding_rs::{BIG5, SHIFT_JIS, UTF_16LE, WINDOWS_1251};

    use super::*;

    fn query(text: &str, encoding: &'static Encoding) -> String {
        let base = Url::parse("http://h.example/").unwrap();
        let url = parse(&format!("/é?{text}"), Some(&base), encoding).unwrap();
        assert_eq!(url.path(), "/%C3%A9", "paths are always in UTF-8");
        url.query().unwrap().to_owned()
    }

    #[test]
    fn u1_a_query_is_written_in_the_encoding_of_its_document() {
        for (text, encoding, expected) in [
            ("q=привет", WINDOWS_1251, "q=%EF%F0%E8%E2%E5%F2"),
            ("q=я", UTF_16LE, "q=%D1%8F"),
            ("\u{2020}=a", BIG5, "%26%238224%3B=a"),
            ("\u{2212}", SHIFT_JIS, "%81|"),
            ("\u{203e}\\", ISO_2022_JP, "%1B(J~%1B(B\\"),
            ("%41 '", WINDOWS_1251, "%41%20%27"),
        ] {
            assert_eq!(query(text, encoding), expected, "{text}");
        }
    }

    #[test]
    fn many_characters_that_an_encoding_lacks_are_all_written() {
        let text = "я†".repeat(1_000);
        assert_eq!(query(&text, BIG5).matches("%26%238224%3B").count(), 1_000);
    }
}
