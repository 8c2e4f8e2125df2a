//! Open Graph: `<meta property="og:title" content=…>` and the vocabularies beside it.

use html5ever::local_name;
use serde_json::{Map, Value};

use super::{Page, text};

const VOCABULARIES: [&str; 11] = [
    "og:",
    "article:",
    "book:",
    "profile:",
    "product:",
    "music:",
    "video:",
    "fb:",
    "twitter:",
    "place:",
    "business:",
];
const MOST_PROPERTIES: usize = 500;

pub fn read(page: &mut Page<'_>) -> Map<String, Value> {
    let mut properties = Map::new();
    let mut count = 0;
    for (_, element) in text::elements(page.tree) {
        if element.name.local != local_name!("meta") {
            continue;
        }
        let Some(content) = element.attribute("content") else {
            continue;
        };
        let name = element
            .attribute("property")
            .or_else(|| element.attribute("name"))
            .unwrap_or_default()
            .trim();
        let is_known = |vocabulary: &&str| {
            name.get(..vocabulary.len())
                .is_some_and(|start| start.eq_ignore_ascii_case(vocabulary))
        };
        if !VOCABULARIES.iter().any(is_known) {
            continue;
        }
        let content = content.trim();
        if count == MOST_PROPERTIES || !page.room.take(name.len() + content.len()) {
            page.room.leave_out((count == MOST_PROPERTIES).into());
            continue;
        }
        count += 1;
        let values = properties
            .entry(name.to_ascii_lowercase())
            .or_insert_with(|| Value::Array(Vec::new()));
        if let Value::Array(values) = values {
            values.push(Value::from(content));
        }
    }
    properties
}
