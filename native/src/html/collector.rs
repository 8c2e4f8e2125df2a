//! Collects links, directives, title and text of a document, on every path.

mod blocks;
mod elements;
mod headings;
mod language;
mod open_graph;

use encoding_rs::{Encoding, UTF_8};
use url::Url;
use xxhash_rust::xxh3::Xxh3Default;

use super::attributes::Attributes;
use super::collapsed_text::CollapsedText;
use super::directives;
use super::fragment;
use super::links::Links;
use super::names::{self, Name, mark};
use crate::page::{LinkKind, Page, ReadOptions, TextHash, directive, rel};
use crate::url::Identity;
use crate::usage::{Name as SignalName, Place, Signals};
use blocks::Blocks;
use headings::Headings;
use language::Languages;
use open_graph::OpenGraph;

pub use elements::kind_of_rel;

const ANCHOR_CHARACTERS: usize = 200;
const TITLE_CHARACTERS: usize = 1000;
const DESCRIPTION_CHARACTERS: usize = 2000;

/// Takes elements and text in document order, from the fast path, the tree or XML.
pub struct Collector<'r> {
    options: &'r ReadOptions,
    document: &'r Url,
    encoding: &'static Encoding,
    links: Links<'r>,
    links_in_headers: u32,
    base: Base,
    title: CollapsedText,
    title_state: Title,
    description: CollapsedText,
    canonical: Option<String>,
    header_canonical: Option<String>,
    languages: Languages,
    directives: u8,
    signals: Signals,
    has_refresh: bool,
    open_graph: OpenGraph,
    headings: Headings,
    text: CollapsedText,
    blocks: Blocks,
    anchor: Option<Anchor>,
    /// Open elements with invisible text.
    hidden: u32,
}

/// The anchor text of an open link: the text from position `from` on, or words of its own if some of them are not part
/// of the text.
struct Anchor {
    link: usize,
    from: usize,
    own: Option<CollapsedText>,
}

/// The state of the first `<base href>`.
enum Base {
    Awaited,
    Settled,
    /// It came after links were resolved without it, so those are wrong.
    Late(Url),
}

/// The first title is that of the document; later ones are neither title nor text.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Title {
    Awaited,
    Open,
    Closed,
    AnotherOpen,
}

impl<'r> Collector<'r> {
    /// `base`: the base of the document, if an earlier pass found it.
    pub fn new(
        identity: &'r Identity,
        options: &'r ReadOptions,
        document: &'r Url,
        encoding: &'static Encoding,
        base: Option<Url>,
    ) -> Self {
        let settled = base.is_some();
        let base = base.unwrap_or_else(|| document.clone());
        Collector {
            options,
            document,
            encoding,
            links: Links::new(identity, options.max_links, base, encoding),
            links_in_headers: 0,
            base: if settled {
                Base::Settled
            } else {
                Base::Awaited
            },
            title: CollapsedText::new(TITLE_CHARACTERS),
            title_state: Title::Awaited,
            description: CollapsedText::new(DESCRIPTION_CHARACTERS),
            canonical: None,
            header_canonical: None,
            languages: Languages::default(),
            directives: 0,
            signals: Signals::default(),
            has_refresh: false,
            open_graph: OpenGraph::default(),
            headings: Headings::default(),
            blocks: Blocks::default(),
            text: CollapsedText::new(options.max_text),
            anchor: None,
            hidden: 0,
        }
    }

    /// Reserves memory for a document of `length` bytes: few have more than two thirds of text.
    pub fn expect(&mut self, length: usize) {
        self.text.expect(length / 3 * 2);
    }

    /// The base, if it came too late: then the document must be read again with it.
    pub fn late_base(&self) -> Option<&Url> {
        match &self.base {
            Base::Late(url) => Some(url),
            _ => None,
        }
    }

    /// True while an element that hides its text is still open.
    pub fn is_hiding(&self) -> bool {
        self.hidden > 0
    }

    pub fn media(&self) -> bool {
        self.options.media
    }

    pub fn finish(mut self, charset: &'static str, slow_road: bool) -> Page {
        self.close_anchor();
        let links_found = self.links.found();
        let text = self.text.into_text();
        let title = self.title.into_text();
        let chosen = self.blocks.main(&text);
        Page {
            charset,
            text_hash: Some(text_hash(&title, chosen.hash)),
            title,
            description: self.description.into_text(),
            canonical: self.canonical.or(self.header_canonical),
            language: self.languages.declared(),
            detected: None,
            directives: self.directives,
            usage: self.signals.into_lines(),
            main: chosen.main,
            content: chosen.content,
            compared: chosen.compared,
            text,
            open_graph: self.open_graph.into_list(),
            headings: self.headings.into_list(),
            links: self.links.into_list(),
            links_found,
            requisites: Vec::new(),
            simhash: None,
            sketch: None,
            change_hash: chosen.change_hash,
            focus: None,
            quality: None,
            slow_road,
        }
    }

    /// Headers are read before the document. Their URLs are relative to the document's own URL, and in UTF-8.
    pub fn headers(&mut self, headers: &[(String, String)]) {
        self.links.replace_encoding(UTF_8);
        let base = self.links.replace_base(self.document.clone());
        for (name, value) in headers {
            match name.len() {
                4 if name.eq_ignore_ascii_case("link") => self.link_header(value),
                7 if name.eq_ignore_ascii_case("refresh") => self.refresh(value),
                12 if name.eq_ignore_ascii_case("x-robots-tag") => {
                    let bits = directives::of_header(value, &self.options.agent_token);
                    self.direct(bits, Place::Header);
                }
                16 if name.eq_ignore_ascii_case("content-language") => {
                    self.languages.of_header(value);
                }
                _ => self.signals.add_header(name, value),
            }
        }
        self.links.replace_base(base);
        self.links.replace_encoding(self.encoding);
        self.links_in_headers = self.links.offered();
    }

    /// Takes the bits of a `<meta name=robots>` or `X-Robots-Tag`.
    fn direct(&mut self, bits: u8, place: Place) {
        self.directives |= bits & !(directive::NOAI | directive::NOIMAGEAI);
        if bits & directive::NOAI != 0 {
            self.signals.add(place, SignalName::NoAi, "");
        }
        if bits & directive::NOIMAGEAI != 0 {
            self.signals.add(place, SignalName::NoImageAi, "");
        }
    }

    /// Links of a feed are IRIs, which are always written in UTF-8.
    pub fn feed(&mut self) {
        self.links.replace_encoding(UTF_8);
    }

    /// Takes only the links of markup that browsers do not show.
    pub fn noframes(&mut self, text: &str) {
        fragment::read(text, self);
    }

    /// A start tag. `foreign` is svg or math.
    pub fn start<A: Attributes + ?Sized>(
        &mut self,
        name: Name,
        marks: u8,
        foreign: bool,
        attributes: &A,
    ) {
        self.part(marks);
        if foreign {
            return self.start_foreign(name, attributes);
        }
        match name {
            _ if marks & mark::HEADING != 0 => self.open_heading(name.heading_level()),
            _ if marks & mark::REGION != 0 => self.blocks.enter(name),
            names::A => self.start_anchor(attributes.value_of("href").as_deref(), attributes),
            names::AREA => {
                self.link(attributes, "href", LinkKind::Area);
            }
            names::LINK => self.link_element(attributes),
            names::META => self.meta(attributes),
            names::BASE => self.base(attributes),
            names::FRAME | names::IFRAME => self.frame(attributes),
            names::HTML => self.html(attributes),
            names::TITLE => self.open_title(),
            names::NOSCRIPT => self.hidden += 1,
            names::SCRIPT if self.options.scripts => {
                self.link(attributes, "src", LinkKind::Script);
            }
            _ if marks & mark::MEDIA != 0 && self.options.media => {
                self.media_element(name, attributes)
            }
            _ => {}
        }
    }

    pub fn end(&mut self, name: Name, marks: u8, foreign: bool) {
        self.part(marks);
        match name {
            names::A => self.close_anchor(),
            _ if marks & mark::HEADING != 0 && !foreign => self.headings.close(),
            _ if marks & mark::REGION != 0 && !foreign => self.blocks.leave(name),
            names::TITLE if !foreign => self.close_title(),
            names::NOSCRIPT if !foreign => self.hidden = self.hidden.saturating_sub(1),
            _ if foreign && is_unseen(name) => self.hidden = self.hidden.saturating_sub(1),
            _ => {}
        }
    }

    /// Adds text whose character references are not decoded yet.
    pub fn raw_text(&mut self, raw: &str) {
        self.each_listener(|fold| fold.push_raw(raw));
    }

    /// Adds text without character references.
    pub fn plain_text(&mut self, text: &str) {
        self.each_listener(|fold| fold.push_plain(text));
    }

    /// Separates the next text from the previous word.
    pub fn separate(&mut self) {
        self.text.separate();
        if let Some(Anchor { own: Some(own), .. }) = &mut self.anchor {
            own.separate();
        }
        if let Some(heading) = self.headings.listener() {
            heading.separate();
        }
    }

    pub fn add_link(&mut self, text: &str, kind: LinkKind) {
        self.links.add(text, kind, 0);
    }

    pub fn set_title(&mut self, title: CollapsedText) {
        if self.title.is_empty() {
            self.title = title;
        }
    }

    pub fn set_description(&mut self, description: CollapsedText) {
        if self.description.is_empty() {
            self.description = description;
        }
    }

    pub fn set_language(&mut self, language: &str) {
        self.languages.of_element(language);
    }

    /// Separates words, and blocks, if the tag does.
    fn part(&mut self, marks: u8) {
        if marks & mark::SEPARATES != 0 {
            self.separate();
            if marks & mark::FLOWS == 0 {
                self.blocks.boundary(self.text.len());
            }
        }
    }

    fn each_listener(&mut self, push: impl Fn(&mut CollapsedText)) {
        match self.title_state {
            Title::Open => return push(&mut self.title),
            Title::AnotherOpen => return,
            Title::Awaited | Title::Closed => {}
        }
        if self.hidden == 0 {
            push(&mut self.text);
        }
        if let Some(anchor) = &mut self.anchor {
            if self.hidden > 0 && anchor.own.is_none() {
                anchor.own = Some(anchor.words_of(&self.text));
            }
            anchor.own.as_mut().map(&push);
        }
        if let Some(heading) = self.headings.listener() {
            push(heading);
        }
    }

    fn open_title(&mut self) {
        self.title_state = match self.title_state {
            Title::Awaited => Title::Open,
            _ => Title::AnotherOpen,
        };
    }

    fn close_title(&mut self) {
        if self.title_state != Title::Awaited {
            self.title_state = Title::Closed;
        }
    }

    /// An `a` in svg is a link, too; other svg elements only share their names with those of HTML.
    fn start_foreign<A: Attributes + ?Sized>(&mut self, name: Name, attributes: &A) {
        if name == names::A {
            let href = attributes
                .value_of("href")
                .or_else(|| attributes.value_of("xlink:href"));
            self.start_anchor(href.as_deref(), attributes);
        } else if is_unseen(name) {
            self.hidden += 1;
        }
    }

    /// Links cannot be nested: a second one ends the first.
    fn start_anchor<A: Attributes + ?Sized>(&mut self, href: Option<&str>, attributes: &A) {
        self.close_anchor();
        let Some(href) = href else { return };
        self.blocks.open_link(self.text.len());
        let rel = attributes
            .value_of("rel")
            .map_or(0, |rel| directives::of_rel(&rel));
        if rel & rel::LICENSE != 0 {
            self.license(Place::Link, href, attributes.value_of("type").as_deref());
        }
        if let Some(link) = self.links.add(href, LinkKind::Anchor, rel & !rel::LICENSE) {
            let own = self
                .text
                .is_full()
                .then(|| CollapsedText::new(ANCHOR_CHARACTERS));
            let from = self.text.len();
            self.anchor = Some(Anchor { link, from, own });
        }
    }

    fn open_heading(&mut self, level: u8) {
        if self.options.want_text || self.options.keywords.is_some() {
            self.headings.open(level);
        }
    }

    fn close_anchor(&mut self) {
        self.blocks.close_link(self.text.len());
        if let Some(anchor) = self.anchor.take() {
            let words = match &anchor.own {
                Some(own) => own.text(),
                None => anchor.words_in(&self.text),
            };
            self.links.set_anchor(anchor.link, words);
        }
    }
}

impl Anchor {
    /// The anchor text within `text`, with white space collapsed as there.
    fn words_in<'t>(&self, text: &'t CollapsedText) -> &'t str {
        let words = text
            .text()
            .get(self.from..)
            .unwrap_or_default()
            .trim_start();
        if words.len() <= ANCHOR_CHARACTERS {
            return words;
        }
        match words.char_indices().nth(ANCHOR_CHARACTERS) {
            Some((end, _)) => words[..end].trim_end(),
            None => words,
        }
    }

    /// A copy of these words, to continue with.
    fn words_of(&self, text: &CollapsedText) -> CollapsedText {
        let mut own = CollapsedText::new(ANCHOR_CHARACTERS);
        own.push_plain(self.words_in(text));
        if text.is_space_due() {
            own.separate();
        }
        own
    }
}

/// Hashes title and main text. Many pages of pictures or products have the same text and differ only in their titles.
fn text_hash(title: &str, main: Option<u128>) -> TextHash {
    if title.is_empty() && main.is_none() {
        return TextHash::Empty;
    }
    let mut hasher = Xxh3Default::new();
    hasher.update(&main.unwrap_or_default().to_be_bytes());
    hasher.update(title.as_bytes());
    TextHash::Of(hasher.digest128().to_be_bytes())
}

/// Elements of svg whose text is not shown: descriptions, styles, animations.
fn is_unseen(name: Name) -> bool {
    matches!(
        name,
        names::TITLE | names::DESC | names::METADATA | names::STYLE | names::SCRIPT
    )
}
