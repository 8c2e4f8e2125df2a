//! Chooses the blocks of the main text.
//!
//! If the page marks it (`main`, or else `article`), that part counts, without lists of links.
//! Otherwise blocks are judged by their length, their share of link text and those of their
//! neighbours, by the rules that C. Kohlschütter and others learned from news pages (Boilerplate
//! detection using shallow text features, 2010). A word counts as six bytes, so that it works for
//! scripts without spaces, too.

use xxhash_rust::xxh3::Xxh3Default;

use super::{Block, Chosen, place};
use crate::change::{self, Part};

/// Bytes per word.
const WORD: usize = 6;
/// A part of this length is enough, however long the whole text is…
const ENOUGH: usize = 250;
/// …and so is a part with this share of the whole text.
const LEAST_SHARE: usize = 10;

#[derive(Clone, Copy)]
struct Candidate {
    from: u32,
    end: u32,
    linked: usize,
    place: u8,
}

/// The ranges of the main text, in order and not empty, and the part of the page from which they were chosen.
pub fn main_ranges(blocks: &[Block], text: &str) -> Chosen {
    let candidates = candidates(blocks, text);
    let (part, main) = declared(&candidates).unwrap_or_else(|| judged(&candidates));
    let with_forms = with_forms(&candidates, &part);
    let ranges =
        |blocks: &[Candidate]| blocks.iter().map(|block| (block.from, block.end)).collect();
    Chosen {
        main: ranges(&main),
        content: merged(&part),
        compared: ranges(&with_forms),
        hash: hash_of(&part, text),
        change_hash: change_hash_of(&with_forms, text),
    }
}

/// The ranges of the blocks; those of neighbours are one.
fn merged(part: &[Candidate]) -> Vec<(u32, u32)> {
    let mut ranges: Vec<(u32, u32)> = Vec::new();
    for block in part {
        match ranges.last_mut() {
            Some((_, end)) if block.from <= *end + 1 => *end = block.end,
            _ => ranges.push((block.from, block.end)),
        }
    }
    ranges
}

/// Hashes the text of all blocks, in order; `None` if there is none. Block boundaries are hashed, too: text that moves
/// from one block to another is a different text.
fn hash_of(part: &[Candidate], text: &str) -> Option<u128> {
    let mut hasher = Xxh3Default::new();
    for block in part {
        hasher.update(&text.as_bytes()[block.from as usize..block.end as usize]);
        hasher.update(b"\n");
    }
    (!part.is_empty()).then(|| hasher.digest128())
}

/// The part, and the forms between its first and its last block: a shop often has the price there.
fn with_forms(candidates: &[Candidate], part: &[Candidate]) -> Vec<Candidate> {
    let (Some(first), Some(last)) = (part.first(), part.last()) else {
        return Vec::new();
    };
    let mut part = part.iter().peekable();
    let within = candidates
        .iter()
        .filter(|block| block.from >= first.from && block.end <= last.end);
    within
        .filter(|block| {
            let is_part = part.next_if(|next| next.from == block.from).is_some();
            is_part || block.place & (place::FORM | place::BESIDE) == place::FORM
        })
        .copied()
        .collect()
}

fn change_hash_of(part: &[Candidate], text: &str) -> Option<[u8; 16]> {
    let parts: Vec<_> = part
        .iter()
        .map(|block| Part {
            text: &text[block.from as usize..block.end as usize],
            linked: block.linked,
            is_in_form: block.place & place::FORM != 0,
        })
        .collect();
    change::digest(&parts)
}

/// Clips blocks to the text, which may have been cut, and strips the leading space of each.
fn candidates(blocks: &[Block], text: &str) -> Vec<Candidate> {
    let mut from = 0;
    let mut list = Vec::with_capacity(blocks.len());
    for block in blocks {
        let end = (block.end as usize).min(text.len());
        let start = from + usize::from(text.as_bytes().get(from) == Some(&b' '));
        from = end;
        if start < end {
            list.push(Candidate {
                from: start as u32,
                end: end as u32,
                linked: block.linked as usize,
                place: block.place,
            });
        }
    }
    list
}

/// The part that the page marks as its main part, and the main text in it.
fn declared(candidates: &[Candidate]) -> Option<(Vec<Candidate>, Vec<Candidate>)> {
    let page = of(candidates, 0, place::BESIDE | place::FORM);
    let part = [place::MAIN, place::ARTICLE]
        .into_iter()
        .map(|wanted| of(&page, wanted, 0))
        .find(|part| is_enough(part, &page))?;
    let main = filtered(&part, |before, block, after| {
        !(block.is_links() && (before.is_links() || after.is_links()))
    });
    Some((part, main))
}

fn judged(candidates: &[Candidate]) -> (Vec<Candidate>, Vec<Candidate>) {
    let part = [place::BESIDE | place::FORM, place::BESIDE]
        .into_iter()
        .map(|unwanted| of(candidates, 0, unwanted))
        .find(|part| is_enough(part, candidates))
        .unwrap_or_else(|| candidates.to_vec());
    let main = filtered(&part, is_content);
    (part, main)
}

fn is_content(before: &Candidate, block: &Candidate, after: &Candidate) -> bool {
    if block.linked * 3 > block.length() {
        return false;
    }
    if before.linked * 9 > before.length() * 5 {
        return block.words() > 40 || after.words() > 17;
    }
    block.words() > 16 || after.words() > 15 || before.words() > 4
}

fn of(candidates: &[Candidate], wanted: u8, unwanted: u8) -> Vec<Candidate> {
    let fits = |block: &&Candidate| block.place & wanted == wanted && block.place & unwanted == 0;
    candidates.iter().filter(fits).copied().collect()
}

/// The candidates that pass. If hardly anything passes, all are kept: then the page is a list of links.
fn filtered(
    part: &[Candidate],
    passes: impl Fn(&Candidate, &Candidate, &Candidate) -> bool,
) -> Vec<Candidate> {
    let nothing = Candidate {
        from: 0,
        end: 0,
        linked: 0,
        place: 0,
    };
    let passing = |index: &usize| {
        let before = index.checked_sub(1).map_or(&nothing, |index| &part[index]);
        let after = part.get(index + 1).unwrap_or(&nothing);
        passes(before, &part[*index], after)
    };
    let passed: Vec<_> = (0..part.len())
        .filter(passing)
        .map(|index| part[index])
        .collect();
    if is_enough(&passed, part) {
        passed
    } else {
        part.to_vec()
    }
}

fn is_enough(part: &[Candidate], whole: &[Candidate]) -> bool {
    let length = |list: &[Candidate]| list.iter().map(Candidate::length).sum::<usize>();
    let part = length(part);
    part > 0 && (part >= ENOUGH || part * LEAST_SHARE >= length(whole))
}

impl Candidate {
    fn length(&self) -> usize {
        (self.end - self.from) as usize
    }

    fn words(&self) -> usize {
        self.length() / WORD
    }

    fn is_links(&self) -> bool {
        self.linked * 2 > self.length()
    }
}
