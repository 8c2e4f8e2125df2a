use proptest::prelude::*;
use regex::Regex;

use super::folding::fold_any;
use super::snippet::Matcher;
use super::*;

const STRETCH: &str = r"[\p{Alphabetic}\p{M}\p{N}\u{00AD}\u{200C}\u{200D}]+";
const SIMPLE: &str = "[\\x00-\\u{04FF}]{1,12}";
const MIXED: &str = "[a-zA-Zéßİёй\u{AD}\u{300}\u{301}\u{306}\u{308} ,.地図帳都京がか\u{3099}ｶﾞｶﾞゟ서울에서ไม้โลก\u{1100}\u{1161}𝐀𠀀0-9]{1,40}";

fn wanted(query: &str) -> Wanted {
    let (words, is_prefix) = split_query(query);
    Wanted { words, is_prefix }
}

/// The snippet, with its marks as brackets.
fn marked(text: &str, queries: &[&str], length: usize) -> String {
    let wanted: Vec<_> = queries.iter().map(|query| wanted(query)).collect();
    let snippet = find_snippet(text, &wanted, length);
    let mut shown = String::new();
    for (index, character) in snippet.text.chars().enumerate() {
        if snippet.marks.iter().any(|mark| mark.start == index) {
            shown.push('[');
        }
        shown.push(character);
        if snippet.marks.iter().any(|mark| mark.end == index + 1) {
            shown.push(']');
        }
    }
    shown
}

/// Whether the index would find a query in a text.
fn has(text: &str, query: &str) -> bool {
    let (words, is_prefix) = split_query(query);
    let split = split(text);
    let in_text: Vec<_> = split.split_ascii_whitespace().collect();
    in_text.windows(words.len().max(1)).any(|window| {
        window
            .iter()
            .zip(&words)
            .enumerate()
            .all(|(index, (have, want))| {
                have == want
                    || (is_prefix && index + 1 == words.len() && have.starts_with(want.as_str()))
            })
    })
}

#[test]
fn s7_words_are_folded() {
    assert_eq!(
        split("The ATLAS, of 1604: Überarbeitete-Ausgabe!"),
        "the atlas of 1604 uberarbeitete ausgabe"
    );
    assert_eq!(split("cafe\u{301} café CAFÉ"), "cafe cafe cafe");
    assert_eq!(
        split("Straße ＡＢＣ Ὀδυσσεύς İstanbul ёлка"),
        "strasse abc οδυσσευσ istanbul елка"
    );
    assert_eq!(split("don't snake_case"), "don t snake case");
    assert_eq!(split("soft\u{AD}hyphen"), "softhyphen");
    assert_eq!(split("हिन्दी में"), "हिन्दी में");
    assert_eq!(split("שָׁלוֹם كِتَاب"), "שלום كتاب");
    assert_eq!(split(" ,.-\u{3002}\u{1F642}"), "");
}

#[test]
fn s7_scripts_without_spaces_are_split_into_pairs() {
    assert_eq!(split("地図帳、図"), "地図 図帳 帳 図");
    assert_eq!(split("Atlas地図2024年"), "atlas 地図 図 2024 年");
    assert_eq!(split("ｶﾞﾗｽ"), "ガラ ラス ス");
    assert_eq!(split("か\u{3099}く"), "がく く");
    assert_eq!(split("ไม้"), "ไม้ ม้");
    assert_eq!(split("서울에서"), "서울 울에 에서 서");
}

#[test]
fn s7_every_part_of_a_stretch_is_found() {
    for (text, query) in [
        ("世界地図帳を見る", "地図"),
        ("世界地図帳を見る", "地図帳"),
        ("世界地図帳を見る", "図"),
        ("世界地図帳を見る", "る"),
        ("地図帳、図書", "地図帳、図書"),
        ("Atlas 地図", "atlas 地"),
        ("서울에서 만나요", "서울"),
        ("แผนที่โลกเก่า", "โลก"),
        ("แผนที่โลกเก่า", "แผนที่"),
        ("北京欢迎你", "欢迎"),
    ] {
        assert!(has(text, query), "{query} in {text}");
    }
    for (text, query) in [
        ("世界地図帳", "図地"),
        ("京都の東", "東京"),
        ("ไม่", "ไม้"),
        ("atlases", "atlas"),
    ] {
        assert!(!has(text, query), "{query} not in {text}");
    }
}

/// The words of a text, by regular expression and without the tables of characters.
fn split_slowly(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    for stretch in Regex::new(STRETCH).unwrap().find_iter(text) {
        each_part(text, stretch.range(), &mut |found: Found| {
            let mut word = String::new();
            fold_any(&text[found.at], &mut word);
            word.truncate(word.floor_char_boundary(LONGEST));
            words.extend((!word.is_empty()).then_some(word));
        });
    }
    words
}

/// A reader that wants every word.
struct All<'a>(Matcher<'a>);

impl WordReader for All<'_> {
    fn read(&mut self, word: &str, found: &Found) {
        self.0.read(word, found);
    }
}

#[test]
fn s7_every_character_is_in_words_as_the_pattern_says() {
    let stretch = Regex::new(STRETCH).unwrap();
    for character in '\0'..=char::MAX {
        let expected = stretch.is_match(character.encode_utf8(&mut [0; 4]));
        assert_eq!(CHARACTERS.is_in_word(character), expected, "{character:?}");
    }
}

#[test]
fn s7_the_first_character_of_a_word_is_that_of_the_folded_word() {
    let characters = (0..0x3100)
        .chain((0x4E00..0xA000).step_by(7))
        .filter_map(char::from_u32);
    for first in characters {
        for second in [
            "", "a", "Й", "\u{301}", "\u{306}", "\u{3099}", "\u{AD}", "図", "ﾞ",
        ] {
            let written = format!("{first}{second}");
            let mut word = String::new();
            fold_any(&written, &mut word);
            if let Some(found) = CHARACTERS.fold_first(written.chars()) {
                assert!(word.is_empty() || word.starts_with(found), "{written:?}");
            }
        }
    }
}

#[test]
fn s7_a_snippet_shows_the_matches_with_the_most_different_words() {
    let text = format!(
        "An atlas. {} The old atlas of\nMercator was printed here. {}",
        "filler ".repeat(100),
        "more ".repeat(100)
    );
    let shown = marked(&text, &["atlas", "mercator"], 60);
    assert!(
        shown.starts_with("The old [atlas] of [Mercator] was"),
        "{shown}"
    );
    assert!(shown.ends_with(" more"), "{shown}");
    assert_eq!(
        marked("Old maps of old towns", &["old towns"], 80),
        "Old maps of [old towns]"
    );
    assert_eq!(marked("no such word", &["atlas"], 80), "no such word");
    assert_eq!(
        marked("Café, don't", &["cafe", "don't"], 80),
        "[Café], [don't]"
    );
    assert_eq!(
        marked("世界地図帳を見る", &["地図帳"], 80),
        "世界[地図帳]を見る"
    );
    assert_eq!(marked("世界地図帳", &["図"], 80), "世界地[図]帳");
}

#[test]
fn s7_what_only_the_rest_of_a_long_text_has_is_found() {
    let text = format!("An atlas. {} Of Mercator.", "filler ".repeat(3_000));
    assert_eq!(marked(&text, &["atlas"], 20), "An [atlas]. filler");
    assert!(marked(&text, &["mercator"], 20).ends_with("Of [Mercator]."));
    assert!(marked(&text, &["mercator", "of"], 20).ends_with("[Of] [Mercator]."));
    let unspaced = format!("{}地図", "あ".repeat(5_000));
    assert!(marked(&unspaced, &["地図"], 30).ends_with("[地図]"));
}

#[test]
fn s7_marks_are_those_of_the_folded_text() {
    assert_eq!(split("Ã¿ÃŸ"), split("ã¿ãÿ"));
    assert_eq!(marked("x ß y", &["SS"], 80), "x [ß] y");
}

#[test]
fn s7_marks_of_unspaced_scripts_are_known() {
    let mark = Regex::new(r"^\p{M}$").unwrap();
    for character in '\0'..=char::MAX {
        let is_real_mark = mark.is_match(character.encode_utf8(&mut [0; 4]));
        if is_unspaced(character) && is_real_mark {
            assert!(is_mark(character), "{character:?}");
        }
    }
}

#[test]
fn s7_a_long_word_is_cut_in_the_same_way_everywhere() {
    let word = "ab".repeat(10_000);
    assert_eq!(split(&word).len(), LONGEST);
    assert!(has(&format!("x {word} y"), &word));
}

proptest! {
    #[test]
    fn s7_words_are_those_of_the_pattern_and_the_full_folding(text in SIMPLE, other in MIXED) {
        prop_assert_eq!(split(&text), split_slowly(&text).join(" "));
        prop_assert_eq!(split(&other), split_slowly(&other).join(" "));
    }

    #[test]
    fn s7_no_match_is_skipped(text in MIXED, query in MIXED, other in SIMPLE) {
        let text = format!("{text} {query}{other} {query}");
        let wanted = [wanted(&query), wanted(&other)];
        let (mut all, mut some) = (All(Matcher::new(&wanted)), Matcher::new(&wanted));
        each(&text, &mut all);
        each(&text, &mut some);
        prop_assert_eq!(all.0.list(), some.list());
    }

    #[test]
    fn s7_a_text_contains_its_own_parts(text in "[a-zA-Zé ,.地図帳都京がｶﾞ서울에서ไม้โลก0-9]{1,60}", from in 0usize..60, length in 1usize..20) {
        let characters: Vec<char> = text.chars().collect();
        let from = from.min(characters.len() - 1);
        let to = (from + length).min(characters.len());
        let inside = |at: usize| {
            at > 0 && at < characters.len() && {
                let (one, other) = (characters[at - 1], characters[at]);
                let continues = |c: char| c.is_alphanumeric() && !is_unspaced(c);
                is_mark(other) || ((continues(one) || is_mark(one)) && continues(other))
            }
        };
        let part: String = characters[from..to].iter().collect();
        if !inside(from) && !inside(to) && !is_mark(characters[from]) && !split_query(&part).0.is_empty() {
            prop_assert!(has(&text, &part), "{part:?} in {text:?}");
        }
    }

    #[test]
    fn s7_any_text_has_a_snippet(text in "\\PC{0,200}", query in "\\PC{1,10}", length in 0usize..100) {
        let snippet = find_snippet(&text, &[wanted(&query)], length);
        let count = snippet.text.chars().count();
        prop_assert!(snippet.marks.iter().all(|mark| mark.start < mark.end && mark.end <= count));
    }
}
