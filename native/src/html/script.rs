//! Where a script ends: `<!--` and a `<script` within it hide an end tag.

use memchr::{memchr, memchr2};

/// The length of the script that begins here; all bytes if it is never closed.
pub fn length(bytes: &[u8]) -> usize {
    let mut state = Script::Plain;
    let mut position = 0;
    while let Some(offset) = state.next_interest(&bytes[position..]) {
        position += offset;
        let rest = &bytes[position..];
        if state != Script::DoublyEscaped && is_end_tag(rest, "script") {
            return position;
        }
        let step;
        (state, step) = state.step(rest);
        position += step;
    }
    bytes.len()
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Script {
    Plain,
    Escaped,
    DoublyEscaped,
}

impl Script {
    fn next_interest(self, bytes: &[u8]) -> Option<usize> {
        match self {
            Script::Plain => memchr(b'<', bytes),
            _ => memchr2(b'<', b'-', bytes),
        }
    }

    /// The state after the markup at the start of `rest`, and how many bytes to advance. The dashes of `<!--` may also
    /// be those of `-->`.
    fn step(self, rest: &[u8]) -> (Script, usize) {
        match self {
            Script::Plain if rest.starts_with(b"<!--") => (Script::Escaped, 2),
            Script::Escaped | Script::DoublyEscaped if rest.starts_with(b"-->") => {
                (Script::Plain, 3)
            }
            Script::Escaped if rest[0] == b'<' && is_tag(&rest[1..], "script") => {
                (Script::DoublyEscaped, 1)
            }
            Script::DoublyEscaped if is_end_tag(rest, "script") => (Script::Escaped, 1),
            state => (state, 1),
        }
    }
}

pub fn is_end_tag(bytes: &[u8], name: &str) -> bool {
    bytes.starts_with(b"</") && is_tag(&bytes[2..], name)
}

fn is_tag(bytes: &[u8], name: &str) -> bool {
    bytes.len() > name.len()
        && bytes[..name.len()].eq_ignore_ascii_case(name.as_bytes())
        && matches!(
            bytes[name.len()],
            b'\t' | b'\n' | 0x0C | b'\r' | b' ' | b'/' | b'>'
        )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn script(text: &str) -> &str {
        &text[..length(text.as_bytes())]
    }

    #[test]
    fn a_script_ends_behind_its_escapes() {
        assert_eq!(script("a</script >b"), "a");
        assert_eq!(script("a</scripty></script>"), "a</scripty>");
        assert_eq!(
            script("<!--<script></script>--></script>x"),
            "<!--<script></script>-->"
        );
        assert_eq!(
            script("<!--<script></script></script>x"),
            "<!--<script></script>"
        );
        assert_eq!(script("<!--<script>--></script>x"), "<!--<script>-->");
        assert_eq!(script("<!--></script>x"), "<!-->");
        assert_eq!(script("<!-- -script </script>x"), "<!-- -script ");
        assert_eq!(script("never closed</script"), "never closed</script");
    }
}
