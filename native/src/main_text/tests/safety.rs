//! Text never becomes markup, and nothing in the Markdown runs.

use super::{PROSE, markdown, read};

#[test]
fn text_that_looks_like_html_stays_text() {
    assert_eq!(
        markdown("<p>&lt;script>alert(1)&lt;/script> &lt;!-- &lt;?php 1 &lt; 2"),
        "\\<script>alert(1)\\</script> \\<!-- \\<?php 1 \\< 2"
    );
}

#[test]
fn a_tag_that_is_put_together_from_pieces_stays_text() {
    for between in ["<b></b>", "<a name=x></a>", "<wbr>", "<i> </i>"] {
        let text = markdown(&format!("<p>x &lt;{between}script>alert(1)"));
        assert!(text.starts_with("x \\<"), "{between}: {text}");
    }
}

#[test]
fn scripts_and_styles_leave_nothing() {
    assert_eq!(
        markdown("<p>a<script>alert(1)</script>b<style>p {}</style>c<template>d</template></p>"),
        "abc"
    );
}

#[test]
fn links_that_run_something_are_text() {
    for href in [
        "javascript:alert(1)",
        " JaVaScRiPt:alert(1)",
        "java\nscript:alert(1)",
        "data:text/html,x",
        "vbscript:x",
        "file:///etc/passwd",
        "blob:https://a.test/1",
    ] {
        let text = markdown(&format!(
            "<p>whoever wants to see it may <a href='{href}'>click</a>"
        ));
        assert_eq!(text, "whoever wants to see it may click");
    }
}

#[test]
fn an_address_cannot_end_its_link() {
    assert_eq!(
        markdown(
            "<p>one and another: <a href='/wiki/A_(b)'>a</a> <a href='?q=`x`&amp;copy;=\\)'>c</a>"
        ),
        "one and another: [a](<https://example.com/wiki/A_(b)>) [c](<https://example.com/dir/page.html?q=%60x%60\\&copy;=\\\\)>)"
    );
    assert_eq!(
        markdown("<p>and a third: <a href='mailto:a>)[b](//c'>d</a>"),
        "and a third: [d](<mailto:a%3E)[b](//c>)"
    );
}

#[test]
fn an_exclamation_mark_before_a_link_makes_no_image() {
    assert_eq!(
        markdown("<p>Look!<a href=/x>here</a>"),
        "Look\\![here](https://example.com/x)"
    );
}

#[test]
fn each_line_of_a_paragraph_is_escaped() {
    assert_eq!(
        markdown("<p>a | b<br>--- | ---<br># c<br>- d<br>1. e<br>===<br>> f<br>:-"),
        "a | b  \n\\--- | ---  \n\\# c  \n\\- d  \n1\\. e  \n\\===  \n\\> f  \n\\:-"
    );
}

#[test]
fn signs_at_the_end_of_a_heading_are_part_of_it() {
    assert_eq!(markdown("<h2>In C #</h2><p>x"), "## In C \\#\n\nx");
    assert_eq!(markdown("<h2>##</h2><p>x"), "## \\##\n\nx");
    assert_eq!(markdown("<h2>C#</h2><p>x"), "## C#\n\nx");
}

#[test]
fn a_carriage_return_in_code_ends_no_list() {
    assert_eq!(
        markdown("<ul><li>a<pre>x&#13;&lt;script>&#13;&#10;y</pre></ul>"),
        "- a\n\n  ```\n  x\n  <script>\n  y\n  ```"
    );
}

#[test]
fn fences_are_longer_than_those_in_the_code() {
    assert_eq!(
        markdown("<pre>```rust\nx\n```\n````</pre>"),
        "`````\n```rust\nx\n```\n````\n`````"
    );
    assert_eq!(markdown("<p><code>``` a ``</code>"), "```` ``` a `` ````");
}

#[test]
fn pipes_in_cells_divide_nothing() {
    assert_eq!(
        markdown(
            "<table><caption># A | b</caption><tr><th>a|b</th><th>c</th></tr><tr><td><code>x|y</code></td><td>\\|</td></tr></table>"
        ),
        "\\# A | b\n\n| a\\|b | c |\n| --- | --- |\n| `x\\|y` | \\\\\\| |"
    );
}

#[test]
fn strikethrough_needs_an_element() {
    assert_eq!(markdown("<p>~a~ <s>b</s>"), "\\~a\\~ ~~b~~");
}

#[test]
fn a_manual_whose_main_part_is_short_is_not_doubted() {
    let page = format!(
        "<meta name=generator content=Docutils><div class=body role=main><h1>Search</h1><p>Type words.</p></div><div><p>{PROSE}</p></div>"
    );
    assert_eq!(read(&page).markdown, "# Search\n\nType words.");
}
