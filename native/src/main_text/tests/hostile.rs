//! Pages that are made to cost much. Each of these took minutes, or would, if a step were not bounded.

use super::{PROSE, read};
use crate::html::slow;

#[test]
fn a_page_of_many_elements_that_are_closed_has_its_tree() {
    let page = format!(
        "<article><p>{PROSE}</p>{}</article>",
        "<p><a href=x>w</a> <b>x</b>".repeat(5_000)
    );
    let found = read(&page);
    assert!(found.markdown.contains("**x**"));
}

#[test]
fn elements_within_each_other_without_end_have_no_tree() {
    for piece in ["<div>", "<b a=", "<span><table><tr><td>", "<template>"] {
        let page: String = (0..10_000)
            .map(|number| match piece.ends_with('=') {
                true => format!("{piece}{number}>"),
                false => piece.to_owned(),
            })
            .collect();
        assert!(slow::build_whole(&page).is_none(), "{piece}");
    }
}

#[test]
fn formatting_elements_that_are_never_closed_are_given_up() {
    let open: String = (0..900).map(|number| format!("<b a={number}>")).collect();
    let page = format!("{open}{}", "<b x></b>".repeat(20_000));
    assert!(slow::build_whole(&page).is_none());
}

#[test]
fn open_elements_that_every_tag_searches_cost_no_more_than_their_bytes_allow() {
    // Each `<p>` looks for an open one among all elements around it: the work is the square of the length.
    let piece = "<div class=entry><p>x</p>";
    assert!(slow::build_whole(&piece.repeat(500)).is_some());
    assert!(slow::build_whole(&piece.repeat(4_000)).is_none());
}

#[test]
fn many_parts_of_one_class_are_gathered_in_one_pass() {
    let part = "<div class=post-content><p>x</p></div>";
    let page = format!(
        "<div class=post-content><p>{}</p></div>{}",
        PROSE.repeat(2_000),
        part.repeat(15_000)
    );
    assert!(read(&page).plain.ends_with("x\nx"));
}

#[test]
fn many_headings_of_other_texts_are_walked_once() {
    let page = format!(
        "<article><p>{}</p>{}</article>",
        PROSE.repeat(50),
        "<p>related</p>".repeat(15_000)
    );
    assert!(read(&page).plain.starts_with("The ferry"));
}

#[test]
fn a_base_that_is_long_is_not_copied_for_every_link() {
    let page = format!(
        "<base href='https://a.test/{}/'><article><p>{PROSE}</p>{}",
        "x".repeat(60_000),
        "<p>a line with <a href=y>a link</a>".repeat(5_000)
    );
    let found = read(&page);
    assert!(found.markdown.len() < 6 * page.len() + 200_000);
}

#[test]
fn a_table_of_many_rows_is_a_table() {
    let row = "<tr><td>one</td><td>two|</td><td>three</td></tr>";
    let page = format!(
        "<article><p>{PROSE}</p><table><tr><th>a<th>b<th>c</tr>{}</table>",
        row.repeat(10_000)
    );
    assert_eq!(
        read(&page)
            .markdown
            .matches("| one | two\\| | three |")
            .count(),
        10_000
    );
}
