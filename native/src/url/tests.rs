use proptest::prelude::*;
use url::Url;

use super::*;

fn url(text: &str) -> Url {
    parse(text, None).unwrap()
}

fn key_form(text: &str) -> String {
    Identity::default().key_form(&url(text))
}

fn key_form_with(text: &str, change: impl FnOnce(&mut Switches)) -> String {
    let mut switches = Switches::default();
    change(&mut switches);
    Identity::new(switches).key_form(&url(text))
}

#[test]
fn u1_an_href_has_neither_fragment_nor_user_info() {
    let cases = [
        (
            "HTTP://User:Secret@EXAMPLE.com:80/a/../b#c",
            "http://example.com/b",
        ),
        ("https://bücher.example/", "https://xn--bcher-kva.example/"),
        ("http://example.com:8080", "http://example.com:8080/"),
        (
            "  http://example.com/a b?c d\n",
            "http://example.com/a%20b?c%20d",
        ),
    ];
    for (text, href) in cases {
        assert_eq!(url(text).as_str(), href);
    }
}

#[test]
fn u1_what_is_no_url_of_ours_has_a_reason() {
    let long = format!("http://example.com/{}", "a".repeat(MAX_TEXT));
    let cases = [
        ("mailto:someone@example.com", Reason::NotHttp),
        ("java\nscript:alert(1)", Reason::NotHttp),
        (" data:text/html,x", Reason::NotHttp),
        ("http://", Reason::NoHost),
        ("http://a b/", Reason::BadHost),
        ("http://1.2.3.4.5/", Reason::BadHost),
        ("http://example.com:99999/", Reason::BadPort),
        ("/relative", Reason::NoBase),
        (&long, Reason::TooLong),
    ];
    for (text, reason) in cases {
        assert_eq!(parse(text, None), Err(reason), "{text:.40}");
    }
}

#[test]
fn u1_links_are_resolved_against_the_base() {
    let identity = Identity::default();
    let base = url("http://example.com/a/b?c");
    let (href, key) = identity.resolve(&base, "../d#e").unwrap();
    assert_eq!(href.as_str(), "http://example.com/d");
    assert_eq!(key, identity.key("http://example.com/d"));
    assert!(identity.resolve(&base, "javascript:void(0)").is_none());
    for text in ["///h.example/a", " /\\/h.example/a", "/\t//h.example/a"] {
        assert_eq!(
            identity.resolve(&base, text).unwrap().0.as_str(),
            "http://h.example/a"
        );
    }
    assert_eq!(parse("http:///", Some(&base)), Err(Reason::NoHost));
}

/// The URL standard accepts such ASCII names unchanged. Only DNS can tell whether they exist.
#[test]
fn u1_a_name_in_ascii_may_look_like_punycode_and_be_none() {
    let cases = [
        ("https://xn--/", "https://xn--/"),
        ("http://A.xn--Pokxncvks:80", "http://a.xn--pokxncvks/"),
        (
            "http:\\\\me@x:y@%58N--a.xn--zca:81\\b#c",
            "http://xn--a.xn--zca:81/b",
        ),
        (" http:xn-\n-a?b:@xn--a ", "http://xn--a/?b:@xn--a"),
        ("http://.xn--a../", "http://.xn--a../"),
        ("http://10.0.0.xn--a/", "http://10.0.0.xn--a/"),
        ("http://www.xn--ls8h=/", "http://www.xn--ls8h=/"),
    ];
    for (text, href) in cases {
        let url = url(text);
        assert_eq!(url.as_str(), href);
        assert_eq!(parse(href, None).unwrap(), url);
        assert_eq!(
            origin(&url) + path_and_query(&url),
            href,
            "its parts are where they were"
        );
    }
    for text in [
        "http://xn--a.ß/",
        "http://xn--a%00/",
        "http://xn--a%2F/",
        "http://xn--a%25/",
        "http://xn--a b/",
        "http://xn--%C3%9F/",
        "http://xn--a.1/",
    ] {
        assert_eq!(parse(text, None), Err(Reason::BadHost), "{text}");
    }
}

#[test]
fn u1_links_are_resolved_against_and_lead_to_such_names() {
    let base = url("https://xn--a.test:81/b/c?d");
    for (text, href) in [
        ("e", "https://xn--a.test:81/b/e"),
        ("?f", "https://xn--a.test:81/b/c?f"),
        ("//xn--.test/", "https://xn--.test/"),
        ("///xn--.test/", "https://xn--.test/"),
        ("https:/g", "https://xn--a.test:81/g"),
        ("//plain.test", "https://plain.test/"),
    ] {
        assert_eq!(parse(text, Some(&base)).unwrap().as_str(), href);
    }
    let plain = url("http://plain.test/");
    assert_eq!(
        join_base(&plain, "//xn--a/b/", UTF_8).unwrap().as_str(),
        "http://xn--a/b/"
    );
    assert_eq!(parse_base("ftp://xn--a/").unwrap().as_str(), "ftp://xn--a/");
    assert_eq!(parse_host("XN--a.test").as_deref(), Ok("xn--a.test"));
    assert_eq!(parse_host("[::1]").as_deref(), Ok("[::1]"));
    assert_eq!(parse_host("a.test/b"), Err(Reason::BadHost));
    assert_eq!(registrable_domain("b.xn--a.test"), Some("xn--a.test"));
}

#[test]
fn u2_the_key_form_makes_percent_encoding_uniform() {
    let cases = [
        (
            "http://h.example/%7euser/%c3%bc?%61=%2f",
            "http://h.example/~user/%C3%BC?a=%2F",
        ),
        ("http://h.example/%%34%31", "http://h.example/%%341"),
        ("http://h.example/%4%31", "http://h.example/%4%31"),
        ("http://h.example/%zz%", "http://h.example/%zz%"),
        ("http://h.example/Path?", "http://h.example/Path"),
    ];
    for (text, expected) in cases {
        assert_eq!(key_form(text), expected);
    }
}

#[test]
fn u2_query_parameters_are_sorted_by_name_and_keep_the_order_of_equal_names() {
    assert_eq!(
        key_form("http://h.example/?b=2&a=2&b=1&a"),
        "http://h.example/?a=2&a&b=2&b=1"
    );
    assert_eq!(
        key_form_with("http://h.example/?b&a", |s| s.sort_query = false),
        "http://h.example/?b&a"
    );
}

#[test]
fn u2_tracking_parameters_do_not_shape_identity() {
    assert_eq!(
        key_form("http://h.example/?UTM_Source=x&id=1&gclid=2&utm%5Fx=3&_ga=4"),
        "http://h.example/?id=1"
    );
    assert_eq!(key_form("http://h.example/?fbclid=2"), "http://h.example/");
    assert_eq!(
        key_form_with("http://h.example/?fbclid=2", |s| s.drop_tracking = false),
        "http://h.example/?fbclid=2"
    );
}

#[test]
fn u2_session_ids_do_not_shape_identity() {
    let cases = [
        (
            "http://h.example/a;jsessionid=1F?b=1",
            "http://h.example/a?b=1",
        ),
        (
            "http://h.example/a;v=1;JSESSIONID=1F;w/b",
            "http://h.example/a;v=1;w/b",
        ),
        (
            "http://h.example/?PHPSESSID=1&ASPSESSIONIDQABC=2&sessionid=3",
            "http://h.example/",
        ),
        ("http://h.example/?sid=17", "http://h.example/?sid=17"),
        (
            "http://h.example/?sid=international-business-2024",
            "http://h.example/?sid=international-business-2024",
        ),
        (
            "http://h.example/?sid=9f86d081884c7d659a2feaa0c55ad015",
            "http://h.example/",
        ),
        (
            "http://h.example/?sid=123e4567-e89b-12d3-a456-426614174000",
            "http://h.example/",
        ),
        (
            "http://h.example/a/..;jsessionid=1/b",
            "http://h.example/a/..;jsessionid=1/b",
        ),
    ];
    for (text, expected) in cases {
        assert_eq!(key_form(text), expected);
    }
}

fn key_forms(text: &str) -> [String; 2] {
    [Version::First, Version::Second].map(|version| {
        let identity = Identity::new(Switches {
            version,
            ..Switches::default()
        });
        identity.key_form(&identity.parse(text, None).unwrap())
    })
}

#[test]
fn u3_a_crawl_of_version_1_keeps_its_keys_and_version_2_knows_more() {
    let session = "(S(lit3py55t21z5v55vlm25s55))";
    let cases = [
        (format!("/{session}/x.aspx"), "/x.aspx"),
        (
            format!("/a/(X(1)S(LIT3py55t21z5v55vlm25s55))/{session}/"),
            "/a/",
        ),
        (format!("/{};jsessionid=1/b", session), "/b"),
        ("/?CFID=1&a=2&cftoken=3".into(), "/?a=2"),
        ("/?session_id=1&a".into(), "/?a"),
        (
            "/?a[]=1|2&b={c}^`".into(),
            "/?a%5B%5D=1%7C2&b=%7Bc%7D%5E%60",
        ),
        ("/a^b".into(), "/a%5Eb"),
    ];
    for (path, expected) in cases {
        let [first, second] = key_forms(&format!("http://h.example{path}"));
        assert_eq!(second, format!("http://h.example{expected}"));
        assert_ne!(first, second);
    }
    assert_eq!(
        key_forms("http://h.example.:81/"),
        ["http://h.example.:81/", "http://h.example:81/"]
    );
}

#[test]
fn u2_what_only_looks_like_a_session_shapes_identity() {
    for path in [
        "/(S(short))/x",
        "/(F(lit3py55t21z5v55vlm25s55))/x",
        "/x(S(lit3py55t21z5v55vlm25s55))/x",
        "/(S(lit3py55t21z5v55vlm25s55))",
        "/?cfid=1",
        "/?cftoken=1",
        "/a;v=1",
    ] {
        let text = format!("http://h.example{path}");
        assert_eq!(key_form(&text), text);
    }
}

#[test]
fn u2_the_switches_that_are_off_by_default() {
    let index = |text: &str| key_form_with(text, |s| s.drop_index = true);
    assert_eq!(
        index("http://h.example/a/Index.HTML?b"),
        "http://h.example/a/?b"
    );
    assert_eq!(
        index("http://h.example/a/myindex.html"),
        "http://h.example/a/myindex.html"
    );
    let slash = |text: &str| key_form_with(text, |s| s.drop_trailing_slash = true);
    assert_eq!(slash("http://h.example/a//"), "http://h.example/a");
    assert_eq!(slash("http://h.example/"), "http://h.example/");
    let www = |text: &str| key_form_with(text, |s| s.drop_www = true);
    assert_eq!(www("http://www.www.h.example:81/"), "http://h.example:81/");
    assert_eq!(www("http://www.com/"), "http://www.com/");
    assert_eq!(
        key_form("http://www.h.example/index.html"),
        "http://www.h.example/index.html"
    );
}

#[test]
fn u3_the_key_is_the_first_half_of_sha_256_of_the_key_form() {
    let identity = Identity::default();
    let key = identity.key_of(&url("http://example.com/?utm_source=x"));
    assert_eq!(key, Sha256::digest(b"http://example.com/")[..16]);
}

#[test]
fn a_host_has_a_registrable_domain_unless_it_is_an_address_or_a_suffix() {
    let cases = [
        ("www.example.co.uk", Some("example.co.uk")),
        ("user.github.io", Some("user.github.io")),
        ("localhost", None),
        ("com", None),
        ("127.0.0.1", None),
        ("[::1]", None),
        ("a.b.test", Some("b.test")),
    ];
    for (host, expected) in cases {
        assert_eq!(registrable_domain(host), expected, "{host}");
    }
}

#[test]
fn an_origin_names_the_port_only_where_it_is_not_the_default() {
    assert_eq!(
        origin(&url("http://example.com:80/a")),
        "http://example.com"
    );
    assert_eq!(origin(&url("https://[::1]:80/a")), "https://[::1]:80");
}

fn switches() -> impl Strategy<Value = Switches> {
    any::<[bool; 7]>().prop_map(|on| Switches {
        version: if on[6] {
            Version::Second
        } else {
            Version::First
        },
        sort_query: on[0],
        drop_tracking: on[1],
        drop_session: on[2],
        drop_index: on[3],
        drop_trailing_slash: on[4],
        drop_www: on[5],
    })
}

/// Texts composed of pieces that normalisation changes, in any combination.
fn awkward_tail() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        "/",
        "//",
        ".",
        "..",
        "%",
        "%2",
        "%2e",
        "%2E",
        "%34",
        "%31",
        "4",
        "1",
        "a",
        "?",
        "&",
        "=",
        ";",
        "#",
        "\\",
        "www.",
        "xn--",
        "XN--A",
        "xn--zca.",
        "index.html",
        "Default.asp",
        ";jsessionid=1",
        "sid=9f86d081884c7d659a2feaa0c55ad015",
        "utm_source=x",
        "utm%5f",
        "%u0041",
        "ü",
        " ",
        "\t",
        "+",
        "@",
        ":",
        "b=2",
        "a=1",
        "%25",
        "%3B",
        "%26",
        "|",
        "^",
        "'",
        "[",
        "]",
        "%5b",
        "{",
        "`",
        "(S(lit3py55t21z5v55vlm25s55))",
        "%28S(lit3py55t21z5v55vlm25s55)%29",
        "cfid=1",
        "CFTOKEN=2",
        "session_id=3",
        "0x1",
    ]);
    prop::collection::vec(piece, 0..12).prop_map(|pieces| pieces.concat())
}

fn assert_stable(switches: Switches, text: &str) -> Result<(), TestCaseError> {
    let identity = Identity::new(switches);
    let Ok(url) = identity.parse(text, None) else {
        return Ok(());
    };
    let form = identity.key_form(&url);
    let again = identity.parse(&form, None);
    prop_assert!(again.is_ok(), "{form} is no URL");
    let again = again.unwrap();
    prop_assert_eq!(again.as_str(), &form, "the key form is an href");
    prop_assert_eq!(identity.key_form(&again), form.clone());
    prop_assert_eq!(identity.key_of(&url), identity.key(&form));
    prop_assert_eq!(identity.parse(url.as_str(), None).unwrap(), url);
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn u3_making_the_key_form_is_idempotent(switches in switches(), tail in awkward_tail()) {
        assert_stable(switches, &format!("http://www.example.com/{tail}"))?;
        assert_stable(switches, &format!("http://{tail}"))?;
    }

    #[test]
    fn u3_any_text_is_a_url_or_has_a_reason(switches in switches(), text in any::<String>()) {
        assert_stable(switches, &text)?;
        assert_stable(switches, &format!("http:{text}"))?;
        assert_stable(switches, &format!("http://h.example/{text}"))?;
    }
}
