//! What is known about single characters, in tables: most of the time of a search is spent on reading the words of the
//! pages that it shows.

use std::str::Chars;
use std::sync::LazyLock;

use regex::Regex;

use super::folding::fold_any;

pub static CHARACTERS: LazyLock<Characters> = LazyLock::new(Characters::new);

static IN_WORDS: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"[\p{Alphabetic}\p{M}\p{N}\u{00AD}\u{200C}\u{200D}]").expect("a constant pattern")
});
static MARK: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"\p{M}").expect("a constant pattern"));

/// The characters before it are Latin, Greek and Cyrillic. Each of them is folded in the same way everywhere, if no mark
/// stands beside it.
const SIMPLE_END: u32 = 0x0530;
const PLANE_END: u32 = 0x1_0000;
const BITS: u32 = u64::BITS;

pub fn is_simple(character: char) -> bool {
    u32::from(character) < SIMPLE_END
}

/// Whether folding leaves a character as it is, if no mark stands beside it: most Japanese and Chinese ones.
fn is_stable(character: char) -> bool {
    matches!(character, '\u{3041}'..='\u{3096}' | '\u{30A1}'..='\u{30FA}' | '\u{4E00}'..='\u{9FFF}')
}

pub struct Characters {
    /// A bit for each character of the basic plane.
    in_words: Vec<u64>,
    /// All spellings, one after another.
    spellings: String,
    /// Where the spelling of each simple character is; `None` for marks.
    folded: Vec<Option<(usize, usize)>>,
}

impl Characters {
    fn new() -> Self {
        let mut in_words = vec![0_u64; (PLANE_END / BITS) as usize];
        let plane: String = (0..PLANE_END).filter_map(char::from_u32).collect();
        for found in IN_WORDS.find_iter(&plane) {
            for number in found.as_str().chars().map(u32::from) {
                in_words[(number / BITS) as usize] |= 1 << (number % BITS);
            }
        }
        let mut spellings = String::new();
        let folded = (0..SIMPLE_END).filter_map(char::from_u32).map(|character| {
            let mut buffer = [0; 4];
            let written: &str = character.encode_utf8(&mut buffer);
            let from = spellings.len();
            fold_any(written, &mut spellings);
            (!MARK.is_match(written)).then_some((from, spellings.len()))
        });
        Self {
            folded: folded.collect(),
            in_words,
            spellings,
        }
    }

    /// Whether a character can be part of a word.
    pub fn is_in_word(&self, character: char) -> bool {
        let number = u32::from(character);
        match self.in_words.get((number / BITS) as usize) {
            Some(bits) => bits >> (number % BITS) & 1 == 1,
            None => IN_WORDS.is_match(character.encode_utf8(&mut [0; 4])),
        }
    }

    /// The first character of a folded word, or of the first character of a pair with its marks; `None` if it is not known
    /// without folding all of them.
    pub fn fold_first(&self, mut written: Chars<'_>) -> Option<char> {
        let first = written.next()?;
        let is_alone = written
            .next()
            .is_none_or(|second| self.fold(second).is_some());
        if !is_alone {
            return None;
        }
        if is_stable(first) {
            return Some(first);
        }
        self.fold(first)?.chars().next()
    }

    /// The folded spelling of a character, if it does not depend on its neighbours, unless one of them is a mark.
    pub fn fold(&self, character: char) -> Option<&str> {
        let (from, to) = (*self.folded.get(character as usize)?)?;
        Some(&self.spellings[from..to])
    }
}
