//! Text and markup of an element.

use html5ever::local_name;

use super::{TooMuch, Work};
use crate::html::tree::{Content, Element, Id, Tree};

/// Bytes of one text; the rest is dropped.
const MOST_TEXT: usize = 1024 * 1024;

/// The text in an element, white space folded. Blocks, cells and line breaks are separated by a space. Scripts and styles
/// are left out, unless the element is one itself.
pub fn inner_text(tree: &Tree, root: Id, work: &mut Work) -> Result<String, TooMuch> {
    let mut text = String::new();
    let mut next = tree.first_child(root);
    while let Some(id) = next {
        work.take(1)?;
        let mut is_skipped = false;
        match tree.content(id) {
            Content::Text(piece) => {
                work.take(piece.len() / 64)?;
                push_folded(&mut text, piece);
            }
            Content::Element(element) => {
                is_skipped = matches!(&*element.name.local, "script" | "style" | "template");
                if !is_inline(&element.name.local) {
                    push_space(&mut text);
                }
            }
            Content::Fragment => {}
        }
        if text.len() >= MOST_TEXT {
            text.truncate(text.floor_char_boundary(MOST_TEXT));
            break;
        }
        next = match tree.first_child(id).filter(|_| !is_skipped) {
            Some(child) => Some(child),
            None => leave(tree, root, id, |element| {
                if !is_inline(&element.name.local) {
                    push_space(&mut text);
                }
            }),
        };
    }
    text.truncate(text.trim_end().len());
    Ok(text)
}

/// The markup in an element. It is made anew from the tree, so it may differ from the source in quotes and references.
pub fn inner_html(tree: &Tree, root: Id, work: &mut Work) -> Result<String, TooMuch> {
    let mut html = String::new();
    let mut next = tree.first_child(root);
    while let Some(id) = next {
        work.take(1)?;
        match tree.content(id) {
            Content::Text(piece) => {
                work.take(piece.len() / 16)?;
                let parent = tree.parent(id).and_then(|id| tree.element(id));
                match parent.is_some_and(is_raw) {
                    true => html.push_str(piece),
                    false => push_escaped(&mut html, piece, false),
                }
            }
            Content::Element(element) => push_start_tag(&mut html, element),
            Content::Fragment => {}
        }
        if html.len() >= MOST_TEXT {
            html.truncate(html.floor_char_boundary(MOST_TEXT));
            break;
        }
        next = match tree.first_child(id) {
            Some(child) => Some(child),
            None => leave(tree, root, id, |element| push_end_tag(&mut html, element)),
        };
    }
    Ok(html)
}

/// The node after a subtree, within `root`; `left` is called with each element that ends before it.
fn leave(tree: &Tree, root: Id, mut id: Id, mut left: impl FnMut(&Element)) -> Option<Id> {
    while id != root {
        if let Some(element) = tree.element(id) {
            left(element);
        }
        if let Some(sibling) = tree.next_sibling(id) {
            return Some(sibling);
        }
        id = tree.parent(id)?;
    }
    None
}

fn push_folded(text: &mut String, piece: &str) {
    if piece.starts_with(is_space) {
        push_space(text);
    }
    for (number, word) in piece
        .split(is_space)
        .filter(|word| !word.is_empty())
        .enumerate()
    {
        if number > 0 {
            push_space(text);
        }
        text.push_str(word);
    }
    if piece.ends_with(is_space) {
        push_space(text);
    }
}

/// A no-break space is one, too: prices are written with it.
fn is_space(c: char) -> bool {
    c.is_ascii_whitespace() || c == '\u{A0}'
}

fn push_space(text: &mut String) {
    if !text.is_empty() && !text.ends_with(' ') {
        text.push(' ');
    }
}

/// Elements that do not separate the words around them.
fn is_inline(name: &str) -> bool {
    const INLINE: [&str; 35] = [
        "a", "abbr", "acronym", "b", "bdi", "bdo", "big", "cite", "code", "data", "del", "dfn",
        "em", "font", "i", "ins", "kbd", "mark", "nobr", "q", "rb", "ruby", "s", "samp", "small",
        "span", "strike", "strong", "sub", "sup", "time", "tt", "u", "var", "wbr",
    ];
    INLINE.binary_search(&name).is_ok()
}

fn is_void(element: &Element) -> bool {
    matches!(
        &*element.name.local,
        "area"
            | "base"
            | "br"
            | "col"
            | "embed"
            | "hr"
            | "img"
            | "input"
            | "link"
            | "meta"
            | "param"
            | "source"
            | "track"
            | "wbr"
    )
}

/// Whether its text is written as it is.
fn is_raw(element: &Element) -> bool {
    matches!(
        element.name.local,
        local_name!("script") | local_name!("style")
    )
}

fn push_start_tag(html: &mut String, element: &Element) {
    html.push('<');
    html.push_str(&element.name.local);
    for attribute in &element.attributes {
        html.push(' ');
        if let Some(prefix) = &attribute.name.prefix {
            html.push_str(prefix);
            html.push(':');
        }
        html.push_str(&attribute.name.local);
        html.push_str("=\"");
        push_escaped(html, &attribute.value, true);
        html.push('"');
    }
    html.push('>');
}

fn push_end_tag(html: &mut String, element: &Element) {
    if !is_void(element) {
        html.push_str("</");
        html.push_str(&element.name.local);
        html.push('>');
    }
}

fn push_escaped(html: &mut String, text: &str, is_attribute: bool) {
    for c in text.chars() {
        match c {
            '&' => html.push_str("&amp;"),
            '<' if !is_attribute => html.push_str("&lt;"),
            '>' if !is_attribute => html.push_str("&gt;"),
            '"' if is_attribute => html.push_str("&quot;"),
            c => html.push(c),
        }
    }
}
