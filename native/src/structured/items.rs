//! Microdata and RDFa Lite: items that elements open, with properties that elements within them carry.
//!
//! One walk serves both. An element opens an item (`itemscope`, `typeof`), or is a property of the item around it
//! (`itemprop`, `property`), or both: then its item is the value. `itemref` names further elements whose properties belong
//! to an item; they are walked as if they stood in it, but an `itemref` in them is not followed.

use rustc_hash::FxHashMap;
use serde_json::{Map, Value, json};

use super::vocabularies::Vocabularies;
use super::{Page, text};
use crate::html::tree::{DOCUMENT, Element, Id};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dialect {
    Microdata,
    Rdfa,
}

/// Items within each other; a deeper one is not read.
const MOST_DEPTH: usize = 32;
const MOST_ITEMS: usize = 5_000;
/// Names of one property, elements of one `itemref`.
const MOST_NAMES: usize = 8;
/// Names in the `itemref`s of a page.
const MOST_TARGETS: usize = 10_000;

struct Item {
    element: Id,
    /// Which of all items it is, in document order.
    number: usize,
    types: Vec<Value>,
    id: Option<Value>,
    properties: Map<String, Value>,
    /// What it is to the item around it; empty for one that stands alone.
    names: Vec<String>,
}

struct Walk<'p, 't> {
    page: &'p mut Page<'t>,
    dialect: Dialect,
    open: Vec<Item>,
    vocabularies: Vocabularies,
    found: Vec<(usize, Value)>,
    count: usize,
    /// Nodes that texts and references may still look at.
    steps: usize,
    targets: FxHashMap<String, Id>,
}

pub fn read(page: &mut Page<'_>, dialect: Dialect) -> Vec<Value> {
    let (opener, steps) = (dialect.opener(), 4 * page.tree.len() + 1_000);
    let tree = page.tree;
    if !text::elements(tree).any(|(_, element)| element.attribute(opener).is_some()) {
        return Vec::new();
    }
    let mut walk = Walk {
        page,
        dialect,
        open: Vec::new(),
        vocabularies: Vocabularies::default(),
        found: Vec::new(),
        count: 0,
        steps,
        targets: FxHashMap::default(),
    };
    walk.find_targets();
    walk.walk(DOCUMENT, true);
    walk.found.sort_by_key(|(number, _)| *number);
    walk.found.into_iter().map(|(_, item)| item).collect()
}

impl Dialect {
    fn opener(self) -> &'static str {
        match self {
            Dialect::Microdata => "itemscope",
            Dialect::Rdfa => "typeof",
        }
    }

    fn property(self) -> &'static str {
        match self {
            Dialect::Microdata => "itemprop",
            Dialect::Rdfa => "property",
        }
    }
}

impl Walk<'_, '_> {
    /// Elements that an `itemref` names.
    fn find_targets(&mut self) {
        let tree = self.page.tree;
        let mut wanted: FxHashMap<String, Id> = FxHashMap::default();
        if self.dialect == Dialect::Microdata {
            for (_, element) in text::elements(tree) {
                let names = element
                    .attribute("itemref")
                    .unwrap_or_default()
                    .split_ascii_whitespace();
                for name in names.take(MOST_NAMES) {
                    if wanted.len() < MOST_TARGETS {
                        wanted.insert(name.to_owned(), Id::MAX);
                    } else if !wanted.contains_key(name) {
                        self.page.room.leave_out(1);
                    }
                }
            }
        }
        if wanted.is_empty() {
            return;
        }
        for (id, element) in text::elements(tree) {
            if let Some(target) = element
                .attribute("id")
                .and_then(|name| wanted.get_mut(name))
                && *target == Id::MAX
            {
                *target = id;
            }
        }
        wanted.retain(|_, target| *target != Id::MAX);
        self.targets = wanted;
    }

    /// Enters and leaves every element of a subtree.
    fn walk(&mut self, root: Id, follows_references: bool) {
        let tree = self.page.tree;
        let mut at = root;
        loop {
            if !follows_references {
                let Some(steps) = self.steps.checked_sub(1) else {
                    self.page.room.leave_out(1);
                    break;
                };
                self.steps = steps;
            }
            if let Some(element) = tree.element(at) {
                self.enter(at, element, follows_references);
            }
            if let Some(child) = tree.first_child(at) {
                at = child;
                continue;
            }
            loop {
                self.leave(at);
                if at == root {
                    return;
                }
                if let Some(sibling) = tree.next_sibling(at) {
                    at = sibling;
                    break;
                }
                let Some(parent) = tree.parent(at) else {
                    return;
                };
                at = parent;
            }
        }
    }

    fn leave(&mut self, id: Id) {
        self.vocabularies.leave(id);
        if let Some(item) = self.open.pop_if(|item| item.element == id) {
            self.close(item);
        }
    }

    fn close(&mut self, mut item: Item) {
        let (names, number) = (std::mem::take(&mut item.names), item.number);
        let value = item.into_value();
        // An item is the value of its first name alone: copies of copies would grow without end.
        match names.into_iter().next() {
            Some(name) => self.add_item(name, value),
            None => self.found.push((number, value)),
        }
    }

    fn enter(&mut self, id: Id, element: &Element, follows_references: bool) {
        if self.dialect == Dialect::Rdfa {
            self.vocabularies.enter(id, element);
        }
        let names = self.names_of(element);
        if element.attribute(self.dialect.opener()).is_some() {
            self.open_item(id, element, names, follows_references);
        } else if !names.is_empty() && !self.open.is_empty() {
            let has_room = !self.page.room.is_used_up();
            match has_room.then(|| self.value_of(id, element)).flatten() {
                Some(value) => self.add_text(names, &value),
                None => self.page.room.leave_out(1),
            }
        }
    }

    fn names_of(&self, element: &Element) -> Vec<String> {
        let names = element
            .attribute(self.dialect.property())
            .unwrap_or_default();
        names
            .split_ascii_whitespace()
            .take(MOST_NAMES)
            .map(|name| match self.dialect {
                Dialect::Microdata => name.to_owned(),
                Dialect::Rdfa => self.vocabularies.expand_prefix(name),
            })
            .collect()
    }

    fn open_item(
        &mut self,
        id: Id,
        element: &Element,
        names: Vec<String>,
        follows_references: bool,
    ) {
        let is_too_much = self.open.len() == MOST_DEPTH || self.count == MOST_ITEMS;
        if is_too_much || !self.page.room.take(0) {
            self.page.room.leave_out(is_too_much.into());
            return;
        }
        self.count += 1;
        let (types, name) = match self.dialect {
            Dialect::Microdata => ("itemtype", "itemid"),
            Dialect::Rdfa => ("typeof", "resource"),
        };
        let types = element
            .attribute(types)
            .unwrap_or_default()
            .split_ascii_whitespace()
            .take(MOST_NAMES);
        let types: Vec<String> = types
            .map(|name| match self.dialect {
                Dialect::Microdata => name.to_owned(),
                Dialect::Rdfa => self.vocabularies.expand_type(name),
            })
            .collect();
        let item = Item {
            element: id,
            number: self.count,
            types: types
                .into_iter()
                .filter_map(|name| self.page.keep(&name))
                .collect(),
            id: element
                .attribute(name)
                .map(|address| self.page.resolve(address))
                .and_then(|address| self.page.keep(&address)),
            properties: Map::new(),
            names: if self.open.is_empty() {
                Vec::new()
            } else {
                names
            },
        };
        self.open.push(item);
        if follows_references && self.dialect == Dialect::Microdata {
            let references = element
                .attribute("itemref")
                .unwrap_or_default()
                .split_ascii_whitespace();
            let targets: Vec<Id> = references
                .take(MOST_NAMES)
                .filter_map(|name| self.targets.get(name).copied())
                .collect();
            for target in targets {
                if self.open.iter().all(|item| item.element != target) {
                    self.walk_reference(target);
                }
            }
        }
    }

    /// As if the element stood in the item that was opened last.
    fn walk_reference(&mut self, target: Id) {
        let depth = self.open.len();
        self.walk(target, false);
        while self.open.len() > depth
            && let Some(item) = self.open.pop()
        {
            self.close(item);
        }
    }

    fn add_text(&mut self, names: Vec<String>, text: &str) {
        for name in names {
            if self.page.room.take(name.len() + text.len()) {
                self.add(name, Value::from(text));
            }
        }
    }

    fn add_item(&mut self, name: String, item: Value) {
        if self.page.room.take_name(name.len()) {
            self.add(name, item);
        }
    }

    fn add(&mut self, name: String, value: Value) {
        let Some(item) = self.open.last_mut() else {
            return;
        };
        let values = item
            .properties
            .entry(name)
            .or_insert_with(|| Value::Array(Vec::new()));
        if let Value::Array(values) = values {
            values.push(value);
        }
    }

    /// `None` if finding it would take too long.
    fn value_of(&mut self, id: Id, element: &Element) -> Option<String> {
        let local = &*element.name.local;
        if self.dialect == Dialect::Rdfa || local == "meta" {
            if let Some(content) = element.attribute("content") {
                return Some(content.trim().to_owned());
            }
            if let Some(resource) = element
                .attribute("resource")
                .filter(|_| self.dialect == Dialect::Rdfa)
            {
                return Some(self.page.resolve(resource));
            }
        }
        let address = match local {
            "a" | "area" | "link" => element.attribute("href"),
            "audio" | "embed" | "iframe" | "img" | "source" | "track" | "video" => {
                element.attribute("src")
            }
            "object" => element.attribute("data"),
            _ => None,
        };
        if let Some(address) = address {
            return Some(self.page.resolve(address));
        }
        let machine = match local {
            "data" | "meter" => element.attribute("value"),
            "time" => element.attribute("datetime"),
            _ => None,
        };
        if let Some(machine) = machine {
            return Some(machine.trim().to_owned());
        }
        text::of(self.page.tree, id, &mut self.steps)
    }
}

impl Item {
    fn into_value(self) -> Value {
        let mut value = json!({"type": self.types, "properties": self.properties});
        if let (Value::Object(object), Some(id)) = (&mut value, self.id) {
            object.insert("id".to_owned(), id);
        }
        value
    }
}
