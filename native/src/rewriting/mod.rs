//! Rewrites archived documents so that a browser finds everything they name in the archive (O1).
//!
//! A document stays as it is, byte for byte, but for its URLs, which then lead to the replay, and for markup that would
//! work against the replay: connections ahead of time, policies of the original site, other windows. The result is
//! UTF-8. The policy that the replay sends with each answer protects from what is missed here, with one exception: no
//! policy stops a connection ahead of time. So `hidden` looks for those also where the walk sees no markup, and if scripts
//! run, `guard` puts one before them that takes such means away.
//!
//! - `walk` finds the places in HTML, XHTML and SVG where a URL stands. The crawl uses the same walk to find the
//!   requisites of a page (`requisites.rs`), so that what is replayed was fetched.
//! - `elements` says what each attribute is for, `edits` applies what is replaced.

pub mod edits;
pub mod elements;
pub mod guard;
pub mod hidden;
pub mod walk;

#[cfg(test)]
mod hostile_tests;
#[cfg(test)]
mod tests;

use encoding_rs::{Encoding, UTF_8};
use url::Url;

use crate::charset::{self, Declaration};
use crate::css;
use crate::html::refresh;
use crate::media_type;
use crate::url::resolve_with_fragment;
use edits::Edits;
use walk::{Markup, Role, Visitor};

/// Bytes that the URLs of a document may take, besides its own length. A short link resolves to one as long as its base,
/// so that a hostile page of 10 MB could become gigabytes. URLs beyond this stay as they are, and the policy of the
/// replay stops them.
const MOST_GROWTH: usize = 16 * 1024 * 1024;

/// Where the URLs of a document lead: what is written before each of them.
#[derive(Debug, Clone)]
pub struct Prefixes {
    pub page: String,
    pub frame: String,
    pub asset: String,
}

/// A document as it is sent to a browser.
#[derive(Debug, PartialEq, Eq)]
pub struct Rewritten {
    /// The value of `Content-Type`.
    pub content_type: String,
    /// `None`: the body as it is.
    pub body: Option<String>,
}

/// Rewrites the document in `body`, if it is of a type that has URLs. `headers`: those of its answer. `is_guarded`: its
/// scripts will run.
pub fn rewrite(
    body: &[u8],
    url: &Url,
    headers: &[(String, String)],
    prefixes: &Prefixes,
    is_guarded: bool,
) -> Rewritten {
    let mut declared = media_type::declared_or_sniffed(headers, body);
    let mut essence = media_type::essence(std::iter::once(declared)).unwrap_or_default();
    if matches!(essence.as_str(), "unknown/unknown" | "application/unknown") {
        declared = media_type::sniff(body); // as browsers do
        declared.clone_into(&mut essence);
    }
    let declaration = match essence.as_str() {
        "text/html" => Declaration::Html,
        "text/xml" | "application/xml" => Declaration::Xml,
        _ if essence.ends_with("+xml") => Declaration::Xml,
        "text/css" => Declaration::None,
        _ => {
            // A browser would look for documents in the parts.
            let is_in_parts = essence.starts_with("multipart/");
            let content_type = if is_in_parts {
                "application/octet-stream"
            } else {
                declared.trim()
            };
            return Rewritten {
                content_type: content_type.to_owned(),
                body: None,
            };
        }
    };
    let domain = url.domain().and_then(|domain| domain.rsplit('.').next());
    let encoding = charset::decide(body, charset::label_of(declared), declaration, domain);
    let text = charset::decode(body, encoding);
    let markup = match declaration {
        Declaration::Html => Some(Markup::Html),
        Declaration::Xml => Some(Markup::Xml),
        Declaration::None => None,
    };
    let rewritten = match markup {
        Some(markup) => rewrite_document(&text, markup, url, encoding, prefixes, is_guarded),
        None => rewrite_sheet(&text, url, prefixes),
    };
    Rewritten {
        content_type: format!("{essence}; charset=utf-8"),
        body: Some(rewritten),
    }
}

fn rewrite_document(
    text: &str,
    markup: Markup,
    url: &Url,
    encoding: &'static Encoding,
    prefixes: &Prefixes,
    is_guarded: bool,
) -> String {
    let base = walk::find_base(text, markup, url, encoding);
    let mut rewriter = Rewriter {
        document: url,
        base: base.as_ref().unwrap_or(url),
        encoding,
        prefixes,
        room: MOST_GROWTH.saturating_add(text.len()),
        is_guarded: is_guarded && markup == Markup::Html,
    };
    let mut edits = Edits::default();
    walk::walk(text, markup, &mut rewriter, &mut edits);
    let is_guarded = rewriter.is_guarded;
    let rewritten = hidden::disarm(edits.apply(text), markup, is_guarded);
    if is_guarded {
        guard::put_before(&rewritten)
    } else {
        rewritten
    }
}

fn rewrite_sheet(text: &str, url: &Url, prefixes: &Prefixes) -> String {
    let mut rewriter = Rewriter {
        document: url,
        base: url,
        encoding: UTF_8,
        prefixes,
        room: MOST_GROWTH.saturating_add(text.len()),
        is_guarded: false,
    };
    let mut edits = Edits::default();
    walk::visit_sheet(text, 0, &mut rewriter, &mut edits);
    edits.apply(text)
}

struct Rewriter<'r> {
    document: &'r Url,
    base: &'r Url,
    encoding: &'static Encoding,
    prefixes: &'r Prefixes,
    /// Bytes that rewritten URLs may still take.
    room: usize,
    is_guarded: bool,
}

impl Visitor for Rewriter<'_> {
    fn url(&mut self, text: &str, role: Role) -> Option<String> {
        let text = text.trim_matches(|character: char| character <= ' ');
        if text.is_empty() || text.starts_with('#') && self.base == self.document {
            return None;
        }
        self.room = self
            .room
            .checked_sub(self.base.as_str().len() + text.len())?;
        let url = resolve_with_fragment(self.base, text, self.encoding)?;
        if let Some(fragment) = url.fragment()
            && role == Role::Page
            && without_fragment(&url) == without_fragment(self.document)
        {
            return Some(format!("#{fragment}"));
        }
        let prefix = match role {
            Role::Page => &self.prefixes.page,
            Role::Frame => &self.prefixes.frame,
            Role::Asset | Role::Media => &self.prefixes.asset,
        };
        Some(format!("{prefix}{url}"))
    }

    fn refresh(&mut self, content: &str) -> Option<String> {
        let target = refresh::target(content)??;
        let new = self.url(target, Role::Page)?;
        let seconds: String = content
            .trim_start()
            .chars()
            .take_while(|character| character.is_ascii_digit() || *character == '.')
            .collect();
        Some(format!("{seconds};url={new}"))
    }

    fn inner_document(&mut self, document: &str) -> Option<String> {
        if !self.is_guarded {
            return None;
        }
        let Some(room) = self.room.checked_sub(guard::cost()) else {
            return Some(String::new());
        };
        self.room = room;
        Some(guard::of_inner_document(document))
    }

    fn disarms(&self) -> bool {
        true
    }
}

fn without_fragment(url: &Url) -> &str {
    &url[..url::Position::AfterQuery]
}

/// A URL as a token of a style sheet. A serialised URL has neither quotes nor line ends.
fn format_in_sheet(url: &str, form: css::Form) -> String {
    let escaped = url.replace('\\', "\\\\").replace('"', "%22");
    match form {
        css::Form::Function => format!("url(\"{escaped}\")"),
        css::Form::String => format!("\"{escaped}\""),
    }
}
