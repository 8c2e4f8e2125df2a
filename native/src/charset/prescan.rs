//! Finds the encoding that a document declares: the prescan of the HTML standard over the first 1024 bytes, and then, as
//! in browsers, any later `<meta>` of the head.

use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252, X_USER_DEFINED};
use memchr::{memchr, memmem};

use crate::html::references::attribute_value;

const WINDOW: usize = 1024;

/// Relevant attributes of `<meta>`. The first of each name counts.
const MEANINGFUL: [&[u8]; 3] = [b"http-equiv", b"content", b"charset"];

/// A declaration after this many bytes is ignored.
const LONGEST_HEAD: usize = 128 * 1024;

pub fn html(body: &[u8]) -> Option<&'static Encoding> {
    if let Some(encoding) = utf16_without_mark(body) {
        return Some(encoding);
    }
    let window = &body[..body.len().min(WINDOW)];
    Scan::new(window, Extent::Window)
        .run()
        .or_else(|| xml_declaration(window))
        .or_else(|| Scan::new(&body[..body.len().min(LONGEST_HEAD)], Extent::Head).run())
}

pub fn xml(body: &[u8]) -> Option<&'static Encoding> {
    utf16_without_mark(body).or_else(|| xml_declaration(&body[..body.len().min(WINDOW)]))
}

fn utf16_without_mark(body: &[u8]) -> Option<&'static Encoding> {
    match body {
        [b'<', 0, b'?', 0, b'x', 0, ..] => Some(UTF_16LE),
        [0, b'<', 0, b'?', 0, b'x', ..] => Some(UTF_16BE),
        _ => None,
    }
}

fn xml_declaration(bytes: &[u8]) -> Option<&'static Encoding> {
    let declaration = bytes.strip_prefix(b"<?xml")?;
    let declaration = &declaration[..memchr(b'>', declaration)?];
    let rest = &declaration[memmem::find(declaration, b"encoding")? + 8..];
    let rest = rest
        .trim_ascii_start()
        .strip_prefix(b"=")?
        .trim_ascii_start();
    let (quote, rest) = rest.split_first()?;
    if !matches!(quote, b'"' | b'\'') {
        return None;
    }
    correct_utf16(Encoding::for_label(&rest[..memchr(*quote, rest)?])?)
}

/// A declaration that is readable as ASCII is not UTF-16.
fn correct_utf16(encoding: &'static Encoding) -> Option<&'static Encoding> {
    if encoding == UTF_16BE || encoding == UTF_16LE {
        Some(UTF_8)
    } else if encoding == X_USER_DEFINED {
        Some(WINDOWS_1252)
    } else {
        Some(encoding)
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Extent {
    /// The exact algorithm of the standard: it also reads markup in scripts.
    Window,
    /// What the parser would find later: the head, and every tag that begins in the window. Skips raw text.
    Head,
}

struct Scan<'b> {
    bytes: &'b [u8],
    position: usize,
    extent: Extent,
    left_head: bool,
}

impl<'b> Scan<'b> {
    fn new(bytes: &'b [u8], extent: Extent) -> Self {
        Scan {
            bytes,
            position: 0,
            extent,
            left_head: false,
        }
    }

    /// `None` if there is no declaration, or if the bytes end within it.
    fn run(&mut self) -> Option<&'static Encoding> {
        loop {
            self.position += memchr(b'<', &self.bytes[self.position..])?;
            if self.left_head && self.position >= WINDOW {
                return None;
            }
            match &self.bytes[self.position + 1..] {
                [b'!', b'-', b'-', ..] => self.skip_comment()?,
                [b'!' | b'?', ..] => self.skip_past(b'>')?,
                [b'/', letter, ..] if letter.is_ascii_alphabetic() => self.skip_end_tag()?,
                [b'/', ..] => self.skip_past(b'>')?,
                [letter, ..] if letter.is_ascii_alphabetic() => {
                    if let Some(encoding) = self.start_tag()? {
                        return Some(encoding);
                    }
                }
                _ => self.position += 1,
            }
        }
    }

    fn skip_past(&mut self, byte: u8) -> Option<()> {
        self.position += memchr(byte, &self.bytes[self.position..])? + 1;
        Some(())
    }

    /// The dashes that open a comment may also close it.
    fn skip_comment(&mut self) -> Option<()> {
        let from = self.position + 2;
        self.position = from + memmem::find(&self.bytes[from..], b"-->")? + 3;
        Some(())
    }

    fn skip_end_tag(&mut self) -> Option<()> {
        self.position += 1;
        let name = self.tag_name()?;
        self.left_head |= self.extent == Extent::Head && name.eq_ignore_ascii_case(b"head");
        while self.attribute()?.is_some() {}
        Some(())
    }

    /// The outer `None` ends the scan, the inner one continues it.
    fn start_tag(&mut self) -> Option<Option<&'static Encoding>> {
        let name = self.tag_name()?;
        if name.eq_ignore_ascii_case(b"meta") {
            return self.meta();
        }
        while self.attribute()?.is_some() {}
        if self.extent == Extent::Head {
            self.step_over_element(name)?;
        }
        Some(None)
    }

    /// A tag name ends at white space, `/` or `>`. (The standard says: at white space or `>`, and
    /// `/` for `meta` alone; attributes are read alike either way.)
    fn tag_name(&mut self) -> Option<&'b [u8]> {
        let start = self.position + 1;
        let length = self.bytes[start..]
            .iter()
            .position(|byte| is_space(*byte) || matches!(byte, b'/' | b'>'))?;
        self.position = start + length;
        Some(&self.bytes[start..self.position])
    }

    fn step_over_element(&mut self, name: &[u8]) -> Option<()> {
        let name = name.to_ascii_lowercase();
        match name.as_slice() {
            b"html" | b"head" | b"base" | b"link" | b"noscript" | b"object" => Some(()),
            b"title" | b"script" | b"style" => self.skip_to_end_of(&name),
            _ => {
                self.left_head = true;
                Some(())
            }
        }
    }

    fn skip_to_end_of(&mut self, name: &[u8]) -> Option<()> {
        loop {
            self.position += memmem::find(&self.bytes[self.position..], b"</")?;
            let rest = &self.bytes[self.position + 2..];
            if rest.len() >= name.len() && rest[..name.len()].eq_ignore_ascii_case(name) {
                return Some(());
            }
            self.position += 2;
        }
    }

    fn meta(&mut self) -> Option<Option<&'static Encoding>> {
        let (mut is_pragma, mut needs_pragma, mut found) = (false, None, None);
        let mut seen = [false; 3];
        while let Some((name, value)) = self.attribute()? {
            let Some(which) = MEANINGFUL.iter().position(|meaningful| *meaningful == name) else {
                continue;
            };
            if std::mem::replace(&mut seen[which], true) {
                continue;
            }
            let value = self.decode(value);
            match which {
                0 => is_pragma = value == b"content-type",
                1 if found.is_none() => {
                    if let Some(encoding) = charset_in_content(&value) {
                        (found, needs_pragma) = (Some(encoding), Some(true));
                    }
                }
                2 => (found, needs_pragma) = (Encoding::for_label(&value), Some(false)),
                _ => {}
            }
        }
        let counts = needs_pragma.is_some_and(|needed| is_pragma || !needed);
        Some(found.filter(|_| counts).and_then(correct_utf16))
    }

    /// Decodes character references as the parser does. The prescan of the standard does not.
    fn decode(&self, value: Vec<u8>) -> Vec<u8> {
        match std::str::from_utf8(&value) {
            Ok(text) if self.extent == Extent::Head => {
                attribute_value(text).into_owned().into_bytes()
            }
            _ => value,
        }
    }

    /// Name and value in lower case. The outer `None` means that the bytes ended.
    fn attribute(&mut self) -> Option<Option<(Vec<u8>, Vec<u8>)>> {
        while is_space(self.peek()?) || self.peek()? == b'/' {
            self.position += 1;
        }
        if self.peek()? == b'>' {
            return Some(None);
        }
        let name = self.take_until(|byte, length| {
            is_space(byte) || matches!(byte, b'/' | b'>') || (byte == b'=' && length > 0)
        })?;
        self.skip_space()?;
        if self.peek()? != b'=' {
            return Some(Some((name, Vec::new())));
        }
        self.position += 1;
        self.skip_space()?;
        Some(Some((name, self.value()?)))
    }

    fn value(&mut self) -> Option<Vec<u8>> {
        let quote = self.peek()?;
        if !matches!(quote, b'"' | b'\'') {
            return self.take_until(|byte, _| is_space(byte) || byte == b'>');
        }
        self.position += 1;
        let value = self.take_until(|byte, _| byte == quote)?;
        self.position += 1;
        Some(value)
    }

    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.position).copied()
    }

    fn skip_space(&mut self) -> Option<()> {
        while is_space(self.peek()?) {
            self.position += 1;
        }
        Some(())
    }

    fn take_until(&mut self, ends: impl Fn(u8, usize) -> bool) -> Option<Vec<u8>> {
        let start = self.position;
        while !ends(self.peek()?, self.position - start) {
            self.position += 1;
        }
        Some(self.bytes[start..self.position].to_ascii_lowercase())
    }
}

/// The encoding named in `content="text/html; charset=…"`, already in lower case.
fn charset_in_content(value: &[u8]) -> Option<&'static Encoding> {
    let mut rest = value;
    loop {
        rest = rest[memmem::find(rest, b"charset")? + 7..].trim_ascii_start();
        if let Some(after) = rest.strip_prefix(b"=") {
            return Encoding::for_label(unquoted(after.trim_ascii_start())?);
        }
    }
}

fn unquoted(value: &[u8]) -> Option<&[u8]> {
    match value.split_first()? {
        (quote @ (b'"' | b'\''), rest) => Some(&rest[..memchr(*quote, rest)?]),
        _ => value.split(|byte| is_space(*byte) || *byte == b';').next(),
    }
}

fn is_space(byte: u8) -> bool {
    matches!(byte, b'\t' | b'\n' | 0x0C | b'\r' | b' ')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(body: &str) -> Option<&'static str> {
        html(body.as_bytes()).map(Encoding::name)
    }

    #[test]
    fn utf16_in_meta_is_utf8_and_user_defined_is_windows_1252() {
        assert_eq!(name("<meta charset=utf-16le>"), Some("UTF-8"));
        assert_eq!(name("<meta charset=x-user-defined>"), Some("windows-1252"));
    }

    #[test]
    fn character_references_in_a_label_are_decoded() {
        assert_eq!(name("<meta charset='&#107;oi8-r'>"), Some("KOI8-R"));
    }

    #[test]
    fn half_a_declaration_is_none() {
        assert_eq!(name("<meta charset=euc-jp"), None);
        assert_eq!(name("<meta charset='euc-jp"), None);
    }

    #[test]
    fn content_needs_its_pragma() {
        assert_eq!(name("<meta content='text/html; charset=euc-jp'>"), None);
        let pragma = "<meta content='text/html; charset=euc-jp' http-equiv=Content-Type>";
        assert_eq!(name(pragma), Some("EUC-JP"));
    }

    #[test]
    fn an_xml_declaration_counts_after_meta() {
        assert_eq!(
            name("<?xml version='1.0' encoding='euc-jp'?><p>"),
            Some("EUC-JP")
        );
        let both = "<?xml version='1.0' encoding='euc-jp'?><meta charset=koi8-r>";
        assert_eq!(name(both), Some("KOI8-R"));
        assert_eq!(
            xml(b"<?xml encoding = \"koi8-r\" ?>").map(Encoding::name),
            Some("KOI8-R")
        );
    }

    #[test]
    fn beyond_the_window_meta_counts_only_in_the_head() {
        let padding = " ".repeat(WINDOW);
        let meta = "<meta charset=koi8-r>";
        assert_eq!(name(&format!("<head>{padding}{meta}")), Some("KOI8-R"));
        assert_eq!(
            name(&format!("<head><script>'{padding}{meta}'</script>")),
            None
        );
        assert_eq!(name(&format!("<head></head>{padding}{meta}")), None);
        assert_eq!(name(&format!("<p>{}{meta}", &padding[4..])), Some("KOI8-R"));
        assert_eq!(name(&format!("<p>{padding}{meta}")), None);
    }
}
