//! The text of elements, and the base of addresses.

use html5ever::local_name;

use crate::html::tree::{Content, DOCUMENT, Element, Id, Tree};

/// Bytes of one text; the rest is dropped.
const MOST_TEXT: usize = 100_000;

pub fn find_base(tree: &Tree) -> Option<&str> {
    elements(tree)
        .filter(|(_, element)| element.name.local == local_name!("base"))
        .find_map(|(_, element)| element.attribute("href"))
}

/// Every element, in document order.
pub fn elements(tree: &Tree) -> impl Iterator<Item = (Id, &Element)> {
    let nodes = std::iter::successors(tree.first_child(DOCUMENT), |id| tree.next_node(*id));
    nodes.filter_map(|id| Some((id, tree.element(id)?)))
}

/// The text in a subtree, white space folded, scripts and styles left out. Each node takes a step of those that are left;
/// `None` where none is.
pub fn of(tree: &Tree, root: Id, steps: &mut usize) -> Option<String> {
    let mut text = String::new();
    let mut next = tree.first_child(root);
    while let Some(id) = next {
        if text.len() >= MOST_TEXT {
            break;
        }
        *steps = steps.checked_sub(1)?;
        let mut is_skipped = false;
        match tree.content(id) {
            Content::Text(piece) => push_folded(&mut text, piece),
            Content::Element(element) => {
                is_skipped = matches!(&*element.name.local, "script" | "style" | "template")
            }
            Content::Fragment => {}
        }
        next = next_within(tree, root, id, is_skipped);
    }
    text.truncate(text.trim_end().len());
    Some(text)
}

/// The node after this one, unless it is outside of `root`.
fn next_within(tree: &Tree, root: Id, id: Id, skips_children: bool) -> Option<Id> {
    if !skips_children && let Some(child) = tree.first_child(id) {
        return Some(child);
    }
    let mut at = id;
    while at != root {
        if let Some(sibling) = tree.next_sibling(at) {
            return Some(sibling);
        }
        at = tree.parent(at)?;
    }
    None
}

fn push_folded(text: &mut String, piece: &str) {
    let room = MOST_TEXT.saturating_sub(text.len());
    for (number, word) in piece[..piece.floor_char_boundary(room)]
        .split_ascii_whitespace()
        .enumerate()
    {
        let follows_space = number > 0 || piece.starts_with(|c: char| c.is_ascii_whitespace());
        if follows_space && !text.is_empty() && !text.ends_with(' ') {
            text.push(' ');
        }
        text.push_str(word);
    }
    if piece.ends_with(|c: char| c.is_ascii_whitespace())
        && !text.is_empty()
        && !text.ends_with(' ')
    {
        text.push(' ');
    }
}
