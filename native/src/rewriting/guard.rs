//! The script that is put before all others if archived scripts run (`guard.js`), and where it is put.

use super::edits::escape_value;

const SCRIPT: &str = concat!("<script>", include_str!("guard.js"), "</script>");

/// At the start of the value of a `srcdoc`.
pub fn of_inner_document(document: &str) -> String {
    format!("{SCRIPT}{document}")
}

/// What follows the guard, if it is there.
pub fn strip(document: &str) -> Option<&str> {
    document.strip_prefix(SCRIPT)
}

/// What the guard adds to an attribute value.
pub fn cost() -> usize {
    escape_value(SCRIPT).len()
}

/// Puts the guard before everything that can run or be shown, but after the doctype, which must come first. Comments and
/// instructions before it are dropped: a browser and we might disagree where they end.
pub fn put_before(document: &str) -> String {
    let mut rest = document;
    loop {
        rest = rest.trim_start_matches(['\u{FEFF}', ' ', '\t', '\n', '\r', '\x0C']);
        let bytes = rest.as_bytes();
        let is_doctype = bytes
            .get(..9)
            .is_some_and(|start| start.eq_ignore_ascii_case(b"<!doctype"));
        let length = match bytes {
            [b'<', b'!', b'-', b'-', ..] => length_of_comment(rest),
            [b'<', b'!' | b'?', ..] => rest.find('>').map(|end| end + 1),
            _ => None,
        };
        let Some(length) = length else {
            return format!("{SCRIPT}{rest}");
        };
        if is_doctype {
            let (doctype, rest) = rest.split_at(length);
            return format!("{doctype}{SCRIPT}{rest}");
        }
        rest = &rest[length..];
    }
}

/// A comment that ends in one of the unusual ways counts as text, so that the guard stands before it.
fn length_of_comment(text: &str) -> Option<usize> {
    let inside = &text[4..];
    let end = inside.find("-->")?;
    let is_usual = !inside.starts_with(['>', '-']) && !inside[..end].contains("--!>");
    is_usual.then_some(4 + end + 3)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_guard_stands_after_the_doctype_and_before_all_else() {
        for (before, start) in [
            ("<!DOCTYPE html><p>x", "<!DOCTYPE html><script>"),
            (
                "\u{FEFF}\n<!-- a --><?xml b?><!doctype html \"-->\n<p>",
                "<!doctype html \"--><script>",
            ),
            ("<p>x", "<script>"),
            ("<!--> <!doctype html>", "<script>"),
            ("<!-- a --!> <!doctype html>-->", "<script>"),
            ("", "<script>"),
            ("<!--", "<script>"),
            ("<!doctype", "<script>"),
        ] {
            assert!(put_before(before).starts_with(start), "{before}");
        }
    }
}
