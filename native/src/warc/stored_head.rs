//! The HTTP head as it is stored: as received, except for fields that the stored body makes wrong.
//!
//! The body is stored without chunks, and may be shorter than declared, or omitted. A field that is no longer correct is
//! renamed to `X-Archive-Orig-…`, and the correct length is added. Every other byte is unchanged.

const RENAMED: &str = "X-Archive-Orig-";

/// `head` ends with its empty line; `length` is that of the stored body.
pub fn stored_head(head: &[u8], chunked: bool, length: usize) -> Vec<u8> {
    let lines: Vec<&[u8]> = head.split_inclusive(|byte| *byte == b'\n').collect();
    let lengths: Vec<&[u8]> = lines
        .iter()
        .filter(|line| is_field(line, "content-length"))
        .map(|line| value(line))
        .collect();
    let right = length.to_string();
    let lengths_are_right = lengths.iter().all(|value| *value == right.as_bytes());
    if !chunked && lengths_are_right {
        return head.to_vec();
    }
    let mut stored = Vec::with_capacity(head.len() + 96);
    for line in without_end(&lines) {
        let untrue = chunked && is_field(line, "transfer-encoding")
            || !lengths_are_right && is_field(line, "content-length");
        if untrue {
            stored.extend_from_slice(RENAMED.as_bytes());
        }
        stored.extend_from_slice(line);
    }
    let line_end: &[u8] = if head.ends_with(b"\r\n") {
        b"\r\n"
    } else {
        b"\n"
    };
    if lengths.is_empty() || !lengths_are_right {
        stored.extend_from_slice(b"Content-Length: ");
        stored.extend_from_slice(right.as_bytes());
        stored.extend_from_slice(line_end);
    }
    stored.extend_from_slice(line_end);
    stored
}

/// The value of the first field of that name (given in lower case), trimmed.
pub fn field<'a>(head: &'a [u8], name: &str) -> Option<&'a [u8]> {
    head.split_inclusive(|byte| *byte == b'\n')
        .skip(1)
        .find(|line| is_field(line, name))
        .map(value)
}

/// Offset of the body; the length of the block if there is no empty line.
pub fn body_offset(block: &[u8]) -> usize {
    let mut offset = 0;
    for line in block.split_inclusive(|byte| *byte == b'\n') {
        offset += line.len();
        if matches!(line, b"\r\n" | b"\n") {
            return offset;
        }
    }
    block.len()
}

fn without_end<'a, 'b>(lines: &'b [&'a [u8]]) -> &'b [&'a [u8]] {
    match lines.split_last() {
        Some((last, rest)) if matches!(*last, b"\r\n" | b"\n") => rest,
        _ => lines,
    }
}

fn is_field(line: &[u8], name: &str) -> bool {
    match line.iter().position(|byte| *byte == b':') {
        Some(colon) => line[..colon]
            .trim_ascii()
            .eq_ignore_ascii_case(name.as_bytes()),
        None => false,
    }
}

fn value(line: &[u8]) -> &[u8] {
    let colon = line.iter().position(|byte| *byte == b':');
    colon.map_or(&[][..], |colon| line[colon + 1..].trim_ascii())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stored(head: &str, chunked: bool, length: usize) -> String {
        String::from_utf8(stored_head(head.as_bytes(), chunked, length)).unwrap()
    }

    #[test]
    fn s3_a_head_that_is_true_stays_byte_for_byte() {
        for head in [
            "HTTP/1.1 200 OK\r\ncontent-LENGTH :5 \r\nX:  odd\t\r\n\r\n",
            "HTTP/1.0 200 OK\nServer: old\n\n",
            "HTTP/1.1 200\r\n\r\n",
        ] {
            assert_eq!(stored(head, false, 5), head);
        }
    }

    #[test]
    fn s3_chunks_that_were_joined_are_admitted() {
        let head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nB: c\r\n\r\n";
        let expected = "HTTP/1.1 200 OK\r\nX-Archive-Orig-Transfer-Encoding: chunked\r\nB: c\r\nContent-Length: 7\r\n\r\n";
        assert_eq!(stored(head, true, 7), expected);
    }

    #[test]
    fn s3_a_length_that_is_not_true_is_kept_under_another_name() {
        let head = "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n";
        let expected =
            "HTTP/1.1 200 OK\r\nX-Archive-Orig-Content-Length: 10\r\nContent-Length: 7\r\n\r\n";
        assert_eq!(stored(head, false, 7), expected);
        let head = "HTTP/1.1 200 OK\nContent-Length: 7\nContent-Length: 8\n\n";
        let expected = "HTTP/1.1 200 OK\nX-Archive-Orig-Content-Length: 7\nX-Archive-Orig-Content-Length: 8\nContent-Length: 7\n\n";
        assert_eq!(stored(head, false, 7), expected);
    }

    #[test]
    fn s3_a_true_length_beside_chunks_is_not_doubled() {
        let head = "HTTP/1.1 200 OK\r\nContent-Length: 7\r\nTransfer-Encoding: chunked\r\n\r\n";
        let expected = "HTTP/1.1 200 OK\r\nContent-Length: 7\r\nX-Archive-Orig-Transfer-Encoding: chunked\r\n\r\n";
        assert_eq!(stored(head, true, 7), expected);
    }

    #[test]
    fn fields_are_found_whatever_their_case() {
        let head = b"HTTP/1.1 200 OK\r\ncontent-TYPE:  text/html \r\n\r\nContent-Length: 3";
        assert_eq!(field(head, "content-type"), Some(&b"text/html"[..]));
        assert_eq!(field(head, "etag"), None);
        assert_eq!(&head[body_offset(head)..], b"Content-Length: 3");
    }
}
