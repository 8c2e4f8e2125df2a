//! The main text of a page for people and language models, and as Markdown (A5).
//!
//! This is the second, deep pass: made on demand, never while crawling (the fast main text of A2 is `html`'s). html5ever
//! builds the tree, and from there on each step is a loop over a flat list:
//!
//! - `outline`: the nodes that people see, in document order;
//! - `marks`: what class, id, role and item property say about each;
//! - `measure`: how much text, linked text and prose each has;
//! - `prune`: drops what stands around the text, `choose` finds the part that holds it, `prune` drops what stands in it;
//! - `writer`: Markdown and plain text of what is left.

mod choose;
mod code_language;
mod head;
mod kind;
mod line;
mod marks;
mod measure;
mod outline;
mod phrases;
mod prune;
mod table;
mod tag;
#[cfg(test)]
mod tests;
mod writer;

use encoding_rs::Encoding;
use url::Url;

use crate::html::tree::Tree;
use crate::url as addresses;
use head::Head;
pub(crate) use head::is_json_ld;
use kind::Kind;
use line::Line;
use measure::Measure;
use outline::{Index, Outline};
use prune::{Pruning, Strictness};
use tag::Tag;
use writer::{Addresses, Writer};

/// Bytes of text below which the page is looked at with less suspicion.
const ENOUGH: u32 = 250;
/// Bytes that any page may take, whatever its length.
const ALLOWANCE: usize = 64 * 1024;

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MainText {
    pub plain: String,
    pub markdown: String,
}

/// The main text of a document whose text has `bytes`.
pub fn extract(tree: &Tree, url: &Url, encoding: &'static Encoding, bytes: usize) -> MainText {
    let outline = Outline::new(tree);
    let marks = marks::of_all(&outline);
    let all = measure::measure(&outline, &vec![false; outline.len()]);
    let head = Head::read(tree);
    let kind = kind::find(&head, &outline, &marks, &all);
    let page = Pruning {
        outline: &outline,
        marks: &marks,
        kind,
        titles: outline.find_all(Tag::Heading(1)),
        main: choose::find_only_main(&outline, &marks, &all),
    };
    let mut selection = select(&page, &all, Strictness::Strict);
    if selection.length < ENOUGH && !selection.is_declared {
        let other = select(&page, &all, Strictness::Lenient);
        let is_main = page.main.is_none_or(|main| other.is_within(&outline, main));
        if other.length > 2 * selection.length && is_main {
            selection = other;
        }
    }
    if let Some(main) = page.main
        && selection.length < ENOUGH
        && !selection.is_declared
    {
        selection = prefer_main(&page, &all, main, selection);
    }
    if 5 * selection.length < all[0].text.min(ENOUGH) && !selection.is_declared {
        selection = Selection::whole(&page);
    }
    let base = head
        .base
        .and_then(|href| addresses::join_base(url, href, encoding).ok());
    let resolver = Resolver {
        base: base.as_ref().unwrap_or(url),
        encoding,
        left: 2 * bytes + ALLOWANCE,
    };
    let mut writer = Writer::new(
        &outline,
        &selection.dropped,
        resolver,
        4 * bytes + ALLOWANCE,
    );
    writer.parts_captions = selection.parts_captions;
    if kind == Kind::Article {
        writer.title = selection.find_title(&outline);
        writer.drops_asides = true;
    }
    for root in selection.roots {
        writer.write(root);
    }
    let (markdown, plain) = writer.finish();
    MainText { plain, markdown }
}

/// Blocks of text as Markdown, where there is no tree to take it from.
pub fn from_blocks<'b>(blocks: impl Iterator<Item = &'b str>) -> MainText {
    let mut found = MainText::default();
    for block in blocks {
        let mut line = Line::default();
        line.text(block);
        found.add_paragraph(&mut line);
    }
    found
}

/// Plain text as Markdown: it keeps its lines, and empty ones part paragraphs.
pub fn from_lines(text: &str) -> MainText {
    let mut found = MainText::default();
    let mut paragraph = Line::default();
    for line in text.lines() {
        if line.trim().is_empty() {
            found.add_paragraph(&mut paragraph);
        } else {
            paragraph.text(line);
            paragraph.line_break();
        }
    }
    found.add_paragraph(&mut paragraph);
    found
}

impl MainText {
    fn add_paragraph(&mut self, line: &mut Line) {
        let Some((mut markdown, plain)) = line.take() else {
            return;
        };
        line::escape_lines(&mut markdown);
        if !self.plain.is_empty() {
            self.plain.push('\n');
            self.markdown.push_str("\n\n");
        }
        self.plain.push_str(&plain);
        self.markdown.push_str(&markdown);
    }
}

/// The parts of the page that are written, and what is dropped in them.
struct Selection {
    roots: Vec<Index>,
    dropped: Vec<bool>,
    /// Bytes of text that are left.
    length: u32,
    /// The page itself says which part is the main one: a short one is not doubted.
    is_declared: bool,
    /// Captions of figures are no part of the plain text, and of the length.
    parts_captions: bool,
}

impl Selection {
    /// All but banners.
    fn whole(page: &Pruning<'_, '_>) -> Self {
        let outline = page.outline;
        let mut dropped = vec![false; outline.len()];
        let mut index = 1;
        while index < outline.len() {
            if page.asks_for_consent(index) {
                prune::drop_subtree(outline, &mut dropped, index);
                index = outline.nodes[index].end;
            } else {
                index += 1;
            }
        }
        Selection {
            roots: vec![0],
            dropped,
            length: 0,
            is_declared: false,
            parts_captions: false,
        }
    }

    fn is_within(&self, outline: &Outline<'_>, above: Index) -> bool {
        self.roots
            .iter()
            .all(|root| outline.is_within(*root, above))
    }

    /// The first heading of the highest level, if it is written.
    fn find_title(&self, outline: &Outline<'_>) -> Option<Index> {
        let nodes = self
            .roots
            .iter()
            .flat_map(|root| *root..outline.nodes[*root].end);
        nodes
            .filter(|index| !self.dropped[*index])
            .find(|index| outline.nodes[*index].tag == Tag::Heading(1))
    }
}

fn select(page: &Pruning<'_, '_>, all: &[Measure], strictness: Strictness) -> Selection {
    let mut dropped = page.drop_surroundings(all, strictness);
    let measures = measure::measure(page.outline, &dropped);
    let roots = choose::choose(page, &measures, &dropped);
    for root in &roots {
        page.drop_within(&measures, &mut dropped, *root);
    }
    let measures = measure::measure(page.outline, &dropped);
    let length = roots
        .iter()
        .map(|root| count_text(page, &measures, *root))
        .sum();
    let is_declared = page.kind == Kind::Documentation
        && choose::find_declared(page.outline, &measures, &dropped).is_some();
    Selection {
        roots,
        dropped,
        length,
        is_declared,
        parts_captions: page.parts_captions(),
    }
}

/// Bytes of the plain text of a part.
fn count_text(page: &Pruning<'_, '_>, measures: &[Measure], root: Index) -> u32 {
    let outline = page.outline;
    let mut length = measures[root].text;
    let mut index = root;
    while page.parts_captions() && index < outline.nodes[root].end {
        let node = &outline.nodes[index];
        if node.tag == Tag::FigureCaption {
            length -= measures[index].text;
            index = node.end;
        } else {
            index += 1;
        }
    }
    length
}

/// Where little text was found: all of the declared main part, if it has more. Its lists of links are its text then.
fn prefer_main(
    page: &Pruning<'_, '_>,
    all: &[Measure],
    main: Index,
    found: Selection,
) -> Selection {
    let declared = select_main(page, all, main);
    let is_within = found.is_within(page.outline, main);
    if is_within && declared.length <= 2 * found.length {
        return Selection {
            is_declared: true,
            ..found
        };
    }
    // A main part that a script fills later says "Loading".
    if !is_within && declared.length * 4 < found.length {
        return found;
    }
    declared
}

/// The declared main part without what its author marked as something else, unless only headings would be left.
fn select_main(page: &Pruning<'_, '_>, all: &[Measure], main: Index) -> Selection {
    let nothing = vec![false; page.outline.len()];
    let dropped = [Strictness::Strict, Strictness::Lenient]
        .into_iter()
        .map(|strictness| page.drop_surroundings_in(main, all, strictness))
        .find(|dropped| has_text(page.outline, dropped, main))
        .unwrap_or(nothing);
    Selection {
        length: count_text(page, &measure::measure(page.outline, &dropped), main),
        roots: vec![main],
        dropped,
        is_declared: true,
        parts_captions: page.parts_captions(),
    }
}

/// Whether text other than headings is left.
fn has_text(outline: &Outline<'_>, dropped: &[bool], root: Index) -> bool {
    (root..outline.nodes[root].end).any(|index| {
        let node = &outline.nodes[index];
        !dropped[index]
            && !node.text.trim().is_empty()
            && !matches!(outline.nodes[node.block].tag, Tag::Heading(_))
    })
}

struct Resolver<'u> {
    base: &'u Url,
    encoding: &'static Encoding,
    /// Bytes of addresses that may still be written.
    left: usize,
}

impl Addresses for Resolver<'_> {
    fn resolve(&mut self, href: &str) -> Option<String> {
        if self.left == 0 {
            return None;
        }
        let url = addresses::join_base(self.base, href, self.encoding).ok()?;
        if !matches!(url.scheme(), "http" | "https" | "mailto") {
            return None;
        }
        let length = url.as_str().len();
        let fits = length <= self.left;
        self.left = self.left.saturating_sub(length);
        fits.then(|| url.into())
    }
}
