//! Encodings: every decision is one, and what is UTF-8 already stays as it is.

use hondius_native::charset::{Declaration, decide, decode, label_of};

use super::{Target, Verdict, choice, must};

pub struct Charset;

impl Target for Charset {
    fn name(&self) -> &'static str {
        "charset"
    }

    fn seeds(&self) -> Vec<Vec<u8>> {
        [
            &b"\0<meta charset=utf-8>x"[..],
            b"\x01<?xml version='1.0' encoding='euc-jp'?><a>\xC6\xFC</a>",
            b"\x02\xEF\xBB\xBFtext",
            b"\x03\xFF\xFEt\0",
            b"\0<meta http-equiv=content-type content='text/html; charset=koi8-r'>\xF0\xD2",
            b"\x04text/html; charset=\"x-sjis\"; a=b",
            b"\x02\x1B$BF|K\\\x1B(B",
        ]
        .map(<[u8]>::to_vec)
        .to_vec()
    }

    fn tokens(&self) -> &'static [&'static str] {
        &[
            "<meta charset=",
            "<meta ",
            "http-equiv=content-type",
            "content=",
            "charset=",
            "utf-8",
            "utf-16",
            "x-user-defined",
            "iso-2022-jp",
            "windows-1252",
            "<?xml ",
            "encoding=",
            "?>",
            "<!--",
            "-->",
            "<",
            ">",
            "/",
            "'",
            "\"",
            ";",
            "=",
        ]
    }

    fn run(&self, input: &[u8]) -> Verdict {
        let (way, body) = choice(input);
        let declaration = match way % 3 {
            0 => Declaration::Html,
            1 => Declaration::Xml,
            _ => Declaration::None,
        };
        let line = String::from_utf8_lossy(&body[..body.len().min(100)]).into_owned();
        let label = if way & 4 != 0 { label_of(&line) } else { None };
        let encoding = decide(body, label, declaration, Some("jp"));
        let text = decode(body, encoding);
        let whole = body.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(body);
        match std::str::from_utf8(whole) {
            Ok(whole) if encoding.name() == "UTF-8" => {
                must(text == whole, || "utf-8: is not what it was".into())
            }
            _ => Ok(()),
        }
    }
}
