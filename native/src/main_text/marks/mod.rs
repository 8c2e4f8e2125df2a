//! What the author of a page says about an element: its class, id, role and item property, as bits.
//!
//! `names` reads classes and ids by the words in `patterns`; `attributes` reads all else.

mod attributes;
mod names;
mod patterns;

use rustc_hash::FxHashMap;

use super::outline::{Index, Outline};
use super::tag::Tag;

pub type Marks = u32;

/// Navigation, advertising, recommendations, sharing: never part of the text.
pub const BESIDE: Marks = 1;
pub const COMMENTS: Marks = 2;
/// Author, date, tags, credits.
pub const BYLINE: Marks = 4;
/// The body of an article.
pub const BODY: Marks = 8;
/// Something that holds the content, among other things.
pub const CONTENT: Marks = 16;
pub const HIDDEN: Marks = 32;
/// An announcement of another page.
pub const TEASER: Marks = 64;
pub const CAPTION: Marks = 128;
/// A post of a forum, an answer, a message.
pub const POST: Marks = 256;
/// What is sold: a description, features, specifications.
pub const PRODUCT: Marks = 512;
/// A panel that a tab shows.
pub const PANEL: Marks = 1024;
/// Often beside the text, but as often around it.
pub const DOUBTFUL: Marks = 4096;
/// Price, stock, delivery and buttons of a shop.
pub const SHOPPING: Marks = 8192;
/// The first paragraph of an article, where it stands apart.
pub const LEAD: Marks = 16384;
/// A button that puts something into a basket.
pub const CART: Marks = 32768;
/// A banner that asks for consent, or a dialog over the page.
pub const CONSENT: Marks = 65536;
/// What a forum shows beside each post.
pub const POSTER: Marks = 2048;

/// Of every node, in order.
pub fn of_all(outline: &Outline<'_>) -> Vec<Marks> {
    let mut known = FxHashMap::default();
    let mut scratch = String::new();
    let of = |index: Index| {
        let node = &outline.nodes[index];
        let Some(element) = node.element.filter(|_| node.tag != Tag::Body) else {
            return 0;
        };
        let class = element.attribute("class").unwrap_or_default();
        let id = element.attribute("id").unwrap_or_default();
        let id = if is_slug(id) || matches!(node.tag, Tag::Heading(_)) {
            ""
        } else {
            id
        };
        let mut marks = 0;
        if !class.is_empty() || !id.is_empty() {
            marks = *known
                .entry((class, id))
                .or_insert_with(|| names::read(class, id, &mut scratch));
        }
        marks | attributes::read(element)
    };
    (0..outline.len()).map(of).collect()
}

/// What the class alone says: programs that write manuals make ids from headings.
pub fn of_class(class: &str) -> Marks {
    names::read(class, "", &mut String::new())
}

/// Many programs make the id of a section from the words of its heading.
fn is_slug(id: &str) -> bool {
    id.bytes()
        .filter(|byte| matches!(byte, b'-' | b'_' | b'.'))
        .count()
        >= 3
}
