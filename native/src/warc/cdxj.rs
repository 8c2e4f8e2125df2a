//! The index line of a record: key, timestamp, and JSON with its position.

use std::fmt::Write;

use super::date::timestamp;
use super::surt::surt;

/// The index entry of a response or a revisit.
#[derive(Debug)]
pub struct Line<'a> {
    pub target: &'a str,
    pub warc_date: &'a str,
    pub mime: &'a str,
    pub status: &'a str,
    pub digest: &'a str,
    pub offset: u64,
    pub length: u64,
    pub file_name: &'a str,
}

/// Media type of revisits: replay tools look for the original then.
pub const REVISIT: &str = "warc/revisit";
const UNKNOWN: &str = "unk";

impl Line<'_> {
    pub fn text(&self) -> String {
        let (length, offset) = (self.length.to_string(), self.offset.to_string());
        let members = [
            ("url", self.target),
            ("mime", self.mime),
            ("status", self.status),
            ("digest", self.digest),
            ("length", &length),
            ("offset", &offset),
            ("filename", self.file_name),
        ];
        let mut text = format!("{} {} {{", surt(self.target), timestamp(self.warc_date));
        let present = members.iter().filter(|(_, value)| !value.is_empty());
        for (index, (name, value)) in present.enumerate() {
            text.push_str(if index == 0 { "\"" } else { ", \"" });
            text.push_str(name);
            text.push_str("\": ");
            quote(value, &mut text);
        }
        text.push('}');
        text
    }
}

/// The essence of a `Content-Type` value, as in an index.
pub fn mime(content_type: Option<&[u8]>) -> String {
    let value = String::from_utf8_lossy(content_type.unwrap_or_default());
    let essence = value.split([';', ',', ' ']).next().unwrap_or_default();
    match essence.contains('/') {
        true => essence.to_ascii_lowercase(),
        false => UNKNOWN.to_owned(),
    }
}

/// The status code of a status line; empty if it has none.
pub fn status(http_head: &[u8]) -> String {
    let line = http_head
        .split(|byte| *byte == b'\n')
        .next()
        .unwrap_or_default();
    let mut words = line.split(|byte| *byte == b' ').skip(1);
    let digits = words.find(|word| !word.is_empty()).unwrap_or_default();
    let digits = digits.iter().take_while(|byte| byte.is_ascii_digit());
    digits.map(|byte| char::from(*byte)).collect()
}

fn quote(value: &str, text: &mut String) {
    text.push('"');
    for character in value.chars() {
        match character {
            '"' | '\\' => text.extend(['\\', character]),
            control if control.is_control() => {
                let _ = write!(text, "\\u{:04x}", u32::from(control));
            }
            _ => text.push(character),
        }
    }
    text.push('"');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn s3_a_line_is_sorted_by_its_key_and_read_as_json() {
        let line = Line {
            target: "http://a.test/?q=\"x\\",
            warc_date: "2026-11-15T04:34:38.500000Z",
            mime: &mime(Some(b"Text/HTML; charset=utf-8")),
            status: &status(b"HTTP/1.1 404 Not Found\r\n\r\n"),
            digest: "",
            offset: 7,
            length: 9,
            file_name: "x.warc.gz",
        };
        let expected = r#"test,a)/?q="x\ 20261115043438 {"url": "http://a.test/?q=\"x\\", "mime": "text/html", "status": "404", "length": "9", "offset": "7", "filename": "x.warc.gz"}"#;
        assert_eq!(line.text(), expected);
    }

    #[test]
    fn what_says_no_type_or_status_has_none() {
        assert_eq!(mime(None), "unk");
        assert_eq!(mime(Some(b"\xff")), "unk");
        assert_eq!(status(b"ICY"), "");
        assert_eq!(status(b""), "");
    }
}
