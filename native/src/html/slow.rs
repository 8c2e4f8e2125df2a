//! The slow path: html5ever builds the tree, and the collector reads it.
//!
//! Hostile input can make the tree builder quadratic (a million open elements, searched for every
//! tag). So it gets its input in pieces, and is abandoned when it has worked more than any honest
//! page needs. Then the result of the fast path is used.

use std::borrow::Cow;

use html5ever::tendril::{StrTendril, TendrilSink};
use html5ever::tree_builder::TreeBuilderOpts;
use html5ever::{ParseOpts, ns, parse_document};

use super::attributes::Attributes;
use super::builder::{Builder, MOST_WORK};
use super::collector::Collector;
use super::names::{self, Name};
use super::tree::{Descend, Element, Tree, Visit};

/// Bytes fed between two checks of the cost.
const PIECE: usize = 8 * 1024;
/// Work of the tree builder that the deep pass allows any document, and for each byte of it. So its time grows with the
/// document, not with the square of its length.
const ALLOWED_WORK: u64 = 1_000_000;
const ALLOWED_WORK_A_BYTE: u64 = 32;

/// Builds the tree of a document, with the attributes that the collector reads; `None` if it is too expensive.
pub fn build(text: &str) -> Option<Tree> {
    build_with(text, Builder::new(false, MOST_WORK))
}

/// Builds the tree of a document with all attributes; `None` if it is too expensive.
pub fn build_whole(text: &str) -> Option<Tree> {
    let most_work = ALLOWED_WORK + ALLOWED_WORK_A_BYTE * text.len() as u64;
    build_with(text, Builder::new(true, most_work))
}

fn build_with(text: &str, builder: Builder) -> Option<Tree> {
    let options = ParseOpts {
        tree_builder: TreeBuilderOpts {
            scripting_enabled: false,
            ..TreeBuilderOpts::default()
        },
        ..ParseOpts::default()
    };
    let mut parser = parse_document(builder, options);
    let mut rest = text;
    while !rest.is_empty() {
        let (piece, after) = rest.split_at(rest.floor_char_boundary(PIECE).max(rest.len().min(4)));
        parser.process(StrTendril::from_slice(piece));
        if parser.tokenizer.sink.sink.is_exhausted() {
            return None;
        }
        rest = after;
    }
    Some(parser.finish())
}

/// Passes the tree to the collector.
pub fn read(tree: &Tree, collector: &mut Collector<'_>) {
    let mut noframes: Option<String> = None;
    tree.walk(|visit| {
        match visit {
            Visit::Enter(element) => {
                let (name, foreign) = element.reading();
                if !foreign && name == names::NOFRAMES {
                    noframes = Some(String::new());
                    return Descend::Into;
                }
                collector.start(name, names::marks_of(name), foreign, element);
                if !foreign && is_raw_and_unseen(name) {
                    return Descend::Past;
                }
            }
            Visit::Leave(element) => {
                let (name, foreign) = element.reading();
                if let Some(text) = noframes.take() {
                    collector.noframes(&text);
                }
                collector.end(name, names::marks_of(name), foreign);
            }
            Visit::Text(text) => match &mut noframes {
                Some(hidden) => hidden.push_str(text),
                None => collector.plain_text(text),
            },
        }
        Descend::Into
    });
}

fn is_raw_and_unseen(name: Name) -> bool {
    matches!(
        name,
        names::SCRIPT | names::STYLE | names::IFRAME | names::NOEMBED
    )
}

impl Element {
    fn reading(&self) -> (Name, bool) {
        (
            Name::of(self.name.local.as_bytes()),
            self.name.ns != ns!(html),
        )
    }
}

impl Attributes for Element {
    fn value_of(&self, name: &str) -> Option<Cow<'_, str>> {
        let attribute = self
            .attributes
            .iter()
            .find(|attribute| match &attribute.name.prefix {
                None => *attribute.name.local == *name,
                Some(prefix) => name.split_once(':').is_some_and(|(before, local)| {
                    **prefix == *before && *attribute.name.local == *local
                }),
            })?;
        Some(Cow::Borrowed(&attribute.value))
    }
}
