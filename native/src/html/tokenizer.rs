//! The tokenizer of the HTML standard, for text that is completely in memory.
//!
//! It follows the standard's states exactly as far as they decide what is a tag, an attribute or
//! text. It drops comments, doctypes and all attributes that are not requested. The caller decides
//! what the standard leaves to the tree builder (raw text, CDATA).
//!
//! See docs/decisions/0005-own-tokenizer.md.

use memchr::{memchr, memmem};

use super::attributes::{Attribute, Scanned, Scanner};
use super::names::{self, Name};
use super::script::{self, is_end_tag};

/// A token. The attributes of a start tag are in [`Tokenizer::attributes`] until the next one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Token<'t> {
    Start {
        name: Name,
        marks: u8,
        self_closing: bool,
    },
    End {
        name: Name,
        marks: u8,
    },
    /// Character references not decoded.
    Text(&'t str),
    /// The inside of a CDATA section, meant as it stands.
    Literal(&'t str),
}

pub struct Tokenizer<'t> {
    text: &'t str,
    position: usize,
    /// Attributes are kept for elements with one of these properties.
    kept: u8,
    /// True in svg, math and XML, where `<![CDATA[` is significant.
    pub reads_cdata: bool,
    /// Prefixes of names are ignored.
    drops_prefixes: bool,
    /// The attributes of every element are kept.
    keeps_all: bool,
    attributes: Vec<Attribute<'t>>,
    most_attributes: usize,
}

impl<'t> Tokenizer<'t> {
    pub fn new(text: &'t str, kept: u8) -> Self {
        Tokenizer {
            text,
            position: 0,
            kept,
            reads_cdata: false,
            drops_prefixes: false,
            keeps_all: false,
            attributes: Vec::new(),
            most_attributes: 0,
        }
    }

    /// For XML: keeps every attribute, and ignores prefixes of names.
    pub fn xml(text: &'t str) -> Self {
        Tokenizer {
            reads_cdata: true,
            drops_prefixes: true,
            ..Tokenizer::new(text, 0)
        }
    }

    /// Keeps the attributes of every element.
    pub fn whole(text: &'t str) -> Self {
        Tokenizer {
            keeps_all: true,
            ..Tokenizer::new(text, 0)
        }
    }

    /// Attributes of the last start tag, in order, duplicates included.
    pub fn attributes(&self) -> &[Attribute<'t>] {
        &self.attributes
    }

    /// The largest number of attributes of a tag so far, kept or not.
    pub fn most_attributes(&self) -> usize {
        self.most_attributes
    }

    /// The next token. Comments, doctypes and processing instructions are skipped.
    pub fn next(&mut self) -> Option<Token<'t>> {
        loop {
            let text = self.text_before_markup();
            if !text.is_empty() {
                return Some(Token::Text(text));
            }
            let rest = &self.text.as_bytes()[self.position..];
            match rest.get(1..)? {
                [b'/', letter, ..] if letter.is_ascii_alphabetic() => return self.end_tag(),
                [b'!', b'-', b'-', ..] => self.position = self.end_of_comment(),
                [b'!', b'[', ..] if self.reads_cdata && rest.starts_with(b"<![CDATA[") => {
                    return Some(self.cdata());
                }
                [b'!' | b'?' | b'/', ..] => self.position = self.after_greater_than(),
                _ => return self.start_tag(),
            }
        }
    }

    /// The text up to the next `<` that begins markup.
    fn text_before_markup(&mut self) -> &'t str {
        let bytes = self.text.as_bytes();
        let start = self.position;
        let mut search = start;
        while let Some(offset) = memchr(b'<', &bytes[search..]) {
            let less_than = search + offset;
            if opens_markup(&bytes[less_than + 1..]) {
                self.position = less_than;
                return &self.text[start..less_than];
            }
            search = less_than + 1;
        }
        self.position = bytes.len();
        &self.text[start..]
    }

    /// The text up to the end tag of `name`, which is the next token; all of the rest if there is no end tag.
    pub fn raw_text(&mut self, name: &str) -> &'t str {
        let start = self.position;
        self.position = self.end_of_raw_text(name);
        &self.text[start..self.position]
    }

    /// The text of a script, in which `<!--` and a `<script` within it hide an end tag.
    pub fn script_text(&mut self) -> &'t str {
        let start = self.position;
        self.position += script::length(&self.text.as_bytes()[start..]);
        &self.text[start..self.position]
    }

    /// The rest of the text.
    pub fn plain_text(&mut self) -> &'t str {
        let start = std::mem::replace(&mut self.position, self.text.len());
        &self.text[start..]
    }

    fn after_greater_than(&self) -> usize {
        let bytes = self.text.as_bytes();
        memchr(b'>', &bytes[self.position..])
            .map_or(bytes.len(), |offset| self.position + offset + 1)
    }

    fn end_of_comment(&self) -> usize {
        let bytes = self.text.as_bytes();
        let start = self.position + 4;
        let mut search = start;
        while let Some(offset) = memchr(b'>', &bytes[search..]) {
            let end = search + offset;
            let inside = &bytes[start..end];
            if matches!(inside, [] | [b'-']) || inside.ends_with(b"--") || inside.ends_with(b"--!")
            {
                return end + 1;
            }
            search = end + 1;
        }
        bytes.len()
    }

    fn cdata(&mut self) -> Token<'t> {
        let start = self.position + "<![CDATA[".len();
        let rest = &self.text[start..];
        let length = memmem::find(rest.as_bytes(), b"]]>");
        self.position = length.map_or(self.text.len(), |length| start + length + 3);
        Token::Literal(&rest[..length.unwrap_or(rest.len())])
    }

    fn start_tag(&mut self) -> Option<Token<'t>> {
        let (name, marks) = self.tag_name(self.position + 1);
        self.attributes.clear();
        let is_kept = marks & self.kept != 0 || self.drops_prefixes || self.keeps_all;
        let kept = is_kept.then_some(&mut self.attributes);
        let tag = Scanner::new(self.text, self.position).run(kept);
        let tag = self.finish(tag)?;
        self.most_attributes = self.most_attributes.max(tag.attributes);
        Some(Token::Start {
            name,
            marks,
            self_closing: tag.self_closing,
        })
    }

    fn end_tag(&mut self) -> Option<Token<'t>> {
        let (name, marks) = self.tag_name(self.position + 2);
        let tag = Scanner::new(self.text, self.position).run(None);
        self.finish(tag)?;
        Some(Token::End { name, marks })
    }

    /// A tag that is cut off by the end of the text is dropped, and nothing follows it.
    fn finish(&mut self, tag: Option<Scanned>) -> Option<Scanned> {
        self.position = tag.as_ref().map_or(self.text.len(), |tag| tag.end);
        tag
    }

    fn tag_name(&mut self, start: usize) -> (Name, u8) {
        let rest = &self.text.as_bytes()[start..];
        let early = rest.first_chunk().and_then(|eight| Name::ended(*eight));
        if let Some((name, length)) = early
            && !self.drops_prefixes
        {
            self.position = start + length;
            return (name, names::marks_of(name));
        }
        let length = name_length(rest);
        self.position = start + length;
        let name = match memchr(b':', &rest[..length]) {
            Some(colon) if self.drops_prefixes => Name::of(&rest[colon + 1..length]),
            _ => Name::of(&rest[..length]),
        };
        (name, names::marks_of(name))
    }

    fn end_of_raw_text(&self, name: &str) -> usize {
        let bytes = self.text.as_bytes();
        let mut search = self.position;
        while let Some(offset) = memchr(b'<', &bytes[search..]) {
            search += offset;
            if is_end_tag(&bytes[search..], name) {
                return search;
            }
            search += 1;
        }
        bytes.len()
    }
}

/// Whether markup begins after a `<`. `</` at the very end is text.
fn opens_markup(rest: &[u8]) -> bool {
    match rest {
        [b'!' | b'?', ..] => true,
        [b'/', _, ..] => true,
        [letter, ..] => letter.is_ascii_alphabetic(),
        [] => false,
    }
}

fn name_length(bytes: &[u8]) -> usize {
    bytes
        .iter()
        .position(|byte| names::is_name_end(*byte))
        .unwrap_or(bytes.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens(text: &str) -> Vec<Token<'_>> {
        let mut tokenizer = Tokenizer::new(text, 0);
        std::iter::from_fn(|| tokenizer.next()).collect()
    }

    fn texts(text: &str) -> Vec<&str> {
        let texts = tokens(text).into_iter().filter_map(|token| match token {
            Token::Text(text) => Some(text),
            _ => None,
        });
        texts.collect()
    }

    #[test]
    fn a_less_than_sign_before_anything_else_is_text() {
        assert_eq!(texts("a < b <3 <"), ["a < b <3 <"]);
        assert_eq!(texts("a</"), ["a</"]);
        assert_eq!(
            texts("a</>b</ x>c<?x>d<!x>e<![CDATA[f]]>g"),
            ["a", "b", "c", "d", "e", "g"]
        );
    }

    #[test]
    fn comments_end_where_browsers_end_them() {
        for comment in [
            "<!-->",
            "<!--->",
            "<!---->",
            "<!----!>",
            "<!-- <!-->",
            "<!-- > -> -- >-->",
            "<!-- --->",
        ] {
            assert_eq!(texts(&format!("{comment}x")), ["x"], "{comment}");
        }
        assert_eq!(texts("a<!-- x"), ["a"]);
        assert_eq!(texts("<!---!>x-->y"), ["y"]);
    }

    #[test]
    fn a_tag_cut_off_by_the_end_is_dropped() {
        for cut in ["<a", "<a href", "<a href=", "<a href='x>", "</a", "<a/"] {
            assert_eq!(tokens(cut), [], "{cut}");
        }
    }

    #[test]
    fn cdata_is_read_only_where_it_means_something() {
        let mut tokenizer = Tokenizer::new("<![CDATA[a>b]]>c<![CDATA[d", 0);
        tokenizer.reads_cdata = true;
        assert_eq!(tokenizer.next(), Some(Token::Literal("a>b")));
        assert_eq!(tokenizer.next(), Some(Token::Text("c")));
        assert_eq!(tokenizer.next(), Some(Token::Literal("d")));
        assert_eq!(tokenizer.next(), None);
    }
}
