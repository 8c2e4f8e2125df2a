//! Parses the head of a response.
//!
//! `httparse` tries first. A head that it refuses is parsed again as browsers do, because the web is
//! full of heads that violate the grammar and that every browser accepts.

use super::failure::{Failure, cause};

/// A parsed response head. Names in lower case, values as Latin-1.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Head {
    pub status: u16,
    /// HTTP/1.1 or later: connections stay open by default, and chunked framing is supported.
    pub modern: bool,
    pub headers: Vec<(String, String)>,
}

impl Head {
    pub fn values<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a str> {
        values(&self.headers, name)
    }

    pub fn elements<'a>(&'a self, name: &'a str) -> impl Iterator<Item = String> + 'a {
        elements(&self.headers, name)
    }

    pub fn keeps_alive(&self) -> bool {
        let mut keep = self.modern;
        for element in self.elements("connection") {
            match element.as_str() {
                "close" => return false,
                "keep-alive" => keep = true,
                _ => {}
            }
        }
        keep
    }
}

/// The values of a header, in order.
pub fn values<'a>(
    headers: &'a [(String, String)],
    name: &'a str,
) -> impl DoubleEndedIterator<Item = &'a str> {
    headers
        .iter()
        .filter(move |(known, _)| known == name)
        .map(|(_, value)| value.as_str())
}

/// The elements of a comma-separated header over all its lines, trimmed and in lower case.
pub fn elements<'a>(
    headers: &'a [(String, String)],
    name: &'a str,
) -> impl Iterator<Item = String> + 'a {
    values(headers, name)
        .flat_map(|value| value.split(','))
        .map(|element| element.trim().to_ascii_lowercase())
        .filter(|element| !element.is_empty())
}

/// Length of the head in `bytes`, including its empty line; `None` if it is incomplete. The first `seen` bytes were
/// searched before, so that single bytes that arrive slowly do not cause a search of everything.
pub fn find_end(bytes: &[u8], seen: usize) -> Option<usize> {
    let from = seen.saturating_sub(3);
    memchr::memchr_iter(b'\n', &bytes[from..])
        .map(|position| from + position + 1)
        .find_map(|after| match bytes[after..] {
            [b'\n', ..] => Some(after + 1),
            [b'\r', b'\n', ..] => Some(after + 2),
            _ => None,
        })
}

/// Number of leading empty lines, which some servers leave over from an earlier answer.
pub fn leading_blank(bytes: &[u8]) -> usize {
    let is_text = |byte: &u8| !matches!(byte, b'\r' | b'\n');
    bytes.iter().position(is_text).unwrap_or(bytes.len())
}

/// False if the first bytes cannot become a status line: HTTP/0.9, or not HTTP.
pub fn may_be_http(bytes: &[u8]) -> bool {
    let length = bytes.len().min(5);
    bytes[..length].eq_ignore_ascii_case(&b"HTTP/"[..length])
}

/// Parses a complete head, from the status line to the empty line.
pub fn parse(head: &[u8]) -> Result<Head, Failure> {
    strict(head).map_or_else(|| lenient(head), Ok)
}

const ENOUGH_HEADERS: usize = 128;

fn strict(head: &[u8]) -> Option<Head> {
    let mut headers = [httparse::EMPTY_HEADER; ENOUGH_HEADERS];
    let mut response = httparse::Response::new(&mut headers);
    let status = httparse::ParserConfig::default()
        .allow_spaces_after_header_name_in_responses(true)
        .allow_multiple_spaces_in_response_status_delimiters(true)
        .parse_response(&mut response, head);
    match status {
        Ok(httparse::Status::Complete(length)) if length == head.len() => {}
        _ => return None,
    }
    Some(Head {
        status: response.code.filter(is_status)?,
        modern: response.version? >= 1,
        headers: response
            .headers
            .iter()
            .map(|header| (header.name.to_ascii_lowercase(), latin1(header.value)))
            .collect(),
    })
}

fn lenient(head: &[u8]) -> Result<Head, Failure> {
    let mut lines = head
        .split(|byte| *byte == b'\n')
        .map(<[u8]>::trim_ascii_end);
    let (modern, status) = lines
        .next()
        .and_then(status_line)
        .ok_or_else(|| Failure::new(cause::HTTP_MALFORMED, "the answer has no status line"))?;
    let mut headers: Vec<(String, String)> = Vec::new();
    for line in lines.filter(|line| !line.is_empty()) {
        read_line(line, &mut headers);
    }
    Ok(Head {
        status,
        modern,
        headers,
    })
}

/// Parses `HTTP/1.1 200 reason` with any spaces between the parts; the reason is ignored. An invalid version counts as
/// 1.0.
fn status_line(line: &[u8]) -> Option<(bool, u16)> {
    let rest = line.get(5..).filter(|_| may_be_http(line))?;
    let version_length = rest.iter().position(u8::is_ascii_whitespace)?;
    let (version, rest) = rest.split_at(version_length);
    let code = rest.trim_ascii_start();
    let digits = code.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let code = std::str::from_utf8(&code[..digits]).ok()?;
    let status = code.parse().ok().filter(is_status)?;
    let modern = matches!(version, [b'1', b'.', b'1'..=b'9'] | [b'2'..=b'9', ..]);
    Some((modern, status))
}

fn is_status(code: &u16) -> bool {
    (100..=999).contains(code)
}

/// Parses a header line, or a continuation of the previous one (obsolete folding). Other lines are skipped.
fn read_line(line: &[u8], headers: &mut Vec<(String, String)>) {
    if matches!(line[0], b' ' | b'\t') {
        if let Some((_, value)) = headers.last_mut() {
            value.push(' ');
            value.push_str(&latin1(line.trim_ascii()));
        }
        return;
    }
    let Some(colon) = memchr::memchr(b':', line) else {
        return;
    };
    let name = line[..colon].trim_ascii();
    if !name.is_empty() {
        let value = line[colon + 1..].trim_ascii();
        headers.push((latin1(name).to_ascii_lowercase(), latin1(value)));
    }
}

/// Decodes Latin-1; a NUL or CR becomes a space.
fn latin1(bytes: &[u8]) -> String {
    match std::str::from_utf8(bytes) {
        Ok(text) if bytes.is_ascii() && !bytes.contains(&0) && !bytes.contains(&b'\r') => {
            text.to_owned()
        }
        _ => bytes
            .iter()
            .map(|byte| match byte {
                0 | b'\r' | b'\n' => ' ',
                byte => char::from(*byte),
            })
            .collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pairs(head: &Head) -> Vec<(&str, &str)> {
        head.headers
            .iter()
            .map(|(name, value)| (name.as_str(), value.as_str()))
            .collect()
    }

    #[test]
    fn h1_heads_that_browsers_read_are_read() {
        for (text, status, expected) in [
            (
                &b"HTTP/1.1 200 OK\r\nA: b\r\n\r\n"[..],
                200,
                vec![("a", "b")],
            ),
            (b"HTTP/1.1 200 OK\nA: b\n\n", 200, vec![("a", "b")]),
            (b"HTTP/1.1 404\r\nA : b\r\n\r\n", 404, vec![("a", "b")]),
            (b"HTTP/1.1  200   OK\r\nA: b\r\n\r\n", 200, vec![("a", "b")]),
            (
                b"http/1.1 200 ok\r\njunk\r\nA: b\r\n\r\n",
                200,
                vec![("a", "b")],
            ),
            (
                b"HTTP/1.1 200 Tr\xe8s\r\nA: \xe9\r\n\r\n",
                200,
                vec![("a", "\u{e9}")],
            ),
            (
                b"HTTP/1.0 301 x\r\nA: b\r\n  c\r\n\r\n",
                301,
                vec![("a", "b c")],
            ),
            (
                b"HTTP/1.1 200 OK\r\nA: x\0y\r\n\r\n",
                200,
                vec![("a", "x y")],
            ),
            (b"HTTP/1.1 200OK\r\nA:b\r\n\r\n", 200, vec![("a", "b")]),
            (b"HTTP/2 200\r\n: nameless\r\n\r\n", 200, vec![]),
        ] {
            let head = parse(text).unwrap();
            assert_eq!(head.status, status);
            assert_eq!(pairs(&head), expected);
        }
    }

    #[test]
    fn h1_what_is_no_http_is_malformed() {
        for text in [
            &b"<html>\r\n\r\n"[..],
            b"HTTP/1.1\r\n\r\n",
            b"HTTP/1.1 OK\r\n\r\n",
            b"HTTP/1.1 20\r\n\r\n",
            b"ICY 200 OK\r\n\r\n",
            b"\r\n\r\n",
        ] {
            assert_eq!(parse(text).unwrap_err().cause, cause::HTTP_MALFORMED);
        }
        assert!(!may_be_http(b"<h"));
        assert!(may_be_http(b"ht"));
    }

    #[test]
    fn more_headers_than_the_strict_parser_takes_are_still_read() {
        let mut text = b"HTTP/1.1 200 OK\r\n".to_vec();
        for number in 0..1_000 {
            text.extend_from_slice(format!("n{number}: v\r\n").as_bytes());
        }
        text.extend_from_slice(b"\r\n");
        assert_eq!(parse(&text).unwrap().headers.len(), 1_000);
    }

    #[test]
    fn the_end_of_a_head_is_found_wherever_the_pieces_were_cut() {
        for text in [
            &b"HTTP/1.1 200 OK\r\nA: b\r\n\r\nbody"[..],
            b"HTTP/1.1 200 OK\nA: b\n\nbody",
            b"HTTP/1.1 200 OK\r\nA: b\n\r\nbody",
        ] {
            let end = text.len() - 4;
            for seen in 0..end {
                assert_eq!(find_end(&text[..end], seen), Some(end), "{seen}");
                assert_eq!(find_end(&text[..end - 1], seen.min(end - 1)), None);
            }
        }
    }

    #[test]
    fn a_connection_is_kept_as_the_version_and_the_header_say() {
        for (text, expected) in [
            (&b"HTTP/1.1 200 OK\r\n\r\n"[..], true),
            (b"HTTP/1.0 200 OK\r\n\r\n", false),
            (b"HTTP/1.0 200 OK\r\nConnection: Keep-Alive\r\n\r\n", true),
            (b"HTTP/1.1 200 OK\r\nConnection: x, close\r\n\r\n", false),
        ] {
            assert_eq!(parse(text).unwrap().keeps_alive(), expected);
        }
    }
}
