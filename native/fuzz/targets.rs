//! What is fuzzed: each takes any bytes and says what is wrong with the answer.

mod charset;
mod codecs;
mod extraction;
mod foreign;
mod html;
mod http;
mod replay;
mod robots;
mod selecting;
mod sitemap;
mod url;

use std::time::Duration;

pub type Verdict = Result<(), String>;

pub trait Target {
    fn name(&self) -> &'static str;

    fn seeds(&self) -> Vec<Vec<u8>>;

    /// Words of the format.
    fn tokens(&self) -> &'static [&'static str];

    /// What an input may cost before it matters how the cost grows.
    fn ceiling(&self) -> Duration {
        Duration::from_millis(10)
    }

    /// What is broken begins with its kind and a colon.
    fn run(&self, input: &[u8]) -> Verdict;
}

pub fn all() -> Vec<Box<dyn Target>> {
    vec![
        Box::new(html::Html::new()),
        Box::new(extraction::Extractions::new()),
        Box::new(charset::Charset),
        Box::new(url::Urls),
        Box::new(robots::RobotsTxt),
        Box::new(sitemap::Sitemaps::new()),
        Box::new(http::Responses),
        Box::new(codecs::DiscoveriesBlobs),
        Box::new(codecs::WarcRecords),
        Box::new(codecs::LinkBlocks::new()),
        Box::new(replay::Sheets),
        Box::new(replay::Documents),
        Box::new(selecting::Selectors::new()),
        Box::new(selecting::FieldRules::new()),
        Box::new(foreign::ForeignArchives::new()),
    ]
}

/// A verdict from a condition that must hold.
fn must(holds: bool, broken: impl FnOnce() -> String) -> Verdict {
    if holds { Ok(()) } else { Err(broken()) }
}

/// The first byte of an input chooses how the rest is taken.
fn choice(input: &[u8]) -> (u8, &[u8]) {
    match input {
        [first, rest @ ..] => (*first, rest),
        [] => (0, input),
    }
}
