//! What each element contributes: the links of D3, the directives of D4, base, description, language.

use encoding_rs::UTF_8;

use super::{Base, Collector};
use crate::html::attributes::Attributes;
use crate::html::names::{self, Name, mark};
use crate::html::{directives, fragment, link_header, refresh, srcset};
use crate::page::{LinkKind, rel};
use crate::url;
use crate::usage::Place;

impl Collector<'_> {
    pub(super) fn link<A: Attributes + ?Sized>(
        &mut self,
        attributes: &A,
        name: &str,
        kind: LinkKind,
    ) -> Option<usize> {
        let href = attributes.value_of(name)?;
        let rel = match kind {
            LinkKind::Anchor | LinkKind::Area => attributes
                .value_of("rel")
                .map_or(0, |rel| directives::of_rel(&rel) & !rel::LICENSE),
            _ => 0,
        };
        self.links.add(&href, kind, rel)
    }

    /// A frame may contain its document in an attribute: a document in UTF-8 with the same base.
    pub(super) fn frame<A: Attributes + ?Sized>(&mut self, attributes: &A) {
        self.link(attributes, "src", LinkKind::Frame);
        if let Some(document) = attributes.value_of("srcdoc") {
            self.links.replace_encoding(UTF_8);
            fragment::read(&document, self);
            self.links.replace_encoding(self.encoding);
        }
    }

    /// A start tag in a fragment, whose text and directives do not count. Nested fragments are not read, because each
    /// level would read the rest of the document again.
    pub fn start_in_fragment<A: Attributes + ?Sized>(
        &mut self,
        name: Name,
        marks: u8,
        attributes: &A,
    ) {
        match name {
            names::A => {
                self.link(attributes, "href", LinkKind::Anchor);
            }
            names::AREA => {
                self.link(attributes, "href", LinkKind::Area);
            }
            names::IFRAME => {
                self.link(attributes, "src", LinkKind::Frame);
            }
            names::SCRIPT if self.options.scripts => {
                self.link(attributes, "src", LinkKind::Script);
            }
            _ if marks & mark::MEDIA != 0 && self.options.media => {
                self.media_element(name, attributes);
            }
            _ => {}
        }
    }

    pub(super) fn link_element<A: Attributes + ?Sized>(&mut self, attributes: &A) {
        let Some(rel) = attributes.value_of("rel") else {
            return;
        };
        let media_type = attributes.value_of("type").unwrap_or_default();
        if is_license(&rel)
            && let Some(href) = attributes.value_of("href")
        {
            self.license(Place::Link, &href, Some(&media_type));
        }
        let Some(kind) = kind_of_rel(&rel, &media_type) else {
            return;
        };
        let index = self.link(attributes, "href", kind);
        if kind == LinkKind::Canonical && self.canonical.is_none() {
            self.canonical = index.map(|index| self.links.href(index).to_owned());
        }
    }

    pub(super) fn meta<A: Attributes + ?Sized>(&mut self, attributes: &A) {
        let Some(content) = attributes.value_of("content") else {
            return;
        };
        if let Some(pragma) = attributes.value_of("http-equiv") {
            match pragma.len() {
                7 if pragma.eq_ignore_ascii_case("refresh") => self.refresh(&content),
                16 if pragma.eq_ignore_ascii_case("content-language") => {
                    self.languages.of_pragma(&content);
                }
                _ => {}
            }
        }
        if let Some(property) = attributes.value_of("property") {
            self.open_graph.add(&property, &content);
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
            self.direct(directives::of_meta(&content), Place::Meta);
        } else if !self.signals.add_meta(name, &content) {
            self.open_graph.add(name, &content);
        }
    }

    /// Browsers obey only the first refresh of a document.
    pub(super) fn refresh(&mut self, value: &str) {
        if self.has_refresh {
            return;
        }
        let Some(target) = refresh::target(value) else {
            return;
        };
        self.has_refresh = true;
        if let Some(url) = target {
            self.links.add(url, LinkKind::Refresh, 0);
        }
    }

    pub(super) fn link_header(&mut self, value: &str) {
        for link in link_header::parse(value) {
            if is_license(link.rel) {
                self.license(Place::Header, link.target, Some(link.media_type));
            }
            let Some(kind) = kind_of_rel(link.rel, "") else {
                continue;
            };
            let index = self.links.add(link.target, LinkKind::Header, 0);
            if kind == LinkKind::Canonical && self.header_canonical.is_none() {
                self.header_canonical = index.map(|index| self.links.href(index).to_owned());
            }
        }
    }

    pub(super) fn license(&mut self, place: Place, href: &str, media_type: Option<&str>) {
        let target = self.links.target(href);
        self.signals
            .add_license(place, &target, media_type.unwrap_or_default());
    }

    /// The first `<base>` with an `href` applies to the whole document, including links before it.
    pub(super) fn base<A: Attributes + ?Sized>(&mut self, attributes: &A) {
        let Base::Awaited = self.base else { return };
        let Some(href) = attributes.value_of("href") else {
            return;
        };
        self.base = Base::Settled;
        let Ok(url) = url::join_base(self.document, &href, self.encoding) else {
            return;
        };
        if matches!(url.scheme(), "data" | "javascript") || url == *self.document {
            return;
        }
        if self.links.offered() > self.links_in_headers {
            self.base = Base::Late(url.clone());
        }
        self.links.replace_base(url);
    }

    /// A second `<html>` tag adds attributes that the first one lacks.
    pub(super) fn html<A: Attributes + ?Sized>(&mut self, attributes: &A) {
        if let Some(language) = attributes
            .value_of("lang")
            .or_else(|| attributes.value_of("xml:lang"))
        {
            self.set_language(&language);
        }
    }

    pub(super) fn media_element<A: Attributes + ?Sized>(&mut self, name: Name, attributes: &A) {
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

/// The kind of link that this `rel` means for a crawler; `None` for style sheets, icons and similar.
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

fn is_license(rel: &str) -> bool {
    directives::of_rel(rel) & rel::LICENSE != 0
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
