//! XHTML, feeds and other XML: the same tokens without HTML's raw text, leniently.
//!
//! A broken feed yields what can be read, as a broken page does; names count without their prefix.

use super::attributes::{Attribute, Attributes};
use super::collapsed_text::CollapsedText;
use super::collector::{Collector, kind_of_rel};
use super::names::{self, Name};
use super::tokenizer::{Token, Tokenizer};
use crate::page::LinkKind;

const FIELD_CHARACTERS: usize = 2000;

pub fn read(text: &str, collector: &mut Collector<'_>) {
    let mut tokenizer = Tokenizer::xml(text);
    let mut road = XmlPath {
        collector,
        is_html: None,
        skipped: None,
        field: None,
    };
    while let Some(token) = tokenizer.next() {
        road.take(token, tokenizer.attributes());
    }
}

struct XmlPath<'c, 'r> {
    collector: &'c mut Collector<'r>,
    /// Whether the root is `html`; `None` before the root.
    is_html: Option<bool>,
    /// The element of XHTML whose contents do not count.
    skipped: Option<Name>,
    /// The open element of a feed whose text is used, and that text.
    field: Option<(Name, CollapsedText)>,
}

impl<'r> XmlPath<'_, 'r> {
    fn take(&mut self, token: Token<'_>, attributes: &[Attribute<'_>]) {
        match token {
            Token::Start {
                name,
                marks,
                self_closing,
            } => {
                self.start(name, marks, attributes);
                if self_closing {
                    self.end(name, marks);
                }
            }
            Token::End { name, marks } => self.end(name, marks),
            Token::Text(text) => self.text(text, CollapsedText::push_raw, Collector::raw_text),
            Token::Literal(text) => {
                self.text(text, CollapsedText::push_plain, Collector::plain_text)
            }
        }
    }

    fn start(&mut self, name: Name, marks: u8, attributes: &[Attribute<'_>]) {
        if self.skipped.is_some() {
            return;
        }
        let is_root = self.is_html.is_none();
        if *self.is_html.get_or_insert(name == names::HTML) {
            self.collector.start(name, marks, false, attributes);
            self.skipped = is_unread(name).then_some(name);
            return;
        }
        if is_root {
            self.collector.feed();
            if let Some(language) = attributes.value_of("xml:lang") {
                self.collector.set_language(&language);
            }
        }
        self.collector.separate();
        self.start_in_feed(name, marks, attributes);
    }

    fn start_in_feed(&mut self, name: Name, marks: u8, attributes: &[Attribute<'_>]) {
        match name {
            names::A => self.collector.start(name, marks, false, attributes),
            names::LINK => match attributes.value_of("href") {
                Some(href) => self.atom_link(&href, attributes),
                None => self.open_field(name),
            },
            names::TITLE | names::DESCRIPTION | names::SUBTITLE | names::LANGUAGE => {
                self.open_field(name)
            }
            names::ENCLOSURE if self.collector.media() => {
                if let Some(url) = attributes.value_of("url") {
                    self.collector.add_link(&url, LinkKind::Media);
                }
            }
            _ => {}
        }
    }

    /// An Atom link without `rel` is an alternate: the page that the entry is about.
    fn atom_link(&mut self, href: &str, attributes: &[Attribute<'_>]) {
        let rel = attributes.value_of("rel").unwrap_or("alternate".into());
        let media_type = attributes.value_of("type").unwrap_or_default();
        if let Some(kind) = kind_of_rel(&rel, &media_type) {
            self.collector.add_link(href, kind);
        }
    }

    fn open_field(&mut self, name: Name) {
        self.field = Some((name, CollapsedText::new(FIELD_CHARACTERS)));
    }

    fn end(&mut self, name: Name, marks: u8) {
        match self.skipped {
            Some(skipped) if skipped == name => self.skipped = None,
            Some(_) => return,
            None => {}
        }
        if self.is_html == Some(true) {
            return self.collector.end(name, marks, false);
        }
        self.collector.separate();
        if name == names::A {
            self.collector.end(name, marks, false);
        }
        if let Some((_, fold)) = self.field.take_if(|(open, _)| *open == name) {
            self.close_field(name, fold);
        }
    }

    fn close_field(&mut self, name: Name, fold: CollapsedText) {
        match name {
            names::LINK if !fold.is_empty() => {
                self.collector.add_link(&fold.into_text(), LinkKind::Anchor)
            }
            names::TITLE => self.collector.set_title(fold),
            names::LANGUAGE => self.collector.set_language(&fold.into_text()),
            names::DESCRIPTION | names::SUBTITLE => self.collector.set_description(fold),
            _ => {}
        }
    }

    fn text(
        &mut self,
        text: &str,
        fold: fn(&mut CollapsedText, &str),
        collect: fn(&mut Collector<'r>, &str),
    ) {
        if self.skipped.is_some() {
            return;
        }
        if let Some((name, field)) = &mut self.field {
            fold(field, text);
            if *name == names::LINK {
                return;
            }
        }
        collect(self.collector, text);
    }
}

fn is_unread(name: Name) -> bool {
    matches!(name, names::SCRIPT | names::STYLE | names::TEMPLATE)
}
