//! JSON-LD: the objects in `<script type="application/ld+json">`.
//!
//! Pages get JSON wrong in a few ways that everybody reads: comment marks around it, line ends in texts, a comma too many.
//! What cannot be read even so is ignored.

use html5ever::local_name;
use serde_json::Value;

use super::room::Room;
use super::{Page, kept_json, text};
use crate::main_text::is_json_ld;

const MOST_OBJECTS: usize = 1_000;

pub fn read(page: &mut Page<'_>) -> Vec<Value> {
    let mut objects = Vec::new();
    for (id, element) in text::elements(page.tree) {
        if element.name.local != local_name!("script") || !is_json_ld(element) {
            continue;
        }
        if objects.len() == MOST_OBJECTS || page.room.is_used_up() {
            page.room.leave_out(1);
            continue;
        }
        let source = raw_text(page, id);
        match parse(&source, &mut page.room) {
            Some(Value::Array(list)) => objects.extend(list.into_iter().filter(Value::is_object)),
            Some(object @ Value::Object(_)) => objects.push(object),
            _ => continue,
        }
        page.room
            .leave_out(objects.len().saturating_sub(MOST_OBJECTS));
        objects.truncate(MOST_OBJECTS);
    }
    objects
}

/// The children of a script are texts.
fn raw_text(page: &Page<'_>, script: u32) -> String {
    let mut source = String::new();
    let mut next = page.tree.first_child(script);
    while let Some(id) = next {
        if let crate::html::tree::Content::Text(piece) = page.tree.content(id) {
            source.push_str(piece);
        }
        next = page.tree.next_sibling(id);
    }
    source
}

fn parse(source: &str, room: &mut Room) -> Option<Value> {
    let source = unwrapped(source);
    kept_json::parse(source, room)
        .or_else(|_| kept_json::parse(&repaired(source), room))
        .ok()
        .flatten()
}

/// Without the marks of comments and CDATA around it, and without what follows a statement.
fn unwrapped(source: &str) -> &str {
    const BEFORE: [&str; 5] = ["<!--", "//<![CDATA[", "/*<![CDATA[*/", "<![CDATA[", "//"];
    const AFTER: [&str; 6] = ["-->", "//]]>", "/*]]>*/", "]]>", "//", ";"];
    let mut source = source.trim_matches(|c: char| c.is_whitespace() || c == '\u{FEFF}');
    while let Some(rest) = BEFORE.iter().find_map(|mark| source.strip_prefix(mark)) {
        source = rest.trim_start();
    }
    while let Some(rest) = AFTER.iter().find_map(|mark| source.strip_suffix(mark)) {
        source = rest.trim_end();
    }
    source
}

/// Control characters in texts become spaces, and commas before a closing bracket are dropped.
fn repaired(source: &str) -> String {
    let mut repaired = String::with_capacity(source.len());
    let (mut is_in_text, mut is_escaped) = (false, false);
    for c in source.chars() {
        if is_in_text {
            repaired.push(if c.is_control() { ' ' } else { c });
            is_in_text = is_escaped || c != '"';
            is_escaped = !is_escaped && c == '\\';
            continue;
        }
        if matches!(c, '}' | ']') {
            let length = repaired.trim_end().len();
            if repaired[..length].ends_with(',') {
                repaired.truncate(length - 1);
            }
        }
        is_in_text = c == '"';
        repaired.push(c);
    }
    repaired
}
