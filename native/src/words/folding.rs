//! Folds the spelling of a word: case, width, and accents of Latin and Greek letters. Vowel points of Hebrew and Arabic
//! are dropped: most texts do not have them. Marks of other scripts distinguish words, so they stay.

use icu_normalizer::{ComposingNormalizerBorrowed, DecomposingNormalizerBorrowed};

use super::characters::CHARACTERS;

const COMPATIBLE: ComposingNormalizerBorrowed<'static> = ComposingNormalizerBorrowed::new_nfkc();
const TAKEN_APART: DecomposingNormalizerBorrowed<'static> =
    DecomposingNormalizerBorrowed::new_nfd();

/// Folds words; its buffer is reused for the next.
#[derive(Default)]
pub struct Folding {
    folded: String,
}

impl Folding {
    pub fn fold(&mut self, word: &str) -> &str {
        self.folded.clear();
        if word.is_ascii() {
            self.folded.push_str(word);
            self.folded.make_ascii_lowercase();
        } else if !self.fold_simple(word) {
            self.folded.clear();
            fold_any(word, &mut self.folded);
        }
        &self.folded
    }

    /// False if the word has other characters.
    fn fold_simple(&mut self, word: &str) -> bool {
        let characters = &*CHARACTERS;
        word.chars().all(|character| {
            let spelling = characters.fold(character);
            self.folded.push_str(spelling.unwrap_or_default());
            spelling.is_some()
        })
    }
}

/// Any word, which may have marks. The tables of `CHARACTERS` are made of this.
pub fn fold_any(word: &str, folded: &mut String) {
    for character in COMPATIBLE.normalize(word).chars() {
        fold_character(character, folded);
    }
}

fn fold_character(character: char, folded: &mut String) {
    match character {
        'ß' | 'ẞ' => folded.push_str("ss"),
        'ς' => folded.push('σ'),
        'ё' | 'Ё' => folded.push('е'),
        _ if is_dropped(character) => {}
        _ if is_accented(character) => {
            let mut buffer = [0; 4];
            let apart = TAKEN_APART.normalize(character.encode_utf8(&mut buffer));
            let letters = apart.chars().filter(|c| !is_dropped(*c));
            folded.extend(letters.flat_map(char::to_lowercase));
        }
        _ => folded.extend(character.to_lowercase().filter(|small| !is_dropped(*small))),
    }
}

/// Letters of Latin and Greek beyond ASCII.
fn is_accented(character: char) -> bool {
    matches!(character, '\u{00C0}'..='\u{024F}' | '\u{0370}'..='\u{03FF}' | '\u{1E00}'..='\u{1FFF}')
}

/// Also spaces, which some characters contain in their compatible form.
fn is_dropped(character: char) -> bool {
    character.is_whitespace()
        || character.is_control()
        || matches!(character,
            '\u{00AD}'
            | '\u{0300}'..='\u{036F}'
            | '\u{0591}'..='\u{05C7}'
            | '\u{0640}'
            | '\u{064B}'..='\u{065F}'
            | '\u{0670}'
            | '\u{200C}'
            | '\u{200D}'
            | '\u{FE00}'..='\u{FE0F}'
            | '\u{E0100}'..='\u{E01EF}')
}
