//! Links ahead of time that the walk has not seen as markup.
//!
//! A page made to deceive may look otherwise to a browser than to the walk: what is text here is a link there. Policies stop
//! what such a link would fetch, but not a connection ahead of time. So each place of a rewritten document that would be
//! such a link if markup began there is renamed, whatever it is: in a script, a comment, a value. A tag is read alike by
//! everybody who begins at the same place.

use memchr::memchr;

use super::elements;
use super::guard;
use super::walk::{DEEPEST, Markup, RENAMED};
use crate::html::attributes::{Attribute, Scanner};
use crate::html::references;

/// Bytes that may be read again for tags within tags, for each byte of the document. Further tags are renamed unread.
const MOST_PASSES: usize = 4;
const ALLOWANCE: usize = 64 * 1024;
/// Bytes of the name of an entity.
const LONGEST_NAME: usize = 500;

pub fn disarm(text: String, markup: Markup, is_guarded: bool) -> String {
    let room = text.len().saturating_mul(MOST_PASSES) + ALLOWANCE;
    let mut sweep = Sweep {
        markup,
        is_guarded,
        room,
    };
    let places = sweep.places(&text, 0);
    if places.is_empty() {
        return text;
    }
    let mut result = String::with_capacity(text.len() + places.len() * RENAMED.len());
    let mut from = 0;
    for place in places {
        result.push_str(&text[from..place]);
        result.push_str(RENAMED);
        from = place;
    }
    result.push_str(&text[from..]);
    result
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Link,
    Frame,
    /// Of XML: what may make links that stand nowhere in the text.
    Declaration,
}

struct Sweep {
    markup: Markup,
    is_guarded: bool,
    room: usize,
}

impl Sweep {
    /// Where something is written before a name.
    fn places(&mut self, text: &str, depth: u32) -> Vec<usize> {
        let bytes = text.as_bytes();
        let mut places = Vec::new();
        let mut search = 0;
        while let Some(offset) = memchr(b'<', &bytes[search..]) {
            let start = search + offset + 1;
            let (kind, place, end) = self.kind_at(bytes, start);
            search = end.max(start);
            if let Some(kind) = kind
                && self.is_dangerous(text, kind, start, end, depth)
            {
                places.push(place);
            }
        }
        places
    }

    /// What a name at `start` is, where it is renamed, and where it ends. A prefix stays: to another one, a page may have
    /// given a meaning.
    fn kind_at(&self, bytes: &[u8], start: usize) -> (Option<Kind>, usize, usize) {
        let rest = &bytes[start..];
        if self.markup == Markup::Xml {
            for keyword in ["!ENTITY", "!ATTLIST", "?xml-stylesheet"] {
                if rest.starts_with(keyword.as_bytes()) {
                    let after = &rest[keyword.len()..];
                    let spaces = after
                        .iter()
                        .take_while(|byte| byte.is_ascii_whitespace())
                        .count();
                    let kind = (spaces > 0).then_some(Kind::Declaration);
                    let end = start + keyword.len() + spaces;
                    return (kind, end, end);
                }
            }
        }
        let is_end = |byte: &u8| {
            matches!(
                byte,
                b' ' | b'\t' | b'\n' | b'\r' | 0x0C | b'/' | b'>' | b'<'
            )
        };
        let length = rest.iter().position(is_end).unwrap_or(rest.len());
        let name = &rest[..length];
        let local = match self.markup {
            Markup::Html => name,
            Markup::Xml => name.rsplit(|byte| *byte == b':').next().unwrap_or(name),
        };
        let kind = match local {
            _ if local.eq_ignore_ascii_case(b"link") => Some(Kind::Link),
            _ if local.eq_ignore_ascii_case(b"iframe") => Some(Kind::Frame),
            _ => None,
        };
        (kind, start + length - local.len(), start + length)
    }

    fn is_dangerous(
        &mut self,
        text: &str,
        kind: Kind,
        start: usize,
        end: usize,
        depth: u32,
    ) -> bool {
        if kind == Kind::Declaration {
            return self.is_dangerous_declaration(text, start, end);
        }
        let mut attributes = Vec::new();
        let scanned = (self.room > 0).then(|| Scanner::new(text, end).run(Some(&mut attributes)));
        let after = scanned.flatten().map(|scanned| scanned.end);
        self.room = self
            .room
            .saturating_sub(after.unwrap_or(text.len()) - start);
        if after.is_none() {
            return true; // a script may write the rest of it
        }
        match kind {
            Kind::Link => attributes
                .iter()
                .any(|attribute| self.leads_ahead(attribute)),
            Kind::Frame => attributes
                .iter()
                .any(|attribute| self.is_dangerous_frame(attribute, depth)),
            Kind::Declaration => false,
        }
    }

    fn leads_ahead(&self, attribute: &Attribute<'_>) -> bool {
        if !attribute.name.eq_ignore_ascii_case("rel") {
            return false;
        }
        // Entities of XML may stand for anything.
        let is_entity = self.markup == Markup::Xml && attribute.value.contains('&');
        is_entity || elements::leads_ahead(&references::attribute_value(attribute.value))
    }

    fn is_dangerous_frame(&mut self, attribute: &Attribute<'_>, depth: u32) -> bool {
        if !attribute.name.eq_ignore_ascii_case("srcdoc") || attribute.value.is_empty() {
            return false;
        }
        let document = references::attribute_value(attribute.value);
        let unguarded = guard::strip(&document);
        let inner = unguarded.unwrap_or(&document);
        self.room = self.room.saturating_sub(inner.len());
        depth > DEEPEST
            || self.room == 0
            || self.is_guarded && unguarded.is_none()
            || !self.places(inner, depth + 1).is_empty()
    }

    /// Entities with markup, attributes that every element has, and transformations.
    fn is_dangerous_declaration(&mut self, text: &str, start: usize, end: usize) -> bool {
        let bytes = text.as_bytes();
        if !bytes[start..].starts_with(b"!ENTITY") {
            return true;
        }
        let quote = bytes[end..]
            .iter()
            .take(LONGEST_NAME)
            .position(|byte| matches!(byte, b'"' | b'\'' | b'>'));
        let Some(open) = quote.map(|offset| end + offset) else {
            return true;
        };
        if self.room == 0 {
            return true;
        }
        let length = memchr(bytes[open], &bytes[open + 1..]).unwrap_or(bytes.len() - open - 1);
        self.room = self.room.saturating_sub(open + length - start);
        let value = &bytes[open + 1..open + 1 + length];
        let is_parameter = bytes.get(end) == Some(&b'%');
        is_parameter || value.iter().any(|byte| matches!(byte, b'<' | b'&'))
    }
}
