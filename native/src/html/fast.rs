//! The fast path: tokens go directly to the collector, without a tree.
//!
//! It knows the few ways in which the tree affects the tokenizer (raw text, svg and math, template),
//! and reports documents that only a tree can interpret.

use std::borrow::Cow;

use memchr::memchr;

use super::collector::Collector;
use super::foreign::{Foreign, Whose, is_shape};
use super::names::{self, Name, mark};
use super::tokenizer::{Token, Tokenizer};

/// The result of the fast path.
pub struct Outcome {
    /// False if only a tree can decide what the document means.
    pub certain: bool,
    /// The largest number of attributes of a tag: the tree builder compares them with each other.
    pub most_attributes: usize,
}

pub fn read(text: &str, collector: &mut Collector<'_>) -> Outcome {
    let kept = mark::ATTRIBUTES | if collector.media() { mark::MEDIA } else { 0 };
    let mut road = FastPath {
        tokenizer: Tokenizer::new(text, kept),
        collector,
        foreign: Foreign::default(),
        templates: 0,
        certain: true,
    };
    while let Some(token) = road.tokenizer.next() {
        road.take(token);
    }
    Outcome {
        certain: road.certain && !road.collector.is_hiding(),
        most_attributes: road.tokenizer.most_attributes(),
    }
}

struct FastPath<'t, 'c, 'r> {
    tokenizer: Tokenizer<'t>,
    collector: &'c mut Collector<'r>,
    foreign: Foreign,
    /// Number of open templates; their contents do not count.
    templates: u32,
    certain: bool,
}

impl<'t> FastPath<'t, '_, '_> {
    fn take(&mut self, token: Token<'t>) {
        match token {
            Token::Text(text) if self.templates == 0 => self.collector.raw_text(text),
            Token::Literal(text) if self.templates == 0 => self.collector.plain_text(text),
            Token::Text(_) | Token::Literal(_) => {}
            Token::Start {
                name,
                marks,
                self_closing,
            } => self.start(name, marks, self_closing),
            Token::End { name, marks } => self.end(name, marks),
        }
    }

    fn start(&mut self, name: Name, marks: u8, self_closing: bool) {
        if self.foreign.is_open() {
            match self.foreign.start(name, marks, self_closing) {
                Whose::Html => self.close_foreign(None),
                Whose::Unclear => self.certain = false,
                Whose::Foreign | Whose::Nobody => {
                    return self.start_foreign(name, marks, self_closing);
                }
            }
        }
        if self.templates == 0 {
            self.collector
                .start(name, marks, false, self.tokenizer.attributes());
        }
        if marks & mark::STEERS != 0 {
            self.steer(name, self_closing);
        }
    }

    fn start_foreign(&mut self, name: Name, marks: u8, self_closing: bool) {
        if self.templates > 0 {
            return;
        }
        self.collector
            .start(name, marks, true, self.tokenizer.attributes());
        if self_closing {
            self.collector.end(name, marks, true);
        }
    }

    fn end(&mut self, name: Name, marks: u8) {
        if self.foreign.is_open() {
            match self.foreign.end(name) {
                Whose::Foreign => return self.close_foreign(Some(name)),
                Whose::Nobody => return,
                Whose::Html => self.close_foreign(None),
                Whose::Unclear => self.certain = false,
            }
        }
        if name == names::TEMPLATE {
            self.templates = self.templates.saturating_sub(1);
        } else if self.templates == 0 {
            self.collector.end(name, marks, false);
        }
    }

    fn close_foreign(&mut self, name: Option<Name>) {
        for closed in self.foreign.close(name) {
            if self.templates == 0 {
                self.collector.end(closed, names::marks_of(closed), true);
            }
        }
        self.tokenizer.reads_cdata = self.foreign.is_open();
    }

    /// Sets the tokenizer's state as the tree builder would after this start tag.
    fn steer(&mut self, name: Name, self_closing: bool) {
        match name {
            names::SVG | names::MATH if !self_closing => {
                self.foreign.enter(name);
                self.tokenizer.reads_cdata = true;
            }
            names::TITLE => self.take_text("title", true),
            names::TEXTAREA => self.take_text("textarea", true),
            names::XMP => self.take_text("xmp", false),
            names::SCRIPT => {
                self.tokenizer.script_text();
            }
            names::STYLE => self.skip_text("style"),
            names::IFRAME => self.skip_text("iframe"),
            names::NOEMBED => self.skip_text("noembed"),
            names::NOFRAMES => {
                let text = self.tokenizer.raw_text("noframes");
                if self.templates == 0 {
                    self.collector.noframes(text);
                }
            }
            names::PLAINTEXT => {
                let text = self.tokenizer.plain_text();
                self.take_raw(text, false);
            }
            names::TEMPLATE => self.templates += 1,
            names::FRAMESET => self.certain = false,
            // In a template of columns most start tags are dropped.
            names::COL | names::COLGROUP if self.templates > 0 => self.certain = false,
            // Outside of svg: its end tag would reach out of the next one.
            _ if is_shape(name) => self.certain = false,
            _ => {}
        }
    }

    fn skip_text(&mut self, name: &str) {
        self.tokenizer.raw_text(name);
    }

    fn take_text(&mut self, name: &str, has_references: bool) {
        let text = self.tokenizer.raw_text(name);
        self.take_raw(text, has_references);
    }

    /// In ordinary text a NUL is dropped; in raw text it becomes a replacement character.
    fn take_raw(&mut self, text: &str, has_references: bool) {
        if self.templates > 0 {
            return;
        }
        let text = match memchr(0, text.as_bytes()) {
            Some(_) => Cow::Owned(text.replace('\0', "\u{FFFD}")),
            None => Cow::Borrowed(text),
        };
        if has_references {
            self.collector.raw_text(&text);
        } else {
            self.collector.plain_text(&text);
        }
    }
}
