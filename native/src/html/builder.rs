//! The sink of html5ever's tree builder: builds the [`Tree`] and counts its cost.

use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use std::rc::Rc;

use html5ever::interface::{ElementFlags, NodeOrText, QuirksMode, TreeSink};
use html5ever::tendril::StrTendril;
use html5ever::{Attribute, ExpandedName, QualName, local_name, ns};

use super::names::{self, Name, mark};
use super::tree::{Content, DOCUMENT, Element, Id, NONE, Tree};

const MOST_NODES: usize = 500_000;
/// Maximum work: names examined, nodes compared and nodes moved.
pub const MOST_WORK: u64 = 50_000_000;
/// Elements within each other, and so about as many open at once.
const DEEPEST: u32 = 4_096;
/// Work of comparing a formatting element with one that is open: the tree builder sorts the attributes of both.
const COMPARISON: u64 = 100;

/// The tree builder's reference to a node. It contains the name, so that reading the name borrows nothing.
#[derive(Clone)]
pub struct Handle {
    id: Id,
    name: Rc<QualName>,
}

/// How many elements a node was inserted in, and how many of these are formatting elements.
#[derive(Debug, Clone, Copy, Default)]
struct Depth {
    elements: u32,
    formatting: u32,
}

pub struct Builder {
    tree: RefCell<Tree>,
    document: Handle,
    work: Cell<u64>,
    /// How deep each node was inserted. html5ever does not tell when it closes an element, but one that is open holds those
    /// that are opened after it.
    depths: RefCell<Vec<Depth>>,
    deepest: Cell<u32>,
    most_work: u64,
    keeps_all_attributes: bool,
}

impl Builder {
    /// Drops attributes that the reader does not use, unless all are kept.
    pub fn new(keeps_all_attributes: bool, most_work: u64) -> Self {
        let nameless = QualName::new(None, ns!(), local_name!(""));
        Builder {
            tree: RefCell::new(Tree::new()),
            document: Handle {
                id: DOCUMENT,
                name: Rc::new(nameless),
            },
            work: Cell::new(0),
            depths: RefCell::new(Vec::new()),
            deepest: Cell::new(0),
            most_work: most_work.min(MOST_WORK),
            keeps_all_attributes,
        }
    }

    /// True if the document has cost more work than any honest one needs.
    pub fn is_exhausted(&self) -> bool {
        self.work.get() > self.most_work
            || self.deepest.get() > DEEPEST
            || self.tree.borrow().len() > MOST_NODES
    }

    fn count_work(&self, steps: u64) {
        self.work.set(self.work.get() + steps);
    }

    /// A node was inserted below another.
    fn count_depth(&self, parent: Id, child: &Handle) {
        let mut depths = self.depths.borrow_mut();
        let above = depths.get(parent as usize).copied().unwrap_or_default();
        let is_formatting = is_formatting(&child.name);
        let depth = Depth {
            elements: above.elements + 1,
            formatting: above.formatting + u32::from(is_formatting),
        };
        let tree = self.tree.borrow();
        let contents = tree
            .element(child.id)
            .map_or(NONE, |element| element.contents);
        for id in [child.id, contents].into_iter().filter(|id| *id != NONE) {
            let index = id as usize;
            if depths.len() <= index {
                depths.resize(index + 1, Depth::default());
            }
            depths[index] = depth;
        }
        self.deepest.set(self.deepest.get().max(depth.elements));
        if is_formatting {
            self.count_work(u64::from(depth.formatting) * COMPARISON);
        }
    }

    fn detached(&self) -> Handle {
        Handle {
            id: self.tree.borrow_mut().add(Content::Fragment),
            name: Rc::clone(&self.document.name),
        }
    }
}

impl TreeSink for Builder {
    type Handle = Handle;
    type Output = Tree;
    type ElemName<'a> = ExpandedName<'a>;

    fn finish(self) -> Tree {
        self.tree.into_inner()
    }

    fn parse_error(&self, _message: Cow<'static, str>) {}

    fn get_document(&self) -> Handle {
        self.document.clone()
    }

    fn elem_name<'a>(&'a self, target: &'a Handle) -> ExpandedName<'a> {
        self.count_work(1);
        target.name.expanded()
    }

    fn create_element(
        &self,
        name: QualName,
        attributes: Vec<Attribute>,
        flags: ElementFlags,
    ) -> Handle {
        let mut tree = self.tree.borrow_mut();
        let marks = names::marks_of(Name::of(name.local.as_bytes()));
        let is_read = self.keeps_all_attributes
            || marks & (mark::ATTRIBUTES | mark::MEDIA) != 0
            || name.local == local_name!("frame");
        let name = Rc::new(name);
        let contents = if flags.template {
            tree.add(Content::Fragment)
        } else {
            NONE
        };
        let element = Element {
            name: Rc::clone(&name),
            attributes: if is_read { attributes } else { Vec::new() },
            contents,
            is_integration_point: flags.mathml_annotation_xml_integration_point,
        };
        let id = tree.add(Content::Element(Box::new(element)));
        Handle { id, name }
    }

    fn create_comment(&self, _text: StrTendril) -> Handle {
        self.detached()
    }

    fn create_pi(&self, _target: StrTendril, _data: StrTendril) -> Handle {
        self.detached()
    }

    fn append(&self, parent: &Handle, child: NodeOrText<Handle>) {
        match child {
            NodeOrText::AppendNode(child) => {
                self.count_depth(parent.id, &child);
                self.tree.borrow_mut().append(parent.id, child.id);
            }
            NodeOrText::AppendText(text) => self.tree.borrow_mut().append_text(parent.id, text),
        }
    }

    fn append_before_sibling(&self, sibling: &Handle, child: NodeOrText<Handle>) {
        let mut tree = self.tree.borrow_mut();
        match child {
            NodeOrText::AppendNode(child) => {
                tree.insert_before(sibling.id, child.id);
                drop(tree);
                self.count_depth(sibling.id, &child);
            }
            NodeOrText::AppendText(text) => tree.insert_text_before(sibling.id, text),
        }
    }

    fn append_based_on_parent_node(
        &self,
        element: &Handle,
        previous: &Handle,
        child: NodeOrText<Handle>,
    ) {
        let has_parent = self.tree.borrow().has_parent(element.id);
        if has_parent {
            self.append_before_sibling(element, child);
        } else {
            self.append(previous, child);
        }
    }

    fn append_doctype_to_document(
        &self,
        _name: StrTendril,
        _public: StrTendril,
        _system: StrTendril,
    ) {
    }

    fn get_template_contents(&self, target: &Handle) -> Handle {
        let contents = self
            .tree
            .borrow()
            .element(target.id)
            .map_or(NONE, |element| element.contents);
        if contents == NONE {
            return self.detached();
        }
        Handle {
            id: contents,
            name: Rc::clone(&self.document.name),
        }
    }

    fn same_node(&self, left: &Handle, right: &Handle) -> bool {
        self.count_work(1);
        left.id == right.id
    }

    fn set_quirks_mode(&self, _mode: QuirksMode) {}

    fn add_attrs_if_missing(&self, target: &Handle, attributes: Vec<Attribute>) {
        let mut tree = self.tree.borrow_mut();
        let Some(element) = tree.element_mut(target.id) else {
            return;
        };
        for attribute in attributes {
            if !element
                .attributes
                .iter()
                .any(|present| present.name == attribute.name)
            {
                element.attributes.push(attribute);
            }
        }
    }

    fn remove_from_parent(&self, target: &Handle) {
        self.tree.borrow_mut().detach(target.id);
    }

    fn reparent_children(&self, node: &Handle, new_parent: &Handle) {
        let moved = self.tree.borrow_mut().move_children(node.id, new_parent.id);
        self.count_work(moved);
    }

    fn is_mathml_annotation_xml_integration_point(&self, target: &Handle) -> bool {
        let tree = self.tree.borrow();
        tree.element(target.id)
            .is_some_and(|element| element.is_integration_point)
    }
}

/// Elements that the tree builder compares with others of their kind, and opens again where a block ends before them.
fn is_formatting(name: &QualName) -> bool {
    matches!(
        name.local,
        local_name!("a")
            | local_name!("b")
            | local_name!("big")
            | local_name!("code")
            | local_name!("em")
            | local_name!("font")
            | local_name!("i")
            | local_name!("nobr")
            | local_name!("s")
            | local_name!("small")
            | local_name!("strike")
            | local_name!("strong")
            | local_name!("tt")
            | local_name!("u")
    )
}
