//! Text that Markdown would read as markup: it is escaped, and reads back as the text that it was.

/// What is markup anywhere in a line. A word may go on in the next piece, so its last character is judged with suspicion.
pub fn escape(word: &str, markdown: &mut String) {
    let bytes = word.as_bytes();
    let mut from = 0;
    for (index, byte) in bytes.iter().enumerate() {
        let is_special = match byte {
            b'\\' | b'`' | b'*' | b'[' | b']' | b'~' => true,
            b'<' => bytes.get(index + 1).is_none_or(|next| {
                next.is_ascii_alphabetic() || matches!(next, b'/' | b'!' | b'?')
            }),
            b'_' => !is_within_word(word, index),
            b'&' => is_reference(&bytes[index + 1..]),
            _ => false,
        };
        if is_special {
            markdown.push_str(&word[from..index]);
            markdown.push('\\');
            from = index;
        }
    }
    markdown.push_str(&word[from..]);
}

/// An underscore between letters opens nothing.
fn is_within_word(word: &str, index: usize) -> bool {
    let before = word[..index].chars().next_back();
    let after = word[index + 1..].chars().next();
    before.is_some_and(char::is_alphanumeric) && after.is_some_and(char::is_alphanumeric)
}

/// What follows an ampersand makes it a character reference.
fn is_reference(bytes: &[u8]) -> bool {
    let name = bytes
        .iter()
        .take(33)
        .take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'#')
        .count();
    name > 0 && bytes.get(name) == Some(&b';')
}

/// The address of a link, so that it ends where it should.
pub fn write_destination(address: &str, markdown: &mut String) {
    let needs_brackets = address.contains(['(', ')', ' ']);
    if needs_brackets {
        markdown.push('<');
    }
    for (index, c) in address.char_indices() {
        match c {
            '<' => markdown.push_str("%3C"),
            '>' => markdown.push_str("%3E"),
            '`' => markdown.push_str("%60"),
            '\\' => markdown.push_str("\\\\"),
            '&' if is_reference(&address.as_bytes()[index + 1..]) => markdown.push_str("\\&"),
            _ => markdown.push(c),
        }
    }
    if needs_brackets {
        markdown.push('>');
    }
}

/// Signs at the end of a heading would be taken for its end.
pub fn escape_heading(text: &mut String) {
    let without = text.trim_end_matches('#');
    let is_closing = without.len() < text.len() && (without.is_empty() || without.ends_with(' '));
    if is_closing {
        text.insert(without.len(), '\\');
    }
}

/// A paragraph whose lines Markdown would take for something else: escapes their beginnings.
pub fn escape_lines(paragraph: &mut String) {
    let mut start = 0;
    let mut signs = Vec::new();
    for line in paragraph.split('\n') {
        signs.extend(find_block_sign(line).map(|position| start + position));
        start += line.len() + 1;
    }
    if signs.is_empty() {
        return;
    }
    let mut escaped = String::with_capacity(paragraph.len() + signs.len());
    let mut from = 0;
    for sign in signs {
        escaped.push_str(&paragraph[from..sign]);
        escaped.push('\\');
        from = sign;
    }
    escaped.push_str(&paragraph[from..]);
    *paragraph = escaped;
}

/// Where a line has the sign that makes it a heading, an item, a quotation, a rule, or the ruler of a table.
fn find_block_sign(line: &str) -> Option<usize> {
    let bytes = line.as_bytes();
    let at = |index: usize| bytes.get(index).copied().unwrap_or(b' ');
    let count = |belongs: fn(&u8) -> bool| bytes.iter().take_while(|byte| belongs(byte)).count();
    let is_all = |signs: &[u8]| {
        bytes
            .iter()
            .all(|byte| *byte == b' ' || signs.contains(byte))
    };
    match at(0) {
        b'#' => {
            let signs = count(|byte| *byte == b'#');
            (signs <= 6 && at(signs) == b' ').then_some(0)
        }
        b'>' => Some(0),
        b'+' | b'-' if at(1) == b' ' => Some(0),
        b'-' | b':' | b'|' if is_all(b"-:|") => Some(0),
        b'=' if is_all(b"=") => Some(0),
        b'0'..=b'9' => {
            let digits = count(u8::is_ascii_digit);
            let is_item =
                digits <= 9 && matches!(at(digits), b'.' | b')') && at(digits + 1) == b' ';
            is_item.then_some(digits)
        }
        _ => None,
    }
}
