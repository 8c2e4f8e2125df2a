//! What reading a page costs on one core: `cargo bench --bench analyse`.
//!
//! The page is made here: 50 KB, 80 links, the markup of an ordinary article.

use std::hint::black_box;
use std::time::{Duration, Instant};

use hondius_native::html::Reader;
use hondius_native::page::ReadOptions;
use hondius_native::url::{Identity, Switches};
use url::Url;

/// Many short rounds: the best of them was not interrupted.
const ROUNDS: usize = 1000;
const PAGES_A_ROUND: u32 = 4;
const PAGE_BYTES: usize = 50_000;
const LINKS: usize = 80;

fn main() {
    let url = Url::parse("https://www.example.test/articles/2026/page.html").expect("a URL");
    let page = article();
    let odd = page.replace(
        "<footer>",
        "<svg><foreignObject><p>x</p></foreignObject></svg><footer>",
    );
    println!("page: {} bytes", page.len());
    for (name, body, want_text) in [
        ("links and text", &page, true),
        ("text not kept", &page, false),
        ("slow road", &odd, true),
    ] {
        let reader = reader(want_text);
        let read = reader.read(body.as_bytes(), &url, "text/html; charset=utf-8", &[]);
        let best = best_of(|| reader.read(body.as_bytes(), &url, "text/html; charset=utf-8", &[]));
        println!(
            "{name:>15}: {:7.1} µs a page, {:6.0} MB/s, {} links, {} bytes of text, slow road: {}",
            best.as_secs_f64() * 1e6,
            body.len() as f64 / best.as_secs_f64() / 1e6,
            read.links.len(),
            read.text.len(),
            read.slow_road,
        );
    }
}

fn reader(want_text: bool) -> Reader {
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
    Reader::new(Identity::new(Switches::default()), options)
}

fn best_of<T>(mut work: impl FnMut() -> T) -> Duration {
    (0..ROUNDS)
        .map(|_| {
            let started = Instant::now();
            for _ in 0..PAGES_A_ROUND {
                black_box(work());
            }
            started.elapsed() / PAGES_A_ROUND
        })
        .min()
        .unwrap_or_default()
}

fn article() -> String {
    let mut page = String::from(
        "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\"><title>An article &amp; its title</title>\
         <meta name=\"description\" content=\"What it is about\"><link rel=\"canonical\" href=\"/articles/2026/page\">\
         <link rel=\"stylesheet\" href=\"/style.css\"><script>window.data = {\"a\": [1, 2, 3]};</script></head><body><nav><ul>",
    );
    for number in 0..LINKS / 2 {
        page.push_str(&format!(
            "<li class=\"item item-{number}\"><a class=\"nav-link\" href=\"/section/{number}?utm_source=nav&amp;page={number}\" \
             title=\"Section\">Section <span class=\"count\">{number}</span></a></li>\n"
        ));
    }
    page.push_str("</ul></nav><main>");
    let mut number = 0;
    while page.len() < PAGE_BYTES {
        page.push_str(&format!("<section id=\"s{number}\" class=\"block wide\" data-index=\"{number}\"><h2>Heading {number}</h2>\n"));
        for _ in 0..3 {
            page.push_str(
                "<p class=\"text\">The quick brown fox jumps over the lazy dog, <em>again and again</em>, until the sun &mdash; or \
                 what is left of it &mdash; sets behind the hills of <strong>Nowhere</strong> and the na\u{ef}ve reader sleeps.</p>\n",
            );
        }
        if number < LINKS / 2 {
            page.push_str(&format!(
                "<div class=\"more\"><a href=\"https://other-{number}.example.test/path/to/{number}.html\" rel=\"noopener\">Read \
                 more</a><img src=\"/i/{number}.png\" alt=\"\" width=\"10\" height=\"10\"></div>\n"
            ));
        }
        page.push_str("</section>\n");
        number += 1;
    }
    page.push_str("</main><footer>The end</footer></body></html>");
    page
}
