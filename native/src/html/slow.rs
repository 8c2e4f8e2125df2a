//! The slow road: html5ever builds the tree, the collector is fed from it.
//!
//! The tree builder's own steps can be made to grow with the square of the input (a million open
//! elements, looked through for every tag). It is fed in pieces and given up on when it has worked
//! more than any honest page needs; the fast road's answer then stands.

use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use std::rc::Rc;

use html5ever::interface::{ElementFlags, NodeOrText, QuirksMode, TreeSink};
use html5ever::tendril::{StrTendril, TendrilSink};
use html5ever::tree_builder::TreeBuilderOpts;
use html5ever::{Attribute, ExpandedName, ParseOpts, QualName, local_name, ns, parse_document};

use super::attributes::Attributes;
use super::collector::Collector;
use super::names::{self, Name, mark};
use super::tree::{Content, DOCUMENT, Descend, Element, Id, NONE, Tree, Visit};

/// Bytes fed between two looks at what they cost.
const PIECE: usize = 8 * 1024;

const MOST_NODES: usize = 500_000;
/// Names looked at and nodes compared.
const MOST_WORK: u64 = 50_000_000;
/// Elements open at once. Formatting elements are compared with all others that are open.
const MOST_OPEN: u64 = 4_096;

/// The tree of a document; `None` where it costs too much.
pub fn build(text: &str) -> Option<Tree> {
    let options = ParseOpts {
        tree_builder: TreeBuilderOpts {
            scripting_enabled: false,
            ..TreeBuilderOpts::default()
        },
        ..ParseOpts::default()
    };
    let mut parser = parse_document(Builder::new(), options);
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

/// Feeds the collector from the tree.
pub fn read(tree: &Tree, collector: &mut Collector<'_>) {
    tree.walk(|visit| {
        match visit {
            Visit::Enter(element) => {
                let (name, foreign) = element.reading();
                collector.start(name, names::marks_of(name), foreign, element);
                if !foreign && is_raw_and_unseen(name) {
                    return Descend::Past;
                }
            }
            Visit::Leave(element) => {
                let (name, foreign) = element.reading();
                collector.end(name, names::marks_of(name), foreign);
            }
            Visit::Text(text) => collector.plain_text(text),
        }
        Descend::Into
    });
}

fn is_raw_and_unseen(name: Name) -> bool {
    matches!(
        name,
        names::SCRIPT | names::STYLE | names::IFRAME | names::NOEMBED | names::NOFRAMES
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

/// What the tree builder knows a node by. The name travels along: asking for it borrows nothing.
#[derive(Clone)]
struct Handle {
    id: Id,
    name: Rc<QualName>,
}

struct Builder {
    tree: RefCell<Tree>,
    document: Handle,
    work: Cell<u64>,
    open: Cell<u64>,
}

impl Builder {
    fn new() -> Self {
        let nameless = QualName::new(None, ns!(), local_name!(""));
        Builder {
            tree: RefCell::new(Tree::new()),
            document: Handle {
                id: DOCUMENT,
                name: Rc::new(nameless),
            },
            work: Cell::new(0),
            open: Cell::new(0),
        }
    }

    fn is_exhausted(&self) -> bool {
        self.work.get() > MOST_WORK
            || self.open.get() > MOST_OPEN
            || self.tree.borrow().len() > MOST_NODES
    }

    fn count_work(&self) {
        self.work.set(self.work.get() + 1);
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
        self.count_work();
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
        let is_read =
            marks & (mark::ATTRIBUTES | mark::MEDIA) != 0 || name.local == local_name!("frame");
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
        self.open.set(self.open.get() + u64::from(!is_void(&name)));
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
        let mut tree = self.tree.borrow_mut();
        match child {
            NodeOrText::AppendNode(child) => tree.append(parent.id, child.id),
            NodeOrText::AppendText(text) => tree.append_text(parent.id, text),
        }
    }

    fn append_before_sibling(&self, sibling: &Handle, child: NodeOrText<Handle>) {
        let mut tree = self.tree.borrow_mut();
        match child {
            NodeOrText::AppendNode(child) => tree.insert_before(sibling.id, child.id),
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

    fn pop(&self, _node: &Handle) {
        self.open.set(self.open.get().saturating_sub(1));
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
        self.count_work();
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
        self.tree.borrow_mut().move_children(node.id, new_parent.id);
    }

    fn is_mathml_annotation_xml_integration_point(&self, target: &Handle) -> bool {
        let tree = self.tree.borrow();
        tree.element(target.id)
            .is_some_and(|element| element.is_integration_point)
    }
}

/// Elements that the tree builder inserts without opening them.
fn is_void(name: &QualName) -> bool {
    matches!(
        &*name.local,
        "area"
            | "base"
            | "basefont"
            | "bgsound"
            | "br"
            | "col"
            | "embed"
            | "frame"
            | "hr"
            | "img"
            | "input"
            | "keygen"
            | "link"
            | "meta"
            | "param"
            | "source"
            | "track"
            | "wbr"
    )
}
