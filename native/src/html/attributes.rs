//! The attributes of a tag, by the states of the HTML standard.

use std::borrow::Cow;

use memchr::memchr;

use super::references;

/// An attribute as written: the name in any case, the value with its character references.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Attribute<'t> {
    pub name: &'t str,
    pub value: &'t str,
}

/// Attributes by name, from any source. If a name occurs twice, the first counts.
pub trait Attributes {
    fn value_of(&self, name: &str) -> Option<Cow<'_, str>>;
}

impl Attributes for [Attribute<'_>] {
    fn value_of(&self, name: &str) -> Option<Cow<'_, str>> {
        let attribute = self
            .iter()
            .find(|attribute| attribute.name.eq_ignore_ascii_case(name))?;
        Some(references::attribute_value(attribute.value))
    }
}

/// A tag that was read to its `>`.
#[derive(Debug)]
pub struct Scanned {
    /// The position after the `>`.
    pub end: usize,
    pub self_closing: bool,
    pub attributes: usize,
}

pub struct Scanner<'t> {
    text: &'t str,
    position: usize,
}

impl<'t> Scanner<'t> {
    /// `position` is where the tag's name ends.
    pub fn new(text: &'t str, position: usize) -> Self {
        Scanner { text, position }
    }

    /// `None` if the text ends within the tag.
    pub fn run(mut self, mut kept: Option<&mut Vec<Attribute<'t>>>) -> Option<Scanned> {
        let mut attributes = 0;
        let mut self_closing = false;
        loop {
            match self.peek()? {
                b'>' => break,
                byte if is_space(byte) || byte == b'/' => {
                    self_closing = byte == b'/';
                    self.position += 1;
                }
                _ => {
                    self_closing = false;
                    attributes += 1;
                    let attribute = self.attribute()?;
                    if let Some(kept) = &mut kept {
                        kept.push(attribute);
                    }
                }
            }
        }
        Some(Scanned {
            end: self.position + 1,
            self_closing,
            attributes,
        })
    }

    /// An equals sign at the start of a name is part of the name.
    fn attribute(&mut self) -> Option<Attribute<'t>> {
        let start = self.position;
        self.position += 1;
        self.skip_while(|byte| !is_space(byte) && !matches!(byte, b'/' | b'>' | b'='))?;
        let name = &self.text[start..self.position];
        self.skip_while(is_space)?;
        let mut value = "";
        if self.peek()? == b'=' {
            self.position += 1;
            self.skip_while(is_space)?;
            value = self.value()?;
        }
        Some(Attribute { name, value })
    }

    fn value(&mut self) -> Option<&'t str> {
        let quote = self.peek()?;
        if !matches!(quote, b'"' | b'\'') {
            let start = self.position;
            self.skip_while(|byte| !is_space(byte) && byte != b'>')?;
            return Some(&self.text[start..self.position]);
        }
        let start = self.position + 1;
        let length = memchr(quote, &self.text.as_bytes()[start..])?;
        self.position = start + length + 1;
        Some(&self.text[start..start + length])
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.position).copied()
    }

    fn skip_while(&mut self, belongs: impl Fn(u8) -> bool) -> Option<()> {
        while belongs(self.peek()?) {
            self.position += 1;
        }
        Some(())
    }
}

fn is_space(byte: u8) -> bool {
    matches!(byte, b'\t' | b'\n' | 0x0C | b'\r' | b' ')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scanned(tag: &str) -> (Vec<(&str, &str)>, bool) {
        let mut kept = Vec::new();
        let scanned = Scanner::new(tag, 2).run(Some(&mut kept)).unwrap();
        assert_eq!(scanned.end, tag.len());
        (
            kept.iter()
                .map(|attribute| (attribute.name, attribute.value))
                .collect(),
            scanned.self_closing,
        )
    }

    #[test]
    fn attributes_are_read_in_any_dress() {
        let (attributes, _) = scanned("<a b c=d e='f' g = \"h>\"i=j k= >");
        assert_eq!(
            attributes,
            [
                ("b", ""),
                ("c", "d"),
                ("e", "f"),
                ("g", "h>"),
                ("i", "j"),
                ("k", "")
            ]
        );
        let (attributes, _) = scanned("<a/b/c=d/=x==y\"z='>");
        assert_eq!(attributes, [("b", ""), ("c", "d/=x==y\"z='")]);
        assert_eq!(scanned("<a =b=c>").0, [("=b", "c")]);
    }

    #[test]
    fn a_slash_closes_only_at_the_very_end_and_outside_of_a_value() {
        assert!(scanned("<a/>").1);
        assert!(scanned("<a b='c'/>").1);
        assert!(!scanned("<a / >").1);
        assert!(!scanned("<a b=c/>").1);
    }

    #[test]
    fn the_first_of_two_attributes_counts() {
        let mut kept = Vec::new();
        Scanner::new("<a HREF='1&amp;2' href=3>", 2).run(Some(&mut kept));
        assert_eq!(kept.value_of("href").as_deref(), Some("1&2"));
        assert_eq!(kept.value_of("rel"), None);
    }
}
