//! One `Website` a host, as spider has it, and one client for all of them. As many hosts at once as others have requests
//! under way, with one request each: a semaphore that hosts share would end the crawl of a host that finds it taken.
//! Pages come by subscription, title and links with them.

use std::io::{BufWriter, Write};

use spider::page::Page;
use spider::tokio::{self, task::JoinSet};
use spider::website::Website;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Pages of one host that may wait to be written; a host has 20.
const WAITING: usize = 256;

#[tokio::main]
async fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let [_, seeds, concurrency, output] = arguments.as_slice() else {
        panic!("SEEDS CONCURRENCY OUTPUT");
    };
    let seeds = std::fs::read_to_string(seeds).expect("a file of seeds");
    let concurrency: usize = concurrency.parse().expect("a number");
    let (pages, written) = tokio::sync::mpsc::channel(WAITING);
    let writer = tokio::spawn(write(written, output.clone()));

    let client = site("http://127.0.0.1/").configure_http_client();
    let mut crawls = JoinSet::new();
    for seed in seeds.lines() {
        if crawls.len() >= concurrency {
            crawls.join_next().await;
        }
        let mut website = site(seed);
        website.set_http_client(client.clone());
        crawls.spawn(crawl(website, pages.clone()));
    }
    drop(pages);
    while crawls.join_next().await.is_some() {}
    writer.await.expect("a file of pages");
}

fn site(seed: &str) -> Website {
    let mut website = Website::new(seed);
    website
        .with_respect_robots_txt(true)
        .with_delay(0)
        .with_concurrency_limit(Some(1))
        .with_caching(false)
        .with_return_page_links(true)
        .with_user_agent(Some("peer/1.0"));
    website
}

async fn crawl(mut website: Website, pages: tokio::sync::mpsc::Sender<Page>) {
    let mut found = website.subscribe(WAITING);
    let forwarded = tokio::spawn(async move {
        while let Ok(page) = found.recv().await {
            let _ = pages.send(page).await;
        }
    });
    website.crawl().await;
    website.unsubscribe();
    let _ = forwarded.await;
}

async fn write(mut pages: tokio::sync::mpsc::Receiver<Page>, output: String) {
    let mut file = BufWriter::new(std::fs::File::create(output).expect("a file for pages"));
    while let Some(page) = pages.recv().await {
        let title = page
            .get_metadata()
            .as_ref()
            .and_then(|known| known.title.as_deref().map(str::to_owned));
        let links: Vec<&str> = page
            .page_links
            .iter()
            .flat_map(|links| links.iter().map(AsRef::as_ref))
            .collect();
        let item = serde_json::json!({"url": page.get_url(), "title": title, "links": links});
        writeln!(file, "{item}").expect("room on disk");
    }
    file.flush().expect("room on disk");
}
