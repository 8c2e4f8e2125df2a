use std::time::{Duration, Instant};

use proptest::prelude::*;

use super::*;

fn urls(text: &str) -> Vec<String> {
    let mut list = Vec::new();
    find_urls(text, |found| list.push(found.url.into_owned()));
    list
}

#[test]
fn d7_urls_are_found_in_every_form() {
    for (text, expected) in [
        ("a { background: url(a.png) }", &["a.png"][..]),
        ("a{b:url( 'a b.png' )}", &["a b.png"]),
        ("a{b:URL(\"x\\)y\")}", &["x)y"]),
        ("a{b:url(x\\)y)}", &["x)y"]),
        ("a{b:\\75 rl(x)}", &["x"]),
        ("a{b:u\\72l(x)}", &["x"]),
        (
            "@import 'a.css';@import url(b.css) screen;",
            &["a.css", "b.css"],
        ),
        ("@IMPORT\"a.css\"layer(x)supports(y);", &["a.css"]),
        (
            "@import url('a.css') supports(background: url(x.png));",
            &["a.css"],
        ),
        (
            "a{b:image-set('a.png' 1x, url(b.png) 2x type('image/png'))}",
            &["a.png", "b.png"],
        ),
        ("a{b:-webkit-image-set(\"a.png\" 1x)}", &["a.png"]),
        (
            "@font-face{src:url(a.woff2)format('woff2'),url(b.woff)}",
            &["a.woff2", "b.woff"],
        ),
        ("a{--x:url(a.png)}", &["a.png"]),
        ("a{b:url(  a.png  )}", &["a.png"]),
        ("a{b:url(\\61 .png)}", &["a.png"]),
        ("@media print{a{b:url(a)}}", &["a"]),
    ] {
        assert_eq!(urls(text), expected, "{text}");
    }
}

#[test]
fn what_nobody_requests_is_not_found() {
    for text in [
        "/* url(a.png) @import 'b.css' */",
        "a::before{content:'url(a.png)'}",
        "@namespace svg url(http://www.w3.org/2000/svg);",
        "@namespace 'http://www.w3.org/1999/xhtml';",
        "@charset \"utf-8\";",
        "a{content:\"a.png\"}",
        "a{b:url(a b.png)}",
        "a{b:url(a'b)}",
        "a{b:url()}",
        "a{b:curl(a.png)}",
        "a{b:url (a.png)}",
        "a{b:url('a\n.png')}",
        "/* never closed url(a.png)",
    ] {
        assert_eq!(urls(text), Vec::<String>::new(), "{text}");
    }
}

#[test]
fn a_url_is_replaced_as_a_whole() {
    let text = "@import \"a\";b{c:url( 'd' )}";
    let mut ranges = Vec::new();
    find_urls(text, |found| ranges.push((&text[found.range], found.form)));
    assert_eq!(
        ranges,
        [("\"a\"", Form::String), ("url( 'd' )", Form::Function)]
    );
}

#[test]
fn a_hostile_sheet_takes_linear_time() {
    for piece in [
        "(",
        "url(",
        "url('",
        "\\",
        "@import ",
        "/*",
        "image-set(",
        "a\\62 ",
        "'",
    ] {
        let text = piece.repeat(4_000_000 / piece.len());
        let before = Instant::now();
        find_urls(&text, |_| {});
        assert!(before.elapsed() < Duration::from_secs(10), "{piece}");
    }
}

proptest! {
    #[test]
    fn any_text_is_a_sheet(text in "[@a-z\\\\(){};'\"/* \n\u{e9}0-9-]{0,60}") {
        find_urls(&text, |found| {
            assert!(text.get(found.range).is_some());
        });
    }
}
