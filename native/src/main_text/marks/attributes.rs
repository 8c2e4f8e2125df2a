//! Roles, item properties, and attributes that hide an element.

use super::patterns::CONSENT_NAMES;
use super::{BESIDE, BODY, BYLINE, COMMENTS, CONSENT, CONTENT, HIDDEN, Marks, PANEL, PRODUCT};
use crate::html::tree::Element;

/// Bytes of a label that are looked at.
const LONGEST_LABEL: usize = 100;

pub fn read(element: &Element) -> Marks {
    let mut marks = 0;
    for attribute in &element.attributes {
        let value = &*attribute.value;
        marks |= match &*attribute.name.local {
            "hidden" if !value.eq_ignore_ascii_case("until-found") => HIDDEN,
            "aria-hidden" if value.eq_ignore_ascii_case("true") => HIDDEN,
            "style" if hides(value) => HIDDEN,
            "role" => of_role(value),
            "aria-modal" if value.eq_ignore_ascii_case("true") => BESIDE | CONSENT,
            "aria-label" => of_label(value),
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
        | "tablist" | "complementary" | "button" => BESIDE,
        "dialog" | "alertdialog" => BESIDE | CONSENT,
        "article" | "main" => CONTENT,
        "tabpanel" => PANEL,
        _ => 0,
    }
}

/// What screen readers call it.
fn of_label(label: &str) -> Marks {
    let label = label[..label.floor_char_boundary(LONGEST_LABEL)].to_ascii_lowercase();
    let asks = CONSENT_NAMES
        .split_ascii_whitespace()
        .any(|word| label.contains(word));
    if asks { CONSENT } else { 0 }
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
