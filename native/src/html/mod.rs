//! Reads pages (A1-A3, D3, D4).
//!
//! A body becomes text (`charset`), and the text becomes tokens (`tokenizer`). The `collector` takes
//! the tokens; only it knows what a link, a directive or a title is. There are three paths to it:
//!
//! - `fast`: one pass, no tree. It follows the standard's tokenizer exactly and knows the few ways in
//!   which the tree affects it. It reports documents that only a tree can interpret.
//! - `slow`: html5ever builds the tree, and the collector reads it. Used if the fast path was not
//!   sure; abandoned if the document is too expensive.
//! - `xml`: XHTML, feeds and other XML.
//!
//! `<base>` also applies to links before it: a document with a late `<base>` is read twice.

pub(crate) mod attributes;
mod builder;
mod collapsed_text;
mod collector;
mod directives;
mod eight;
mod fast;
pub(crate) mod foreign;
mod fragment;
mod link_header;
mod links;
pub(crate) mod names;
pub(crate) mod references;
pub(crate) mod refresh;
pub(crate) mod script;
pub(crate) mod slow;
pub(crate) mod srcset;
pub(crate) mod tokenizer;
pub(crate) mod tree;
mod xml;

#[cfg(test)]
mod content_tests;
#[cfg(test)]
mod hostile_tests;
#[cfg(test)]
mod path_tests;
#[cfg(test)]
mod tests;

use std::borrow::Cow;

use encoding_rs::{Encoding, UTF_8};
use url::Url;

use crate::charset::{self, Declaration};
use crate::media_type::{self, Syntax};
use crate::page::{Page, ReadOptions};
use crate::quality;
use crate::requisites::{Requisite, Search};
use crate::simhash;
use crate::url::Identity;
use collector::Collector;
use tree::Tree;

/// Documents with a tag of more attributes are not given to the tree builder, which compares them with each other.
const MOST_ATTRIBUTES: usize = 500;

/// Version of the text extraction. Raise it with every change to what SimHash, text hash, sketch and change hash are
/// computed from: values of different versions cannot be compared.
pub const TEXT_VERSION: u32 = 1;

/// Reads pages. One per crawl, shared by the engine's threads.
#[derive(Debug, Clone)]
pub struct Reader {
    identity: Identity,
    options: ReadOptions,
}

/// The results of the fast path and of the tree for one text. If the fast path is certain, they agree on links, title
/// and directives. For tests only.
pub struct PathResults {
    pub certain: bool,
    pub fast: Page,
    /// `None` if the tree is too expensive.
    pub slow: Option<Page>,
}

/// See [`Reader::open`].
pub(crate) enum Opened {
    Tree {
        tree: Tree,
        encoding: &'static Encoding,
        /// Length of the decoded text.
        bytes: usize,
    },
    /// Plain text, decoded.
    Text(String),
    Page(Box<Page>),
}

/// A body that is being read.
struct Document<'d> {
    text: &'d str,
    url: &'d Url,
    headers: &'d [(String, String)],
    encoding: &'static Encoding,
}

impl Reader {
    pub fn new(identity: Identity, options: ReadOptions) -> Self {
        Reader { identity, options }
    }

    pub fn identity(&self) -> &Identity {
        &self.identity
    }

    /// The input of the deep pass (A5): the tree of an HTML document with all attributes or, if there is none or it is
    /// too expensive, the page as the crawl reads it.
    pub(crate) fn open(
        &self,
        body: &[u8],
        url: &Url,
        content_type: &str,
        headers: &[(String, String)],
    ) -> Opened {
        let (syntax, encoding) = decide(body, url, content_type, headers);
        if syntax == Syntax::Text {
            return Opened::Text(charset::decode(body, encoding).into());
        }
        if syntax != Syntax::Html {
            return Opened::Page(Box::new(self.read(body, url, content_type, headers)));
        }
        let text = charset::decode(body, encoding);
        let document = Document {
            text: &text,
            url,
            headers,
            encoding,
        };
        let tree = if self.find_most_attributes(&document) > MOST_ATTRIBUTES {
            None
        } else {
            slow::build_whole(&text)
        };
        match tree {
            Some(tree) => Opened::Tree {
                tree,
                encoding,
                bytes: text.len(),
            },
            None => Opened::Page(Box::new(self.read_along(&document, false, |collector| {
                fast::read(&text, collector);
            }))),
        }
    }

    /// How a body is read, and its decoded text.
    pub(crate) fn decode<'b>(
        &self,
        body: &'b [u8],
        url: &Url,
        content_type: &str,
        headers: &[(String, String)],
    ) -> (Syntax, Cow<'b, str>) {
        let (syntax, encoding) = decide(body, url, content_type, headers);
        match syntax {
            Syntax::Opaque => (syntax, Cow::Borrowed("")),
            _ => (syntax, charset::decode(body, encoding)),
        }
    }

    /// The largest number of attributes of a tag. Reads the tags as the fast path does, but keeps neither links nor text,
    /// which take most of its time.
    fn find_most_attributes(&self, document: &Document<'_>) -> usize {
        let options = ReadOptions {
            max_links: 0,
            max_text: 0,
            want_text: false,
            keywords: None,
            ..self.options.clone()
        };
        let reader = Reader::new(self.identity.clone(), options);
        let mut most_attributes = 0;
        reader.read_along(document, false, |collector| {
            most_attributes = fast::read(document.text, collector).most_attributes;
        });
        most_attributes
    }

    /// Reads the page in `body`. Never fails: any bytes give a page, in time and memory proportional to their number.
    /// `content_type` may be a whole header or a media type; if it is empty, the headers are used.
    pub fn read(
        &self,
        body: &[u8],
        url: &Url,
        content_type: &str,
        headers: &[(String, String)],
    ) -> Page {
        let (syntax, encoding) = decide(body, url, content_type, headers);
        let text = match syntax {
            Syntax::Opaque => "".into(),
            _ => charset::decode(body, encoding),
        };
        let document = Document {
            text: &text,
            url,
            headers,
            encoding,
        };
        let requisites = self.requisites(&document, body, syntax, content_type);
        let page = match syntax {
            Syntax::Html => self.read_html(&document),
            Syntax::Xml => {
                self.read_along(&document, false, |collector| xml::read(&text, collector))
            }
            Syntax::Text => {
                self.read_along(&document, false, |collector| collector.plain_text(&text))
            }
            Syntax::Opaque => Page {
                text_hash: None,
                change_hash: None,
                ..self.read_along(&document, false, |_| {})
            },
        };
        let page = self.completed(page, text.len());
        Page { requisites, ..page }
    }

    /// A pass of its own, which only crawls with requisites pay for.
    fn requisites(
        &self,
        document: &Document<'_>,
        body: &[u8],
        syntax: Syntax,
        content_type: &str,
    ) -> Vec<Requisite> {
        if !self.options.requisites {
            return Vec::new();
        }
        let search = Search {
            identity: &self.identity,
            document: document.url,
            encoding: document.encoding,
            media: self.options.media,
        };
        match media_type::essence(std::iter::once(content_type)).as_deref() {
            Some("text/css") => search.of_sheet(document.text),
            Some(kind) if media_type::is_script(kind) => {
                search.of_script(&charset::decode(body, document.encoding))
            }
            _ => search.of_document(document.text, syntax),
        }
    }

    /// Adds what is computed from the whole text, once, whichever path was used.
    fn completed(&self, mut page: Page, markup: usize) -> Page {
        (page.simhash, page.sketch) = simhash::with_sketch(page.main_blocks());
        if page.simhash.is_none() {
            page.simhash = simhash::of([&*page.text]);
        }
        if page.language.is_empty() && !self.options.want_text {
            page.detected = Some(page.detected_language());
        }
        if page.text_hash.is_some() {
            page.quality = Some(quality::of(&page, markup));
        }
        if let Some(keywords) = &self.options.keywords
            && page.text_hash.is_some()
        {
            page.focus = Some(keywords.score(&page));
        }
        if !self.options.want_text {
            page.drop_text();
        }
        page
    }

    pub fn read_both_paths(&self, text: &str, url: &Url) -> PathResults {
        let document = Document {
            text,
            url,
            headers: &[],
            encoding: UTF_8,
        };
        let mut certain = false;
        let fast = self.read_along(&document, false, |collector| {
            certain = fast::read(text, collector).certain;
        });
        let slow = self.read_slowly(&document);
        PathResults {
            certain,
            fast,
            slow,
        }
    }

    fn read_html(&self, document: &Document<'_>) -> Page {
        let mut certain = true;
        let mut most_attributes = 0;
        let page = self.read_along(document, false, |collector| {
            let outcome = fast::read(document.text, collector);
            certain = outcome.certain;
            most_attributes = outcome.most_attributes;
        });
        if certain || most_attributes > MOST_ATTRIBUTES {
            return page;
        }
        self.read_slowly(document).unwrap_or(page)
    }

    fn read_slowly(&self, document: &Document<'_>) -> Option<Page> {
        let tree = slow::build(document.text)?;
        Some(self.read_along(document, true, |collector| slow::read(&tree, collector)))
    }

    fn read_along(
        &self,
        document: &Document<'_>,
        slow_road: bool,
        mut road: impl FnMut(&mut Collector<'_>),
    ) -> Page {
        let mut base = None;
        loop {
            let mut collector = Collector::new(
                &self.identity,
                &self.options,
                document.url,
                document.encoding,
                base,
            );
            collector.headers(document.headers);
            collector.expect(document.text.len());
            road(&mut collector);
            match collector.late_base() {
                Some(late) => base = Some(late.clone()),
                None => return collector.finish(document.encoding.name(), slow_road),
            }
        }
    }
}

/// Decides how a body is read, and in which encoding. If `content_type` is empty, that of the headers is used.
fn decide(
    body: &[u8],
    url: &Url,
    content_type: &str,
    headers: &[(String, String)],
) -> (Syntax, &'static Encoding) {
    let header = header(headers, "content-type").unwrap_or_default();
    let content_type = if content_type.is_empty() {
        header
    } else {
        content_type
    };
    let syntax = media_type::syntax_of(content_type, body);
    let label = charset::label_of(content_type).or_else(|| charset::label_of(header));
    let encoding = charset::decide(body, label, declaration_of(syntax), top_level_domain(url));
    (syntax, encoding)
}

fn header<'h>(headers: &'h [(String, String)], name: &str) -> Option<&'h str> {
    headers
        .iter()
        .find(|(other, _)| other.eq_ignore_ascii_case(name))
        .map(|(_, value)| value.as_str())
}

fn declaration_of(syntax: Syntax) -> Declaration {
    match syntax {
        Syntax::Html => Declaration::Html,
        Syntax::Xml => Declaration::Xml,
        Syntax::Text | Syntax::Opaque => Declaration::None,
    }
}

fn top_level_domain(url: &Url) -> Option<&str> {
    url.domain()?.rsplit('.').find(|label| !label.is_empty())
}
