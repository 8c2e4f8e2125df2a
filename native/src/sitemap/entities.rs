//! Decodes character references: the five of XML and numeric ones.

/// Longest reference that is recognised.
const LONGEST: usize = 32;

/// Appends `text` with its references decoded. Anything else stays as it is: sites write `?a=1&b=2`. A name that only a
/// document type can have declared is dropped.
pub(super) fn push_decoded(out: &mut String, text: &str, has_document_type: bool) {
    let mut rest = text;
    while let Some(position) = rest.find('&') {
        out.push_str(&rest[..position]);
        rest = &rest[position..];
        match reference(rest) {
            Some((name, replacement)) if replacement.is_some() || has_document_type => {
                out.extend(replacement);
                rest = &rest[name.len() + 2..];
            }
            _ => {
                out.push('&');
                rest = &rest[1..];
            }
        }
    }
    out.push_str(rest);
}

/// The name between `&` and `;`, and its character.
fn reference(text: &str) -> Option<(&str, Option<char>)> {
    let head = &text.as_bytes()[1..text.len().min(LONGEST)];
    let name = &text[1..=memchr::memchr(b';', head)?];
    let is_name = !name.is_empty()
        && name
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b"#_-.:".contains(&byte));
    is_name.then(|| (name, character(name)))
}

fn character(name: &str) -> Option<char> {
    match name {
        "amp" => Some('&'),
        "lt" => Some('<'),
        "gt" => Some('>'),
        "quot" => Some('"'),
        "apos" => Some('\''),
        _ => numeric(name.strip_prefix('#')?),
    }
}

fn numeric(digits: &str) -> Option<char> {
    let number = match digits.strip_prefix(['x', 'X']) {
        Some(digits) => u32::from_str_radix(digits, 16),
        None => digits.parse(),
    };
    number.ok().and_then(char::from_u32)
}
