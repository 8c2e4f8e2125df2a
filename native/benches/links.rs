//! What it takes to keep the links of pages, in bytes and in microseconds: `cargo bench --bench links -- LIST`.
//!
//! `LIST` is a file of lines `URL<TAB>FILE`, each a page in HTML. Figures are for 80 links, whatever a page has.

use std::hint::black_box;

use hondius_native::html::Reader;
use hondius_native::links::{Source, read, write};
use hondius_native::page::{Page, ReadOptions};
use hondius_native::url::{Identity, Switches};
use url::Url;

const ROUNDS: usize = 30;
const LINKS: f64 = 80.0;
/// Pages of one commit.
const BATCHES: [usize; 4] = [1, 5, 40, 200];
/// Of a page. Shorter lists say little.
const LEAST_LINKS: usize = 20;

fn main() {
    let mut arguments = std::env::args().skip(1);
    let list = arguments.rfind(|word| word != "--bench");
    let list = std::fs::read_to_string(list.expect("a list of pages")).expect("a file of lines");
    let pages: Vec<_> = list.lines().filter_map(page).collect();
    let links: usize = pages.iter().map(|(_, page)| page.links.len()).sum();
    let each = links as f64 / pages.len() as f64;
    println!("{} pages, {each:.1} links each", pages.len());
    for batch in BATCHES {
        let (bytes, spent) = measured(&pages, batch);
        let share = LINKS / links as f64;
        println!(
            "{batch:>4} pages at once: {:6.0} bytes, {:5.1} µs for 80 links",
            bytes as f64 * share,
            spent * 1e6 * share
        );
    }
}

/// The best of many rounds was disturbed least.
fn measured(pages: &[(String, Page)], batch: usize) -> (usize, f64) {
    let sources: Vec<_> = pages.iter().map(source).collect();
    let (mut bytes, mut best) = (0, f64::INFINITY);
    for _ in 0..ROUNDS {
        let before = cpu_seconds();
        bytes = sources.chunks(batch).map(written).sum();
        best = best.min(cpu_seconds() - before);
    }
    (bytes, best)
}

fn written(sources: &[Source<'_>]) -> usize {
    black_box(write(sources, 0).expect("blocks")).data.len()
}

fn source((href, page): &(String, Page)) -> Source<'_> {
    Source {
        key: [7; 16],
        href,
        directives: page.directives,
        links: &page.links,
    }
}

/// Of this thread.
fn cpu_seconds() -> f64 {
    let mut time = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: the clock exists, and `time` is ours.
    unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &mut time) };
    time.tv_sec as f64 + time.tv_nsec as f64 * 1e-9
}

/// Read as a crawl reads it, written and read back.
fn page(line: &str) -> Option<(String, Page)> {
    let identity = Identity::new(Switches::default());
    let options = ReadOptions {
        agent_token: "hondius".into(),
        media: false,
        scripts: false,
        requisites: false,
        max_links: 100_000,
        max_text: 1_000_000,
        want_text: false,
        keywords: None,
    };
    let (url, file) = line.split_once('\t')?;
    let url = Url::parse(url).ok()?;
    let body = std::fs::read(file).ok()?;
    let page = Reader::new(identity.clone(), options).read(&body, &url, "text/html", &[]);
    let page = (url.into(), page);
    let back = read(&write(&[source(&page)], 0).ok()?.data, &identity).expect("a page");
    assert!(back[0].has_same_keys && back[0].left_out == 0, "{}", page.0);
    (page.1.links.len() >= LEAST_LINKS).then_some(page)
}
