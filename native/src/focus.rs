//! Scores pages and their links by the keywords of a focused crawl (D6).
//!
//! A keyword is a word or a phrase with a weight. It is split into words as a text is (`words`), so case, accents and width
//! do not matter, and keywords of scripts without spaces between words are found, too. One automaton finds all keywords in
//! one pass, in time linear in the text.
//!
//! What speaks for a page is a number, its *evidence*: the sum over all keywords of weight × (2 in the title + 1 in a
//! heading + how often per hundred words of the main text). The score is 1 − 2^(−evidence). A keyword in the title alone
//! gives 0.75, one word in two hundred gives 0.25. Keywords of negative weight speak against a page.

use std::borrow::Cow;
use std::fmt::Write;

use aho_corasick::{AhoCorasick, MatchKind};

use crate::page::Page;
use crate::url::percent;
use crate::words;

pub const MOST_KEYWORDS: usize = 1_000;
/// Bytes of a keyword.
pub const LONGEST_KEYWORD: usize = 500;
pub const LARGEST_WEIGHT: f64 = 100.0;

const TITLE: f64 = 2.0;
const HEADING: f64 = 1.0;
/// Words to which densities refer. A shorter text counts as if it had at least this many.
const HUNDRED: f64 = 100.0;
/// More of a URL is not looked at.
const LONGEST_URL: usize = 2_000;
/// Separates texts, so that no phrase reaches from one into the next.
const BREAK: char = '\n';

/// The keywords of a crawl.
#[derive(Debug, Clone)]
pub struct Keywords {
    automaton: AhoCorasick,
    weights: Vec<f64>,
}

/// How well a page fits the keywords.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct PageFocus {
    /// From 0 to 1.
    pub score: f64,
    /// The scores of its links, in steps of 1/255: anchor text and URL.
    pub links: Vec<u8>,
}

/// How links of a page are judged (D6, F2).
#[derive(Debug, Clone, Copy)]
pub struct Following {
    /// The score of the page: from keywords, or from a hook.
    pub page: f64,
    /// The share of the score in the priority of a link.
    pub weight: f64,
    /// Below it a link is not followed.
    pub threshold: f64,
}

impl Following {
    /// Whether a link is followed: if its page fits, or its own words do.
    pub fn follows(&self, own: Option<f64>) -> bool {
        own.map_or(self.page, |own| own.max(self.page)) >= self.threshold
    }

    pub fn priority(&self, usual: f64, own: Option<f64>) -> f64 {
        let score = own.map_or(self.page, |own| (own + self.page) / 2.0);
        usual * (1.0 - self.weight) + score * self.weight
    }
}

impl PageFocus {
    /// The score of a link's own words.
    pub fn link(&self, number: usize) -> Option<f64> {
        self.links.get(number).map(|step| f64::from(*step) / 255.0)
    }
}

impl Keywords {
    /// Fails with the reason if a keyword has no words, or there are too many.
    pub fn new(keywords: &[(String, f64)]) -> Result<Keywords, String> {
        if keywords.len() > MOST_KEYWORDS {
            return Err(format!(
                "at most {MOST_KEYWORDS} keywords are possible, not {}",
                keywords.len()
            ));
        }
        let patterns = keywords.iter().map(|(text, weight)| {
            if text.len() > LONGEST_KEYWORD {
                return Err(format!("a keyword has more than {LONGEST_KEYWORD} bytes"));
            }
            if !(weight.abs() <= LARGEST_WEIGHT && *weight != 0.0) {
                return Err(format!(
                    "the weight of {text:?} must be between -{LARGEST_WEIGHT} and {LARGEST_WEIGHT}, and not 0"
                ));
            }
            pattern_of(text).ok_or_else(|| format!("{text:?} has no words"))
        });
        let patterns = patterns.collect::<Result<Vec<_>, _>>()?;
        let automaton = AhoCorasick::builder()
            .match_kind(MatchKind::Standard)
            .build(patterns)
            .map_err(|error| error.to_string())?;
        Ok(Keywords {
            automaton,
            weights: keywords.iter().map(|(_, weight)| *weight).collect(),
        })
    }

    pub fn score(&self, page: &Page) -> PageFocus {
        let mut counter = Counter::new(self);
        let evidence = self.evidence_of_page(page, &mut counter);
        let links = page.links.iter().map(|link| {
            let anchor = counter.evidence_of([link.anchor.as_str()]);
            let url = counter.evidence_of([&*decoded(&link.href)]);
            (score_of(anchor + url) * 255.0).round() as u8
        });
        let links = links.collect();
        PageFocus {
            score: (score_of(evidence) * 1000.0).round() / 1000.0,
            links,
        }
    }

    fn evidence_of_page(&self, page: &Page, counter: &mut Counter<'_>) -> f64 {
        let title = counter.evidence_of([page.title.as_str()]);
        let headings = page.headings.iter().map(|(_, heading)| heading.as_str());
        let headings = counter.evidence_of(headings);
        let words = match page.main.is_empty() {
            true => counter.count([page.text.as_str()]),
            false => counter.count(page.main_blocks()),
        };
        let share = HUNDRED / (words as f64 + HUNDRED);
        let each = self.weights.iter().zip(&counter.hits);
        let density: f64 = each
            .map(|(weight, hits)| weight * f64::from(*hits) * share)
            .sum();
        TITLE * title + HEADING * headings + density
    }
}

/// Finds keywords; its buffers are reused for the next text.
struct Counter<'k> {
    keywords: &'k Keywords,
    words: String,
    hits: Vec<u32>,
}

impl<'k> Counter<'k> {
    fn new(keywords: &'k Keywords) -> Self {
        Counter {
            keywords,
            words: String::new(),
            hits: Vec::new(),
        }
    }

    /// Counts how often each keyword occurs. Returns the number of words.
    fn count<'t>(&mut self, texts: impl IntoIterator<Item = &'t str>) -> usize {
        self.words.clear();
        let mut number = 0;
        for text in texts {
            self.words.push(BREAK);
            self.words.push(' ');
            words::each_word(text, |word| {
                self.words.push_str(word);
                self.words.push(' ');
                number += 1;
            });
        }
        self.hits.clear();
        self.hits.resize(self.keywords.weights.len(), 0);
        if number > 0 {
            for found in self.keywords.automaton.find_overlapping_iter(&self.words) {
                self.hits[found.pattern().as_usize()] += 1;
            }
        }
        number
    }

    /// The weights of the keywords that occur.
    fn evidence_of<'t>(&mut self, texts: impl IntoIterator<Item = &'t str>) -> f64 {
        self.count(texts);
        let each = self.keywords.weights.iter().zip(&self.hits);
        each.filter(|(_, hits)| **hits > 0)
            .map(|(weight, _)| weight)
            .sum()
    }
}

fn score_of(evidence: f64) -> f64 {
    1.0 - (-evidence.max(0.0)).exp2()
}

/// The words of a keyword as they follow each other in a text. A single character of an unspaced script is the first of
/// any pair.
fn pattern_of(keyword: &str) -> Option<String> {
    let (words, is_beginning) = words::split_query(keyword);
    let mut pattern = String::from(" ");
    for word in &words {
        write!(pattern, "{word} ").ok()?;
    }
    if is_beginning {
        pattern.pop();
    }
    (!words.is_empty()).then_some(pattern)
}

/// Host, path and query of a URL, with its escapes decoded.
fn decoded(href: &str) -> Cow<'_, str> {
    let rest = href.split_once("://").map_or(href, |(_, rest)| rest);
    let rest = &rest[..rest.floor_char_boundary(LONGEST_URL)];
    if !rest.contains('%') {
        return rest.into();
    }
    let bytes = percent::decode(rest);
    String::from_utf8_lossy(&bytes).into_owned().into()
}

#[cfg(test)]
mod tests;
