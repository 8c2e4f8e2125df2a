//! Wherever the fast road is certain, it says what the tree says.

use std::collections::BTreeSet;

use proptest::prelude::*;
use url::Url;

use super::*;
use crate::url::Switches;

/// Pieces of tag soup: everything that steers the tokenizer, in whole and in halves.
const PIECES: [&str; 96] = [
    "<a href=/LINK>",
    "<a href='LINK' rel=nofollow>",
    "</a>",
    "<a>",
    "<area href=LINK>",
    "<link rel=next href=LINK>",
    "<iframe src=LINK>",
    "</iframe>",
    "<frame src=LINK>",
    "<img src=LINK>",
    "<image src=LINK>",
    "<embed src=LINK>",
    "<base href=/base/>",
    "<base href=LINK/>",
    "<meta name=robots content=noindex>",
    "<html lang=de>",
    "<meta http-equiv=refresh content='0;url=LINK'>",
    "<title>",
    "</title>",
    "<title>T</title>",
    "<textarea>",
    "</textarea>",
    "<script>",
    "</script>",
    "<script src=LINK></script>",
    "<script><!--",
    "--></script>",
    "<style>",
    "</style>",
    "<xmp>",
    "</xmp>",
    "<noembed>",
    "</noembed>",
    "<noframes>",
    "</noframes>",
    "<noscript>",
    "</noscript>",
    "<plaintext>",
    "<template>",
    "</template>",
    "<svg>",
    "</svg>",
    "<svg/>",
    "<math>",
    "</math>",
    "<mi>",
    "</mi>",
    "<svg><title>",
    "<svg><style>",
    "<svg><script>",
    "<foreignObject>",
    "</foreignObject>",
    "<desc>",
    "</desc>",
    "<annotation-xml encoding='text/html'>",
    "</annotation-xml>",
    "<path/>",
    "</path>",
    "<g>",
    "</g>",
    "<svg><a xlink:href=LINK>",
    "<font color=red>",
    "<font>",
    "</font>",
    "<![CDATA[",
    "]]>",
    "<![CDATA[<a href=LINK>]]>",
    "<!--",
    "-->",
    "<!-->",
    "--!>",
    "<!doctype html>",
    "<?php",
    "?>",
    "</>",
    "</ >",
    "<",
    ">",
    "<table>",
    "</table>",
    "<tr>",
    "<td>",
    "</td>",
    "<caption>",
    "<colgroup>",
    "<col>",
    "<select>",
    "<option>",
    "</select>",
    "<p>",
    "</p>",
    "<b>",
    "</b>",
    "<body>",
    "</body>",
    "&amp;",
];

/// Rarer ones, which drop what is around them or break off.
const RARE: [&str; 12] = [
    "<frameset>",
    "</frameset>",
    "<a href=\"LINK",
    "<a href='LINK",
    "<head>",
    "</head>",
    "</html>",
    "<svg><p>",
    "</br>",
    "<input type=hidden>",
    "<button>",
    "<form>",
];

fn soup() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        12 => proptest::sample::select(&PIECES[..]).prop_map(str::to_owned),
        1 => proptest::sample::select(&RARE[..]).prop_map(str::to_owned),
        3 => "[ a-z&;#<>/='\"!-]{0,6}",
    ];
    prop::collection::vec(piece, 0..40).prop_map(|pieces| number_links(&pieces.concat()))
}

/// Every link differs, so that none hides behind another.
fn number_links(soup: &str) -> String {
    let mut numbered = String::new();
    for (number, part) in soup.split("LINK").enumerate() {
        if number > 0 {
            numbered.push_str(&format!("l{number}"));
        }
        numbered.push_str(part);
    }
    numbered
}

fn roads(html: &str) -> PathResults {
    let options = ReadOptions {
        agent_token: "hondius".into(),
        media: true,
        scripts: true,
        requisites: false,
        max_links: 1000,
        max_text: 1000,
        want_text: true,
        keywords: None,
    };
    let reader = Reader::new(Identity::new(Switches::default()), options);
    let url = Url::parse("http://a.test/dir/page").unwrap();
    reader.read_both_paths(html, &url)
}

fn hrefs(page: &Page) -> BTreeSet<&str> {
    page.links.iter().map(|link| link.href.as_str()).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn where_the_fast_road_is_certain_the_tree_agrees(html in soup()) {
        let PathResults { certain, fast, slow } = roads(&html);
        let slow = slow.unwrap();
        if certain {
            prop_assert_eq!(hrefs(&fast), hrefs(&slow));
            prop_assert_eq!(&fast.title, &slow.title);
            prop_assert_eq!(&fast.language, &slow.language);
            prop_assert_eq!(fast.directives, slow.directives);
        }
    }

    #[test]
    fn any_text_gives_a_page_on_both_roads(html in "\\PC{0,200}") {
        let PathResults { fast, slow, .. } = roads(&html);
        let slow = slow.unwrap();
        prop_assert_eq!(hrefs(&fast), hrefs(&slow));
    }
}

#[test]
fn most_pages_stay_on_the_fast_road() {
    let html = "<!doctype html><html lang=en><head><title>T</title><base href=/b/><script>if (a<b) '<!--'</script>\
                <style>a>b{}</style></head><body><noscript><img src=x></noscript><template><a href=t></a></template>\
                <svg viewBox='0 0 1 1'><title>icon</title><path d='M0'/></svg><table><tr><td><a href=c>x</a></table>\
                <select><option>1</select><textarea></textarea></body></html>";
    let PathResults {
        certain,
        fast,
        slow,
    } = roads(html);
    let slow = slow.unwrap();
    assert!(certain);
    assert_eq!(hrefs(&fast), hrefs(&slow));
    assert_eq!(fast.text, slow.text);
}

#[test]
fn an_end_tag_that_breaks_out_of_svg_stops_at_an_integration_point() {
    let html = "<svg><a xlink:href=l1><noscript><desc></p></noscript><area href=l2>";
    let PathResults { certain, slow, .. } = roads(html);
    assert!(!certain, "only the tree can tell");
    assert_eq!(hrefs(&slow.unwrap()).len(), 1);
}
