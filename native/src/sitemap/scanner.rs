//! A lenient XML scanner. It accepts any input and passes each byte at most twice.

use memchr::{memchr, memmem};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Name<'a> {
    pub prefix: &'a str,
    pub local: &'a str,
}

#[derive(Debug, PartialEq)]
pub(super) enum Event<'a> {
    Open {
        name: Name<'a>,
        attributes: &'a str,
    },
    Close(Name<'a>),
    /// Text with character references.
    Text(&'a str),
    /// The content of a CDATA section.
    Literal(&'a str),
    /// `<!DOCTYPE …>`, skipped.
    DocumentType,
    /// A comment or a processing instruction, skipped.
    Aside,
    /// The document ends within a tag. The text before it is complete.
    Torn,
}

/// Text that is cut off by the end of the document is not reported: it may be incomplete.
pub(super) struct Scanner<'a> {
    rest: &'a str,
}

impl<'a> Scanner<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Scanner { rest: text }
    }

    /// Consumes `length` bytes.
    fn take(&mut self, length: usize) -> &'a str {
        let (taken, rest) = self.rest.split_at(length);
        self.rest = rest;
        taken
    }

    /// Consumes everything through `end`, or the whole rest if `end` is missing.
    fn take_through(&mut self, end: &str) -> Option<&'a str> {
        match memmem::find(self.rest.as_bytes(), end.as_bytes()) {
            Some(position) => {
                let taken = self.take(position + end.len());
                Some(&taken[..position])
            }
            None => {
                self.rest = "";
                None
            }
        }
    }

    fn document_type(&mut self) -> Option<Event<'a>> {
        let end = self.rest.find(['[', '>'])?;
        if self.rest.as_bytes()[end] == b'[' {
            self.take_through("]")?;
        }
        self.take_through(">")?;
        Some(Event::DocumentType)
    }

    fn close(&mut self) -> Event<'a> {
        let end = self.rest[1..]
            .find(['>', '<'])
            .map_or(self.rest.len(), |end| end + 1);
        let tag = self.take(end);
        if self.rest.starts_with('>') {
            self.take(1);
        }
        Event::Close(name_of(&tag[2..]).0)
    }

    fn open(&mut self) -> Event<'a> {
        let Some(end) = end_of_tag(self.rest) else {
            self.rest = "";
            return Event::Torn;
        };
        let tag = self.take(end);
        if self.rest.starts_with('>') {
            self.take(1);
        }
        let (name, attributes) = name_of(&tag[1..]);
        Event::Open { name, attributes }
    }

    fn markup(&mut self) -> Option<Event<'a>> {
        let rest = self.rest;
        if rest.starts_with("<!--") {
            return self.take_through("-->").map(|_| Event::Aside);
        }
        if rest.starts_with("<![CDATA[") {
            self.take("<![CDATA[".len());
            return self.take_through("]]>").map(Event::Literal);
        }
        match rest.as_bytes().get(1) {
            None => None,
            Some(b'/') => Some(self.close()),
            Some(b'!') => self.document_type(),
            Some(b'?') => self.take_through(">").map(|_| Event::Aside),
            Some(byte) if byte.is_ascii_alphabetic() || matches!(byte, b'_' | b':') => {
                Some(self.open())
            }
            Some(_) => Some(Event::Text(self.take(1))),
        }
    }
}

impl<'a> Iterator for Scanner<'a> {
    type Item = Event<'a>;

    fn next(&mut self) -> Option<Event<'a>> {
        match memchr(b'<', self.rest.as_bytes())? {
            0 => self.markup(),
            end => Some(Event::Text(self.take(end))),
        }
    }
}

/// The end of the tag at the start of `text`: its `>`, or, if that is missing, the next `<`. A `>` may occur within
/// quotes, a `<` may not, so an unclosed quote affects only its own tag.
fn end_of_tag(text: &str) -> Option<usize> {
    let mut quote = None;
    let mut quoted_end = None;
    for (position, byte) in text.bytes().enumerate().skip(1) {
        match (byte, quote) {
            (b'<', _) => return Some(quoted_end.unwrap_or(position)),
            (b'>', None) => return Some(position),
            (b'>', Some(_)) => quoted_end = quoted_end.or(Some(position)),
            (b'"' | b'\'', None) => quote = Some(byte),
            (_, Some(open)) if open == byte => (quote, quoted_end) = (None, None),
            _ => {}
        }
    }
    quoted_end
}

/// The name at the start of `tag`, and the rest.
fn name_of(tag: &str) -> (Name<'_>, &str) {
    let end = tag
        .find(|c: char| c.is_whitespace() || c == '/')
        .unwrap_or(tag.len());
    let (name, rest) = tag.split_at(end);
    let (prefix, local) = name.rsplit_once(':').unwrap_or(("", name));
    (Name { prefix, local }, rest)
}

/// The value of an attribute; character references are not decoded.
pub(super) fn attribute<'a>(attributes: &'a str, wanted: &str) -> Option<&'a str> {
    let mut rest = attributes;
    while let Some((name, value)) = rest.split_once('=') {
        let name = name.trim().trim_start_matches('/').trim();
        let value = value.trim_start();
        let quote = value.chars().next().filter(|c| matches!(c, '"' | '\''))?;
        let (value, behind) = value[1..].split_once(quote)?;
        if name.eq_ignore_ascii_case(wanted) {
            return Some(value);
        }
        rest = behind;
    }
    None
}
