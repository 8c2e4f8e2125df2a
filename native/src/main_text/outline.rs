//! The part of a document that people see, flat and in document order.
//!
//! A node's descendants are the nodes that follow it, up to its `end`: a subtree is a range, and every pass over the
//! page is a loop. Nothing here recurses, however deep the document is.

use html5ever::ns;

use super::tag::Tag;
use crate::html::tree::{Content, DOCUMENT, Element, Id, Tree};

pub type Index = usize;

pub struct Node<'t> {
    pub tag: Tag,
    pub parent: Index,
    /// One past the last descendant.
    pub end: Index,
    /// The nearest block that it stands in, itself included.
    pub block: Index,
    /// The nearest `a` with an address that it stands in.
    pub link: Option<Index>,
    pub element: Option<&'t Element>,
    pub text: &'t str,
}

pub struct Outline<'t> {
    pub nodes: Vec<Node<'t>>,
}

impl<'t> Outline<'t> {
    /// Of the body, or of all that there is.
    pub fn new(tree: &'t Tree) -> Self {
        let mut outline = Outline { nodes: Vec::new() };
        let root = find_body(tree).unwrap_or(DOCUMENT);
        outline.push(Tag::Body, 0, tree.element(root), "");
        let mut open = vec![(root, 0)];
        let mut next = tree.first_child(root);
        while let Some((above, parent)) = open.last().copied() {
            let Some(id) = next else {
                outline.nodes[parent].end = outline.nodes.len();
                next = tree.next_sibling(above);
                open.pop();
                continue;
            };
            match tree.content(id) {
                Content::Text(text) => outline.push(Tag::Text, parent, None, text),
                Content::Element(element) => {
                    if let Some(tag) = shown_as(element) {
                        outline.push(tag, parent, Some(element), "");
                        open.push((id, outline.nodes.len() - 1));
                        next = tree.first_child(id);
                        continue;
                    }
                }
                Content::Fragment => {}
            }
            next = tree.next_sibling(id);
        }
        outline
    }

    fn push(&mut self, tag: Tag, parent: Index, element: Option<&'t Element>, text: &'t str) {
        let index = self.nodes.len();
        let above = self.nodes.get(parent);
        let is_link = tag == Tag::A && element.is_some_and(|a| a.attribute("href").is_some());
        let node = Node {
            tag,
            parent,
            end: index + 1,
            block: if tag.is_block() {
                index
            } else {
                above.map_or(0, |node| node.block)
            },
            link: if is_link {
                Some(index)
            } else {
                above.and_then(|node| node.link)
            },
            element,
            text,
        };
        self.nodes.push(node);
    }

    pub fn find_all(&self, tag: Tag) -> Vec<Index> {
        (0..self.len())
            .filter(|index| self.nodes[*index].tag == tag)
            .collect()
    }

    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    pub fn children(&self, index: Index) -> impl Iterator<Item = Index> + '_ {
        let end = self.nodes[index].end;
        let first = Some(index + 1).filter(|child| *child < end);
        std::iter::successors(first, move |child| {
            Some(self.nodes[*child].end).filter(|next| *next < end)
        })
    }

    pub fn attribute(&self, index: Index, name: &str) -> Option<&'t str> {
        self.nodes[index].element?.attribute(name)
    }

    /// Ancestors, the nearest first, without the root.
    pub fn ancestors(&self, index: Index) -> impl Iterator<Item = Index> + '_ {
        std::iter::successors(Some(self.nodes[index].parent), |above| {
            Some(self.nodes[*above].parent)
        })
        .take_while(|above| *above != 0)
    }

    pub fn is_within(&self, index: Index, above: Index) -> bool {
        above <= index && index < self.nodes[above].end
    }
}

fn find_body(tree: &Tree) -> Option<Id> {
    let mut html = tree.first_child(DOCUMENT);
    while let Some(id) = html {
        if tree.element(id).is_some() {
            let mut child = tree.first_child(id);
            while let Some(id) = child {
                if tree
                    .element(id)
                    .is_some_and(|element| &*element.name.local == "body")
                {
                    return Some(id);
                }
                child = tree.next_sibling(id);
            }
        }
        html = tree.next_sibling(id);
    }
    None
}

/// `None` where neither the element nor what is in it is shown as text.
fn shown_as(element: &Element) -> Option<Tag> {
    let name = &*element.name.local;
    if element.name.ns != ns!(html) {
        let is_unseen = matches!(name, "svg" | "annotation" | "annotation-xml");
        return (!is_unseen).then_some(Tag::Inline);
    }
    Tag::of(name)
}

/// How long a text is when its white space is folded.
pub fn folded_length(text: &str) -> usize {
    let bytes = text.as_bytes();
    let mut length = 0;
    let mut after_space = true;
    for byte in bytes {
        let is_space = byte.is_ascii_whitespace();
        length += usize::from(!is_space || !after_space);
        after_space = is_space;
    }
    length - usize::from(after_space && length > 0)
}
