//! What counts as a change of a page (R3): the digest of its main text without what changes by itself.
//!
//! Left out are dates of the page, counters of views and comments (`passing`), lists of links, and teasers. Everything
//! else counts, each price and each other figure included. Blocks are those of the part of the page from which the main
//! text is chosen: the main text itself omits short blocks, and a price often has one of its own. For the same reason
//! prices in forms count, and nothing else there does.
//!
//! The digest is 128 bits of XXH3, as in `text_hash`: an owner who wants to hide a change can do so without a
//! collision, and SHA-256 would take several times as long.

mod passing;
#[cfg(test)]
mod tests;
mod tokens;
mod vocabulary;

use tokens::Token;
use xxhash_rust::xxh3::Xxh3Default;

/// One block of the page.
#[derive(Debug, Clone, Copy)]
pub struct Part<'t> {
    pub text: &'t str,
    /// Bytes of it in links.
    pub linked: usize,
    pub is_in_form: bool,
}

/// Bytes of the longest text of a teaser.
const LONGEST_TEASER: usize = 300;
/// Bytes of the shortest one: a price between two links is none.
const SHORTEST_TEASER: usize = 24;

/// The digest of the parts, in order; `None` if there is nothing.
pub fn digest(parts: &[Part<'_>]) -> Option<[u8; 16]> {
    let mut digest = Digest::default();
    for (index, part) in parts.iter().enumerate() {
        if counts(parts, index) {
            digest.add(part.text);
        }
    }
    if !digest.has_text {
        // The page is a list of links or teasers: then that is its content.
        let all = parts.iter().filter(|part| !part.is_in_form);
        all.for_each(|part| digest.add(part.text));
    }
    digest.finish()
}

fn counts(parts: &[Part<'_>], index: usize) -> bool {
    let part = &parts[index];
    if part.is_in_form {
        return passing::has_price(part.text);
    }
    !part.is_links() && !is_teaser(parts, index)
}

/// A short text between two headings that are links, or between such a heading and "Read more".
fn is_teaser(parts: &[Part<'_>], index: usize) -> bool {
    let part = &parts[index];
    let is_links = |neighbour: Option<&Part<'_>>| neighbour.is_some_and(Part::is_links);
    (SHORTEST_TEASER..=LONGEST_TEASER).contains(&part.text.len())
        && is_links(index.checked_sub(1).map(|before| &parts[before]))
        && is_links(parts.get(index + 1))
        && !passing::has_price(part.text)
}

impl Part<'_> {
    fn is_links(&self) -> bool {
        self.linked * 2 > self.text.len()
    }
}

#[derive(Default)]
struct Digest {
    hasher: Xxh3Default,
    has_text: bool,
    spans: Vec<(usize, usize)>,
    tokens: Vec<Token>,
}

impl Digest {
    /// Adds a block. A block that has nothing but dates and counters adds nothing.
    fn add(&mut self, text: &str) {
        self.spans.clear();
        passing::find(text, &mut self.tokens, &mut self.spans);
        let mut from = 0;
        let mut has_text = false;
        for (start, end) in self.spans.iter().copied().chain([(text.len(), text.len())]) {
            let piece = text[from..start].trim_matches(is_between);
            if !piece.is_empty() {
                self.hasher.update(piece.as_bytes());
                self.hasher.update(b"\x01");
                has_text = true;
            }
            from = end;
        }
        if has_text {
            self.hasher.update(b"\n");
            self.has_text = true;
        }
    }

    fn finish(self) -> Option<[u8; 16]> {
        self.has_text.then(|| self.hasher.digest128().to_be_bytes())
    }
}

/// Characters around a date or counter that come and go with it.
fn is_between(character: char) -> bool {
    match character {
        'a'..='z' | 'A'..='Z' | '0'..='9' | '.' => false,
        ' ' | ',' | ';' | ':' | '|' | '(' | ')' | '[' | ']' | '-' | '/' => true,
        '·' | '•' | '–' | '—' | '／' | '（' | '）' => true,
        other => other.is_whitespace(),
    }
}
