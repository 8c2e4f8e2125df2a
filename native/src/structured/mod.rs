//! What a page says about itself for machines (A5): JSON-LD, microdata, RDFa Lite and Open Graph, as one JSON object.
//!
//! `{"json_ld": […], "microdata": […], "rdfa": […], "open_graph": {name: [value…]}}`; all four are always there. An item of
//! microdata or RDFa is `{"type": […], "id": …, "properties": {name: [value…]}}`, as the HTML standard writes microdata;
//! a value is a text, an absolute address or another item.
//!
//! Every walk is a loop, and all values together are capped: an element may be part of many items, and each copies its text.

mod items;
mod json_ld;
mod open_graph;
#[cfg(test)]
mod tests;
mod text;
mod vocabularies;

use encoding_rs::Encoding;
use serde_json::{Value, json};
use url::Url;

use crate::html::tree::Tree;
use crate::url as addresses;
use items::Dialect;

/// Bytes that the values of any page may take, whatever its length.
const ALLOWANCE: usize = 64 * 1024;

/// Of a document whose text has `bytes`.
pub fn read(tree: &Tree, url: &Url, encoding: &'static Encoding, bytes: usize) -> String {
    let base = find_base(tree, url, encoding);
    let mut page = Page::new(tree, base.as_ref().unwrap_or(url), encoding, bytes);
    json!({
        "json_ld": json_ld::read(&mut page),
        "microdata": items::read(&mut page, Dialect::Microdata),
        "rdfa": items::read(&mut page, Dialect::Rdfa),
        "open_graph": open_graph::read(&mut page),
    })
    .to_string()
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
    json!({"json_ld": [], "microdata": [], "rdfa": [], "open_graph": {}}).to_string()
}

struct Page<'t> {
    tree: &'t Tree,
    base: &'t Url,
    encoding: &'static Encoding,
    /// Bytes that values may still take.
    left: usize,
}

impl<'t> Page<'t> {
    fn new(tree: &'t Tree, base: &'t Url, encoding: &'static Encoding, bytes: usize) -> Self {
        Page {
            tree,
            base,
            encoding,
            left: 2 * bytes + ALLOWANCE,
        }
    }

    /// A text as a value; `None` where there is no room left for it.
    fn value(&mut self, text: &str) -> Option<Value> {
        self.left = self.left.checked_sub(text.len())?;
        Some(Value::from(text))
    }

    /// An address, resolved if it can be.
    fn address(&mut self, href: &str) -> Option<Value> {
        match addresses::join_base(self.base, href.trim(), self.encoding) {
            Ok(url) => self.value(url.as_str()),
            Err(_) => self.value(href),
        }
    }
}
