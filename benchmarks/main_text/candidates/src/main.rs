//! JSON lines in, JSON lines out: the text that one of the candidates takes out of each page, and what that took.

use std::io::{BufRead, Write, stdin, stdout};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use dom_smoothie::{Config, Readability, TextMode};
use serde_json::{Value, json};

fn main() {
    let name = std::env::args().nth(1).unwrap_or_default();
    let mut out = stdout().lock();
    for line in stdin().lock().lines() {
        let row: Value = serde_json::from_str(&line.expect("a line")).expect("JSON");
        let body = STANDARD
            .decode(row["body_b64"].as_str().expect("a body"))
            .expect("base64");
        let start = cpu_seconds();
        let text = match name.as_str() {
            "rs-trafilatura" => rs_trafilatura::extract_bytes(&body)
                .map(|found| found.content_text)
                .unwrap_or_default(),
            "dom_smoothie" => readable(&body).1,
            _ => htmd::convert(&readable(&body).0).unwrap_or_default(),
        };
        let seconds = cpu_seconds() - start;
        writeln!(out, "{}", json!({"text": text, "seconds": seconds})).expect("standard output");
    }
}

/// HTML and text of the article.
fn readable(body: &[u8]) -> (String, String) {
    let config = Config {
        text_mode: TextMode::Formatted,
        ..Config::default()
    };
    let html = String::from_utf8_lossy(body);
    Readability::new(&*html, None, Some(config))
        .and_then(|mut page| page.parse())
        .map(|article| (article.content.to_string(), article.text_content.to_string()))
        .unwrap_or_default()
}

fn cpu_seconds() -> f64 {
    let mut time = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: `time` is valid for writes, and the clock exists on every Linux.
    unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &mut time) };
    time.tv_sec as f64 + time.tv_nsec as f64 * 1e-9
}
