//! What a document says about itself in elements that are not shown.

use html5ever::local_name;

use crate::html::tree::{Content, DOCUMENT, Element, Id, Tree};

#[derive(Default)]
pub struct Head<'t> {
    /// The address of the first `base`.
    pub base: Option<&'t str>,
    pub og_type: String,
    /// It says that it is an article.
    pub is_news: bool,
    generators: String,
    /// Names of types in structured data.
    types: Vec<String>,
}

/// Types that are counted.
const MOST_TYPES: usize = 100;
const LONGEST_TYPE: usize = 60;

impl<'t> Head<'t> {
    pub fn read(tree: &'t Tree) -> Self {
        let mut head = Head::default();
        let mut next = tree.first_child(DOCUMENT);
        while let Some(id) = next {
            if let Content::Element(element) = tree.content(id) {
                head.element(tree, id, element);
            }
            next = tree.next_node(id);
        }
        head.is_news |= head.has_type(&[
            "NewsArticle",
            "BlogPosting",
            "Article",
            "ReportageNewsArticle",
        ]);
        head
    }

    fn element(&mut self, tree: &Tree, id: Id, element: &'t Element) {
        let name = &element.name.local;
        if *name == local_name!("meta") {
            self.meta(element);
        } else if *name == local_name!("base") {
            self.base = self.base.or_else(|| element.attribute("href"));
        } else if *name == local_name!("script") && is_json_ld(element) {
            if let Some(Content::Text(text)) = tree.first_child(id).map(|id| tree.content(id)) {
                self.add_types(text);
            }
        } else if let Some(kind) = element.attribute("itemtype") {
            self.add_type(kind.rsplit('/').next().unwrap_or_default());
        }
    }

    fn meta(&mut self, element: &Element) {
        let content = element.attribute("content").unwrap_or_default();
        let content = &content[..content.floor_char_boundary(200)];
        let name = element
            .attribute("name")
            .or_else(|| element.attribute("property"))
            .unwrap_or_default();
        let is = |other: &str| name.eq_ignore_ascii_case(other);
        if is("generator") {
            self.generators.push_str(&content.to_lowercase());
            self.generators.push('\n');
        } else if is("og:type") {
            self.og_type = content.to_lowercase();
        } else if is("article:published_time") {
            self.is_news = true;
        }
    }

    /// Found without reading the whole: names between quotes after `"@type"`.
    fn add_types(&mut self, json: &str) {
        for part in json.split("\"@type\"").skip(1).take(MOST_TYPES) {
            let part = &part[..part.floor_char_boundary(2 * LONGEST_TYPE)];
            let is_list = part
                .trim_start_matches([' ', ':', '\n', '\t', '\r'])
                .starts_with('[');
            let names = part.split('"').skip(1).step_by(2);
            names
                .take(if is_list { 3 } else { 1 })
                .for_each(|name| self.add_type(name));
        }
    }

    fn add_type(&mut self, name: &str) {
        let is_new = !self.types.iter().any(|known| known == name);
        if is_new && self.types.len() < MOST_TYPES && name.len() <= LONGEST_TYPE {
            self.types.push(name.to_owned());
        }
    }

    /// One of these programs made it.
    pub fn says(&self, generators: &[&str]) -> bool {
        generators.iter().any(|name| self.generators.contains(name))
    }

    pub fn has_type(&self, names: &[&str]) -> bool {
        self.types.iter().any(|kind| names.contains(&kind.as_str()))
    }
}

pub fn is_json_ld(element: &Element) -> bool {
    let kind = element.attribute("type").unwrap_or_default();
    let essence = kind.split(';').next().unwrap_or_default();
    essence.trim().eq_ignore_ascii_case("application/ld+json")
}
