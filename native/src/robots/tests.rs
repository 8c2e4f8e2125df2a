use std::time::{Duration, Instant};

use proptest::prelude::*;

use super::*;

fn allowed(body: &str, path: &str) -> bool {
    Robots::parse(body.as_bytes(), "Hondius")
        .allowed(path)
        .allowed
}

fn matches(pattern: &str, path: &str) -> bool {
    !allowed(&format!("User-agent: *\nDisallow: {pattern}"), path)
}

#[test]
fn b1_groups_of_our_token_are_merged_and_others_ignored() {
    let body = "User-agent: *\nDisallow: /\n\nUser-agent: HONDIUS/1.0\nDisallow: /a\n\n\
                User-agent: other\nUser-agent: hondius\nDisallow: /b\n";
    assert!(!allowed(body, "/a"));
    assert!(!allowed(body, "/b"));
    assert!(allowed(body, "/c"));
}

#[test]
fn b1_other_records_do_not_end_a_run_of_agents() {
    let body =
        "User-agent: hondius\nCrawl-delay: 3\nSitemap: /s.xml\nUser-agent: other\nDisallow: /a\n";
    assert!(!allowed(body, "/a"));
}

#[test]
fn b1_rules_without_a_group_are_ignored() {
    assert!(allowed("Disallow: /\n", "/a"));
    assert!(allowed("User-agent: *\nDisallow:\n", "/a"));
}

#[test]
fn b1_the_longest_match_decides_and_allow_wins_ties() {
    let body =
        "User-agent: *\nDisallow: /a\nAllow: /a/b\nDisallow: /a/b/c\nAllow: /x\nDisallow: /x\n";
    assert!(!allowed(body, "/a/x"));
    assert!(allowed(body, "/a/b"));
    assert!(!allowed(body, "/a/b/c"));
    assert!(allowed(body, "/x"));
}

#[test]
fn b1_wildcards() {
    for (pattern, path, expected) in [
        ("/fish", "/fish.html", true),
        ("/fish$", "/fish.html", false),
        ("/fish$", "/fish", true),
        ("/*.php", "/a/b.php?c", true),
        ("/*.php$", "/a/b.php?c", false),
        ("/*.php$", "/a.php/b.php", true),
        ("/a*b*c$", "/abbc", true),
        ("/a*bc*c$", "/abc", false),
        ("*/x", "/a/x", true),
        ("/**$", "/a", true),
        ("/$", "/", true),
        ("/$", "/a", false),
        ("/a$b", "/a$b", true),
        ("x", "/x", false),
    ] {
        assert_eq!(matches(pattern, path), expected, "{pattern} {path}");
    }
}

#[test]
fn b1_percent_encoding_is_compared_as_the_rfc_says() {
    for (pattern, path, expected) in [
        ("/foo/bar/ツ", "/foo/bar/%E3%83%84", true),
        ("/foo/bar/%e3%83%84", "/foo/bar/%E3%83%84", true),
        ("/foo/bar/%62%61%7A", "/foo/bar/baz", true),
        ("/foo/bar/baz", "/foo/bar/%62%61%7A", true),
        ("/a%2Fb", "/a/b", false),
        ("/file-with-a-%2A.html", "/file-with-a-*.html", true),
        ("/file-with-a-%2A.html", "/file-with-a-b.html", false),
        ("/foo-%24", "/foo-$", true),
        ("/a b", "/a%20b", true),
    ] {
        assert_eq!(matches(pattern, path), expected, "{pattern} {path}");
    }
}

#[test]
fn b1_marks_line_ends_junk_and_missing_spaces_are_tolerated() {
    for body in [
        "\u{feff}User-agent:*\rDisallow:/a\r",
        "user-agent : *\r\n\r\n<html>\r\nDISALLOW /a # why\r\n",
        "\0\nUser agent: * junk\nDissalow: /a",
    ] {
        assert!(!allowed(body, "/a"), "{body:?}");
        assert!(allowed(body, "/b"), "{body:?}");
    }
}

#[test]
fn b1_what_lies_beyond_500_kib_is_not_read_and_a_torn_line_is_none() {
    let head = "User-agent: *\nDisallow: /a\n";
    let filler = "#".repeat(MAX_BODY - head.len() - "\nDisallow: /".len());
    let body = format!("{head}{filler}\nDisallow: /bcd\nDisallow: /e\n");
    assert!(!allowed(&body, "/a"));
    assert!(allowed(&body, "/bcd"));
    assert!(allowed(&body, "/e"));
}

#[test]
fn b3_the_deciding_rule_is_named() {
    let robots = Robots::parse(b"User-agent: *\r\n\r\n  Disallow:  /a # no\r\n", "hondius");
    let verdict = robots.allowed("/ab");
    assert_eq!(
        (verdict.allowed, verdict.line, verdict.text),
        (false, 3, "Disallow:  /a")
    );
    assert_eq!(robots.allowed("/b").line, 0);
}

#[test]
fn b3_crawl_delay_is_that_of_our_group_and_sitemaps_are_of_the_file() {
    let body = "Sitemap: https://a.example/1.xml\nUser-agent: *\nCrawl-delay: 9\nDisallow: /x\n\
                User-agent: hondius\nCrawl-delay: 1.5\nCrawl-delay: soon\nSite-map: /2.xml\nAllow: /\n";
    let robots = Robots::parse(body.as_bytes(), "hondius");
    assert_eq!(robots.crawl_delay(), Some(1.5));
    assert_eq!(robots.sitemaps(), ["https://a.example/1.xml", "/2.xml"]);
    assert_eq!(
        Robots::parse(body.as_bytes(), "other").crawl_delay(),
        Some(9.0)
    );
}

#[test]
fn b1_a_token_with_digits_is_bound_by_its_own_name_alone() {
    for (name, agent, bound) in [
        ("MJ12bot/1.4", "mj12bot", true),
        ("MJ12bot", "mj12", false),
        ("mj12bot-news", "mj12bot", false),
        ("mj12", "mj12bot", false),
        ("bot1", "bot1", true),
        ("bot", "bot1", false),
        ("bot12", "bot1", false),
        ("bot1 # ours", "bot1", true),
        ("AB42bot", "AB", true),
    ] {
        let body = format!("User-agent: {name}\nDisallow: /\n");
        let allowed = Robots::parse(body.as_bytes(), agent).allowed("/a").allowed;
        assert_eq!(allowed, !bound, "{name} {agent}");
    }
}

#[test]
fn b3_a_crawl_delay_is_for_the_agents_right_above_it() {
    let body =
        b"User-agent: *\nCrawl-delay: 1\n\nUser-agent: other\nCrawl-delay: 20\nDisallow: /a\n";
    let robots = Robots::parse(body, "hondius");
    assert_eq!(robots.crawl_delay(), Some(1.0));
    assert!(!robots.allowed("/a").allowed);
    let both = b"User-agent: *\nUser-agent: other\nDisallow: /a\nCrawl-delay: 20\n";
    assert_eq!(Robots::parse(both, "hondius").crawl_delay(), Some(20.0));
}

#[test]
fn b1_utf_16_with_a_byte_order_mark_is_read() {
    let text = "\u{feff}User-agent: *\r\nDisallow: /a\r\nSitemap: http://a.test/\u{434}.xml\r\n";
    let little: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
    let big: Vec<u8> = text.encode_utf16().flat_map(u16::to_be_bytes).collect();
    for body in [little, big] {
        let robots = Robots::parse(&body, "hondius");
        assert!(!robots.allowed("/a").allowed);
        assert!(robots.allowed("/b").allowed);
        assert_eq!(robots.sitemaps(), ["http://a.test/\u{434}.xml"]);
    }
}

#[test]
fn b1_a_rule_of_utf_16_that_the_cap_cut_is_none() {
    let head = "\u{feff}User-agent: *\nDisallow: /a\n";
    let filler = "#".repeat(MAX_BODY / 2 - head.chars().count() - "\nDisallow: /".len());
    let text = format!("{head}{filler}\nDisallow: /bcd\n");
    let body: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
    let robots = Robots::parse(&body, "hondius");
    assert!(!robots.allowed("/a").allowed);
    assert!(robots.allowed("/bcd").allowed);
}

#[test]
fn b3_blanks_that_are_not_ascii_are_no_part_of_a_value() {
    let body = b"User-agent:\xC2\xA0*\nDisallow: \xC2\xA0/a\xC2\xA0\n\
                 Sitemap: \xC2\xA0http://a.test/1.xml\nSitemap:\xA0http://a.test/2.xml\n\
                 Sitemap: http://a.test/\xC3\xA0\n";
    let robots = Robots::parse(body, "hondius");
    assert!(!robots.allowed("/ab").allowed);
    assert_eq!(
        robots.sitemaps(),
        [
            "http://a.test/1.xml",
            "http://a.test/2.xml",
            "http://a.test/\u{e0}"
        ]
    );
}

#[test]
fn b1_an_allowed_index_page_allows_its_directory() {
    let body = "User-agent: *\nDisallow: /\nAllow: /a/index.html\n";
    assert!(allowed(body, "/a/"));
    assert!(!allowed(body, "/a/b"));
}

#[test]
fn b1_an_overlong_line_is_cut() {
    let long = "a".repeat(20_000);
    assert!(matches(
        &format!("/{long}"),
        &format!("/{}", &long[..18_000])
    ));
}

fn usage(body: &str, path: &str) -> Option<String> {
    Robots::parse(body.as_bytes(), "hondius").usage(path)
}

#[test]
fn w1_signals_of_the_group_that_binds_us_are_read() {
    let everyone = "User-agent: *\nContent-Signal: search=yes, ai-train=no\nAllow: /\n";
    assert_eq!(
        usage(everyone, "/a").as_deref(),
        Some("robots content-signal search=yes\nrobots content-signal ai-train=no")
    );
    let ours = format!("{everyone}\nUser-agent: Hondius\nContent-Usage: train-ai=y\n");
    assert_eq!(
        usage(&ours, "/a").as_deref(),
        Some("robots content-usage train-ai=y")
    );
    assert_eq!(
        usage("User-agent: other\nContent-Signal: ai-train=no\n", "/"),
        None
    );
    assert_eq!(
        usage("User-agent: *\nDisallow: /a\nContent-Signal:\n", "/"),
        None
    );
}

#[test]
fn w1_groups_of_our_token_are_merged() {
    let body = "User-agent: hondius\nContent-Signal: ai-train=no\n\nUser-agent: x\nContent-Signal: search=no\n\n\
                User-agent: HONDIUS\nContent-Signal: ai-input=no\n";
    assert_eq!(
        usage(body, "/").as_deref(),
        Some("robots content-signal ai-train=no\nrobots content-signal ai-input=no")
    );
}

#[test]
fn w1_the_longest_path_of_content_usage_decides() {
    let body = "User-agent: *\nAllow: /\nDisallow: /never/\nContent-Usage: / train-ai=n\n\
                Content-Usage: /ai-ok/ train-ai=y\nContent-Usage: /ai-ok/ search=n # twice\n\
                Content-Usage: /*.pdf$ train-ai=n\n";
    assert_eq!(
        usage(body, "/test").as_deref(),
        Some("robots content-usage train-ai=n")
    );
    assert_eq!(
        usage(body, "/ai-ok/test").as_deref(),
        Some("robots content-usage train-ai=y\nrobots content-usage search=n")
    );
    assert_eq!(
        usage(body, "/x.pdf").as_deref(),
        Some("robots content-usage train-ai=n")
    );
    assert_eq!(
        usage("User-agent: *\nContent-Usage: /a train-ai=n\n", "/b"),
        None
    );
}

/// A line of signals must not move a rule to another group.
#[test]
fn w1_signals_never_change_what_is_allowed() {
    let body =
        "User-agent: hondius\nContent-Signal: ai-train=yes\nUser-agent: other\nDisallow: /a\n";
    assert!(!allowed(body, "/a"));
    assert_eq!(
        usage(body, "/b").as_deref(),
        Some("robots content-signal ai-train=yes")
    );
    let other =
        "User-agent: other\nContent-Signal: ai-train=yes\nUser-agent: hondius\nDisallow: /a\n";
    assert!(!allowed(other, "/a"));
    assert_eq!(usage(other, "/b"), None);
}

#[test]
fn w1_a_signal_before_all_groups_is_meant_for_everyone() {
    let body = "Content-Signal: ai-train=no\nUser-agent: x\nDisallow: /\n";
    assert_eq!(
        usage(body, "/").as_deref(),
        Some("robots content-signal ai-train=no")
    );
}

#[test]
fn w1_a_license_belongs_to_no_group() {
    let body = "User-agent: x\nLicense: https://a.test/license.xml\nDisallow: /\n";
    assert_eq!(
        usage(body, "/").as_deref(),
        Some("robots rsl https://a.test/license.xml")
    );
}

#[test]
fn w1_lines_are_shown_as_written() {
    let body = "User-agent: *\nCONTENT-signal : ai-train=no # why\nContent-Usage: /longer train-ai=n\nLicence: /l\n";
    let robots = Robots::parse(body.as_bytes(), "hondius");
    assert_eq!(
        robots.usage_lines(),
        [
            "Licence: /l",
            "CONTENT-signal : ai-train=no",
            "Content-Usage: /longer train-ai=n"
        ]
    );
}

#[test]
fn b4_robots_txt_itself_is_never_blocked() {
    assert!(allowed("User-agent: *\nDisallow: /\n", "/robots.txt"));
    assert!(!allowed("User-agent: *\nDisallow: /\n", "/robots.txt/x"));
}

#[test]
fn b1_a_thousand_stars_take_less_than_a_millisecond() {
    for piece in ["*a", "a*", "*aab"] {
        let rule = piece.repeat(2_000 / piece.len());
        let body = format!("User-agent: *\nDisallow: /{rule}b$\n");
        let robots = Robots::parse(body.as_bytes(), "hondius");
        let path = format!("/{}", "a".repeat(2_000));
        let fastest = (0..5)
            .map(|_| time(|| assert!(robots.allowed(&path).allowed)))
            .min();
        assert!(
            fastest < Some(Duration::from_millis(1)),
            "{piece}: {fastest:?}"
        );
    }
}

/// Q2: a file of 626 bytes, gzipped, took 17 MB when each piece between two stars was a string of its own.
#[test]
fn b1_rules_take_a_few_times_the_memory_of_their_file_whatever_it_holds() {
    let fill = |line: &[u8]| {
        let mut body = b"User-agent: *\nUser-agent: Hondius\n".to_vec();
        while body.len() + line.len() < MAX_BODY {
            body.extend_from_slice(line);
        }
        body
    };
    let stars = [b"allow:".as_slice(), &b"*\x01".repeat(8_000), b"\n"].concat();
    let lines: [&[u8]; 8] = [
        &stars,
        b"content-usage:/ a\n",
        b"content-signal:a=b,c\n",
        b"license:a\n",
        b"allow:/\n",
        b"allow:\xff\n",
        b"sitemap:a\nsitemap:b\n",
        b"a:/index.htm\n",
    ];
    for line in lines {
        let body = fill(line);
        let robots = Robots::parse(&body, "Hondius");
        assert!(
            robots.memory() <= 6 * body.len(),
            "{} bytes",
            robots.memory()
        );
    }
}

fn time(work: impl FnOnce()) -> Duration {
    let start = Instant::now();
    work();
    start.elapsed()
}

/// The definition of wildcards, by trying every way.
fn matches_by_definition(pattern: &[u8], path: &[u8]) -> bool {
    match pattern {
        [] => true,
        [b'$'] => path.is_empty(),
        [b'*', rest @ ..] => {
            (0..=path.len()).any(|skip| matches_by_definition(rest, &path[skip..]))
        }
        [byte, rest @ ..] => path.first() == Some(byte) && matches_by_definition(rest, &path[1..]),
    }
}

proptest! {
    #[test]
    fn b1_matching_agrees_with_the_definition(pattern in "/[ab*]{0,8}\\$?", path in "/[ab]{0,8}") {
        let expected = matches_by_definition(pattern.as_bytes(), path.as_bytes());
        prop_assert_eq!(matches(&pattern, &path), expected);
    }

    #[test]
    fn any_bytes_are_a_robots_txt(body in prop::collection::vec(any::<u8>(), 0..200), path in any::<String>()) {
        let mut text = b"User-agent: *\nDisallow: ".to_vec();
        text.extend_from_slice(&body);
        Robots::parse(&body, "hondius").allowed(&path);
        Robots::parse(&text, "hondius").allowed(&path);
    }
}
