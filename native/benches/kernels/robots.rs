//! A path held against robots.txt: asked for each URL that is handed out, again when it is sent.

use std::hint::black_box;

use hondius_native::robots::Robots;

use crate::Kernel;

/// Disallowed by a plain rule, by one with stars, allowed by a longer rule, and by none: that one walks all rules.
const PATHS: [&str; 4] = [
    "/search/results?q=maps&page=2",
    "/journal/entry-07.html?replytocom=19&print=1",
    "/private/press/kit.html",
    "/places/harbour/a-title-of-some-length-4711.html",
];

const TYPICAL: &str = "\
User-agent: *
Crawl-delay: 1
Disallow: /admin/
Disallow: /cgi-bin/
Disallow: /search
Disallow: /private/
Allow: /private/press/
Disallow: /cart
Disallow: /checkout
Disallow: /login
Disallow: /*?replytocom=
Disallow: /*/feed/
Disallow: /*.pdf$
Disallow: /*?sort=*&order=
Disallow: /tmp/
Disallow: /print/
Disallow: /tag/*/page/
Disallow: /user/*/edit$
Sitemap: https://www.example.test/sitemap.xml

User-agent: GreedyBot
Disallow: /
";

/// Rules of the largest shops and encyclopedias: thousands, some with stars.
const LARGE_RULES: usize = 3_000;

pub fn typical() -> Kernel {
    matching(TYPICAL)
}

pub fn large() -> Kernel {
    matching(&TYPICAL.replace("\nSitemap", &more_rules()))
}

fn more_rules() -> String {
    let rules = (0..LARGE_RULES).map(|number| match number % 10 {
        0 => format!("\nDisallow: /*/archive-{number}/*.html"),
        1 => format!("\nAllow: /catalogue/section-{number}/index.html"),
        _ => format!("\nDisallow: /catalogue/section-{number}/drafts"),
    });
    rules.chain(["\nSitemap".to_owned()]).collect()
}

fn matching(body: &str) -> Kernel {
    let robots = Robots::parse(body.as_bytes(), "hondius");
    let verdicts = PATHS.map(|path| robots.allowed(path).allowed);
    assert_eq!(verdicts, [false, false, true, true]);
    let lap = move |_| {
        for path in black_box(PATHS) {
            black_box(robots.allowed(path));
        }
    };
    Kernel {
        operations: PATHS.len(),
        lap: Box::new(lap),
    }
}
