//! `<meta name=robots>`, `X-Robots-Tag` and `rel`: what a page allows (D4).

use crate::page::{directive, rel};

/// Directives with a value, which is not the name of an agent.
const VALUED: [&str; 4] = [
    "unavailable_after",
    "max-snippet",
    "max-image-preview",
    "max-video-preview",
];

/// The bits of `content` of a `<meta name=robots>`. Commas are the rule, spaces are forgiven.
pub fn of_meta(content: &str) -> u8 {
    content
        .split(|character: char| matches!(character, ',' | ';') || character.is_whitespace())
        .fold(0, |bits, word| bits | bit_of(word))
}

/// The bits of one `X-Robots-Tag` header that are meant for all agents or for `agent`.
pub fn of_header(value: &str, agent: &str) -> u8 {
    let mut is_for_us = true;
    let mut bits = 0;
    for part in value.split(',') {
        let mut word = part.trim();
        if let Some((name, rest)) = word.split_once(':')
            && is_agent(name.trim())
        {
            is_for_us = name.trim().eq_ignore_ascii_case(agent) || name.trim() == "*";
            word = rest.trim();
        }
        if is_for_us {
            bits |= of_meta(word);
        }
    }
    bits
}

/// The bits of a `rel` attribute.
pub fn of_rel(value: &str) -> u8 {
    value.split_ascii_whitespace().fold(0, |bits, word| {
        bits | match word {
            _ if word.eq_ignore_ascii_case("nofollow") => rel::NOFOLLOW,
            _ if word.eq_ignore_ascii_case("ugc") => rel::UGC,
            _ if word.eq_ignore_ascii_case("sponsored") => rel::SPONSORED,
            _ if word.eq_ignore_ascii_case("license") => rel::LICENSE,
            _ => 0,
        }
    })
}

fn bit_of(word: &str) -> u8 {
    match word {
        _ if word.eq_ignore_ascii_case("nofollow") => directive::NOFOLLOW,
        _ if word.eq_ignore_ascii_case("noindex") => directive::NOINDEX,
        _ if word.eq_ignore_ascii_case("noarchive") => directive::NOARCHIVE,
        _ if word.eq_ignore_ascii_case("none") => directive::NOFOLLOW | directive::NOINDEX,
        _ if word.eq_ignore_ascii_case("noai") => directive::NOAI,
        _ if word.eq_ignore_ascii_case("noimageai") => directive::NOIMAGEAI,
        _ => 0,
    }
}

/// A date behind `unavailable_after` has colons too, but no time of day is a product token.
fn is_agent(name: &str) -> bool {
    let is_token = name == "*"
        || (name.starts_with(|first: char| first.is_ascii_alphabetic())
            && name
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.')));
    is_token
        && !VALUED
            .iter()
            .any(|valued| name.eq_ignore_ascii_case(valued))
}

#[cfg(test)]
mod tests {
    use super::*;
    use directive::{NOAI, NOARCHIVE, NOFOLLOW, NOIMAGEAI, NOINDEX};

    #[test]
    fn meta_directives_are_read_in_any_case_and_order() {
        assert_eq!(of_meta("NoIndex,NOFOLLOW"), NOINDEX | NOFOLLOW);
        assert_eq!(of_meta(" none ; noarchive"), NOINDEX | NOFOLLOW | NOARCHIVE);
        assert_eq!(of_meta("index, follow, all, max-snippet:0"), 0);
    }

    #[test]
    fn a_header_for_another_agent_is_not_for_us() {
        assert_eq!(
            of_header("noindex, nofollow", "hondius"),
            NOINDEX | NOFOLLOW
        );
        assert_eq!(of_header("otherbot: noindex, nofollow", "hondius"), 0);
        assert_eq!(
            of_header("otherbot: noindex, Hondius: nofollow, noarchive", "hondius"),
            NOFOLLOW | NOARCHIVE
        );
        assert_eq!(
            of_header("otherbot: noindex, *: nofollow", "hondius"),
            NOFOLLOW
        );
    }

    #[test]
    fn w1_noai_is_read_with_the_agents_of_its_header() {
        assert_eq!(of_meta("NoAI, noimageai"), NOAI | NOIMAGEAI);
        assert_eq!(
            of_header("otherbot: noai, Hondius: noimageai", "hondius"),
            NOIMAGEAI
        );
        assert_eq!(of_header("noai, otherbot: noimageai", "hondius"), NOAI);
    }

    #[test]
    fn a_date_of_unavailable_after_names_no_agent() {
        let header = "unavailable_after: Wed, 25 Jun 2010 15:00:00 PST, noindex";
        assert_eq!(of_header(header, "hondius"), NOINDEX);
        assert_eq!(of_header("max-snippet: 10, nofollow", "hondius"), NOFOLLOW);
    }

    #[test]
    fn rel_words_are_read_apart() {
        assert_eq!(of_rel("noopener UGC\tnofollow"), rel::UGC | rel::NOFOLLOW);
        assert_eq!(of_rel("nofollowed sponsored"), rel::SPONSORED);
    }
}
