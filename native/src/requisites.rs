//! What a browser fetches to show a page: styles, images, scripts, fonts, and what style sheets name (D7).
//!
//! The same walk finds them that rewrites a page for the replay (`rewriting/`): what the replay asks for was fetched. What
//! scripts name is found by its looks (`script_names`).

mod script_names;

use std::collections::HashSet;

use encoding_rs::{Encoding, UTF_8};
use url::Url;

use crate::media_type::Syntax;
use crate::rewriting::edits::Edits;
use crate::rewriting::walk::{self, Markup, Role, Visitor};
use crate::url::{Identity, Key};

/// Requisites of one page or style sheet. Further ones are not fetched.
pub const MOST: usize = 1_000;
/// Bytes that their texts and bases may take together: resolving one takes as long as its base.
const MOST_BYTES: usize = 16 * 1024 * 1024;

/// A requisite: what would be requested, and its key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Requisite {
    pub href: String,
    pub key: Key,
}

/// How a document is searched.
#[derive(Debug, Clone, Copy)]
pub struct Search<'s> {
    pub identity: &'s Identity,
    pub document: &'s Url,
    pub encoding: &'static Encoding,
    /// Audio and video, too.
    pub media: bool,
}

impl Search<'_> {
    /// The requisites of a document, each once, in its order.
    pub fn of_document(&self, text: &str, syntax: Syntax) -> Vec<Requisite> {
        let markup = match syntax {
            Syntax::Html => Markup::Html,
            Syntax::Xml => Markup::Xml,
            Syntax::Text | Syntax::Opaque => return Vec::new(),
        };
        let base = walk::find_base(text, markup, self.document, self.encoding);
        let mut collector = self.collector(base.as_ref().unwrap_or(self.document));
        walk::walk(text, markup, &mut collector, &mut Edits::default());
        collector.list
    }

    /// The requisites of a style sheet. Its URLs are always in UTF-8.
    pub fn of_sheet(&self, text: &str) -> Vec<Requisite> {
        let search = Search {
            encoding: UTF_8,
            ..*self
        };
        let mut collector = search.collector(self.document);
        walk::visit_sheet(text, 0, &mut collector, &mut Edits::default());
        collector.list
    }

    /// What a script names. A browser resolves addresses in a script by the document; a script of its own file does not
    /// say which one that is, so its place stands for it.
    pub fn of_script(&self, text: &str) -> Vec<Requisite> {
        let mut collector = self.collector(self.document);
        collector.script(text);
        collector.list
    }

    fn collector<'c>(&'c self, base: &'c Url) -> Collector<'c> {
        Collector {
            search: self,
            base,
            list: Vec::new(),
            known: HashSet::new(),
            room: MOST_BYTES,
        }
    }
}

struct Collector<'c> {
    search: &'c Search<'c>,
    base: &'c Url,
    list: Vec<Requisite>,
    known: HashSet<Key>,
    room: usize,
}

impl Visitor for Collector<'_> {
    fn url(&mut self, text: &str, role: Role) -> Option<String> {
        let is_wanted = role == Role::Asset || role == Role::Media && self.search.media;
        let text = text.trim_matches(|character: char| character <= ' ');
        if !is_wanted || text.is_empty() || text.starts_with('#') || self.list.len() >= MOST {
            return None;
        }
        let cost = self.base.as_str().len() + text.len();
        self.room = self.room.checked_sub(cost)?;
        let Search {
            identity, encoding, ..
        } = *self.search;
        let (url, key) = identity.resolve_in(self.base, text, encoding)?;
        if self.known.insert(key) {
            let href = url.into();
            self.list.push(Requisite { href, key });
        }
        None
    }

    fn script(&mut self, text: &str) {
        script_names::find(text, |name| {
            self.url(name, Role::Asset);
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hrefs(text: &str, media: bool) -> Vec<String> {
        let search = Search {
            identity: &Identity::default(),
            document: &Url::parse("https://a.test/dir/page").unwrap(),
            encoding: UTF_8,
            media,
        };
        let list = search.of_document(text, Syntax::Html);
        list.into_iter().map(|requisite| requisite.href).collect()
    }

    #[test]
    fn d7_requisites_are_what_a_browser_fetches() {
        let page = "<link rel=stylesheet href=/s.css><link rel='shortcut icon' href=/i.ico>\
            <link rel=preconnect href=//c.test><link rel=canonical href=/c><a href=/p>x</a>\
            <style>@import '/t.css';a{b:url(u.png)}</style><script src=//cdn.test/a.js></script>\
            <p style='background:url(&quot;v.png&quot;)'><img src=w.png srcset='x.png 2x, y.png 3x'>\
            <img src=w.png#again><iframe src=/f></iframe><form action=/g></form>\
            <svg><image xlink:href=z.svg /><use href='#here'/></svg><img src=data:image/png,x>";
        let expected = [
            "https://a.test/s.css",
            "https://a.test/i.ico",
            "https://a.test/t.css",
            "https://a.test/dir/u.png",
            "https://cdn.test/a.js",
            "https://a.test/dir/v.png",
            "https://a.test/dir/w.png",
            "https://a.test/dir/x.png",
            "https://a.test/dir/y.png",
            "https://a.test/dir/z.svg",
        ];
        assert_eq!(hrefs(page, false), expected);
    }

    #[test]
    fn d7_audio_and_video_are_requisites_only_with_media() {
        let page = "<video src=a.mp4 poster=b.png><source src=c.webm></video>";
        assert_eq!(hrefs(page, false), ["https://a.test/dir/b.png"]);
        assert_eq!(hrefs(page, true).len(), 3);
    }

    #[test]
    fn a_base_applies_also_to_what_stands_before_it() {
        let page = "<img src=a.png><base href=/other/><img src=b.png>";
        let expected = ["https://a.test/other/a.png", "https://a.test/other/b.png"];
        assert_eq!(hrefs(page, false), expected);
    }

    #[test]
    fn d7_pictures_that_scripts_and_handlers_of_a_page_name_are_requisites() {
        let page = "<script>x = '/a.png'</script><script type=module>y = 'b.svg'</script>\
            <script type=application/ld+json>{\"logo\":\"/c.png\"}</script>\
            <img src=d.png onmouseover=\"this.src='e.png'\"><p title=\"'/f.png'\">";
        let expected = [
            "https://a.test/a.png",
            "https://a.test/dir/b.svg",
            "https://a.test/dir/d.png",
            "https://a.test/dir/e.png",
        ];
        assert_eq!(hrefs(page, false), expected);
    }

    #[test]
    fn q2_a_page_has_a_limited_number_of_requisites() {
        let page: String = (0..5_000).map(|n| format!("<img src={n}.png>")).collect();
        assert_eq!(hrefs(&page, false).len(), MOST);
    }
}
