//! Roles, item properties, and attributes that hide an element.

use super::{BESIDE, BODY, BYLINE, COMMENTS, CONTENT, HIDDEN, Marks, PANEL, PRODUCT};
use crate::html::tree::Element;

pub fn read(element: &Element) -> Marks {
    let mut marks = 0;
    for attribute in &element.attributes {
        let value = &*attribute.value;
        marks |= match &*attribute.name.local {
            "hidden" if !value.eq_ignore_ascii_case("until-found") => HIDDEN,
            "aria-hidden" if value.eq_ignore_ascii_case("true") => HIDDEN,
            "style" if hides(value) => HIDDEN,
            "role" => of_role(value),
            "itemprop" => of_property(value),
            "rel" if value.contains("author") || value.contains("tag") => BYLINE,
            _ => 0,
        };
    }
    marks
}

fn of_role(role: &str) -> Marks {
    match role.trim() {
        "navigation" | "search" | "banner" | "contentinfo" | "menu" | "menubar" | "toolbar"
        | "dialog" | "alertdialog" | "tablist" | "complementary" | "button" => BESIDE,
        "article" | "main" => CONTENT,
        "tabpanel" => PANEL,
        _ => 0,
    }
}

fn of_property(property: &str) -> Marks {
    let has = |word: &str| {
        property
            .split_ascii_whitespace()
            .any(|other| other.eq_ignore_ascii_case(word))
    };
    if has("articleBody") {
        BODY
    } else if has("author") || has("datePublished") || has("dateModified") || has("keywords") {
        BYLINE
    } else if has("comment") {
        COMMENTS
    } else if has("description") {
        PRODUCT
    } else {
        0
    }
}

fn hides(style: &str) -> bool {
    let mut rest = style;
    while let Some(at) = rest.find(':') {
        let (name, value) = (rest[..at].trim(), rest[at + 1..].trim_start());
        let is = |wanted: &str| {
            value
                .get(..wanted.len())
                .is_some_and(|value| value.eq_ignore_ascii_case(wanted))
        };
        if name.eq_ignore_ascii_case("display") && is("none") {
            return true;
        }
        let Some(end) = rest.find(';') else { break };
        rest = &rest[end + 1..];
    }
    false
}
