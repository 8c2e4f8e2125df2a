//! One page, as rules read it.

use std::borrow::Cow;
use std::rc::Rc;

use encoding_rs::{Encoding, UTF_8};
use serde_json::Value as Json;
use url::Url;

use super::{Items, MOST_ITEMS, Rules};
use crate::html::tree::{DOCUMENT, Id, Tree};
use crate::html::{Opened, Reader};
use crate::media_type::Syntax;
use crate::select::{Positions, Search, Selector, TooMuch, Work};
use crate::structured;

/// Steps that all selectors of a page may take: well over a hundred times those of an ordinary page.
pub const MOST_STEPS: u64 = 20_000_000;
/// Bytes that the values of any page may take, and for each byte of it: items may lie within each other.
const ALLOWANCE: usize = 1024 * 1024;
const ALLOWANCE_A_BYTE: usize = 4;

pub(super) struct Page<'p> {
    tree: Option<Tree>,
    positions: Option<Positions>,
    objects: Rc<Vec<Json>>,
    /// The decoded text of the body, if a rule needs it.
    pub source: Cow<'p, str>,
    base: Url,
    encoding: &'static Encoding,
    pub work: Work,
    room: usize,
    pub is_costly: bool,
}

/// Where a field is searched.
#[derive(Debug, Clone)]
pub(super) enum Item {
    Page,
    Element(Id),
    Object(Json),
}

impl<'p> Page<'p> {
    pub fn open(
        rules: &Rules,
        reader: &Reader,
        body: &'p [u8],
        url: &Url,
        content_type: &str,
        headers: &[(String, String)],
    ) -> Self {
        let mut page = Page {
            tree: None,
            positions: None,
            objects: Rc::default(),
            source: Cow::Borrowed(""),
            base: url.clone(),
            encoding: UTF_8,
            work: Work::new(MOST_STEPS),
            room: ALLOWANCE + ALLOWANCE_A_BYTE * body.len(),
            is_costly: false,
        };
        if rules.needs_source() {
            page.source = reader.decode(body, url, content_type, headers).1;
        }
        match reader.open(body, url, content_type, headers) {
            Opened::Tree {
                tree,
                encoding,
                bytes,
            } => {
                if let Some(base) = structured::find_base(&tree, url, encoding) {
                    page.base = base;
                }
                if rules.needs_json_ld() {
                    page.objects = structured::read_json_ld(&tree, url, encoding, bytes).into();
                }
                page.positions = rules.needs_positions().then(|| Positions::new(&tree));
                page.encoding = encoding;
                page.tree = Some(tree);
            }
            Opened::Text(_) => {}
            Opened::Page(_) => {
                let syntax = reader.decode(body, url, content_type, headers).0;
                page.is_costly = syntax == Syntax::Html;
            }
        }
        page
    }

    pub fn list_items(&mut self, items: &Items) -> Result<Vec<Item>, TooMuch> {
        Ok(match items {
            Items::Page => vec![Item::Page],
            Items::Elements(selector) => {
                let found = self.find(selector, &Item::Page, MOST_ITEMS)?;
                found.into_iter().map(Item::Element).collect()
            }
            Items::Objects(path) => {
                let objects = self.objects();
                let found = path.find(&objects, MOST_ITEMS);
                found.into_iter().cloned().map(Item::Object).collect()
            }
        })
    }

    pub fn find(
        &mut self,
        selector: &Selector,
        item: &Item,
        most: usize,
    ) -> Result<Vec<Id>, TooMuch> {
        let Some(tree) = &self.tree else {
            return Ok(Vec::new());
        };
        let search = Search {
            tree,
            positions: self.positions.as_ref(),
            scope: match item {
                Item::Element(id) => *id,
                Item::Page | Item::Object(_) => DOCUMENT,
            },
            most,
        };
        search.find(selector, &mut self.work)
    }

    /// The tree and the steps that are left; `None` if the page has no tree.
    pub fn tree(&mut self) -> Option<(&Tree, &mut Work)> {
        self.tree.as_ref().map(|tree| (tree, &mut self.work))
    }

    pub fn objects(&self) -> Rc<Vec<Json>> {
        self.objects.clone()
    }

    /// Counts the bytes of a value.
    pub fn keep(&mut self, text: String) -> Result<String, TooMuch> {
        self.room = self.room.checked_sub(text.len()).ok_or(TooMuch)?;
        Ok(text)
    }

    /// The absolute form of an address; `None` if it is none.
    pub fn resolve(&self, href: &str) -> Option<String> {
        let joined = crate::url::join_base(&self.base, href.trim(), self.encoding);
        joined.ok().map(String::from)
    }
}
