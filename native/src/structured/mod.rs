//! What a page says about itself for machines (A5): JSON-LD, microdata, RDFa Lite and Open Graph, as one JSON object.
//!
//! `{"json_ld": […], "microdata": […], "rdfa": […], "open_graph": {name: [value…]}, "left_out": 0}`; all five are always
//! there. An item of microdata or RDFa is `{"type": […], "id": …, "properties": {name: [value…]}}`, as the HTML standard
//! writes microdata; a value is a text, an absolute address or another item.
//!
//! Every walk is a loop, and each of the four has a [`Room`]: a byte of a page may cost hundreds of bytes as a value, and
//! an element may be part of many items, each of which copies its text. `left_out` counts the values without room.

mod items;
mod json_ld;
pub(crate) mod kept_json;
mod open_graph;
mod room;
#[cfg(test)]
mod tests;
mod text;
mod vocabularies;

use encoding_rs::Encoding;
use serde_json::{Map, Value};
use url::Url;

use crate::html::tree::Tree;
use crate::url as addresses;
use items::Dialect;
pub(crate) use room::Room;

/// Of a document whose text has `bytes`.
pub fn read(tree: &Tree, url: &Url, encoding: &'static Encoding, bytes: usize) -> String {
    let base = find_base(tree, url, encoding);
    let mut page = Page::new(tree, base.as_ref().unwrap_or(url), encoding, bytes);
    let json_ld = json_ld::read(&mut page);
    page.room.refill(bytes);
    let microdata = items::read(&mut page, Dialect::Microdata);
    page.room.refill(bytes);
    let rdfa = items::read(&mut page, Dialect::Rdfa);
    page.room.refill(bytes);
    let open_graph = open_graph::read(&mut page);
    write(json_ld, microdata, rdfa, open_graph, page.room.left_out)
}

/// The JSON-LD objects of a document whose text has `bytes`.
pub(crate) fn read_json_ld(
    tree: &Tree,
    url: &Url,
    encoding: &'static Encoding,
    bytes: usize,
) -> Vec<Value> {
    json_ld::read(&mut Page::new(tree, url, encoding, bytes))
}

/// What addresses in a document are relative to, if it says so.
pub(crate) fn find_base(tree: &Tree, url: &Url, encoding: &'static Encoding) -> Option<Url> {
    text::find_base(tree).and_then(|href| addresses::join_base(url, href, encoding).ok())
}

/// Of something that is no HTML document.
pub fn nothing() -> String {
    write(Vec::new(), Vec::new(), Vec::new(), Map::new(), 0)
}

fn write(
    json_ld: Vec<Value>,
    microdata: Vec<Value>,
    rdfa: Vec<Value>,
    open_graph: Map<String, Value>,
    left_out: usize,
) -> String {
    let parts = [
        ("json_ld", Value::Array(json_ld)),
        ("microdata", Value::Array(microdata)),
        ("rdfa", Value::Array(rdfa)),
        ("open_graph", Value::Object(open_graph)),
        ("left_out", Value::from(left_out)),
    ];
    let parts = parts.map(|(name, part)| (name.to_owned(), part));
    Value::Object(parts.into_iter().collect()).to_string()
}

struct Page<'t> {
    tree: &'t Tree,
    base: &'t Url,
    encoding: &'static Encoding,
    room: Room,
}

impl<'t> Page<'t> {
    fn new(tree: &'t Tree, base: &'t Url, encoding: &'static Encoding, bytes: usize) -> Self {
        Page {
            tree,
            base,
            encoding,
            room: Room::new(bytes),
        }
    }

    /// A text as a value; `None` if there is no room for it.
    fn keep(&mut self, text: &str) -> Option<Value> {
        self.room.take(text.len()).then(|| Value::from(text))
    }

    /// An address, resolved if it can be.
    fn resolve(&self, href: &str) -> String {
        match addresses::join_base(self.base, href.trim(), self.encoding) {
            Ok(url) => url.into(),
            Err(_) => href.to_owned(),
        }
    }
}
