//! Replacements in a text, in the order of the text.

use std::ops::Range;

#[derive(Default)]
pub struct Edits {
    list: Vec<(Range<usize>, String)>,
}

impl Edits {
    /// Replaces a range after all ranges that were replaced so far; ranges before that are ignored.
    pub fn replace(&mut self, range: Range<usize>, new: String) {
        let last = self.list.last();
        if last.is_none_or(|(last, _)| last.end <= range.start) {
            self.list.push((range, new));
        }
    }

    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    pub fn apply(&self, text: &str) -> String {
        let mut result = String::with_capacity(text.len());
        let mut from = 0;
        for (range, new) in &self.list {
            result.push_str(&text[from..range.start]);
            result.push_str(new);
            from = range.end;
        }
        result.push_str(&text[from..]);
        result
    }
}

/// The text of an attribute value, for any kind of quotes, in HTML and XML.
pub fn escape_value(value: &str) -> String {
    let mut escaped = String::with_capacity(value.len());
    for character in value.chars() {
        match character {
            '&' => escaped.push_str("&amp;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            other => escaped.push(other),
        }
    }
    escaped
}
