//! What kind of page it is. A forum's posts look like the comments of an article, and a manual's lists of links are its
//! text: each kind has rules of its own.

use super::head::Head;
use super::marks::{self, Marks};
use super::measure::Measure;
use super::outline::{Index, Outline};
use super::tag::Tag;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Article,
    Documentation,
    Forum,
    Shop,
}

/// Software that writes manuals, as it calls itself in `<meta name=generator>`.
const DOCUMENTATION_GENERATORS: &[&str] = &[
    "sphinx",
    "docutils",
    "mkdocs",
    "docusaurus",
    "doxygen",
    "javadoc",
    "rustdoc",
    "mdbook",
    "asciidoc",
    "docbook",
    "antora",
    "gitbook",
    "texinfo",
    "makeinfo",
    "texi2",
    "vuepress",
    "vitepress",
    "starlight",
    "nextra",
    "docfx",
    "yard ",
    "jsdoc",
    "typedoc",
    "pdoc",
    "latex2html",
    "dita",
    "godoc",
    "ex_doc",
    "haddock",
    "epydoc",
    "readthedocs",
    "zola docs",
];

const FORUM_GENERATORS: &[&str] = &[
    "phpbb",
    "vbulletin",
    "discourse",
    "xenforo",
    "mybb",
    "simple machines",
    "flarum",
    "nodebb",
    "invision",
    "woltlab",
    "vanilla",
    "punbb",
    "fluxbb",
    "yabb",
    "mhonarc",
    "pipermail",
    "hyperkitty",
    "question2answer",
];

/// Classes and ids that such software gives the body, or what stands directly in it.
const DOCUMENTATION_NAMES: &[&str] = &[
    "docutils",
    "sphinxsidebar",
    "rst-content",
    "wy-body-for-nav",
    "md-content",
    "theme-doc",
    "mdbook",
    "rustdoc",
    "javadoc",
    "doxygen",
    "refentry",
    "sect1",
    "navheader",
    "documentwrapper",
    "apicontent",
    "manual-page",
    "manual-text",
    "mandoc",
    "manpage",
    "texinfo",
    "highlight-default",
    "class-declaration-page",
    "flex-content",
    "footdiv",
    "docs-content",
    "docs-body",
    "doc-content",
    "api-content",
];

/// Elements whose names are looked at for signs of such software.
const LOOKED_AT: usize = 4_000;

/// Posts below this number are no discussion.
const LEAST_POSTS: usize = 2;
const MOST_GROUPS: usize = 40;
/// More prose beside comments is an article.
const MOST_OPENING: u32 = 400;

pub fn find(head: &Head<'_>, outline: &Outline<'_>, marks: &[Marks], measures: &[Measure]) -> Kind {
    let is_discussed = head.has_type(&["DiscussionForumPosting", "QAPage", "Question"]);
    if head.says(FORUM_GENERATORS) || is_discussed && !head.is_news {
        return Kind::Forum;
    }
    if head.says(DOCUMENTATION_GENERATORS) || (!head.is_news && has_documentation_names(outline)) {
        return Kind::Documentation;
    }
    if !head.is_news && is_discussion(outline, marks, measures) {
        return Kind::Forum;
    }
    let is_product = head.og_type.starts_with("product")
        || head.og_type.ends_with(":product")
        || head.has_type(&["Product"]);
    if !head.is_news && (is_product || has_cart(outline, marks)) {
        return Kind::Shop;
    }
    Kind::Article
}

fn has_documentation_names(outline: &Outline<'_>) -> bool {
    let named = |index: Index| {
        ["class", "id"]
            .into_iter()
            .filter_map(move |name| outline.attribute(index, name))
    };
    (0..outline.len().min(LOOKED_AT))
        .flat_map(named)
        .any(|names| {
            names.split_ascii_whitespace().any(|name| {
                DOCUMENTATION_NAMES.iter().any(|sign| {
                    name.get(..sign.len())
                        .is_some_and(|start| start.eq_ignore_ascii_case(sign))
                })
            })
        })
}

/// Posts of one class that hold most of the text, and no article that they are comments on.
fn is_discussion(outline: &Outline<'_>, marks: &[Marks], measures: &[Measure]) -> bool {
    let Some(posts) = find_posts(outline, marks, measures) else {
        return false;
    };
    let posted: u32 = posts.iter().map(|post| measures[*post].prose).sum();
    let is_comment = |post: &Index| {
        std::iter::once(*post)
            .chain(outline.ancestors(*post))
            .any(|above| marks[above] & marks::COMMENTS != 0)
    };
    let beside = measures[0].prose - posted.min(measures[0].prose);
    if has_article(outline, marks, measures, &posts) {
        false
    } else if is_comment(&posts[0]) {
        beside < MOST_OPENING && beside * 2 < posted
    } else {
        beside * 2 < posted
    }
}

/// The body of an article beside the posts.
fn has_article(
    outline: &Outline<'_>,
    marks: &[Marks],
    measures: &[Measure],
    posts: &[Index],
) -> bool {
    let is_post = |index: Index| {
        let after = posts.partition_point(|post| *post <= index);
        let is_within = after > 0 && outline.is_within(index, posts[after - 1]);
        is_within
            || posts
                .get(after)
                .is_some_and(|next| *next < outline.nodes[index].end)
    };
    (0..outline.len()).any(|index| {
        marks[index] & marks::BODY != 0 && measures[index].prose >= MOST_OPENING && !is_post(index)
    })
}

/// The largest group of outermost posts of one class.
pub fn find_posts(
    outline: &Outline<'_>,
    marks: &[Marks],
    measures: &[Measure],
) -> Option<Vec<Index>> {
    let mut groups: Vec<(&str, Vec<Index>, u32)> = Vec::new();
    let mut index = 1;
    while index < outline.len() {
        let node = &outline.nodes[index];
        let is_post = marks[index] & marks::POST != 0
            && marks[index] & marks::HIDDEN == 0
            && (node.tag.is_container() || node.tag == Tag::Item)
            && measures[index].prose > 0;
        if is_post {
            let class = outline.attribute(index, "class").unwrap_or_default();
            let name = first_word(class);
            let group = groups.iter().position(|(other, ..)| *other == name);
            if group.is_none() && groups.len() < MOST_GROUPS {
                groups.push((name, Vec::new(), 0));
            }
            let group = group.unwrap_or(groups.len() - 1);
            let (other, posts, length) = &mut groups[group];
            if *other == name
                && posts
                    .last()
                    .is_none_or(|last| outline.nodes[*last].end <= index)
            {
                posts.push(index);
                *length += measures[index].prose;
            }
        }
        index += 1;
    }
    let largest = groups
        .into_iter()
        .filter(|(_, posts, _)| posts.len() >= LEAST_POSTS)
        .max_by_key(|(_, _, length)| *length)?;
    Some(largest.1)
}

/// `post-12` and `post-13` are one class.
fn first_word(class: &str) -> &str {
    let name = class.split_ascii_whitespace().next().unwrap_or_default();
    name.trim_end_matches(|c: char| c.is_ascii_digit())
}

fn has_cart(outline: &Outline<'_>, marks: &[Marks]) -> bool {
    (0..outline.len())
        .filter(|index| marks[*index] & marks::CART != 0)
        .take(4)
        .count()
        > 0
        && (0..outline.len()).any(|index| marks[index] & marks::PRODUCT != 0)
}
