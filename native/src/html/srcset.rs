//! The URLs of a `srcset` attribute.

/// The URL of each candidate. Commas separate candidates, but may also occur within a URL: only those at its end do not
/// belong to it.
pub fn urls(value: &str) -> impl Iterator<Item = &str> {
    let mut rest = value;
    std::iter::from_fn(move || {
        rest = rest.trim_start_matches(|character: char| {
            character.is_ascii_whitespace() || character == ','
        });
        if rest.is_empty() {
            return None;
        }
        let end = rest
            .find(|character: char| character.is_ascii_whitespace())
            .unwrap_or(rest.len());
        let (word, after) = rest.split_at(end);
        let url = word.trim_end_matches(',');
        rest = if url.len() < word.len() {
            after
        } else {
            after_descriptors(after)
        };
        Some(url)
    })
}

/// The text after the comma that ends the descriptors; commas in parentheses do not end them.
fn after_descriptors(text: &str) -> &str {
    let mut depth = 0u32;
    for (index, byte) in text.bytes().enumerate() {
        match byte {
            b'(' => depth += 1,
            b')' => depth = depth.saturating_sub(1),
            b',' if depth == 0 => return &text[index + 1..],
            _ => {}
        }
    }
    ""
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn candidates_are_told_apart_from_their_descriptors() {
        let cases: [(&str, &[&str]); 5] = [
            ("a.png 1x, b.png 2x", &["a.png", "b.png"]),
            (" a,b.png,c.png 100w,d", &["a,b.png,c.png", "d"]),
            ("a, b", &["a", "b"]),
            ("a f(1,2) x,b", &["a", "b"]),
            (" ,, ", &[]),
        ];
        for (value, expected) in cases {
            assert_eq!(urls(value).collect::<Vec<_>>(), expected, "{value}");
        }
    }
}
