//! `<meta http-equiv=refresh>` and the `Refresh` header, by the steps of the HTML standard.

/// A refresh that a browser would act on.
#[derive(Debug, PartialEq, Eq)]
pub struct Refresh<'v> {
    pub seconds: u64,
    /// Not resolved; `None` reloads the document itself.
    pub url: Option<&'v str>,
}

/// What `value` asks for; `None` where a browser does nothing.
pub fn parse(value: &str) -> Option<Refresh<'_>> {
    let rest = value.trim_start_matches(is_space);
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    if digits == 0 && !rest.starts_with('.') {
        return None;
    }
    let seconds = rest[..digits].bytes().fold(0u64, |seconds, digit| {
        seconds
            .saturating_mul(10)
            .saturating_add(u64::from(digit - b'0'))
    });
    let rest = rest[digits..]
        .trim_start_matches(|character: char| character.is_ascii_digit() || character == '.');
    if rest.is_empty() {
        return Some(Refresh { seconds, url: None });
    }
    if !rest.starts_with(|character| matches!(character, ';' | ',') || is_space(character)) {
        return None;
    }
    let rest = rest.trim_start_matches(is_space);
    let rest = rest
        .strip_prefix([';', ','])
        .unwrap_or(rest)
        .trim_start_matches(is_space);
    let url = (!rest.is_empty()).then(|| quoted(after_url_equals(rest).unwrap_or(rest)));
    Some(Refresh { seconds, url })
}

/// What stands behind `url=`; without the equals sign the word belongs to the URL.
fn after_url_equals(rest: &str) -> Option<&str> {
    let is_word = rest
        .get(..3)
        .is_some_and(|word| word.eq_ignore_ascii_case("url"));
    let rest = is_word.then(|| rest[3..].trim_start_matches(is_space))?;
    Some(rest.strip_prefix('=')?.trim_start_matches(is_space))
}

/// A quote at the beginning ends the URL where it comes again.
fn quoted(rest: &str) -> &str {
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

    fn url(value: &str) -> Option<Option<&str>> {
        parse(value).map(|refresh| refresh.url)
    }

    #[test]
    fn a_refresh_is_read_as_browsers_read_it() {
        assert_eq!(url("0; url=foo"), Some(Some("foo")));
        assert_eq!(url("5,URL = 'a\"b' c"), Some(Some("a\"b")));
        assert_eq!(url("1 foo"), Some(Some("foo")));
        assert_eq!(url("1;url foo"), Some(Some("url foo")));
        assert_eq!(url(".5"), Some(None));
        assert_eq!(
            parse("12.9.9;"),
            Some(Refresh {
                seconds: 12,
                url: None
            })
        );
    }

    #[test]
    fn what_browsers_ignore_is_ignored() {
        for value in ["", "foo", "-1;url=x", "1x", "+1", "; url=foo"] {
            assert_eq!(parse(value), None, "{value}");
        }
    }
}
