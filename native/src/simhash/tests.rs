use proptest::prelude::*;
use xxhash_rust::xxh3::xxh3_64;

use super::*;

fn hash(text: &str) -> u64 {
    of([text]).unwrap()
}

fn distance(one: &str, other: &str) -> u32 {
    (hash(one) ^ hash(other)).count_ones()
}

fn features(text: &str) -> Vec<u64> {
    let mut found = Vec::new();
    Features::default().each(text, |feature, _| found.push(feature));
    found
}

fn feature(word: &str) -> u64 {
    let mut word = word.as_bytes().to_vec();
    word.resize(word.len().next_multiple_of(16), 0);
    xxh3_64(&word)
}

/// Words as they are frequent in a language: the rarer, the longer the list they come from.
fn article(seed: u64, length: usize) -> Vec<String> {
    (0..length as u64)
        .map(|index| {
            let chance = xxh3_64(&(seed << 32 | index).to_le_bytes());
            let (rank, topic) = match chance % 10 {
                0..=3 => (chance >> 8 & 31, 0),
                4..=6 => (chance >> 8 & 255, 0),
                _ => (chance >> 8 & 255, seed),
            };
            format!("w{rank}t{topic}")
        })
        .collect()
}

#[test]
fn x2_words_are_counted_in_lower_case_and_whatever_stands_between_them() {
    let expected = ["the", "atlas", "of", "1604", "überarbeitete", "ausgabe"].map(feature);
    assert_eq!(
        features("The ATLAS, of 1604: Überarbeitete-Ausgabe!"),
        expected
    );
    assert_eq!(
        hash("One two. Three"),
        hash("  one\u{2014}TWO\u{3002}three\n")
    );
    assert_eq!(of(["one two", "three"]), of(["three", "two", "one"]));
    assert_ne!(of(["one two"]), of(["onetwo"]));
}

#[test]
fn x2_long_words_are_single_words() {
    for length in [7, 8, 9, 15, 16, 17, 63, 64, 65, 200] {
        let word = "a1".repeat(length).split_off(length);
        assert_eq!(features(&word.to_uppercase()), [feature(&word)]);
        assert_eq!(
            features(&format!("{word} {word}é é{word}")),
            [word.clone(), format!("{word}é"), format!("é{word}")].map(|word| feature(&word))
        );
    }
}

#[test]
fn x2_a_text_without_words_has_no_simhash() {
    assert_eq!(of([""]), None);
    assert_eq!(of([" ,.-\u{3002}\u{1F642}", "\u{301}"]), None);
    assert_eq!(of(std::iter::empty()), None);
}

#[test]
fn x2_scripts_without_spaces_are_read_by_pairs_of_characters() {
    assert_eq!(features("地図帳、図"), ["地図", "図帳", "図"].map(feature));
    assert_eq!(
        features("Atlas地図 ที่"),
        ["atlas", "地図", "ท\u{e35}"].map(feature)
    );
    let text =
        "北の大地に降る雪は、静かに町を包み、人々は暖炉のそばで古い地図を広げて遠い国の話をした。";
    let long: String = (0..8)
        .map(|part| text.replace('雪', &part.to_string()))
        .collect();
    assert!(distance(&long, &long.replacen('国', "島", 1)) <= 3);
    assert!(
        distance(
            text,
            "経済成長率は前年同期比で低下し、政府は新たな対策を検討している。"
        ) > 16
    );
}

#[test]
fn x2_most_near_copies_are_three_bits_away_at_most_and_others_far() {
    let mut near = 0;
    for seed in 1..=200 {
        let words = article(seed, 300);
        let mut copy = words.clone();
        copy[seed as usize] = "another".into();
        near += u32::from(distance(&words.join(" "), &copy.join(" ")) <= 3);
        let other = article(seed + 1000, 300);
        assert!(distance(&words.join(" "), &other.join(" ")) > 6);
    }
    assert!(near >= 190, "{near} of 200");
}

#[test]
fn x2_one_word_has_no_more_than_its_votes() {
    let words = article(7, 300).join(" ");
    let with = |times: usize| hash(&format!("{words}{}", " the".repeat(times)));
    assert_eq!(with(MOST_VOTES as usize), with(5_000));
    assert_ne!(with(0), with(MOST_VOTES as usize));
}

#[test]
fn x2_what_comes_behind_the_first_part_of_a_long_text_does_not_count() {
    let start = article(7, 20_000).join(" ").split_off(1) + "\u{e9}";
    let start = &start[..start.floor_char_boundary(MOST_BYTES)];
    let more = article(8, 1_000).join(" ");
    assert_eq!(of([start, &more]), of([start]));
    assert_eq!(of([&*format!("{start} {more}")]), of([start]));
    let half = &start[..MOST_BYTES / 2];
    assert_ne!(of([half, &more]), of([half]));
}

proptest! {
    /// The fast way through a text and the plain one.
    #[test]
    fn x2_features_are_the_words_of_a_plain_reading(text in "[a-zA-Z0-9éß .,\u{300}\u{1F600}]{0,200}") {
        let plain: Vec<u64> = text
            .split(|c: char| !c.is_alphanumeric())
            .filter(|word| !word.is_empty())
            .map(|word| feature(&word.to_lowercase()))
            .collect();
        prop_assert_eq!(features(&text), plain);
    }

    #[test]
    fn x2_any_text_is_read_in_whole(text in any::<String>()) {
        let has_words = text.chars().any(char::is_alphanumeric);
        prop_assert_eq!(of([text.as_str()]).is_some(), has_words);
    }
}
