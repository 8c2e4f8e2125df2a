mod declared_main;
mod hostile;
mod safety;

use encoding_rs::UTF_8;
use url::Url;

use super::MainText;
use crate::html::slow;

/// Long enough to be prose by itself.
const PROSE: &str = "The ferry leaves the island every morning at six, and whoever misses it waits until the next day for another one.";

fn read(html: &str) -> MainText {
    let tree = slow::build_whole(html).unwrap();
    let url = Url::parse("https://example.com/dir/page.html").unwrap();
    super::extract(&tree, &url, UTF_8, html.len())
}

/// The Markdown of something that stands in an article.
fn markdown(html: &str) -> String {
    let page = format!("<title>t</title><article><p>{PROSE}</p>{html}<p>{PROSE}</p></article>");
    let text = read(&page).markdown;
    let text = text
        .strip_prefix(PROSE)
        .unwrap()
        .strip_suffix(PROSE)
        .unwrap();
    text.trim_matches('\n').to_owned()
}

#[test]
fn headings_keep_their_level_and_paragraphs_are_parted() {
    assert_eq!(
        markdown("<h2>The <em>old</em> harbour</h2><p>one\n two</p><div>three<p>four</div>"),
        "## The *old* harbour\n\none two\n\nthree\n\nfour"
    );
}

#[test]
fn inline_marks_are_written_where_markdown_reads_them() {
    assert_eq!(
        markdown("<p>a <b> bold </b>b <i>it</i> <s>no</s>"),
        "a **bold** b *it* ~~no~~"
    );
    assert_eq!(markdown("<p>x<b>\"y\"</b>z"), "x\"y\"z");
    assert_eq!(markdown("<p>x<b>(y)</b> z"), "x(y) z");
    assert_eq!(markdown("<p><b></b>a<i> </i>b"), "a b");
    assert_eq!(
        markdown("<p><b>one<p>two</b> three"),
        "**one**\n\n**two** three"
    );
}

#[test]
fn raised_and_lowered_text_stays_so_in_markdown() {
    assert_eq!(
        markdown("<p>E=mc<sup>2</sup>, H<sub>2</sub>O and x<sup></sup><sup><i>n</i></sup>"),
        "E=mc<sup>2</sup>, H<sub>2</sub>O and x<sup>*n*</sup>"
    );
}

#[test]
fn captions_of_figures_are_in_the_markdown_only() {
    let page = format!(
        "<article><p>{PROSE}</p><figure><img src=x><figcaption>The old <b>ferry</b></figcaption></figure><p>{PROSE}</p></article>"
    );
    let found = read(&page);
    assert_eq!(
        found.markdown,
        format!("{PROSE}\n\nThe old **ferry**\n\n{PROSE}")
    );
    assert_eq!(found.plain, format!("{PROSE}\n{PROSE}"));
}

#[test]
fn a_page_whose_text_is_a_caption_is_taken_whole() {
    let page = format!(
        "<article><p>Water:</p><figure><figcaption>{PROSE}</figcaption></figure></article>"
    );
    assert_eq!(read(&page).plain, format!("Water:\n{PROSE}"));
}

#[test]
fn plain_text_keeps_its_lines() {
    let found = super::from_lines("one\r\n- two\n\n \n\n# three\n");
    assert_eq!(found.plain, "one\n- two\n# three");
    assert_eq!(found.markdown, "one  \n\\- two\n\n\\# three");
}

#[test]
fn what_markdown_would_read_as_markup_is_escaped() {
    assert_eq!(
        markdown("<p>1. a *b* [c] &lt;d> `e` f_g _h_ &amp;lt; \\"),
        "1\\. a \\*b\\* \\[c\\] \\<d> \\`e\\` f_g \\_h\\_ \\&lt; \\\\"
    );
    assert_eq!(
        markdown("<p># no heading<p>- no item<p>> no quote"),
        "\\# no heading\n\n\\- no item\n\n\\> no quote"
    );
}

#[test]
fn links_are_absolute_and_those_that_lead_nowhere_are_text() {
    assert_eq!(
        markdown(
            "<p>see <a href='../a b.html?q=(1)'>the <b>list</b></a>, <a href='javascript:x()'>run</a>, <a name=x>here</a>"
        ),
        "see [the **list**](<https://example.com/a%20b.html?q=(1)>), run, here"
    );
}

#[test]
fn links_follow_the_base_of_the_document() {
    let page = format!(
        "<base href='https://other.example/x/'><article><p>{PROSE} <a href=y>y</a></article>"
    );
    assert!(
        read(&page)
            .markdown
            .ends_with("[y](https://other.example/x/y)")
    );
}

#[test]
fn lists_are_nested_and_numbered() {
    assert_eq!(
        markdown(
            "<ol start=3><li>three<ul><li>a</li><li><p>b</p><p>c</p></li></ul></li><li>four</li></ol>"
        ),
        "3. three\n   - a\n   - b\n\n     c\n4. four"
    );
}

#[test]
fn a_numbered_list_within_an_item_begins_after_a_gap_unless_with_one() {
    assert_eq!(
        markdown(
            "<ul><li>a<ol start=2><li>b</li><li>c</li></ol></li><li>d<ol><li>e</li></ol></li></ul>"
        ),
        "- a\n\n  2. b\n  3. c\n- d\n  1. e"
    );
}

#[test]
fn quotations_hold_other_blocks() {
    assert_eq!(
        markdown("<blockquote><p>one</p><ul><li>two</li></ul></blockquote>"),
        "> one\n>\n> - two"
    );
}

#[test]
fn code_keeps_its_lines_and_names_its_language() {
    assert_eq!(
        markdown(
            "<div class='highlight-python notranslate'><div class=highlight><pre>if x:\n\n    <b>y</b>()\n</pre></div></div>"
        ),
        "```python\nif x:\n\n    y()\n```"
    );
    assert_eq!(
        markdown("<pre><code class='language-c++'>a```b</code></pre>"),
        "````c++\na```b\n````"
    );
    assert_eq!(
        markdown("<p>call <code>f(`x`)</code> or <code>a  b</code>"),
        "call ``f(`x`)`` or `a b`"
    );
    assert_eq!(
        markdown("<ul><li>run<pre>x\ny</pre></li></ul>"),
        "- run\n\n  ```\n  x\n  y\n  ```"
    );
}

#[test]
fn data_tables_are_tables() {
    assert_eq!(
        markdown(
            "<table><caption>Prices</caption><thead><tr><th>a</th><th>b</th></tr></thead>\
             <tr><td rowspan=2>1|2</td><td><p>x</p><p>y</p></td></tr><tr><td>z</td></tr><tr><td colspan=2>wide</td></tr></table>"
        ),
        "Prices\n\n| a | b |\n| --- | --- |\n| 1\\|2 | x y |\n|  | z |\n| wide |"
    );
}

#[test]
fn a_table_without_a_header_gets_an_empty_one() {
    assert_eq!(
        markdown("<table><tr><td>a</td><td>b</td></tr><tr><td>c</td><td>d</td></tr></table>"),
        "|  |  |\n| --- | --- |\n| a | b |\n| c | d |"
    );
}

#[test]
fn tables_that_lay_out_the_page_are_not_tables() {
    let page = format!(
        "<table><tr><td><a href=1>Home page</a><br><a href=2>Contact us</a></td><td><h1>Ferries</h1><p>{PROSE}</p>\
         <table><tr><td>deep</td></tr></table></td></tr></table>"
    );
    let found = read(&page);
    assert!(
        found.markdown.contains(PROSE) && !found.markdown.contains('|'),
        "{}",
        found.markdown
    );
}

#[test]
fn plain_text_has_a_line_a_block_and_no_title() {
    let page = format!(
        "<article><h1>Ferries</h1><p>{PROSE}</p><ul><li>a <b>b</b></li></ul><h2>More</h2><p>soft\u{AD}ly<br>said</p></article>"
    );
    let found = read(&page);
    assert_eq!(found.plain, format!("{PROSE}\n- a b\nMore\nsoftly\nsaid"));
    assert!(found.markdown.starts_with("# Ferries\n\n"));
}

#[test]
fn what_is_hidden_or_around_the_text_is_dropped() {
    let page = format!(
        "<nav>Menu entry</nav><div class=cookie-banner>{PROSE} Cookies.</div><main><h1>T</h1><p>{PROSE}</p><p hidden>Secret</p>\
         <p style='color: red; display : none'>Secret</p><div class='share-buttons social-share'>Tell your friends</div>\
         <h3>Related articles</h3><ul><li><a href=x>Another story</a></li></ul></main><footer>Imprint</footer>"
    );
    assert_eq!(read(&page).plain, PROSE);
}

#[test]
fn a_lead_that_stands_before_the_body_is_part_of_the_text() {
    let lead = "A short summary of what this article is going to say, in one line.";
    let page = format!(
        "<article><h1>T</h1><p class=byline>By Somebody</p><p class=intro>{lead}</p><div class=article-body><p>{PROSE}</p><p>{PROSE}</p></div></article>"
    );
    assert_eq!(read(&page).plain, format!("{lead}\n{PROSE}\n{PROSE}"));
}

#[test]
fn comments_on_an_article_are_dropped_and_posts_of_a_forum_are_not() {
    let comment = format!("<div class=comment><p>{PROSE} Says a reader.</p></div>").repeat(5);
    let article = format!(
        "<article><h1>T</h1><div class=entry-content><p>{PROSE}</p><p>{PROSE}</p><p>{PROSE}</p><p>{PROSE}</p></div></article>"
    );
    assert!(
        !read(&format!("{article}<div id=comments>{comment}</div>"))
            .plain
            .contains("reader")
    );
    let post = |words: &str| {
        format!(
            "<div class=post><div class=postprofile>Joined 2009</div><div class=postbody><p>{PROSE} {words}</p><div class=signature>My motto</div></div></div>"
        )
    };
    let forum = read(&format!(
        "<h2>Topic</h2>{}{}{}",
        post("One."),
        post("Two."),
        post("Three.")
    ));
    for words in ["One.", "Two.", "Three."] {
        assert!(forum.plain.contains(words), "{}", forum.plain);
    }
    assert!(
        !forum.plain.contains("motto") && !forum.plain.contains("2009"),
        "{}",
        forum.plain
    );
}

#[test]
fn a_product_has_its_description_and_its_specification() {
    let page = format!(
        "<meta property=og:type content=product><main><h1>Pan</h1><div class=product-description><p>{PROSE}</p></div>\
         <form class=cart><button class=add-to-cart>Add to cart</button></form>\
         <div class=tab-pane hidden><table><tr><th>Weight</th><td>2 kg</td></tr></table></div>\
         <section class=related><h2>You may also like</h2><p>Another pan</p></section></main>"
    );
    let found = read(&page);
    assert!(
        found.markdown.contains("| Weight | 2 kg |") || found.markdown.contains("Weight | 2 kg"),
        "{}",
        found.markdown
    );
    assert!(
        !found.plain.contains("Another pan") && !found.plain.contains("cart"),
        "{}",
        found.plain
    );
}

#[test]
fn a_manual_keeps_its_lists_of_links_and_loses_the_signs_of_its_headings() {
    let page = format!(
        "<meta name=generator content='Docutils 0.19'><div class=sphinxsidebar><ul><li><a href=x>Elsewhere</a></li></ul></div>\
         <div class=body role=main><section id=related-functions><h1>Ports<a class=headerlink href=#p>¶</a></h1><p>{PROSE}</p>\
         <ul><li><a href=a.html>First chapter</a></li><li><a href=b.html>Second chapter</a></li></ul></section></div>"
    );
    let found = read(&page);
    assert!(
        found.markdown.starts_with("# Ports\n"),
        "{}",
        found.markdown
    );
    assert!(
        found.plain.contains("- First chapter\n- Second chapter")
            && !found.plain.contains("Elsewhere"),
        "{}",
        found.plain
    );
}

#[test]
fn a_short_page_is_taken_whole() {
    assert_eq!(read("<p>Hello, world").plain, "Hello, world");
    assert_eq!(read("").plain, "");
    assert_eq!(
        read("<nav><a href=x>Only a menu</a></nav>").plain,
        "Only a menu"
    );
}

#[test]
fn blocks_without_a_tree_become_paragraphs() {
    let found = super::from_blocks(["one  *two*", "", "- three"].into_iter());
    assert_eq!(found.plain, "one *two*\n- three");
    assert_eq!(found.markdown, "one \\*two\\*\n\n\\- three");
}

#[test]
fn what_is_written_is_bounded_by_what_was_read() {
    let deep = "<blockquote><ul><li>".repeat(300) + "<pre>" + &"\n".repeat(20_000) + "x</pre>";
    let long = format!("<a href=#x>{}", "<p>word".repeat(1_000));
    let wide = "<table>".to_owned() + &"<tr><td colspan=1000 rowspan=1000>x".repeat(500);
    for page in [deep, long, wide] {
        let found = read(&page);
        assert!(
            found.markdown.len() < 6 * page.len() + 200_000,
            "{} of {}",
            found.markdown.len(),
            page.len()
        );
    }
}
