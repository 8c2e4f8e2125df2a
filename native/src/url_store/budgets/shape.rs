//! The shape of a URL: its path and query with digits and hex replaced (F6).
//!
//! `/item/17?page=2` and `/item/4711?page=30` have one shape, `/item/0?page=0`. A run of letters and
//! digits becomes `0` as a whole where it is a number, or hex of at least four characters with a
//! digit among them; in any other run each number becomes `0`. Words stay, so that articles with
//! titles for names are of different shapes. Percent escapes are letters of another script, not hex.

use xxhash_rust::xxh3::xxh3_64;

const SHORTEST_HEX: usize = 4;

/// Identifies a shape among those of one host.
pub type Fingerprint = u32;

pub fn fingerprint(path: &str, buffer: &mut Vec<u8>) -> Fingerprint {
    buffer.clear();
    write(path.as_bytes(), buffer);
    xxh3_64(buffer) as Fingerprint
}

/// The shape as text, for users.
pub fn shape(path: &str) -> String {
    let mut bytes = Vec::with_capacity(path.len());
    write(path.as_bytes(), &mut bytes);
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Never longer than its input, and a shape is its own shape.
fn write(path: &[u8], out: &mut Vec<u8>) {
    let mut rest = path;
    while let Some(&first) = rest.first() {
        let length = if is_escape(rest) {
            out.extend_from_slice(&rest[..3]);
            3
        } else if first.is_ascii_alphanumeric() {
            let length = rest
                .iter()
                .position(|byte| !byte.is_ascii_alphanumeric())
                .unwrap_or(rest.len());
            write_run(&rest[..length], out);
            length
        } else {
            out.push(first);
            1
        };
        rest = &rest[length..];
    }
}

fn is_escape(text: &[u8]) -> bool {
    matches!(text, [b'%', high, low, ..] if high.is_ascii_hexdigit() && low.is_ascii_hexdigit())
}

fn write_run(run: &[u8], out: &mut Vec<u8>) {
    let digits = run.iter().filter(|byte| byte.is_ascii_digit()).count();
    if digits == 0 {
        return out.extend_from_slice(run);
    }
    let is_hex = run.len() >= SHORTEST_HEX && run.iter().all(u8::is_ascii_hexdigit);
    if digits == run.len() || is_hex {
        return out.push(b'0');
    }
    let mut in_number = false;
    for &byte in run {
        if !byte.is_ascii_digit() {
            out.push(byte);
        } else if !in_number {
            out.push(b'0');
        }
        in_number = byte.is_ascii_digit();
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn f6_digits_and_hex_are_replaced_and_words_stay() {
        for (path, expected) in [
            ("/item/17?page=2", "/item/0?page=0"),
            ("/2031/05/12/", "/0/0/0/"),
            ("/s/9f86d081884c7d65/x", "/s/0/x"),
            ("/u/550e8400-e29b-41d4-a716-446655440000", "/u/0-0-0-0-0"),
            ("/facade/decade", "/facade/decade"),
            ("/page12x/a7", "/page0x/a0"),
            ("/wiki/%D0%9C%D0%B8%D1%80", "/wiki/%D0%9C%D0%B8%D1%80"),
            ("/100%/12%zz", "/0%/0%zz"),
            ("", ""),
        ] {
            assert_eq!(shape(path), expected);
        }
    }

    #[test]
    fn one_shape_has_one_fingerprint() {
        let mut buffer = Vec::new();
        let mut of = |path| fingerprint(path, &mut buffer);
        assert_eq!(of("/a/1"), of("/a/22"));
        assert_ne!(of("/a/1"), of("/b/1"));
    }

    proptest! {
        #[test]
        fn a_shape_is_its_own_shape_and_never_longer(path in "[/?&=%a-z0-9A-F._~-]{0,80}") {
            let once = shape(&path);
            prop_assert!(once.len() <= path.len());
            prop_assert_eq!(shape(&once), once);
        }

        #[test]
        fn any_text_has_a_shape(path in "\\PC{0,80}") {
            let once = shape(&path);
            prop_assert!(once.len() <= path.len());
            prop_assert_eq!(shape(&once), once);
        }
    }
}
