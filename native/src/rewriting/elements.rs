//! What each attribute of each element is for.

use super::walk::Role;
use crate::html::names::{self, Name};

/// How the value of an attribute is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Use {
    Url(Role),
    /// Candidates of `srcset`.
    Set,
    /// Declarations of a `style` attribute.
    Style,
    /// A document of its own.
    Document,
    /// The window in which a link opens.
    Target,
    /// A script that an event runs.
    Handler,
    /// What a `<link>` is for.
    Relations,
    /// It works against a replay, and is renamed: it would request something, name another window, or check that nothing
    /// was rewritten.
    Disarmed,
}

const INPUT: Name = Name::of(b"input");
const AUDIO: Name = Name::of(b"audio");
const TRACK: Name = Name::of(b"track");
const EMBED: Name = Name::of(b"embed");

/// Relations that a browser fetches to show a page.
const FETCHED: [&str; 7] = [
    "stylesheet",
    "icon",
    "apple-touch-icon",
    "apple-touch-icon-precomposed",
    "mask-icon",
    "preload",
    "modulepreload",
];

/// Relations that make a browser connect, look up or fetch before anything is needed. `guard.js` has them, too.
const AHEAD: [&str; 4] = ["preconnect", "dns-prefetch", "prefetch", "prerender"];

/// Pragmas that concern the document alone.
const HARMLESS_PRAGMAS: [&str; 4] = [
    "content-type",
    "content-language",
    "default-style",
    "x-ua-compatible",
];

/// `None` for an attribute that stays as it is.
pub fn use_of(element: Name, is_foreign: bool, attribute: &str) -> Option<Use> {
    let is = |name: &str| attribute.eq_ignore_ascii_case(name);
    match attribute.len() {
        3 if is("rel") && element == names::LINK => Some(Use::Relations),
        3 if is("src") => source_role(element).map(Use::Url),
        4 if is("href") => href_role(element, is_foreign).map(Use::Url),
        4 if is("data") && element == names::OBJECT => Some(Use::Url(Role::Asset)),
        4 if is("ping") => Some(Use::Disarmed),
        5 if is("style") => Some(Use::Style),
        6 if is("target") && element != names::BASE => Some(Use::Target),
        6 if is("srcset") => Some(Use::Set),
        6 if is("srcdoc") && element == names::IFRAME => Some(Use::Document),
        6 if is("poster") => Some(Use::Url(Role::Asset)),
        6 if is("action") && element == names::FORM => Some(Use::Url(Role::Page)),
        8 if is("manifest") && element == names::HTML => Some(Use::Disarmed),
        8 if is("download") => Some(Use::Disarmed),
        9 if is("integrity") => Some(Use::Disarmed),
        10 if is("formaction") => Some(Use::Url(Role::Page)),
        10 if is("formtarget") => Some(Use::Target),
        10 if is("background") => Some(Use::Url(Role::Asset)),
        10 if is("xlink:href") => href_role(element, true).map(Use::Url),
        11 if is("crossorigin") => Some(Use::Disarmed),
        11 if is("imagesrcset") => Some(Use::Set),
        14 if is("referrerpolicy") || is("attributionsrc") => Some(Use::Disarmed),
        _ if is_handler(attribute) => Some(Use::Handler),
        _ => None,
    }
}

fn is_handler(attribute: &str) -> bool {
    let start = attribute.as_bytes().get(..2);
    start.is_some_and(|start| start.eq_ignore_ascii_case(b"on"))
}

/// Whether a `<script>` of this type is code, not data.
pub fn is_script(kind: &str) -> bool {
    let kind = kind.trim();
    let ends = |end: &str| {
        let start = kind.len().checked_sub(end.len());
        start.is_some_and(|start| kind.as_bytes()[start..].eq_ignore_ascii_case(end.as_bytes()))
    };
    kind.is_empty()
        || ends("javascript")
        || ends("ecmascript")
        || kind.eq_ignore_ascii_case("module")
}

fn source_role(element: Name) -> Option<Role> {
    match element {
        names::IFRAME | names::FRAME => Some(Role::Frame),
        names::SOURCE | names::VIDEO | AUDIO | TRACK => Some(Role::Media),
        names::IMG | names::IMAGE | names::SCRIPT | INPUT | EMBED => Some(Role::Asset),
        _ => None,
    }
}

fn href_role(element: Name, is_foreign: bool) -> Option<Role> {
    match element {
        names::A | names::AREA => Some(Role::Page),
        names::LINK if !is_foreign => Some(Role::Asset),
        names::BASE if !is_foreign => None,
        _ => is_foreign.then_some(Role::Asset),
    }
}

/// Whether a browser fetches what a `<link>` with this `rel` names.
pub fn is_fetched(rel: &str) -> bool {
    rel.split_ascii_whitespace()
        .any(|word| FETCHED.iter().any(|other| word.eq_ignore_ascii_case(other)))
}

/// Whether a `<link>` with this `rel` connects to a host ahead of time. No policy stops that, or not in every browser.
pub fn leads_ahead(rel: &str) -> bool {
    rel.split_ascii_whitespace().any(is_ahead)
}

/// The relations without those that connect ahead of time.
pub fn without_ahead(rel: &str) -> String {
    let words: Vec<_> = rel
        .split_ascii_whitespace()
        .filter(|word| !is_ahead(word))
        .collect();
    words.join(" ")
}

fn is_ahead(word: &str) -> bool {
    AHEAD.iter().any(|other| word.eq_ignore_ascii_case(other))
}

/// Whether a `<meta http-equiv>` may stay.
pub fn is_harmless_pragma(pragma: &str) -> bool {
    let pragma = pragma.trim();
    HARMLESS_PRAGMAS
        .iter()
        .any(|other| pragma.eq_ignore_ascii_case(other))
}
