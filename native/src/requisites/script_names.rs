//! The pictures, fonts and styles that a script names: whatever in it looks like an address that ends in one of their
//! suffixes, and stands at the end of a string.
//!
//! Scripts are not parsed: strings within strings, templates and old syntax would each need care, and a wrong guess costs
//! one request. One pass, in time proportional to the text. Names of scripts are not read: scripts name their own parts
//! without ever requesting them.

use memchr::memchr;

const SUFFIXES: [&str; 14] = [
    "png", "svg", "jpg", "gif", "ico", "css", "ttf", "otf", "eot", "jpeg", "webp", "avif", "woff",
    "woff2",
];
/// Names of one script. Further ones are not read.
pub const MOST: usize = 100;
/// Bytes of a name, and of a query after it.
const LONGEST: usize = 500;
const LONGEST_QUERY: usize = 60;

/// Calls `found` with each name, as written but for `\/`, which is a slash.
pub fn find(text: &str, mut found: impl FnMut(&str)) {
    let bytes = text.as_bytes();
    let (mut from, mut search, mut count) = (0, 0, 0);
    while let Some(offset) = memchr(b'.', &bytes[search..]) {
        let dot = search + offset;
        search = dot + 1;
        let Some(end) = end_of_name(bytes, dot) else {
            continue;
        };
        let start = start_of_name(bytes, from.max(dot.saturating_sub(LONGEST)), dot);
        from = end;
        search = end;
        if has_stem(&bytes[start..dot]) && text.is_char_boundary(start) {
            found(&text[start..end].replace("\\/", "/"));
            count += 1;
            if count == MOST {
                return;
            }
        }
    }
}

/// Where a name ends whose suffix may begin after `dot`: at the end of a string, perhaps after a query.
fn end_of_name(bytes: &[u8], dot: usize) -> Option<usize> {
    let rest = &bytes[dot + 1..];
    let length = rest
        .iter()
        .take(6)
        .take_while(|byte| byte.is_ascii_alphanumeric())
        .count();
    let suffix = &rest[..length];
    let is_known = |known: &&&str| suffix.eq_ignore_ascii_case(known.as_bytes());
    SUFFIXES.iter().find(is_known)?;
    let mut end = dot + 1 + length;
    if bytes.get(end) == Some(&b'?') {
        let query = bytes[end..].iter().take(LONGEST_QUERY);
        end += query
            .take_while(|byte| byte.is_ascii_graphic() && !closes(**byte))
            .count();
    }
    bytes
        .get(end)
        .is_some_and(|byte| closes(*byte))
        .then_some(end)
}

/// Whether a string ends here, or a `url()` within one. A backslash stands before an escaped quote.
fn closes(byte: u8) -> bool {
    matches!(byte, b'"' | b'\'' | b'`' | b')' | b'\\')
}

fn start_of_name(bytes: &[u8], least: usize, dot: usize) -> usize {
    let mut start = dot;
    while start > least {
        let byte = bytes[start - 1];
        let belongs = match byte {
            b'\\' => bytes[start] == b'/',
            b'"' | b'\'' | b'`' | b'(' | b')' | b'<' | b'>' | b'{' | b'}' | b'[' | b']' => false,
            b'=' | b',' | b';' | b'|' | b'^' | b'*' | b'!' | b'$' => false,
            _ => byte > b' ' && byte != 0x7F,
        };
        if !belongs {
            break;
        }
        start -= 1;
    }
    start
}

/// Whether a name has something before its suffix: `".png"` alone is a part of a name.
fn has_stem(name: &[u8]) -> bool {
    let last = name.rsplit(|byte| *byte == b'/').next();
    last.is_some_and(|last| {
        last.iter()
            .any(|byte| byte.is_ascii_alphanumeric() || *byte >= 0x80)
    })
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use proptest::prelude::*;

    use super::*;

    fn names(script: &str) -> Vec<String> {
        let mut list = Vec::new();
        find(script, |name| list.push(name.to_owned()));
        list
    }

    #[test]
    fn d7_names_at_the_end_of_strings_are_found() {
        for (script, name) in [
            ("a.src = 'img/a.png';", "img/a.png"),
            (
                "a.src = \"http://cdn.test/a.WEBP?v=2\"",
                "http://cdn.test/a.WEBP?v=2",
            ),
            ("el.src = `${el.src.slice(0, 9)}plus.png`", "plus.png"),
            ("x('<img src=\"/b.svg\">')", "/b.svg"),
            ("x(\"<img src=\\\"/b.gif\\\">\")", "/b.gif"),
            (
                "{\"font\":\"https:\\/\\/a.test\\/f.woff2\"}",
                "https://a.test/f.woff2",
            ),
            ("s = 'a{background:url(c.jpg)}'", "c.jpg"),
            ("'bücher/ü.png'", "bücher/ü.png"),
        ] {
            assert_eq!(names(script), [name], "{script}");
        }
    }

    #[test]
    fn what_is_no_name_of_its_own_is_not_read() {
        for script in [
            "'/img/' + n + '.png'",
            "/\\.(png|jpg)$/.test(x)",
            "// see logo.png",
            "a.png = 1",
            "'a.pngx'",
            "import './part.js'",
            "'*.png'",
            "'a.png more'",
            "",
        ] {
            assert_eq!(names(script), [""; 0], "{script}");
        }
    }

    #[test]
    fn q2_names_are_limited_and_hostile_scripts_take_linear_time() {
        assert_eq!(names(&"'a.png'".repeat(1_000)).len(), MOST);
        for piece in [
            "a", ".png", ".png?", "\\/", "ü.png?x", ".", "'.png'", "x.css?\"",
        ] {
            let script = piece.repeat(4_000_000 / piece.len());
            let before = Instant::now();
            names(&script);
            assert!(before.elapsed() < Duration::from_secs(20), "{piece}");
        }
    }

    proptest! {
        #[test]
        fn any_text_is_a_script(text in "('|\"|`|\\\\|/|a|\u{fc}|\\.png|\\.css|\\?|\\(|\\)|\\$|\\{|\\}| |\\.){0,40}") {
            names(&text);
        }
    }
}
