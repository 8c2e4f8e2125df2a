//! What is taken out of a document, whichever road it comes by: links, directives, title, text.

use url::Url;

use super::attributes::Attributes;
use super::fold::Fold;
use super::links::Links;
use super::names::{self, Name, mark};
use super::{directives, link_header, refresh, srcset};
use crate::page::{LinkKind, Page, ReadOptions};
use crate::url::Identity;

const ANCHOR_CHARACTERS: usize = 200;
const TITLE_CHARACTERS: usize = 1000;
const DESCRIPTION_CHARACTERS: usize = 2000;
const LANGUAGE_CHARACTERS: usize = 64;

/// Takes elements and text in document order; both roads and XML feed it.
pub struct Collector<'r> {
    options: &'r ReadOptions,
    document: &'r Url,
    links: Links<'r>,
    links_in_headers: u32,
    base: Base,
    title: Fold,
    title_state: Title,
    description: Fold,
    canonical: Option<String>,
    header_canonical: Option<String>,
    languages: Languages,
    directives: u8,
    has_refresh: bool,
    text: Fold,
    anchor: Option<(usize, Fold)>,
    /// Open elements whose text nobody sees.
    hidden: u32,
}

/// What became of the first `<base href>`.
enum Base {
    Awaited,
    Settled,
    /// It came after links had been resolved without it: they are wrong.
    Late(Url),
}

/// The first title is the document's; others are neither that nor text.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Title {
    Awaited,
    Open,
    Closed,
    AnotherOpen,
}

#[derive(Default)]
struct Languages {
    element: Option<String>,
    pragma: String,
    header: String,
}

impl<'r> Collector<'r> {
    /// `base` is what an earlier reading found to be the base of the document.
    pub fn new(
        identity: &'r Identity,
        options: &'r ReadOptions,
        document: &'r Url,
        base: Option<Url>,
    ) -> Self {
        let settled = base.is_some();
        let base = base.unwrap_or_else(|| document.clone());
        Collector {
            options,
            document,
            links: Links::new(identity, options.max_links, base),
            links_in_headers: 0,
            base: if settled {
                Base::Settled
            } else {
                Base::Awaited
            },
            title: Fold::new(TITLE_CHARACTERS),
            title_state: Title::Awaited,
            description: Fold::new(DESCRIPTION_CHARACTERS),
            canonical: None,
            header_canonical: None,
            languages: Languages::default(),
            directives: 0,
            has_refresh: false,
            text: Fold::new(if options.want_text {
                options.max_text
            } else {
                0
            }),
            anchor: None,
            hidden: 0,
        }
    }

    /// The base that came too late, if it did: the document must be read again with it.
    pub fn late_base(&self) -> Option<&Url> {
        match &self.base {
            Base::Late(url) => Some(url),
            _ => None,
        }
    }

    /// True while an element hides its text that should have been closed.
    pub fn is_hiding(&self) -> bool {
        self.hidden > 0
    }

    pub fn media(&self) -> bool {
        self.options.media
    }

    pub fn finish(mut self, charset: &'static str, slow_road: bool) -> Page {
        self.close_anchor();
        let links_found = self.links.found();
        Page {
            charset,
            title: self.title.into_text(),
            description: self.description.into_text(),
            canonical: self.canonical.or(self.header_canonical),
            language: self.languages.declared(),
            directives: self.directives,
            text: self.text.into_text(),
            links: self.links.into_list(),
            links_found,
            slow_road,
        }
    }

    /// Headers come before the document, and are relative to its own URL whatever it says.
    pub fn headers(&mut self, headers: &[(String, String)]) {
        let base = self.links.replace_base(self.document.clone());
        for (name, value) in headers {
            match name.len() {
                4 if name.eq_ignore_ascii_case("link") => self.link_header(value),
                7 if name.eq_ignore_ascii_case("refresh") => self.refresh(value),
                12 if name.eq_ignore_ascii_case("x-robots-tag") => {
                    self.directives |= directives::of_header(value, &self.options.agent_token);
                }
                16 if name.eq_ignore_ascii_case("content-language") => {
                    self.languages.header = single_language(value);
                }
                _ => {}
            }
        }
        self.links.replace_base(base);
        self.links_in_headers = self.links.found();
    }

    /// A start tag. `foreign` is svg or math.
    pub fn start<A: Attributes + ?Sized>(
        &mut self,
        name: Name,
        marks: u8,
        foreign: bool,
        attributes: &A,
    ) {
        if marks & mark::SEPARATES != 0 {
            self.separate();
        }
        if foreign {
            return self.start_foreign(name, attributes);
        }
        match name {
            names::A => self.start_anchor(attributes.value_of("href").as_deref(), attributes),
            names::AREA => {
                self.link(attributes, "href", LinkKind::Area);
            }
            names::LINK => self.link_element(attributes),
            names::META => self.meta(attributes),
            names::BASE => self.base(attributes),
            names::FRAME | names::IFRAME => {
                self.link(attributes, "src", LinkKind::Frame);
            }
            names::HTML => self.html(attributes),
            names::TITLE => self.open_title(),
            names::NOSCRIPT => self.hidden += 1,
            names::SCRIPT if self.options.scripts => {
                self.link(attributes, "src", LinkKind::Script);
            }
            _ if marks & mark::MEDIA != 0 && self.options.media => {
                self.media_element(name, attributes)
            }
            _ => {}
        }
    }

    pub fn end(&mut self, name: Name, marks: u8, foreign: bool) {
        if marks & mark::SEPARATES != 0 {
            self.separate();
        }
        match name {
            names::A => self.close_anchor(),
            names::TITLE if !foreign => self.close_title(),
            names::NOSCRIPT if !foreign => self.hidden = self.hidden.saturating_sub(1),
            _ if foreign && is_unseen(name) => self.hidden = self.hidden.saturating_sub(1),
            _ => {}
        }
    }

    /// Text with its character references as written.
    pub fn raw_text(&mut self, raw: &str) {
        self.each_listener(|fold| fold.push_raw(raw));
    }

    /// Text that is meant as it stands.
    pub fn plain_text(&mut self, text: &str) {
        self.each_listener(|fold| fold.push_plain(text));
    }

    pub fn separate(&mut self) {
        self.text.separate();
        if let Some((_, anchor)) = &mut self.anchor {
            anchor.separate();
        }
    }

    pub fn add_link(&mut self, text: &str, kind: LinkKind) {
        self.links.add(text, kind, 0);
    }

    pub fn set_title(&mut self, title: Fold) {
        if self.title.is_empty() {
            self.title = title;
        }
    }

    pub fn set_description(&mut self, description: Fold) {
        if self.description.is_empty() {
            self.description = description;
        }
    }

    pub fn set_language(&mut self, language: &str) {
        self.languages
            .element
            .get_or_insert_with(|| tidy_language(language));
    }

    fn each_listener(&mut self, push: impl Fn(&mut Fold)) {
        match self.title_state {
            Title::Open => return push(&mut self.title),
            Title::AnotherOpen => return,
            Title::Awaited | Title::Closed => {}
        }
        if self.hidden == 0 {
            push(&mut self.text);
        }
        if let Some((_, anchor)) = &mut self.anchor {
            push(anchor);
        }
    }

    fn open_title(&mut self) {
        self.title_state = match self.title_state {
            Title::Awaited => Title::Open,
            _ => Title::AnotherOpen,
        };
    }

    fn close_title(&mut self) {
        if self.title_state != Title::Awaited {
            self.title_state = Title::Closed;
        }
    }

    /// An `a` in svg is a link too; other elements there only share their names with ours.
    fn start_foreign<A: Attributes + ?Sized>(&mut self, name: Name, attributes: &A) {
        if name == names::A {
            let href = attributes
                .value_of("href")
                .or_else(|| attributes.value_of("xlink:href"));
            self.start_anchor(href.as_deref(), attributes);
        } else if is_unseen(name) {
            self.hidden += 1;
        }
    }

    /// No `a` is within another: the second ends the first.
    fn start_anchor<A: Attributes + ?Sized>(&mut self, href: Option<&str>, attributes: &A) {
        self.close_anchor();
        let Some(href) = href else { return };
        let rel = attributes
            .value_of("rel")
            .map_or(0, |rel| directives::of_rel(&rel));
        if let Some(index) = self.links.add(href, LinkKind::Anchor, rel) {
            self.anchor = Some((index, Fold::new(ANCHOR_CHARACTERS)));
        }
    }

    fn close_anchor(&mut self) {
        if let Some((index, fold)) = self.anchor.take() {
            self.links.set_anchor(index, fold.into_text());
        }
    }

    fn link<A: Attributes + ?Sized>(
        &mut self,
        attributes: &A,
        name: &str,
        kind: LinkKind,
    ) -> Option<usize> {
        let href = attributes.value_of(name)?;
        let rel = match kind {
            LinkKind::Area => attributes
                .value_of("rel")
                .map_or(0, |rel| directives::of_rel(&rel)),
            _ => 0,
        };
        self.links.add(&href, kind, rel)
    }

    fn link_element<A: Attributes + ?Sized>(&mut self, attributes: &A) {
        let Some(rel) = attributes.value_of("rel") else {
            return;
        };
        let media_type = attributes.value_of("type").unwrap_or_default();
        let Some(kind) = kind_of_rel(&rel, &media_type) else {
            return;
        };
        let index = self.link(attributes, "href", kind);
        if kind == LinkKind::Canonical && self.canonical.is_none() {
            self.canonical = index.map(|index| self.links.href(index).to_owned());
        }
    }

    fn meta<A: Attributes + ?Sized>(&mut self, attributes: &A) {
        let Some(content) = attributes.value_of("content") else {
            return;
        };
        if let Some(pragma) = attributes.value_of("http-equiv") {
            match pragma.len() {
                7 if pragma.eq_ignore_ascii_case("refresh") => self.refresh(&content),
                16 if pragma.eq_ignore_ascii_case("content-language")
                    && self.languages.pragma.is_empty() =>
                {
                    self.languages.pragma = single_language(&content);
                }
                _ => {}
            }
        }
        let Some(name) = attributes.value_of("name") else {
            return;
        };
        let name = name.trim();
        if name.eq_ignore_ascii_case("description") && self.description.is_empty() {
            self.description.push_plain(&content);
        } else if name.eq_ignore_ascii_case("robots")
            || name.eq_ignore_ascii_case(&self.options.agent_token)
        {
            self.directives |= directives::of_meta(&content);
        }
    }

    /// A browser obeys one refresh a document, the first.
    fn refresh(&mut self, value: &str) {
        if self.has_refresh {
            return;
        }
        let Some(refresh) = refresh::parse(value) else {
            return;
        };
        self.has_refresh = true;
        if let Some(url) = refresh.url {
            self.links.add(url, LinkKind::Refresh, 0);
        }
    }

    fn link_header(&mut self, value: &str) {
        for link in link_header::parse(value) {
            let Some(kind) = kind_of_rel(link.rel, "") else {
                continue;
            };
            let index = self.links.add(link.target, LinkKind::Header, 0);
            if kind == LinkKind::Canonical && self.header_canonical.is_none() {
                self.header_canonical = index.map(|index| self.links.href(index).to_owned());
            }
        }
    }

    /// The first `<base>` with an `href` counts for the whole document, links before it included.
    fn base<A: Attributes + ?Sized>(&mut self, attributes: &A) {
        let Base::Awaited = self.base else { return };
        let Some(href) = attributes.value_of("href") else {
            return;
        };
        self.base = Base::Settled;
        let Ok(url) = self.document.join(&href) else {
            return;
        };
        if matches!(url.scheme(), "data" | "javascript") || url == *self.document {
            return;
        }
        if self.links.found() > self.links_in_headers {
            self.base = Base::Late(url.clone());
        }
        self.links.replace_base(url);
    }

    /// A second `<html>` tag adds the attributes that the first had not.
    fn html<A: Attributes + ?Sized>(&mut self, attributes: &A) {
        if let Some(language) = attributes
            .value_of("lang")
            .or_else(|| attributes.value_of("xml:lang"))
        {
            self.set_language(&language);
        }
    }

    fn media_element<A: Attributes + ?Sized>(&mut self, name: Name, attributes: &A) {
        let source = if name == names::OBJECT { "data" } else { "src" };
        self.link(attributes, source, LinkKind::Media);
        if name == names::VIDEO {
            self.link(attributes, "poster", LinkKind::Media);
        }
        if let names::IMG | names::IMAGE | names::SOURCE = name
            && let Some(set) = attributes.value_of("srcset")
        {
            srcset::urls(&set).for_each(|url| self.add_link(url, LinkKind::Media));
        }
    }
}

impl Languages {
    fn declared(self) -> String {
        let declared = [self.element.unwrap_or_default(), self.pragma, self.header];
        declared
            .into_iter()
            .find(|language| !language.is_empty())
            .unwrap_or_default()
    }
}

/// What a `<link>` or `Link:` of this `rel` is to a crawler; `None` for style sheets, icons and the like.
pub fn kind_of_rel(rel: &str, media_type: &str) -> Option<LinkKind> {
    let has = |word: &str| {
        rel.split_ascii_whitespace()
            .any(|other| other.eq_ignore_ascii_case(word))
    };
    match () {
        () if rel.is_empty() || has("stylesheet") => None,
        () if has("canonical") => Some(LinkKind::Canonical),
        () if has("feed") || (has("alternate") && is_feed(media_type)) => Some(LinkKind::Feed),
        () if has("alternate") => Some(LinkKind::Alternate),
        () if has("next") => Some(LinkKind::Next),
        () if has("prev") || has("previous") => Some(LinkKind::Previous),
        () => None,
    }
}

fn is_feed(media_type: &str) -> bool {
    let essence = media_type.split(';').next().unwrap_or_default().trim();
    [
        "application/rss+xml",
        "application/atom+xml",
        "application/feed+json",
    ]
    .iter()
    .any(|feed| essence.eq_ignore_ascii_case(feed))
}

/// Elements of svg that describe, style or move what is drawn.
fn is_unseen(name: Name) -> bool {
    matches!(
        name,
        names::TITLE | names::DESC | names::METADATA | names::STYLE | names::SCRIPT
    )
}

/// The pragma and the header may list several languages: then the document is in none of them.
fn single_language(value: &str) -> String {
    if value.contains(',') {
        String::new()
    } else {
        tidy_language(value)
    }
}

fn tidy_language(value: &str) -> String {
    value
        .trim()
        .chars()
        .take(LANGUAGE_CHARACTERS)
        .flat_map(char::to_lowercase)
        .collect()
}
