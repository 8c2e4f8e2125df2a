//! Paths into JSON-LD: `Product.offers.price` is the `price` of the `offers` of each object of type `Product`.
//!
//! Lists on the way are opened: a path finds all values, in order. Objects of the type are found wherever they are, also
//! in `@graph` or as the value of another object, but not within each other.

use serde_json::Value as Json;

const LONGEST: usize = 500;

#[derive(Debug)]
pub struct JsonPath {
    /// `*`: every object at the top.
    kind: String,
    keys: Vec<String>,
}

impl JsonPath {
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut parts = split(text)?.into_iter();
        let kind = parts.next().unwrap_or_default();
        if !kind.starts_with(|c: char| c.is_uppercase() || c == '*') {
            return Err(format!(
                "{text:?} does not begin with a type of schema.org: write it like Product.offers.price"
            ));
        }
        Ok(JsonPath {
            kind,
            keys: parts.collect(),
        })
    }

    /// A path that begins at an object: `offers.price`.
    pub fn parse_relative(text: &str) -> Result<Self, String> {
        Ok(JsonPath {
            kind: String::new(),
            keys: split(text)?,
        })
    }

    /// The values in the objects of a page, `most` of them.
    pub fn find<'v>(&self, objects: &'v [Json], most: usize) -> Vec<&'v Json> {
        let mut found = Vec::new();
        let mut waiting: Vec<&Json> = objects.iter().rev().collect();
        while let Some(value) = waiting.pop() {
            match value {
                Json::Array(list) => waiting.extend(list.iter().rev()),
                Json::Object(fields) if has_type(value, &self.kind) => {
                    if self.kind == "*" && fields.contains_key("@graph") {
                        waiting.extend(fields.get("@graph"));
                    } else {
                        found.extend(self.follow(value, most - found.len()));
                    }
                }
                Json::Object(fields) => waiting.extend(fields.values().rev()),
                _ => {}
            }
            if found.len() >= most {
                break;
            }
        }
        found
    }

    /// The values below one object.
    pub fn follow<'v>(&self, object: &'v Json, most: usize) -> Vec<&'v Json> {
        let mut values = vec![object];
        for key in &self.keys {
            let below = values.into_iter().filter_map(|value| value.get(key));
            let mut opened = Vec::new();
            for value in below {
                open(value, &mut opened, most);
            }
            values = opened;
        }
        values
    }
}

/// The values in a list, and in lists in it; any other value itself.
fn open<'v>(value: &'v Json, into: &mut Vec<&'v Json>, most: usize) {
    let mut waiting = vec![value];
    while let Some(value) = waiting.pop() {
        match value {
            Json::Array(list) => waiting.extend(list.iter().rev()),
            Json::Null => {}
            value if into.len() < most => into.push(value),
            _ => return,
        }
    }
}

fn has_type(value: &Json, kind: &str) -> bool {
    let is_kind = |name: &Json| {
        let name = name.as_str().unwrap_or_default();
        name.rsplit(['/', '#', ':']).next() == Some(kind)
    };
    kind == "*"
        || match value.get("@type") {
            Some(Json::Array(list)) => list.iter().any(is_kind),
            Some(name) => is_kind(name),
            None => false,
        }
}

fn split(text: &str) -> Result<Vec<String>, String> {
    let parts: Vec<String> = text.split('.').map(|part| part.trim().to_owned()).collect();
    if text.len() > LONGEST || parts.iter().any(String::is_empty) {
        return Err(format!(
            "{text:?} is no path: write names with a dot between them, like Product.offers.price"
        ));
    }
    Ok(parts)
}
