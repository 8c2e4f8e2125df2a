use super::*;
use crate::url::parse;

fn href(text: &str) -> String {
    parse(text, None).unwrap().into()
}

fn extend(policy: &LinkPolicy, text: &str) {
    policy.extend(Pieces::of(&href(text)).unwrap());
}

fn bans(policy: &LinkPolicy, text: &str) -> bool {
    policy.bans(Pieces::of(&href(text)).unwrap())
}

fn rules(scope: Scope) -> Rules {
    Rules {
        scope,
        include: vec![],
        exclude: vec![],
        skip_extensions: vec![],
        requisites: false,
        limits: Limits::default(),
    }
}

fn policy(rules: Rules, seed: &str) -> LinkPolicy {
    let policy = LinkPolicy::new(rules).unwrap();
    extend(&policy, seed);
    policy
}

fn verdict(policy: &LinkPolicy, text: &str) -> Option<&'static str> {
    policy.judge(Pieces::of(&href(text)).unwrap(), 1_794_700_800.0)
}

fn assert_verdicts(policy: &LinkPolicy, cases: &[(&str, Option<&'static str>)]) {
    for (text, expected) in cases {
        assert_eq!(verdict(policy, text), *expected, "{text}");
    }
}

#[test]
fn d5_the_scope_host_is_the_host_name_whatever_scheme_and_port() {
    let policy = policy(rules(Scope::Host), "http://example.com/a");
    assert_verdicts(
        &policy,
        &[
            ("https://example.com:8443/b", None),
            ("http://example.com./b", None),
            ("http://www.example.com/", Some("scope")),
        ],
    );
}

#[test]
fn d5_the_scope_domain_is_the_registrable_domain() {
    let policy = policy(rules(Scope::Domain), "http://shop.example.co.uk/");
    assert_verdicts(
        &policy,
        &[
            ("https://example.co.uk/", None),
            ("https://a.b.example.co.uk/", None),
            ("https://other.co.uk/", Some("scope")),
        ],
    );
    extend(&policy, "http://127.0.0.1/");
    assert_verdicts(
        &policy,
        &[
            ("http://127.0.0.1:81/", None),
            ("http://1.0.0.1/", Some("scope")),
        ],
    );
}

#[test]
fn d5_the_scope_prefix_is_the_directory_of_the_seed() {
    let policy = policy(rules(Scope::Prefix), "http://example.com/docs/index.html?a");
    assert_verdicts(
        &policy,
        &[
            ("http://example.com/docs/a/b", None),
            ("http://example.com/docs", Some("scope")),
            ("http://example.com/docs2/", Some("scope")),
            ("https://example.com/docs/", Some("scope")),
        ],
    );
}

#[test]
fn d1_a_redirected_seed_extends_the_scope() {
    let policy = policy(rules(Scope::Host), "http://example.com/");
    extend(&policy, "https://www.example.com/");
    assert_eq!(verdict(&policy, "https://www.example.com/a"), None);
}

#[test]
fn d5_patterns_include_and_exclude() {
    let policy = policy(
        Rules {
            include: vec!["/news/".into(), "/blog/".into()],
            exclude: vec![r"[?&]print=1\b".into()],
            ..rules(Scope::Any)
        },
        "http://example.com/",
    );
    assert_verdicts(
        &policy,
        &[
            ("http://example.com/news/1", None),
            ("http://example.com/shop/1", Some("excluded")),
            ("http://example.com/blog/1?a&print=1", Some("excluded")),
        ],
    );
}

#[test]
fn a_bad_pattern_is_named() {
    for pattern in ["a(", r"(\w{1000}){1000}"] {
        let rules = Rules {
            exclude: vec!["fine".into(), pattern.into()],
            ..rules(Scope::Any)
        };
        let Err(Error::Invalid(message)) = LinkPolicy::new(rules) else {
            panic!("{pattern} was accepted");
        };
        assert!(message.contains(&format!("{pattern:?}")), "{message}");
    }
}

#[test]
fn d5_extensions_are_skipped_unseen() {
    let policy = policy(
        Rules {
            skip_extensions: vec![".zip".into(), "MP4".into()],
            ..rules(Scope::Any)
        },
        "http://example.com/",
    );
    assert_verdicts(
        &policy,
        &[
            ("http://example.com/a.ZIP?b", Some("extension")),
            ("http://example.com/a.mp4;v=1", Some("extension")),
            ("http://example.zip/", None),
            ("http://example.com/a.zip/b", None),
            ("http://example.com/?a.zip", None),
        ],
    );
}

#[test]
fn d5_a_blacklisted_domain_takes_its_subdomains_along() {
    let rules = Rules {
        skip_extensions: vec!["zip".into()],
        ..rules(Scope::Any)
    };
    let policy = policy(rules, "http://example.com/");
    policy.blacklist("Bücher.example").unwrap();
    policy.blacklist("127.0.0.1").unwrap();
    assert_verdicts(
        &policy,
        &[
            ("http://bücher.example/", Some("blacklisted")),
            ("http://a.b.bücher.example./", Some("blacklisted")),
            ("http://bücher.example/a.zip", Some("extension")),
            ("http://notbücher.example/", None),
            ("http://127.0.0.1:8080/", Some("blacklisted")),
        ],
    );
    assert!(policy.blacklist("a b").is_err());
    assert!(bans(&policy, "http://a.bücher.example/?x"));
    assert!(!bans(&policy, "http://example.com/"));
    policy.lift("BÜCHER.example.").unwrap();
    assert_verdicts(&policy, &[("http://a.bücher.example/", None)]);
}

#[test]
fn f6_traps_are_recognised_by_their_shape() {
    let policy = policy(rules(Scope::Any), "http://example.com/");
    let with_path = |path: &str| verdict(&policy, &format!("http://example.com/{path}"));
    assert_eq!(with_path(&"a".repeat(1981)), None);
    assert_eq!(with_path(&"a".repeat(1982)), Some("too_long"));
    assert_eq!(with_path("1/2/3/4/5/6/7/8/9/10/11/12/13/14/15/"), None);
    assert_eq!(
        with_path("1/2/3/4/5/6/7/8/9/10/11/12/13/14/15/16"),
        Some("too_many_segments")
    );
    assert_eq!(with_path("a/a/b/a"), None);
    assert_eq!(with_path("x/a/a/a/"), Some("repeated_segments"));
    assert_eq!(with_path("x/a/b/a/b/a"), None);
    assert_eq!(with_path("x/a/b/a/b/a/b/y"), Some("repeated_segments"));
    let query = |count: usize| format!("?{}", vec!["a=1"; count].join("&"));
    assert_eq!(with_path(&query(20)), None);
    assert_eq!(with_path(&query(21)), Some("too_many_parameters"));
    assert_eq!(with_path("calendar/2028/11/15"), None);
    assert_eq!(with_path("calendar/2028/11/16"), Some("future_date"));
}

#[test]
fn the_scope_grows_while_other_threads_judge() {
    let policy = LinkPolicy::new(rules(Scope::Host)).unwrap();
    std::thread::scope(|threads| {
        threads.spawn(|| {
            (0..100)
                .for_each(|_| assert_ne!(verdict(&policy, "http://h7.example/"), Some("excluded")));
        });
        (0..100).for_each(|n| extend(&policy, &format!("http://h{n}.example/")));
    });
    assert_eq!(verdict(&policy, "http://h7.example/"), None);
}

#[test]
fn f6_a_group_that_repeats_but_for_its_digits_is_a_trap_unless_it_is_all_numbers() {
    let policy = policy(rules(Scope::Any), "http://h.example/");
    let trap = Some("repeated_segments");
    assert_verdicts(
        &policy,
        &[
            ("http://h.example/page/1/page/2/page/3", trap),
            ("http://h.example/x/page/9/page/10/page/11/", trap),
            ("http://h.example/a/1/b/a/2/b/a/3/b", trap),
            ("http://h.example/p1/p2/p33", trap),
            ("http://h.example/1/1/1", trap),
            ("http://h.example/page/1/page/2", None),
            ("http://h.example/page/1/page/2/pages/3", None),
            ("http://h.example/2024/05/06", None),
            ("http://h.example/1/2/3/4/5/6", None),
            ("http://h.example/2024-01-05/2024-01-06/2024-01-07", None),
            ("http://h.example/1.5/2.5/3.5", None),
            ("http://h.example/v1/2/3/4", None),
            ("http://h.example/tiles/12/2048/1361", None),
            ("http://h.example/2024/05/06/a1/b2/c3", None),
        ],
    );
}
