//! `<meta http-equiv=refresh>` and the `Refresh` header, by the steps of the HTML standard.

/// The unresolved target of a refresh. The outer `None`: browsers do nothing; the inner `None`: they reload the
/// document.
pub fn target(value: &str) -> Option<Option<&str>> {
    let rest = value.trim_start_matches(is_space);
    if !rest.starts_with(is_number) {
        return None;
    }
    let rest = rest.trim_start_matches(is_number);
    if rest.is_empty() {
        return Some(None);
    }
    if !rest.starts_with(|first| matches!(first, ';' | ',') || is_space(first)) {
        return None;
    }
    let rest = rest.trim_start_matches(is_space);
    let rest = rest.strip_prefix([';', ',']).unwrap_or(rest);
    let rest = rest.trim_start_matches(is_space);
    Some((!rest.is_empty()).then(|| unquoted(after_url_equals(rest).unwrap_or(rest))))
}

/// Whether a character belongs to the number of seconds, whose fraction is ignored.
fn is_number(character: char) -> bool {
    character.is_ascii_digit() || character == '.'
}

/// The text after `url=`. Without the equals sign, the word is part of the URL.
fn after_url_equals(rest: &str) -> Option<&str> {
    let is_word = rest
        .get(..3)
        .is_some_and(|word| word.eq_ignore_ascii_case("url"));
    let rest = is_word.then(|| rest[3..].trim_start_matches(is_space))?;
    Some(rest.strip_prefix('=')?.trim_start_matches(is_space))
}

/// Strips quotes: a quote at the start ends the URL where it occurs again.
fn unquoted(rest: &str) -> &str {
    match rest.chars().next() {
        Some(quote @ ('"' | '\'')) => rest[1..].split(quote).next().unwrap_or_default(),
        _ => rest,
    }
}

fn is_space(character: char) -> bool {
    matches!(character, '\t' | '\n' | '\x0C' | '\r' | ' ')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refresh_is_read_as_browsers_read_it() {
        assert_eq!(target("0; url=foo"), Some(Some("foo")));
        assert_eq!(target("5,URL = 'a\"b' c"), Some(Some("a\"b")));
        assert_eq!(target("1 foo"), Some(Some("foo")));
        assert_eq!(target("1;url foo"), Some(Some("url foo")));
        assert_eq!(target(".5"), Some(None));
        assert_eq!(target("12.9.9;"), Some(None));
    }

    #[test]
    fn what_browsers_ignore_is_ignored() {
        for value in ["", "foo", "-1;url=x", "1x", "+1", "; url=foo"] {
            assert_eq!(target(value), None, "{value}");
        }
    }
}
