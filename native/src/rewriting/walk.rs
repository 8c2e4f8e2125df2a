//! Walks through a document and visits each URL in it.
//!
//! The tokens are those of the fast path of `html/`: what it cannot decide without a tree concerns text, and at worst a
//! URL is missed.

use std::ops::Range;

use encoding_rs::Encoding;
use memchr::memchr;
use url::Url;

use super::edits::{Edits, escape_value};
use super::elements::{self, Use};
use super::format_in_sheet;
use crate::css;
use crate::html::attributes::{Attribute, Attributes};
use crate::html::foreign::{Foreign, Whose};
use crate::html::names::{self, Name};
use crate::html::references;
use crate::html::srcset;
use crate::html::tokenizer::{Token, Tokenizer};
use crate::url::join_base;

/// What a URL is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// A link or a form.
    Page,
    /// A document within the document.
    Frame,
    /// Styles, images, scripts, fonts.
    Asset,
    /// Audio and video.
    Media,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Markup {
    Html,
    /// XHTML and SVG.
    Xml,
}

/// Takes the URLs of a document, in its order.
pub trait Visitor {
    /// What to write in place of a URL; `None`: it stays.
    fn url(&mut self, text: &str, role: Role) -> Option<String>;

    /// What to write in place of the content of a `<meta http-equiv=refresh>`.
    fn refresh(&mut self, _content: &str) -> Option<String> {
        None
    }

    /// What to write in place of a document in an attribute, whose URLs are rewritten.
    fn inner_document(&mut self, _document: &str) -> Option<String> {
        None
    }

    /// A script of the document, or a handler of an event.
    fn script(&mut self, _text: &str) {}

    /// Whether markup that works against a replay is renamed.
    fn disarms(&self) -> bool {
        false
    }
}

/// Documents within attributes of documents are read to this depth, because each level reads its text again. Deeper ones
/// are removed from a replay.
pub const DEEPEST: u32 = 2;
/// Written before the name of an attribute that must have no effect.
pub const RENAMED: &str = "data-was-";

/// The base of the document, if a `<base>` sets one: the first with an `href` counts, also for what stands before it.
pub fn find_base(
    text: &str,
    markup: Markup,
    url: &Url,
    encoding: &'static Encoding,
) -> Option<Url> {
    if !contains_base(text.as_bytes()) {
        return None;
    }
    let mut finder = BaseFinder { href: None };
    let mut edits = Edits::default();
    let mut walk = Walk::new(text, markup, &mut finder, &mut edits);
    walk.depth = DEEPEST;
    walk.run();
    let base = join_base(url, &finder.href?, encoding).ok()?;
    (!matches!(base.scheme(), "data" | "javascript")).then_some(base)
}

fn contains_base(bytes: &[u8]) -> bool {
    let mut from = 0;
    while let Some(offset) = memchr(b'<', &bytes[from..]) {
        from += offset + 1;
        let name = bytes.get(from..from + 4);
        if name.is_some_and(|name| name.eq_ignore_ascii_case(b"base")) {
            return true;
        }
    }
    false
}

/// Reads no URL, only the `<base>`, which the walk passes to it.
struct BaseFinder {
    href: Option<String>,
}

impl Visitor for BaseFinder {
    fn url(&mut self, _text: &str, _role: Role) -> Option<String> {
        None
    }
}

/// What a walk does with a `<base>`. Only [`BaseFinder`] keeps it.
pub trait Bases {
    fn base(&mut self, _href: &str) {}
}

impl Bases for BaseFinder {
    fn base(&mut self, href: &str) {
        self.href.get_or_insert_with(|| href.to_owned());
    }
}

/// Visits the URLs of a document, and collects what the visitor replaces.
pub fn walk<V: Visitor>(text: &str, markup: Markup, visitor: &mut V, edits: &mut Edits) {
    Walk::new(text, markup, &mut Plain(visitor), edits).run();
}

/// A visitor that ignores `<base>`.
struct Plain<'v, V>(&'v mut V);

impl<V: Visitor> Visitor for Plain<'_, V> {
    fn url(&mut self, text: &str, role: Role) -> Option<String> {
        self.0.url(text, role)
    }

    fn refresh(&mut self, content: &str) -> Option<String> {
        self.0.refresh(content)
    }

    fn inner_document(&mut self, document: &str) -> Option<String> {
        self.0.inner_document(document)
    }

    fn script(&mut self, text: &str) {
        self.0.script(text);
    }

    fn disarms(&self) -> bool {
        self.0.disarms()
    }
}

impl<V> Bases for Plain<'_, V> {}

/// Visits the URLs of a style sheet that begins at `offset` of the document.
pub fn visit_sheet<V: Visitor>(sheet: &str, offset: usize, visitor: &mut V, edits: &mut Edits) {
    css::find_urls(sheet, |found| {
        if found.url.starts_with('#') {
            return;
        }
        if let Some(new) = visitor.url(&found.url, Role::Asset) {
            let range = offset + found.range.start..offset + found.range.end;
            edits.replace(range, format_in_sheet(&new, found.form));
        }
    });
}

struct Walk<'t, 'v, V> {
    text: &'t str,
    markup: Markup,
    tokenizer: Tokenizer<'t>,
    visitor: &'v mut V,
    edits: &'v mut Edits,
    foreign: Foreign,
    /// Within a `<style>` whose text is ordinary text: in svg and XML.
    in_style: bool,
    depth: u32,
}

impl<'t, 'v, V: Visitor + Bases> Walk<'t, 'v, V> {
    fn new(text: &'t str, markup: Markup, visitor: &'v mut V, edits: &'v mut Edits) -> Self {
        let mut tokenizer = Tokenizer::whole(text);
        tokenizer.reads_cdata = markup == Markup::Xml;
        Walk {
            text,
            markup,
            tokenizer,
            visitor,
            edits,
            foreign: Foreign::default(),
            in_style: false,
            depth: 0,
        }
    }

    fn run(mut self) {
        while let Some(token) = self.tokenizer.next() {
            match token {
                Token::Start {
                    name, self_closing, ..
                } => self.start(name, self_closing),
                Token::End { name, .. } => self.end(name),
                Token::Text(text) if self.in_style => self.style_text(text, true),
                Token::Literal(text) if self.in_style => self.style_text(text, false),
                Token::Text(_) | Token::Literal(_) => {}
            }
        }
    }

    fn start(&mut self, name: Name, self_closing: bool) {
        let mut is_foreign = false;
        if self.foreign.is_open() {
            match self
                .foreign
                .start(name, names::marks_of(name), self_closing)
            {
                Whose::Html => {
                    drop(self.foreign.close(None));
                    self.tokenizer.reads_cdata = false;
                }
                Whose::Foreign | Whose::Nobody => is_foreign = true,
                Whose::Unclear => {}
            }
        }
        let is_svg = is_foreign || name == names::SVG;
        self.attributes(name, is_svg || self.is_plain_xml(name));
        let is_raw = !is_foreign && self.markup == Markup::Html;
        if is_raw {
            self.steer(name, self_closing);
        } else if name == names::STYLE && !self_closing {
            self.in_style = true;
        }
    }

    /// Whether an element of XML has the attributes of svg: HTML elements keep their own.
    fn is_plain_xml(&self, name: Name) -> bool {
        let is_html = matches!(name, names::LINK | names::BASE | names::A | names::AREA);
        self.markup == Markup::Xml && !is_html
    }

    fn end(&mut self, name: Name) {
        self.in_style = false;
        if self.foreign.is_open() {
            match self.foreign.end(name) {
                Whose::Foreign => drop(self.foreign.close(Some(name))),
                Whose::Html => drop(self.foreign.close(None)),
                Whose::Nobody | Whose::Unclear => {}
            }
            self.tokenizer.reads_cdata = self.foreign.is_open();
        }
    }

    /// Sets the tokenizer's state as the tree builder would, and reads style sheets.
    fn steer(&mut self, name: Name, self_closing: bool) {
        match name {
            names::SVG | names::MATH if !self_closing => {
                self.foreign.enter(name);
                self.tokenizer.reads_cdata = true;
            }
            names::STYLE => {
                let sheet = self.tokenizer.raw_text("style");
                let offset = self.offset_of(sheet);
                visit_sheet(sheet, offset, self.visitor, self.edits);
            }
            names::SCRIPT => {
                let kind = self.tokenizer.attributes().value_of("type");
                let is_code = elements::is_script(&kind.unwrap_or_default());
                let script = self.tokenizer.script_text();
                if is_code {
                    self.visitor.script(script);
                }
            }
            names::PLAINTEXT => {
                self.tokenizer.plain_text();
            }
            names::TITLE => self.skip("title"),
            names::TEXTAREA => self.skip("textarea"),
            names::XMP => self.skip("xmp"),
            names::IFRAME => self.skip("iframe"),
            names::NOEMBED => self.skip("noembed"),
            names::NOFRAMES => self.skip("noframes"),
            _ => {}
        }
    }

    fn skip(&mut self, name: &str) {
        self.tokenizer.raw_text(name);
    }

    /// A part of a style sheet that is ordinary text, perhaps with character references.
    fn style_text(&mut self, text: &'t str, has_references: bool) {
        let offset = self.offset_of(text);
        if !has_references || memchr(b'&', text.as_bytes()).is_none() {
            return visit_sheet(text, offset, self.visitor, self.edits);
        }
        let sheet = references::attribute_value(text);
        let mut edits = Edits::default();
        visit_sheet(&sheet, 0, self.visitor, &mut edits);
        if !edits.is_empty() {
            let new = escape_value(&edits.apply(&sheet));
            self.edits.replace(offset..offset + text.len(), new);
        }
    }

    fn attributes(&mut self, name: Name, is_foreign: bool) {
        let attributes = self.tokenizer.attributes().to_vec();
        match name {
            names::META if !is_foreign => return self.meta(&attributes),
            names::BASE if !is_foreign => return self.base(&attributes),
            names::LINK if !is_foreign && !self.is_fetched(&attributes) => return,
            _ => {}
        }
        let opens_frame = opens_frame(&attributes);
        for attribute in &attributes {
            match elements::use_of(name, is_foreign, attribute.name) {
                Some(Use::Url(Role::Page)) if opens_frame => {
                    self.visit_value(attribute, |value, walk| {
                        walk.visitor.url(value, Role::Frame)
                    });
                }
                Some(Use::Url(role)) => {
                    self.visit_value(attribute, |value, walk| walk.visitor.url(value, role));
                }
                Some(Use::Relations) => self.visit_value(attribute, |value, walk| {
                    let is_shortened = walk.visitor.disarms() && elements::leads_ahead(value);
                    is_shortened.then(|| elements::without_ahead(value))
                }),
                Some(Use::Set) => self.visit_value(attribute, |value, walk| walk.set(value)),
                Some(Use::Style) => self.visit_value(attribute, |value, walk| walk.style(value)),
                Some(Use::Document) => {
                    self.visit_value(attribute, |value, walk| walk.document(value));
                }
                Some(Use::Target) if opens_frame => {}
                Some(Use::Target | Use::Disarmed) => self.disarm(attribute),
                Some(Use::Handler) => {
                    let script = references::attribute_value(attribute.value);
                    self.visitor.script(&script);
                }
                None => {}
            }
        }
    }

    fn is_fetched(&mut self, attributes: &[Attribute<'t>]) -> bool {
        let Some(rel) = attributes.value_of("rel") else {
            return false;
        };
        if elements::is_fetched(&rel) {
            return true;
        }
        self.disarm_named(attributes, "rel");
        false
    }

    fn meta(&mut self, attributes: &[Attribute<'t>]) {
        if let Some(pragma) = attributes.value_of("http-equiv") {
            if pragma.trim().eq_ignore_ascii_case("refresh") {
                for attribute in attributes {
                    if attribute.name.eq_ignore_ascii_case("content") {
                        self.visit_value(attribute, |value, walk| walk.visitor.refresh(value));
                    }
                }
            } else if !elements::is_harmless_pragma(&pragma) {
                self.disarm_named(attributes, "http-equiv");
            }
            return;
        }
        let name = attributes.value_of("name").unwrap_or_default();
        if name.trim().eq_ignore_ascii_case("referrer") {
            self.disarm_named(attributes, "name");
        }
    }

    fn base(&mut self, attributes: &[Attribute<'t>]) {
        if let Some(href) = attributes.value_of("href") {
            self.visitor.base(&href);
        }
        for attribute in attributes {
            let name = attribute.name;
            if name.eq_ignore_ascii_case("href") || name.eq_ignore_ascii_case("target") {
                self.disarm(attribute);
            }
        }
    }

    fn disarm_named(&mut self, attributes: &[Attribute<'t>], name: &str) {
        // All of them: without the first, the second would count.
        for attribute in attributes {
            if attribute.name.eq_ignore_ascii_case(name) {
                self.disarm(attribute);
            }
        }
    }

    fn disarm(&mut self, attribute: &Attribute<'t>) {
        if self.visitor.disarms() {
            let at = self.offset_of(attribute.name);
            self.edits.replace(at..at, RENAMED.to_owned());
        }
    }

    fn visit_value(
        &mut self,
        attribute: &Attribute<'t>,
        read: impl FnOnce(&str, &mut Self) -> Option<String>,
    ) {
        if attribute.value.is_empty() {
            return;
        }
        let value = references::attribute_value(attribute.value);
        if let Some(new) = read(&value, self) {
            let range = self.range_of(attribute.value);
            let escaped = escape_value(&new);
            let is_quoted = self.text[..range.start].ends_with(['"', '\''])
                && self.text[range.end..].starts_with(['"', '\'']);
            let new = if is_quoted {
                escaped
            } else {
                format!("\"{escaped}\"")
            };
            self.edits.replace(range, new);
        }
    }

    fn set(&mut self, value: &str) -> Option<String> {
        let mut edits = Edits::default();
        for url in srcset::urls(value) {
            if let Some(new) = self.visitor.url(url, Role::Asset) {
                let start = url.as_ptr() as usize - value.as_ptr() as usize;
                // A comma at its end would end the candidate.
                edits.replace(start..start + url.len(), new.replace(',', "%2C"));
            }
        }
        (!edits.is_empty()).then(|| edits.apply(value))
    }

    fn style(&mut self, value: &str) -> Option<String> {
        let mut edits = Edits::default();
        visit_sheet(value, 0, self.visitor, &mut edits);
        (!edits.is_empty()).then(|| edits.apply(value))
    }

    /// The document in a `srcdoc`: it has the base of this one.
    fn document(&mut self, value: &str) -> Option<String> {
        if self.depth >= DEEPEST {
            return self.visitor.disarms().then(String::new);
        }
        let mut edits = Edits::default();
        let mut inner = Walk::new(value, Markup::Html, &mut *self.visitor, &mut edits);
        inner.depth = self.depth + 1;
        inner.run();
        let new = (!edits.is_empty()).then(|| edits.apply(value));
        self.visitor
            .inner_document(new.as_deref().unwrap_or(value))
            .or(new)
    }

    fn range_of(&self, part: &str) -> Range<usize> {
        let start = self.offset_of(part);
        start..start + part.len()
    }

    /// `part` is a part of the text.
    fn offset_of(&self, part: &str) -> usize {
        part.as_ptr() as usize - self.text.as_ptr() as usize
    }
}

/// Whether a link or form leads into a frame by name. Other windows do not exist in a replay.
fn opens_frame(attributes: &[Attribute<'_>]) -> bool {
    let target = attributes.value_of("target");
    target.is_some_and(|target| !target.is_empty() && !target.starts_with('_'))
}
