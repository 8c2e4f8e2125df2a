//! What is dropped: everything that stands around the main text, and then what stands in it.

use super::kind::Kind;
use super::marks::{self, Marks};
use super::measure::Measure;
use super::outline::{Index, Outline};
use super::phrases;
use super::tag::Tag;

/// A `noscript` with less is for images and pleas.
const LEAST_NOSCRIPT: u32 = 400;

/// Nodes of a subtree that are looked at for a short text: elements without text may be many.
const MOST_LOOKED_AT: usize = 300;
/// What a forum shows beside a post is shorter.
const MOST_POSTER: u32 = 500;
/// Where this much prose is left, what was dropped was not the main text.
const LEAST_BESIDE: u32 = 300;

/// What is dropped around the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Strictness {
    /// All that its author marked as something else.
    Strict,
    /// Only what HTML itself says is something else.
    Lenient,
}

/// A page that is pruned.
pub struct Pruning<'a, 't> {
    pub outline: &'a Outline<'t>,
    pub marks: &'a [Marks],
    pub kind: Kind,
    /// Every `h1`, in order.
    pub titles: Vec<Index>,
    /// The one part that the page declares as its main one.
    pub main: Option<Index>,
}

impl Pruning<'_, '_> {
    /// What no page shows, or shows around its text.
    pub fn drop_surroundings(&self, measures: &[Measure], strictness: Strictness) -> Vec<bool> {
        self.drop_surroundings_in(0, measures, strictness)
    }

    /// The same within one part.
    pub fn drop_surroundings_in(
        &self,
        root: Index,
        measures: &[Measure],
        strictness: Strictness,
    ) -> Vec<bool> {
        let outline = self.outline;
        let mut dropped = vec![false; outline.len()];
        let whole = measures[root].prose.max(1);
        let mut index = root + 1;
        while index < outline.nodes[root].end {
            let node = &outline.nodes[index];
            if node.tag != Tag::Text
                && (self.asks_for_consent(index)
                    || self.is_beside(index, &measures[index], whole, strictness))
            {
                drop_subtree(outline, &mut dropped, index);
                index = node.end;
            } else {
                index += 1;
            }
        }
        dropped
    }

    /// A banner or a dialog, which is no text however long it is. Pages about cookies have such names, too: what has the
    /// title, or stands in the declared main part, is judged like everything else.
    pub fn asks_for_consent(&self, index: Index) -> bool {
        let outline = self.outline;
        let Some(main) = self.main else {
            return false;
        };
        self.marks[index] & marks::CONSENT != 0
            && outline.nodes[index].tag.is_block()
            && !outline.is_within(index, main)
            && !outline.is_within(main, index)
            && !self.holds_title(index)
    }

    fn is_beside(
        &self,
        index: Index,
        measure: &Measure,
        whole: u32,
        strictness: Strictness,
    ) -> bool {
        let tag = self.outline.nodes[index].tag;
        let mark = self.marks[index];
        let is_comments =
            mark & marks::COMMENTS != 0 && !matches!(self.kind, Kind::Forum | Kind::Documentation);
        if is_comments && strictness == Strictness::Strict && tag != Tag::Main {
            let holds_most = measure.prose * 2 > whole;
            if !holds_most || whole - measure.prose >= LEAST_BESIDE && !self.holds_title(index) {
                return true;
            }
        }
        if matches!(tag, Tag::Main | Tag::Article) {
            return false;
        }
        let is_declared_beside =
            matches!(tag, Tag::Nav | Tag::Footer | Tag::Aside) && !self.holds_title(index);
        if measure.prose * 2 > whole
            && !(is_declared_beside && whole - measure.prose >= LEAST_BESIDE)
        {
            return false;
        }
        match tag {
            Tag::Form if self.kind == Kind::Forum => return measure.prose * 10 < whole,
            Tag::Nav if self.kind == Kind::Documentation && self.is_contents(index) => {
                return false;
            }
            Tag::Aside if self.kind == Kind::Documentation => return measure.is_mostly_links(),
            Tag::Aside if self.kind == Kind::Forum && mark & marks::POSTER == 0 => {
                return measure.prose == 0;
            }
            Tag::Nav | Tag::Footer | Tag::Aside | Tag::Form | Tag::Button | Tag::Label => {
                return true;
            }
            Tag::Noscript => {
                return measure.text < LEAST_NOSCRIPT
                    || short_text(self.outline, index, 4).starts_with('<');
            }
            _ => {}
        }
        if strictness == Strictness::Lenient {
            return false;
        }
        if mark & marks::HIDDEN != 0 {
            return !(self.kind == Kind::Shop && mark & marks::PANEL != 0);
        }
        match self.kind {
            Kind::Forum if mark & marks::POSTER != 0 && measure.text < MOST_POSTER => return true,
            Kind::Shop if mark & marks::SHOPPING != 0 && measure.prose * 4 < whole => return true,
            _ => {}
        }
        if self.kind == Kind::Documentation {
            let class = self.outline.attribute(index, "class").unwrap_or_default();
            return mark & marks::BESIDE != 0 && marks::of_class(class) & marks::BESIDE != 0;
        }
        mark & marks::BESIDE != 0
            || mark & marks::DOUBTFUL != 0
                && (measure.is_mostly_links()
                    || measure.prose * 10 < whole && measure.prose * 2 < measure.text)
    }

    /// Captions of figures interrupt a text; in a manual they are part of it.
    pub fn parts_captions(&self) -> bool {
        self.kind != Kind::Documentation
    }

    /// The contents of the page itself, which a manual has in its text.
    fn is_contents(&self, index: Index) -> bool {
        let class = self.outline.attribute(index, "class").unwrap_or_default();
        class
            .split_ascii_whitespace()
            .any(|word| word == "contents")
    }

    fn holds_title(&self, index: Index) -> bool {
        self.has_title(index, self.outline.nodes[index].end)
    }

    /// One of these nodes is an `h1`.
    pub fn has_title(&self, from: Index, to: Index) -> bool {
        let first = self.titles.partition_point(|title| *title < from);
        self.titles.get(first).is_some_and(|title| *title < to)
    }

    /// What stands in the main part without being text of it.
    pub fn drop_within(&self, measures: &[Measure], dropped: &mut [bool], root: Index) {
        let outline = self.outline;
        let mut index = root + 1;
        while index < outline.nodes[root].end {
            let node = &outline.nodes[index];
            if !dropped[index] && node.tag != Tag::Text && self.stands_apart(measures, index) {
                drop_subtree(outline, dropped, index);
            }
            index = if dropped[index] { node.end } else { index + 1 };
        }
        if matches!(self.kind, Kind::Article | Kind::Shop) {
            drop_foreign_sections(outline, measures, dropped, root);
            drop_bare_headings(outline, dropped, root);
        }
    }

    fn stands_apart(&self, measures: &[Measure], index: Index) -> bool {
        let outline = self.outline;
        let node = &outline.nodes[index];
        let (measure, mark) = (&measures[index], self.marks[index]);
        if node.tag == Tag::A && measure.text <= 4 {
            return is_anchor_sign(&short_text(outline, index, 8));
        }
        if self.kind == Kind::Documentation {
            return false;
        }
        if !node.tag.is_block() {
            let is_byline = node.tag == Tag::Time || mark & (marks::BYLINE | marks::CAPTION) != 0;
            return is_byline && measures[node.block].own < 120;
        }
        match node.tag {
            // Markdown has it: see `parts_captions`.
            Tag::FigureCaption => return false,
            Tag::Address => return measure.text < 300,
            _ => {}
        }
        if mark & marks::CAPTION != 0 && measure.text < 500
            || mark & marks::BYLINE != 0 && measure.text < 300
        {
            return true;
        }
        if mark & marks::TEASER != 0
            && measure.linked > 0
            && measure.text < 800
            && self.kind == Kind::Article
        {
            return true;
        }
        let is_aside = || measure.text < 160 && phrases::is_aside(&short_text(outline, index, 170));
        match node.tag {
            Tag::Division
            | Tag::Section
            | Tag::List
            | Tag::OrderedList
            | Tag::Table
            | Tag::Definitions
            | Tag::Details => {
                let linked = if self.kind == Kind::Shop {
                    measure.linked * 3 > measure.text
                } else {
                    measure.is_mostly_links()
                };
                linked && measure.prose * 3 < measure.text || is_aside()
            }
            Tag::Paragraph | Tag::Quote => {
                measure.text < 60 && measure.linked * 10 > measure.text * 9 || is_aside()
            }
            Tag::Heading(_) => {
                measure.text < 60
                    && measure.linked * 10 > measure.text * 9
                    && !self.is_self_link(index)
                    || is_aside()
            }
            Tag::Item => is_aside(),
            _ => false,
        }
    }

    /// A heading that links to itself.
    fn is_self_link(&self, heading: Index) -> bool {
        let nodes = heading..self.outline.nodes[heading].end;
        nodes.take(MOST_LOOKED_AT).any(|index| {
            self.outline
                .attribute(index, "href")
                .is_some_and(|href| href.starts_with('#'))
        })
    }
}

/// The sign that links to the heading that it stands beside.
fn is_anchor_sign(text: &str) -> bool {
    matches!(text, "#" | "¶" | "§" | "🔗" | "^" | "↑" | "▲")
}

pub fn drop_subtree(outline: &Outline<'_>, dropped: &mut [bool], index: Index) {
    dropped[index..outline.nodes[index].end].fill(true);
}

/// The first bytes of a subtree's text, white space folded.
fn short_text(outline: &Outline<'_>, root: Index, most: usize) -> String {
    let mut text = String::new();
    let end = outline.nodes[root].end.min(root + MOST_LOOKED_AT);
    for node in &outline.nodes[root..end] {
        if text.len() > most {
            break;
        }
        if node.tag.is_block() || node.text.starts_with(|c: char| c.is_whitespace()) {
            text.push(' ');
        }
        for word in node.text.split_whitespace() {
            if text.len() > most {
                break;
            }
            text.push_str(word);
            text.push(' ');
        }
        if !node.text.ends_with(|c: char| c.is_whitespace())
            && text.ends_with(' ')
            && node.tag == Tag::Text
        {
            text.pop();
        }
    }
    text.trim().to_owned()
}

/// A heading like "related articles", and what follows it up to the next heading.
fn drop_foreign_sections(
    outline: &Outline<'_>,
    measures: &[Measure],
    dropped: &mut [bool],
    root: Index,
) {
    let whole = measures[root].text.max(1);
    // Sections may overlap, and each is walked.
    let mut steps = 4 * (outline.nodes[root].end - root);
    for index in root + 1..outline.nodes[root].end {
        let node = &outline.nodes[index];
        let is_heading = matches!(node.tag, Tag::Heading(_));
        let is_like_heading = matches!(node.tag, Tag::Paragraph | Tag::Division)
            && measures[index].text <= 50
            && measures[index].own == measures[index].text;
        if dropped[index]
            || measures[index].text > 90
            || measures[index].text == 0
            || !(is_heading || is_like_heading)
        {
            continue;
        }
        if !phrases::is_foreign_heading(&short_text(outline, index, 100)) {
            continue;
        }
        let mut head = index;
        while head != root && measures[outline.nodes[head].parent].text == measures[head].text {
            head = outline.nodes[head].parent;
        }
        if head == root {
            continue;
        }
        let parent = outline.nodes[head].parent;
        let mut section = Vec::new();
        let (mut length, mut linked) = (0, 0);
        let mut next = outline.nodes[head].end;
        while next < outline.nodes[parent].end {
            let nodes = outline.nodes[next].end - next;
            if nodes > steps || holds_heading(outline, dropped, next) {
                break;
            }
            steps -= nodes;
            section.push(next);
            length += measures[next].text;
            linked += measures[next].linked;
            next = outline.nodes[next].end;
        }
        drop_subtree(outline, dropped, head);
        if length * 3 < whole && (is_heading || linked * 2 > length) {
            for part in section {
                drop_subtree(outline, dropped, part);
            }
        }
    }
}

fn holds_heading(outline: &Outline<'_>, dropped: &[bool], root: Index) -> bool {
    (root..outline.nodes[root].end)
        .any(|index| !dropped[index] && matches!(outline.nodes[index].tag, Tag::Heading(_)))
}

/// Headings at the end, with nothing under them.
fn drop_bare_headings(outline: &Outline<'_>, dropped: &mut [bool], root: Index) {
    let mut index = outline.nodes[root].end;
    while index > root + 1 {
        index -= 1;
        let node = &outline.nodes[index];
        if dropped[index] || node.tag != Tag::Text || node.text.trim().is_empty() {
            continue;
        }
        let heading = outline
            .ancestors(index)
            .find(|above| matches!(outline.nodes[*above].tag, Tag::Heading(_)));
        match heading {
            Some(heading) if heading > root => {
                drop_subtree(outline, dropped, heading);
                index = heading;
            }
            _ => return,
        }
    }
}
