//! The elements of a page that a selector finds, with their texts: for programs.

use url::Url;

use super::{Positions, Search, Selector, TooMuch, Work, inner_html, inner_text};
use crate::html::tree::{DOCUMENT, Id, Tree};
use crate::html::{Opened, Reader};

/// Steps that a selector may take on one page.
const MOST_STEPS: u64 = 20_000_000;
/// Elements that are returned; the rest is dropped.
pub const MOST_ELEMENTS: usize = 10_000;
/// Bytes of all texts and markup, and for each byte of the page.
const ALLOWANCE: usize = 1024 * 1024;
const ALLOWANCE_A_BYTE: usize = 4;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundElement {
    pub name: String,
    pub text: String,
    /// The markup in it.
    pub html: String,
    /// In order. An attribute with a prefix has it before its name.
    pub attributes: Vec<(String, String)>,
}

/// `None` if the page is too expensive. Empty for a page that is not HTML.
pub fn find_elements(
    selector: &Selector,
    reader: &Reader,
    body: &[u8],
    url: &Url,
    content_type: &str,
    headers: &[(String, String)],
) -> Option<Vec<FoundElement>> {
    match reader.open(body, url, content_type, headers) {
        Opened::Tree { tree, .. } => find(&tree, selector, body.len()).ok(),
        Opened::Text(_) => Some(Vec::new()),
        Opened::Page(_) => {
            let (syntax, _) = reader.decode(body, url, content_type, headers);
            (syntax != crate::media_type::Syntax::Html).then(Vec::new)
        }
    }
}

fn find(tree: &Tree, selector: &Selector, bytes: usize) -> Result<Vec<FoundElement>, TooMuch> {
    let mut work = Work::new(MOST_STEPS);
    let positions = selector.needs_positions().then(|| Positions::new(tree));
    let search = Search {
        tree,
        positions: positions.as_ref(),
        scope: DOCUMENT,
        most: MOST_ELEMENTS,
    };
    let mut room = ALLOWANCE + ALLOWANCE_A_BYTE * bytes;
    let mut elements = Vec::new();
    for id in search.find(selector, &mut work)? {
        let element = describe(tree, id, &mut work)?;
        let length = element.text.len() + element.html.len();
        room = room.checked_sub(length).ok_or(TooMuch)?;
        elements.push(element);
    }
    Ok(elements)
}

fn describe(tree: &Tree, id: Id, work: &mut Work) -> Result<FoundElement, TooMuch> {
    let element = tree.element(id).ok_or(TooMuch)?;
    let attributes = element.attributes.iter().map(|attribute| {
        let name = match &attribute.name.prefix {
            Some(prefix) => format!("{prefix}:{}", attribute.name.local),
            None => attribute.name.local.to_string(),
        };
        (name, attribute.value.to_string())
    });
    Ok(FoundElement {
        name: element.name.local.to_string(),
        attributes: attributes.collect(),
        text: inner_text(tree, id, work)?,
        html: inner_html(tree, id, work)?,
    })
}
