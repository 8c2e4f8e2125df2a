use std::sync::Arc;

use url::Url;

use super::*;
use crate::html::Reader;
use crate::page::ReadOptions;
use crate::url::{Identity, Switches};

fn keywords(list: &[(&str, f64)]) -> Keywords {
    let owned: Vec<_> = list
        .iter()
        .map(|(word, weight)| ((*word).to_owned(), *weight))
        .collect();
    Keywords::new(&owned).unwrap()
}

fn page(list: &[(&str, f64)], html: &str) -> Page {
    let options = ReadOptions {
        agent_token: "Hondius".into(),
        media: false,
        scripts: false,
        requisites: false,
        max_links: 100,
        max_text: 100_000,
        want_text: false,
        keywords: Some(Arc::new(keywords(list))),
    };
    let url = Url::parse("http://a.test/").unwrap();
    let reader = Reader::new(Identity::new(Switches::default()), options);
    reader.read(html.as_bytes(), &url, "text/html; charset=utf-8", &[])
}

fn score(list: &[(&str, f64)], html: &str) -> f64 {
    page(list, html).focus.unwrap().score
}

const MAPS: &[(&str, f64)] = &[("maps", 1.0)];

#[test]
fn title_headings_and_density_count_d6() {
    assert_eq!(score(MAPS, "<title>Old maps</title>"), 0.75);
    assert_eq!(score(MAPS, "<title>Maps, maps and maps</title>"), 0.75);
    let filled = |words: usize| "stone ".repeat(words);
    let heading = format!("<h2>Of maps</h2><p>{}", filled(398));
    let expected = 1.0 - 2f64.powf(-1.0 - 100.0 / 500.0);
    assert!((score(MAPS, &heading) - expected).abs() < 0.002);
    let sparse = score(MAPS, &format!("<p>{} maps {0}", filled(1000)));
    let dense = score(MAPS, &format!("<p>{} {}", filled(50), "maps ".repeat(50)));
    assert!(sparse > 0.0 && sparse < 0.05, "{sparse}");
    assert!(dense > 0.99, "{dense}");
    assert_eq!(score(MAPS, "<title>Bread</title><p>And butter"), 0.0);
}

#[test]
fn negative_weights_speak_against_a_page_d6() {
    let list = &[("maps", 1.0), ("treasure", -1.5)];
    assert_eq!(score(list, "<title>Maps</title>"), 0.75);
    assert_eq!(score(list, "<title>Treasure maps</title>"), 0.0);
}

#[test]
fn spelling_is_folded_and_phrases_stay_whole_d6() {
    assert_eq!(score(&[("GARÇON", 1.0)], "<title>le garcon</title>"), 0.75);
    let phrase = &[("old maps", 1.0)];
    assert_eq!(score(phrase, "<title>My old, maps</title>"), 0.75);
    assert_eq!(score(phrase, "<title>Older maps of old</title>"), 0.0);
    // A phrase does not reach from one heading into the next.
    assert_eq!(score(phrase, "<h1>old</h1><h2>maps</h2>"), 0.0);
    assert_eq!(score(&[("map", 1.0)], "<title>maps mapping</title>"), 0.0);
}

#[test]
fn scripts_without_spaces_have_keywords_too_d6() {
    assert_eq!(
        score(&[("地図", 1.0)], "<title>古い世界地図帳</title>"),
        0.75
    );
    assert_eq!(
        score(&[("地図帳", 1.0)], "<title>古い世界地図</title>"),
        0.0
    );
    for title in ["猫", "黒猫", "猫の耳"] {
        let html = format!("<title>{title}</title>");
        assert_eq!(score(&[("猫", 1.0)], &html), 0.75, "{title}");
    }
    assert_eq!(score(&[("แมว", 1.0)], "<title>รูปแมวดำ</title>"), 0.75);
}

#[test]
fn links_are_scored_by_anchor_and_url_d6() {
    let html = "<a href='/x'>Sea maps</a><a href='/world-maps/1.html'>more</a>\
                <a href='/ol%64%5Fm%61ps'>maps</a><a href='/y'>bread</a>";
    let focus = page(MAPS, html).focus.unwrap();
    let links: Vec<_> = (0..4)
        .map(|number| (focus.link(number).unwrap() * 100.0).round())
        .collect();
    assert_eq!(links, [50.0, 50.0, 75.0, 0.0]);
    assert_eq!(focus.link(4), None);
}

#[test]
fn a_link_is_followed_if_its_page_or_its_own_words_fit_d6() {
    let following = Following {
        page: 0.2,
        weight: 0.5,
        threshold: 0.4,
    };
    assert!(!following.follows(None) && !following.follows(Some(0.3)));
    assert!(following.follows(Some(0.5)));
    let fits = Following {
        page: 0.4,
        ..following
    };
    assert!(fits.follows(Some(0.0)) && fits.follows(None));
    assert!((fits.priority(0.6, Some(0.8)) - 0.6).abs() < 1e-9);
    assert!((fits.priority(0.6, None) - 0.5).abs() < 1e-9);
    let html = "<a href='/maps'>x</a><a href='/y'>y</a><a href='/z' rel=nofollow>z</a>";
    let read = page(MAPS, html);
    assert_eq!(read.count_unfollowed(&following, false), 1);
    assert_eq!(read.count_unfollowed(&following, true), 2);
    assert_eq!(read.count_unfollowed(&fits, true), 0);
}

#[test]
fn keywords_are_checked_d6() {
    let fails = |word: &str, weight| Keywords::new(&[(word.to_owned(), weight)]).is_err();
    assert!(fails("…", 1.0) && fails("", 1.0) && fails(&"x".repeat(501), 1.0));
    assert!(fails("a", 0.0) && fails("a", f64::NAN) && fails("a", -101.0));
    assert!(!fails("a", -100.0));
    assert!(Keywords::new(&vec![("a".to_owned(), 1.0); MOST_KEYWORDS + 1]).is_err());
}

#[test]
fn what_is_not_text_has_no_score_d6() {
    let options = ReadOptions {
        agent_token: String::new(),
        media: false,
        scripts: false,
        requisites: false,
        max_links: 1,
        max_text: 1,
        want_text: false,
        keywords: Some(Arc::new(keywords(MAPS))),
    };
    let url = Url::parse("http://a.test/").unwrap();
    let reader = Reader::new(Identity::new(Switches::default()), options);
    let page = reader.read(b"maps", &url, "image/png", &[]);
    assert_eq!(page.focus, None);
}
