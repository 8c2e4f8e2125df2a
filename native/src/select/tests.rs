//! Selectors over small documents. The expected elements are named by their `id`.

use super::*;
use crate::html::slow;
use crate::html::tree::DOCUMENT;

const PAGE: &str = r#"<!doctype html><html id=html><head id=head><title id=title>T</title></head><body id=body>
<div id=a class="list big" data-kind="Shop-Front"><ul id=u><li id=l1 class=x>One</li><li id=l2 class="x y">Two
<b id=bold>bold</b></li><li id=l3 lang=en-GB>Three</li><li id=l4></li></ul><p id=p1>Red  shoes</p><p id=p2>In stock</p>
<span id=s1>s</span></div><div id=b class=list><a id=link href="/p/1.html" title="A b">Go</a><p id=p3>x</p></div>
<svg id=svg viewBox="0 0 1 1"><linearGradient id=gradient></linearGradient></svg></body></html>"#;

fn find_within(page: &str, selector: &str, scope: Option<&str>) -> Result<Vec<String>, TooMuch> {
    let tree = slow::build_whole(page).unwrap();
    let positions = Positions::new(&tree);
    let search = |scope| Search {
        tree: &tree,
        positions: Some(&positions),
        scope,
        most: usize::MAX,
    };
    let mut work = Work::new(1_000_000);
    let scope = match scope {
        Some(id) => {
            search(DOCUMENT).find(&Selector::parse(&format!("#{id}")).unwrap(), &mut work)?[0]
        }
        None => DOCUMENT,
    };
    let found = search(scope).find(&Selector::parse(selector).unwrap(), &mut work)?;
    let name = |id: &u32| {
        tree.element(*id)
            .unwrap()
            .attribute("id")
            .unwrap_or("?")
            .to_owned()
    };
    Ok(found.iter().map(name).collect())
}

fn find(selector: &str) -> String {
    find_within(PAGE, selector, None).unwrap().join(" ")
}

#[test]
fn o1_selectors_find_what_a_browser_finds() {
    for (selector, expected) in [
        ("li", "l1 l2 l3 l4"),
        ("LI", "l1 l2 l3 l4"),
        (".x", "l1 l2"),
        (".x.y", "l2"),
        ("li.y, #p1", "l2 p1"),
        ("#p1, li.y", "l2 p1"),
        ("*#l3", "l3"),
        ("div p", "p1 p2 p3"),
        ("div > p", "p1 p2 p3"),
        ("ul > b", ""),
        ("ul b", "bold"),
        ("div div", ""),
        ("li + li", "l2 l3 l4"),
        ("li.x ~ li", "l2 l3 l4"),
        ("p + p", "p2"),
        ("ul ~ span", "s1"),
        ("ul + span", ""),
        (".list ul > li.x + li b", "bold"),
        ("[title]", "link"),
        ("[title='A b']", "link"),
        ("[title~=b]", "link"),
        ("[title~=B]", ""),
        ("[title~=B i]", "link"),
        ("[href^='/p/'][href$=html]", "link"),
        ("[href*='p/1']", "link"),
        ("[href*='']", ""),
        ("[lang|=en]", "l3"),
        ("[DATA-KIND|=shop i]", "a"),
        ("li:first-child", "l1"),
        ("li:last-child", "l4"),
        ("li:nth-child(2)", "l2"),
        ("li:nth-child(odd)", "l1 l3"),
        ("li:nth-child( 2n )", "l2 l4"),
        ("li:nth-child(-n+2)", "l1 l2"),
        ("li:nth-last-child(1)", "l4"),
        ("p:first-of-type", "p1 p3"),
        ("p:last-of-type", "p2 p3"),
        ("p:nth-of-type(2)", "p2"),
        ("span:only-of-type", "s1"),
        ("b:only-child", "bold"),
        ("li:not(.x)", "l3 l4"),
        ("li:not(.y, :empty)", "l1 l3"),
        ("div :is(p, span):not(#p1)", "p2 s1 p3"),
        ("li:empty", "l4"),
        (":root", "html"),
        (":scope > body", "body"),
        ("p:has-text('red shoes')", "p1"),
        ("p:has-text(STOCK)", "p2"),
        ("p:contains('nothing')", ""),
        ("lineargradient", "gradient"),
        ("svg[viewbox]", "svg"),
        ("#\\6c 1", "l1"),
        ("#l\\31", "l1"),
    ] {
        assert_eq!(find(selector), expected, "{selector}");
    }
}

#[test]
fn o1_within_an_item_only_its_subtree_counts() {
    let within = |selector, scope| find_within(PAGE, selector, Some(scope)).unwrap().join(" ");
    assert_eq!(within("li", "u"), "l1 l2 l3 l4");
    assert_eq!(within("p", "b"), "p3");
    assert_eq!(within("div li", "u"), "");
    assert_eq!(within("ul", "u"), "");
    assert_eq!(within(":scope", "u"), "u");
    assert_eq!(within(":scope > li.y > b", "u"), "bold");
    assert_eq!(within("li:first-child", "u"), "l1");
}

#[test]
fn o1_a_wrong_selector_says_what_is_wrong() {
    for (selector, words) in [
        ("", "a selector is expected, such as"),
        ("a >", "a selector is expected"),
        (", a", "a selector is expected before"),
        ("a[b", "] is expected"),
        ("a[b=]", "a value in quotes is expected"),
        ("a[b='c]", "has no closing"),
        ("a:hover", ":hover is not supported: there are first-child"),
        ("a::attr(href)", "write attr = \"href\""),
        ("a:nth-child(x)", "write one such as 2, odd or 2n+1"),
        ("a:nth-child(2", "')' is missing at the end"),
        (":not(a b)", "alternatives without spaces"),
        (":not(:not(:not(:not(:not(a)))))", "are within each other"),
        ("a{}", "'{' is not expected"),
        (".", "a name is expected"),
        ("a\\", "nothing follows the last backslash"),
        (&"a ".repeat(65), "more than 64 parts"),
        (&"a".repeat(2_001), "longer than 2000 bytes"),
    ] {
        let error = Selector::parse(selector).unwrap_err();
        assert!(error.contains(words), "{selector}: {error}");
    }
}

#[test]
fn q2_any_text_is_a_selector_or_an_error() {
    let pieces = [
        "a", "#", ".", "[", "]", "=", "\"", "'", ":", "(", ")", ">", "+", "~", ",", " ", "\\", "é",
        "n", "2", "not",
    ];
    let mut state = 1u64;
    for _ in 0..20_000 {
        let mut text = String::new();
        for _ in 0..8 {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            text.push_str(pieces[(state >> 33) as usize % pieces.len()]);
        }
        let _ = Selector::parse(&text);
    }
}

#[test]
fn q2_the_time_grows_with_the_page_and_not_with_its_depth() {
    let deep = format!("{}x{}", "<div>".repeat(800), "</div>".repeat(800));
    let selector = format!("{} p", "div ".repeat(40));
    let tree = slow::build_whole(&deep).unwrap();
    let search = Search {
        tree: &tree,
        positions: None,
        scope: DOCUMENT,
        most: 1,
    };
    let mut work = Work::new(900 * 45);
    assert!(
        search
            .find(&Selector::parse(&selector).unwrap(), &mut work)
            .is_ok()
    );
    let mut work = Work::new(100 * 800);
    let selector = Selector::parse("div:has-text(y)").unwrap();
    assert_eq!(search.find(&selector, &mut work), Err(TooMuch));
}

#[test]
fn o1_text_is_folded_and_blocks_are_apart() {
    let page = "<div><p>a <b>b</b>c</p><p>d<br>e<script>f</script></p><td>\u{A0}12,50\u{A0}\u{20AC} </div>";
    let tree = slow::build_whole(page).unwrap();
    let search = Search {
        tree: &tree,
        positions: None,
        scope: DOCUMENT,
        most: 1,
    };
    let mut work = Work::new(1_000);
    let div = search
        .find(&Selector::parse("div").unwrap(), &mut work)
        .unwrap()[0];
    assert_eq!(
        inner_text(&tree, div, &mut work).unwrap(),
        "a bc d e 12,50 \u{20AC}"
    );
}

#[test]
fn o1_markup_is_written_as_html() {
    let page =
        "<div><img src='a&quot;b' alt=x><i>1 &lt; 2 &amp; 3</i><script>a<b</script><br></div>";
    let tree = slow::build_whole(page).unwrap();
    let search = Search {
        tree: &tree,
        positions: None,
        scope: DOCUMENT,
        most: 1,
    };
    let mut work = Work::new(1_000);
    let div = search
        .find(&Selector::parse("div").unwrap(), &mut work)
        .unwrap()[0];
    let html = "<img src=\"a&quot;b\" alt=\"x\"><i>1 &lt; 2 &amp; 3</i><script>a<b</script><br>";
    assert_eq!(inner_html(&tree, div, &mut work).unwrap(), html);
}
