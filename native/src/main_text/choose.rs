//! Which part of the page is the main one.

use super::kind::{self, Kind};
use super::marks::{self, Marks};
use super::measure::Measure;
use super::outline::{Index, Outline};
use super::prune::Pruning;
use super::tag::Tag;

/// Nothing that stands this far before the main part is its lead.
const MOST_LEAD_NODES: usize = 400;
const MOST_LEADS: usize = 3;

/// The nodes whose subtrees hold the main text, in document order, none within another.
pub fn choose(page: &Pruning<'_, '_>, measures: &[Measure], dropped: &[bool]) -> Vec<Index> {
    let (outline, marks) = (page.outline, page.marks);
    let found = match page.kind {
        Kind::Article => Vec::new(),
        Kind::Documentation => find_declared(outline, measures, dropped)
            .into_iter()
            .collect(),
        Kind::Forum => find_discussion(outline, marks, measures, dropped),
        Kind::Shop => find_product(outline, marks, measures, dropped)
            .into_iter()
            .collect(),
    };
    if !found.is_empty() {
        return found;
    }
    let mut roots = find_parts(page, measures, dropped);
    if page.kind == Kind::Article
        && let Some(first) = roots.first().copied()
    {
        let mut lead = find_lead(outline, marks, measures, dropped, first);
        lead.append(&mut roots);
        return lead;
    }
    roots
}

/// What a manual says is its main part, however short it is.
pub fn find_declared(
    outline: &Outline<'_>,
    measures: &[Measure],
    dropped: &[bool],
) -> Option<Index> {
    let found = outermost(outline, dropped, &|index| is_main(outline, index));
    found
        .into_iter()
        .max_by_key(|index| measures[*index].text)
        .filter(|best| measures[*best].text > 0)
}

/// The declared main part of a page that has exactly one with a text.
pub fn find_only_main(
    outline: &Outline<'_>,
    marks: &[Marks],
    measures: &[Measure],
) -> Option<Index> {
    let hidden: Vec<bool> = marks.iter().map(|mark| mark & marks::HIDDEN != 0).collect();
    let mut found = outermost(outline, &hidden, &|index| is_main(outline, index))
        .into_iter()
        .filter(|index| measures[*index].text > 0);
    let main = found.next()?;
    found.next().is_none().then_some(main)
}

fn is_main(outline: &Outline<'_>, index: Index) -> bool {
    outline.nodes[index].tag == Tag::Main || outline.attribute(index, "role") == Some("main")
}

/// The smallest part that holds all posts, and before it the question that they answer.
fn find_discussion(
    outline: &Outline<'_>,
    marks: &[Marks],
    measures: &[Measure],
    dropped: &[bool],
) -> Vec<Index> {
    let posts = kind::find_posts(outline, marks, measures).unwrap_or_default();
    let Some(root) = smallest_around(outline, posts.into_iter().filter(|post| !dropped[*post]))
    else {
        return Vec::new();
    };
    let is_question = |index: Index| {
        index < root
            && outline.nodes[index].end <= root
            && marks[index] & (marks::POST | marks::BODY) != 0
            && measures[index].text >= 60
            && !measures[index].is_mostly_links()
    };
    let mut roots = outermost(outline, dropped, &is_question);
    roots.push(root);
    roots
}

/// The smallest part that holds the title and what is said about the product.
fn find_product(
    outline: &Outline<'_>,
    marks: &[Marks],
    measures: &[Measure],
    dropped: &[bool],
) -> Option<Index> {
    let is_said = |index: Index| {
        outline.nodes[index].tag == Tag::Heading(1)
            || marks[index] & (marks::PRODUCT | marks::PANEL) != 0
                && measures[index].text >= 20
                && !measures[index].is_mostly_links()
    };
    let found = outermost(outline, dropped, &is_said);
    let root = smallest_around(outline, found.into_iter())?;
    (measures[root].text * 4 >= measures[0].text).then_some(root)
}

fn smallest_around(
    outline: &Outline<'_>,
    mut indices: impl Iterator<Item = Index>,
) -> Option<Index> {
    let first = indices.next()?;
    let last = indices.last().unwrap_or(first);
    let mut at = first;
    while !outline.is_within(last, at) {
        at = outline.nodes[at].parent;
    }
    Some(at)
}

fn find_parts(page: &Pruning<'_, '_>, measures: &[Measure], dropped: &[bool]) -> Vec<Index> {
    let (outline, marks) = (page.outline, page.marks);
    let tiers: [&dyn Fn(Index) -> bool; 3] = [
        &|index| {
            marks[index] & marks::BODY != 0
                && marks[index] & (marks::BESIDE | marks::COMMENTS | marks::TEASER) == 0
                && outline.nodes[index].tag.is_container()
        },
        &|index| outline.nodes[index].tag == Tag::Article,
        &|index| is_main(outline, index),
    ];
    let whole = weight(&measures[0]);
    for belongs in tiers {
        let found = outermost(outline, dropped, belongs);
        let Some(best) = found
            .iter()
            .copied()
            .max_by_key(|index| weight(&measures[*index]))
        else {
            continue;
        };
        let sum: u32 = found.iter().map(|index| weight(&measures[*index])).sum();
        if weight(&measures[best]) * 5 >= whole * 2 {
            return with_siblings(page, best, &found);
        }
        if sum * 2 >= whole {
            return found;
        }
    }
    vec![descend(outline, measures, dropped)]
}

/// A text may be divided into several parts of one class. One that a title stands before is another text.
fn with_siblings(page: &Pruning<'_, '_>, best: Index, found: &[Index]) -> Vec<Index> {
    let outline = page.outline;
    let class = |index| outline.attribute(index, "class").unwrap_or_default();
    let is_part = |index: &Index| {
        let (from, to) = if *index < best {
            (outline.nodes[*index].end, best)
        } else {
            (outline.nodes[best].end, *index)
        };
        *index == best || class(*index) == class(best) && !page.has_title(from, to)
    };
    found.iter().copied().filter(is_part).collect()
}

/// Paragraphs between the title and the main part, and what is marked as a lead there: it stands outside of the body.
fn find_lead(
    outline: &Outline<'_>,
    marks: &[Marks],
    measures: &[Measure],
    dropped: &[bool],
    root: Index,
) -> Vec<Index> {
    let first = root.saturating_sub(MOST_LEAD_NODES);
    let title = (first..root)
        .rev()
        .find(|index| outline.nodes[*index].tag == Tag::Heading(1));
    let mut lead = Vec::new();
    let mut index = title.unwrap_or(first);
    while index < root && lead.len() < MOST_LEADS {
        let node = &outline.nodes[index];
        let (measure, mark) = (&measures[index], marks[index]);
        if outline.is_within(root, index) {
            index += 1;
            continue;
        }
        let is_other = dropped[index]
            || matches!(
                node.tag,
                Tag::FigureCaption
                    | Tag::Figure
                    | Tag::List
                    | Tag::OrderedList
                    | Tag::Table
                    | Tag::Heading(1)
            )
            || mark & (marks::BYLINE | marks::CAPTION | marks::BESIDE | marks::COMMENTS) != 0;
        let is_marked = mark & marks::LEAD != 0 && measure.text >= 40 && measure.linked == 0;
        let is_line = node.tag.is_block()
            && title.is_some()
            && measure.own >= 60
            && measure.own_linked * 3 < measure.own
            && measure.own * 10 >= measure.text * 9;
        if is_other {
            index = node.end;
        } else if is_marked || is_line {
            lead.push(index);
            index = node.end;
        } else {
            index += 1;
        }
    }
    lead
}

fn weight(measure: &Measure) -> u32 {
    measure.prose + (measure.text - measure.linked.min(measure.text)) / 8
}

fn outermost(
    outline: &Outline<'_>,
    dropped: &[bool],
    belongs: &dyn Fn(Index) -> bool,
) -> Vec<Index> {
    let mut found = Vec::new();
    let mut index = 1;
    while index < outline.len() {
        if dropped[index] || belongs(index) {
            if !dropped[index] {
                found.push(index);
            }
            index = outline.nodes[index].end;
        } else {
            index += 1;
        }
    }
    found
}

/// From the body down, as long as one child has nearly all of the text.
fn descend(outline: &Outline<'_>, measures: &[Measure], dropped: &[bool]) -> Index {
    let mut at = 0;
    loop {
        let whole = weight(&measures[at]);
        let best = outline
            .children(at)
            .filter(|child| !dropped[*child] && outline.nodes[*child].tag.is_container())
            .max_by_key(|child| weight(&measures[*child]));
        match best {
            Some(child) if weight(&measures[child]) * 10 >= whole * 7 => at = child,
            _ => return at,
        }
    }
}
