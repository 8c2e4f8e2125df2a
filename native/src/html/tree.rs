//! The tree that html5ever builds on the slow path. It is one flat vector, so that building, walking
//! and dropping it never recurse, however deep the document is.
//!
//! It has only the nodes that the reader or the tree builder needs, no comments and doctypes.
//! Template contents are in a separate fragment, which is never walked.

use std::rc::Rc;

use html5ever::tendril::StrTendril;
use html5ever::{Attribute, QualName};

pub type Id = u32;

pub const NONE: Id = Id::MAX;
pub const DOCUMENT: Id = 0;

pub enum Content {
    /// The document, the contents of a template, or something that is never shown.
    Fragment,
    Element(Box<Element>),
    Text(StrTendril),
}

pub struct Element {
    pub name: Rc<QualName>,
    /// Only for elements that are read, unless all were requested.
    pub attributes: Vec<Attribute>,
    /// The fragment that contains a template's children.
    pub contents: Id,
    pub is_integration_point: bool,
}

impl Element {
    pub fn attribute(&self, name: &str) -> Option<&str> {
        self.attributes
            .iter()
            .find(|attribute| *attribute.name.local == *name && attribute.name.prefix.is_none())
            .map(|attribute| &*attribute.value)
    }
}

struct Node {
    parent: Id,
    previous: Id,
    next: Id,
    first: Id,
    last: Id,
    content: Content,
}

pub struct Tree {
    nodes: Vec<Node>,
}

/// A step of the walk.
pub enum Visit<'t> {
    Enter(&'t Element),
    Leave(&'t Element),
    Text(&'t str),
}

impl Tree {
    pub fn new() -> Self {
        let mut tree = Tree { nodes: Vec::new() };
        tree.add(Content::Fragment);
        tree
    }

    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    pub fn add(&mut self, content: Content) -> Id {
        self.nodes.push(Node {
            parent: NONE,
            previous: NONE,
            next: NONE,
            first: NONE,
            last: NONE,
            content,
        });
        (self.nodes.len() - 1) as Id
    }

    pub fn element(&self, id: Id) -> Option<&Element> {
        match &self.node(id).content {
            Content::Element(element) => Some(element),
            _ => None,
        }
    }

    pub fn element_mut(&mut self, id: Id) -> Option<&mut Element> {
        match &mut self.node_mut(id).content {
            Content::Element(element) => Some(element),
            _ => None,
        }
    }

    pub fn has_parent(&self, id: Id) -> bool {
        self.node(id).parent != NONE
    }

    pub fn append(&mut self, parent: Id, child: Id) {
        self.detach(child);
        let last = self.node(parent).last;
        self.join(last, child, parent);
        self.node_mut(parent).last = child;
    }

    pub fn append_text(&mut self, parent: Id, text: StrTendril) {
        let child = self.add(Content::Text(text));
        self.append(parent, child);
    }

    pub fn insert_before(&mut self, sibling: Id, child: Id) {
        self.detach(child);
        let Node {
            parent, previous, ..
        } = *self.node(sibling);
        self.join(previous, child, parent);
        self.node_mut(child).next = sibling;
        self.node_mut(sibling).previous = child;
        if parent == NONE {
            self.node_mut(child).parent = NONE;
        }
    }

    pub fn insert_text_before(&mut self, sibling: Id, text: StrTendril) {
        let child = self.add(Content::Text(text));
        self.insert_before(sibling, child);
    }

    pub fn detach(&mut self, id: Id) {
        let Node {
            parent,
            previous,
            next,
            ..
        } = *self.node(id);
        if parent == NONE {
            return;
        }
        match previous {
            NONE => self.node_mut(parent).first = next,
            previous => self.node_mut(previous).next = next,
        }
        match next {
            NONE => self.node_mut(parent).last = previous,
            next => self.node_mut(next).previous = previous,
        }
        let node = self.node_mut(id);
        (node.parent, node.previous, node.next) = (NONE, NONE, NONE);
    }

    /// Returns how many it moved.
    pub fn move_children(&mut self, from: Id, to: Id) -> u64 {
        let mut moved = 0;
        while self.node(from).first != NONE {
            self.append(to, self.node(from).first);
            moved += 1;
        }
        moved
    }

    pub fn first_child(&self, id: Id) -> Option<Id> {
        Some(self.node(id).first).filter(|id| *id != NONE)
    }

    pub fn next_sibling(&self, id: Id) -> Option<Id> {
        Some(self.node(id).next).filter(|id| *id != NONE)
    }

    pub fn parent(&self, id: Id) -> Option<Id> {
        Some(self.node(id).parent).filter(|id| *id != NONE)
    }

    /// The node after this one in document order.
    pub fn next_node(&self, id: Id) -> Option<Id> {
        let mut at = id;
        let mut next = self.first_child(id);
        while next.is_none() && at != DOCUMENT {
            next = self.next_sibling(at);
            at = self.parent(at)?;
        }
        next
    }

    pub fn content(&self, id: Id) -> &Content {
        &self.node(id).content
    }

    /// Every element and text of the document, in order.
    pub fn walk(&self, mut visit: impl FnMut(Visit<'_>) -> Descend) {
        let mut at = DOCUMENT;
        loop {
            let first = self.node(at).first;
            if self.enter(at, &mut visit) == Descend::Into && first != NONE {
                at = first;
                continue;
            }
            self.leave(at, &mut visit);
            while self.node(at).next == NONE {
                at = self.node(at).parent;
                if at == DOCUMENT || at == NONE {
                    return;
                }
                self.leave(at, &mut visit);
            }
            at = self.node(at).next;
        }
    }

    fn enter(&self, id: Id, visit: &mut impl FnMut(Visit<'_>) -> Descend) -> Descend {
        match &self.node(id).content {
            Content::Fragment => Descend::Into,
            Content::Element(element) => visit(Visit::Enter(element)),
            Content::Text(text) => visit(Visit::Text(text)),
        }
    }

    fn leave(&self, id: Id, visit: &mut impl FnMut(Visit<'_>) -> Descend) {
        if let Content::Element(element) = &self.node(id).content {
            visit(Visit::Leave(element));
        }
    }

    /// Inserts `child` after `previous`, or as the first child. The caller links what follows.
    fn join(&mut self, previous: Id, child: Id, parent: Id) {
        let node = self.node_mut(child);
        (node.parent, node.previous) = (parent, previous);
        match (previous, parent) {
            (NONE, NONE) => {}
            (NONE, parent) => self.node_mut(parent).first = child,
            (previous, _) => self.node_mut(previous).next = child,
        }
    }

    fn node(&self, id: Id) -> &Node {
        &self.nodes[id as usize]
    }

    fn node_mut(&mut self, id: Id) -> &mut Node {
        &mut self.nodes[id as usize]
    }
}

/// Whether the children of an element are visited.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Descend {
    Into,
    Past,
}
