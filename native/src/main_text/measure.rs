//! How much text, linked text and prose each part of a page has.

use super::outline::{Index, Outline, folded_length};
use super::tag::Tag;

/// A block with this many bytes of text, most of it not linked, is prose.
const LEAST_PROSE: u32 = 80;

#[derive(Debug, Clone, Copy, Default)]
pub struct Measure {
    /// Bytes of text, white space folded.
    pub text: u32,
    /// Of these, in links.
    pub linked: u32,
    /// Of these, in blocks that are long and not linked.
    pub prose: u32,
    /// Bytes whose nearest block is this one.
    pub own: u32,
    pub own_linked: u32,
}

impl Measure {
    pub fn is_mostly_links(&self) -> bool {
        self.linked * 2 > self.text
    }
}

/// Of every node; what is dropped counts nothing.
pub fn measure(outline: &Outline<'_>, dropped: &[bool]) -> Vec<Measure> {
    let mut measures = vec![Measure::default(); outline.len()];
    for (index, node) in outline.nodes.iter().enumerate() {
        if node.tag != Tag::Text || dropped[index] {
            continue;
        }
        let length = folded_length(node.text) as u32;
        if length == 0 {
            continue;
        }
        let linked = if node.link.is_some() { length } else { 0 };
        let own = &mut measures[index];
        (own.text, own.linked) = (length, linked);
        let block = &mut measures[node.block];
        block.own += length;
        block.own_linked += linked;
    }
    for index in (1..outline.len()).rev() {
        let parent: Index = outline.nodes[index].parent;
        let mut child = measures[index];
        if child.own >= LEAST_PROSE && child.own_linked * 2 < child.own {
            child.prose += child.own;
            measures[index].prose = child.prose;
        }
        let above = &mut measures[parent];
        above.text += child.text;
        above.linked += child.linked;
        above.prose += child.prose;
    }
    let body = &mut measures[0];
    if body.own >= LEAST_PROSE && body.own_linked * 2 < body.own {
        body.prose += body.own;
    }
    measures
}
