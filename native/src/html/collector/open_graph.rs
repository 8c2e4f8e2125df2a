//! Open Graph and similar properties: how a page wants to be shown when it is shared.

use crate::html::collapsed_text::CollapsedText;

const MOST: usize = 64;
const CHARACTERS: usize = 1000;
const LONGEST_NAME: usize = 100;

/// Prefixes of properties, and single ones.
const FAMILIES: [&str; 2] = ["og:", "article:"];
const SINGLE: [&str; 3] = ["twitter:title", "twitter:description", "twitter:image"];

/// Property names in lower case and their values, in order. A property may occur several times: a page has several
/// images.
#[derive(Default)]
pub struct OpenGraph {
    list: Vec<(String, String)>,
}

impl OpenGraph {
    /// Adds the property, if it is one of these.
    pub fn add(&mut self, name: &str, content: &str) {
        let name = name.trim();
        if self.list.len() == MOST || !is_property(name) {
            return;
        }
        let mut fold = CollapsedText::new(CHARACTERS);
        fold.push_plain(content);
        let property = (name.to_ascii_lowercase(), fold.into_text());
        if !property.1.is_empty() {
            self.list.push(property);
        }
    }

    pub fn into_list(self) -> Vec<(String, String)> {
        self.list
    }
}

fn is_property(name: &str) -> bool {
    let begins = |family: &&str| {
        let length = family.len();
        name.len() > length && name.as_bytes()[..length].eq_ignore_ascii_case(family.as_bytes())
    };
    name.len() <= LONGEST_NAME
        && (FAMILIES.iter().any(begins)
            || SINGLE
                .iter()
                .any(|single| name.eq_ignore_ascii_case(single)))
}
