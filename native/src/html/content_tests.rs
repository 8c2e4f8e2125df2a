//! What a page is about: main text, headings, Open Graph, language (A2).

use url::Url;

use super::*;
use crate::url::Switches;

const PARAGRAPH: &str = "The plates of the atlas were bought at an auction, engraved anew where the old names had \
                         worn thin, and printed in so many languages that every merchant could afford a copy.";

fn read_with(html: &str, want_text: bool) -> Page {
    let options = ReadOptions {
        agent_token: "hondius".into(),
        media: false,
        scripts: false,
        requisites: false,
        max_links: 10_000,
        max_text: 1_000_000,
        want_text,
        keywords: None,
    };
    let reader = Reader::new(Identity::new(Switches::default()), options);
    let url = Url::parse("http://a.test/dir/page").unwrap();
    reader.read(html.as_bytes(), &url, "text/html; charset=utf-8", &[])
}

fn read(html: &str) -> Page {
    read_with(html, true)
}

fn main_text(html: &str) -> String {
    let page = read(html);
    assert!(!page.slow_road);
    page.main_text()
}

fn menu(items: usize) -> String {
    let items = (0..items).map(|number| format!("<li><a href=/m/{number}>Item {number}</a></li>"));
    format!("<ul>{}</ul>", items.collect::<String>())
}

#[test]
fn the_main_text_is_what_main_holds_a2() {
    let html = format!(
        "<header><h1>Site</h1>{menu}</header><nav>{menu}</nav><main><h1>Atlas</h1><p>{PARAGRAPH}</p>{menu}\
         <p>Short.</p><form><label>Mail</label></form><aside>{PARAGRAPH}</aside></main><footer>{PARAGRAPH}</footer>",
        menu = menu(9)
    );
    assert_eq!(main_text(&html), format!("Atlas\n{PARAGRAPH}\nShort."));
}

#[test]
fn without_main_it_is_what_the_articles_hold_with_their_headers_a2() {
    let html = format!(
        "<header>Site</header><div>{PARAGRAPH}</div><article><header>By-line</header><p>{PARAGRAPH}</article>\
         <article>One<br>two</article><aside><p>x</aside>"
    );
    assert_eq!(main_text(&html), format!("By-line\n{PARAGRAPH}\nOne two"));
}

#[test]
fn without_either_blocks_are_judged_by_length_and_links_a2() {
    let html = format!(
        "<div>Site</div>{menu}<div><h2>A chapter</h2><p>{PARAGRAPH} <a href=x>More</a></p><p>{PARAGRAPH}</p></div>\
         <div>{menu}</div><div>Imprint</div>",
        menu = menu(12)
    );
    assert_eq!(
        main_text(&html),
        format!("A chapter\n{PARAGRAPH} More\n{PARAGRAPH}")
    );
}

#[test]
fn a_page_in_a_form_and_a_page_of_links_keep_their_text() {
    let html = format!("<form>{}<p>{PARAGRAPH}<p>{PARAGRAPH}</form>", menu(3));
    assert_eq!(main_text(&html), format!("{PARAGRAPH}\n{PARAGRAPH}"));
    assert_eq!(
        main_text("<main><ul><li><a href=1>One</a><li><a href=2>Two</a></ul></main>"),
        "One\nTwo"
    );
    assert_eq!(main_text("<nav><a href=1>One</a></nav>"), "One");
    assert_eq!(main_text("short"), "short");
    assert_eq!(main_text(""), "");
}

#[test]
fn a_main_ends_what_was_never_closed() {
    let html = format!("<nav><header>{}<main><p>{PARAGRAPH}</main>", menu(3));
    assert_eq!(main_text(&html), PARAGRAPH);
}

#[test]
fn a_main_that_waits_for_scripts_is_not_believed() {
    let html = format!("<main>…</main><div><p>{PARAGRAPH}</p></div>");
    assert_eq!(main_text(&html), format!("…\n{PARAGRAPH}"));
}

#[test]
fn the_content_text_also_has_what_is_too_short_for_the_main_text() {
    let facts = "<dl><dt>Paper<dd>Rag paper of 1604.<dt>Ink<dd>Iron gall.</dl>";
    let html = format!(
        "<nav><a href=1>Home</a></nav>{facts}<p>{PARAGRAPH}</p>{facts}<footer>Imprint</footer>"
    );
    let page = read(&html);
    assert!(!page.main_text().contains("Rag paper of 1604. Ink"));
    let shown = "Paper Rag paper of 1604. Ink Iron gall.";
    assert_eq!(page.content_text(), format!("{shown} {PARAGRAPH} {shown}"));
    let links = "<nav><a href=1>One</a></nav>";
    assert_eq!(read(links).content_text(), "One");
    assert_eq!(read("").content_text(), "");
}

#[test]
fn both_roads_find_the_same_main_text() {
    let html = format!(
        "<nav>{}</nav><main><h1>T</h1><p>{PARAGRAPH}</p></main>",
        menu(5)
    );
    let slow = read(&format!(
        "{html}<svg><foreignObject></foreignObject><font></svg>"
    ));
    assert!(slow.slow_road);
    assert_eq!(slow.main_text(), main_text(&html));
}

#[test]
fn of_the_text_is_kept_what_is_found_in_it_where_nobody_asks_for_more() {
    let html = format!("<h1>T</h1><p>{PARAGRAPH}</p><a href=x>link</a>");
    let (page, whole) = (read_with(&html, false), read(&html));
    assert_eq!((page.text.as_str(), page.main_text()), ("", String::new()));
    assert_eq!((page.headings.len(), whole.headings.len()), (0, 1));
    assert_eq!(page.links[0].anchor, "link");
    assert_eq!(page.detected_language(), "en");
    assert_eq!(page.detected_language(), whole.detected_language());
    assert_eq!(page.simhash, whole.simhash);
    let declared = read_with(&format!("<html lang=nl>{html}"), false);
    assert_eq!(
        (declared.language.as_str(), declared.detected_language()),
        ("nl", "")
    );
}

#[test]
fn a_text_that_was_cut_gives_a_main_text_that_is_cut() {
    let reader = Reader::new(
        Identity::new(Switches::default()),
        ReadOptions {
            agent_token: "hondius".into(),
            media: false,
            scripts: false,
            requisites: false,
            max_links: 10,
            max_text: 8,
            want_text: true,
            keywords: None,
        },
    );
    let url = Url::parse("http://a.test/").unwrap();
    let html = "<main><p>žluť <b> a</b> <p>kůň <p>x</main>";
    let page = reader.read(html.as_bytes(), &url, "text/html; charset=utf-8", &[]);
    assert_eq!(
        (page.text.as_str(), page.main_text().as_str()),
        ("žluť a k", "žluť a\nk")
    );
}

#[test]
fn headings_have_level_and_folded_text_a2() {
    let page = read(
        "<h1> A &amp;\n <a href=x>b</a> </h1><p>no<h2>One<br>two</h2>no<h3>Open<h4>next</h5>no<h6></h6><svg><h1>s</h1></svg>",
    );
    let expected = [
        (1, "A & b"),
        (2, "One two"),
        (3, "Open"),
        (4, "next"),
        (1, "s"),
    ];
    let headings: Vec<_> = page
        .headings
        .iter()
        .map(|(level, text)| (*level, text.as_str()))
        .collect();
    assert_eq!(headings, expected);
}

#[test]
fn headings_are_capped() {
    let long = read(&format!("<h1>{}", "ž".repeat(400)));
    assert_eq!(long.headings[0].1.chars().count(), 300);
    let many = read(&"<h2>x</h2>".repeat(300));
    assert_eq!(many.headings.len(), 200);
}

#[test]
fn open_graph_is_kept_in_order_a2() {
    let page = read(
        "<meta property='OG:Title' content=' The  Atlas '><meta property=og:image content=/1.png><meta name=og:image content=/2.png>\
         <meta property='article:published_time' content=1606-01-01><meta name=twitter:title content=T>\
         <meta name=twitter:card content=summary><meta property=og: content=x><meta property=og:type content=''>\
         <meta property=og:description name=description content=d><meta property=og:title>",
    );
    let expected = [
        ("og:title", "The Atlas"),
        ("og:image", "/1.png"),
        ("og:image", "/2.png"),
        ("article:published_time", "1606-01-01"),
        ("twitter:title", "T"),
        ("og:description", "d"),
    ];
    let properties: Vec<_> = page
        .open_graph
        .iter()
        .map(|(name, content)| (name.as_str(), content.as_str()))
        .collect();
    assert_eq!(properties, expected);
    assert_eq!(page.description, "d");
}

#[test]
fn open_graph_is_capped() {
    let long = format!("<meta property=og:x content={}>", "ž".repeat(2000));
    let page = read(&long.repeat(100));
    assert_eq!(page.open_graph.len(), 64);
    assert_eq!(page.open_graph[0].1.chars().count(), 1000);
    let name = format!("<meta property=og:{} content=x>", "x".repeat(200));
    assert!(read(&name).open_graph.is_empty());
}

#[test]
fn the_language_is_that_of_the_main_text_whatever_is_declared_a2() {
    let page = read(&format!(
        "<html lang=de><nav>Startseite Über uns Kontakt Impressum Datenschutz Anmelden</nav><main><p>{PARAGRAPH}</main>"
    ));
    assert_eq!(
        (page.language.as_str(), page.detected_language()),
        ("de", "en")
    );
    assert_eq!(read("<p>42").detected_language(), "");
}
