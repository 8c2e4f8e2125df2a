//! Where a body ends (RFC 9112 §6, as browsers read it).

use super::failure::{Failure, cause};
use super::head::Head;

/// How the end of a body is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Framing {
    Nothing,
    Length(u64),
    Chunked,
    UntilClose,
}

/// Longer than any body. A server that declares such a length will never send it.
const ABSURD_LENGTH: u64 = 1 << 50;

/// The framing that a head declares. Contradictory lengths are refused, because one of them could smuggle bytes.
/// Negative and absurd lengths are refused, too: browsers read such a body until the connection closes, but a server
/// that keeps it open would cost the whole read time-out. A length that is not a number is ignored.
pub fn framing(head: &Head) -> Result<Framing, Failure> {
    if matches!(head.status, 204 | 304) {
        return Ok(Framing::Nothing);
    }
    if let Some(last) = head.elements("transfer-encoding").last()
        && head.modern
        && last != "identity"
    {
        let chunked = last == "chunked";
        return Ok(if chunked {
            Framing::Chunked
        } else {
            Framing::UntilClose
        });
    }
    content_length(head).map(|length| length.map_or(Framing::UntilClose, Framing::Length))
}

fn content_length(head: &Head) -> Result<Option<u64>, Failure> {
    let mut lengths = head
        .values("content-length")
        .flat_map(|value| value.split(','))
        .map(str::trim);
    let Some(first) = lengths.next() else {
        return Ok(None);
    };
    if lengths.any(|other| other != first) {
        return Err(Failure::new(
            cause::HTTP_MALFORMED,
            "the answer has contradicting lengths",
        ));
    }
    let digits = first.strip_prefix('-').unwrap_or(first);
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return Ok(None);
    }
    match first.parse() {
        Ok(length) if length <= ABSURD_LENGTH => Ok(Some(length)),
        _ => Err(malformed("the answer has a length that no body can have")),
    }
}

/// Maximum length of a line of chunk framing (a size with extensions, or a trailer), and of all trailers.
const MAX_LINE: usize = 4 * 1024;
const MAX_TRAILERS: usize = 16 * 1024;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Size,
    Data(u64),
    AfterData,
    Trailers,
    Done,
}

/// Parses chunked framing incrementally, whatever pieces arrive.
#[derive(Debug)]
pub struct Chunks {
    state: State,
    line: Vec<u8>,
    trailers: usize,
}

impl Default for Chunks {
    fn default() -> Self {
        Chunks {
            state: State::Size,
            line: Vec::new(),
            trailers: 0,
        }
    }
}

impl Chunks {
    pub fn is_done(&self) -> bool {
        self.state == State::Done
    }

    /// Passes the data in `input` to `take`, and returns how many bytes of `input` belong to this body. If `take`
    /// returns false (a cap), nothing more is read.
    pub fn feed(
        &mut self,
        input: &[u8],
        mut take: impl FnMut(&[u8]) -> bool,
    ) -> Result<usize, Failure> {
        let mut used = 0;
        while used < input.len() && !self.is_done() {
            let rest = &input[used..];
            if let State::Data(left) = self.state {
                let length = rest.len().min(usize::try_from(left).unwrap_or(usize::MAX));
                used += length;
                self.after_data(left - length as u64);
                if !take(&rest[..length]) {
                    break;
                }
            } else {
                used += self.feed_line(rest)?;
            }
        }
        Ok(used)
    }

    fn after_data(&mut self, left: u64) {
        self.state = match left {
            0 => State::AfterData,
            left => State::Data(left),
        };
    }

    /// Collects one line of framing. A complete line advances the state.
    fn feed_line(&mut self, input: &[u8]) -> Result<usize, Failure> {
        let end = memchr::memchr(b'\n', input);
        let piece = &input[..end.unwrap_or(input.len())];
        if self.line.len() + piece.len() > MAX_LINE {
            return Err(malformed("a line of chunk framing is too long"));
        }
        self.line.extend_from_slice(piece);
        if end.is_some() {
            self.end_line()?;
            self.line.clear();
        }
        Ok(piece.len() + usize::from(end.is_some()))
    }

    fn end_line(&mut self) -> Result<(), Failure> {
        let line = self.line.trim_ascii();
        self.state = match self.state {
            State::AfterData if line.is_empty() => State::Size,
            State::AfterData => return Err(malformed("a chunk is longer than its size")),
            State::Size => match chunk_size(line)? {
                0 => State::Trailers,
                size => State::Data(size),
            },
            State::Trailers if line.is_empty() => State::Done,
            other => other,
        };
        self.trailers += self.line.len();
        if self.state == State::Trailers && self.trailers > MAX_TRAILERS {
            return Err(malformed("the trailers are too long"));
        }
        if self.state != State::Trailers {
            self.trailers = 0;
        }
        Ok(())
    }
}

fn chunk_size(line: &[u8]) -> Result<u64, Failure> {
    let size = line.split(|byte| *byte == b';').next().unwrap_or_default();
    let size = size.trim_ascii();
    let is_hexadecimal = !size.is_empty() && size.iter().all(u8::is_ascii_hexdigit);
    std::str::from_utf8(size)
        .ok()
        .filter(|_| is_hexadecimal)
        .and_then(|size| u64::from_str_radix(size, 16).ok())
        .ok_or_else(|| malformed("a chunk has no size"))
}

fn malformed(detail: &str) -> Failure {
    Failure::new(cause::HTTP_MALFORMED, detail)
}

#[cfg(test)]
mod tests {
    use super::super::head;
    use super::*;

    fn of(headers: &str) -> Result<Framing, Failure> {
        let text = format!("HTTP/1.1 200 OK\r\n{headers}\r\n\r\n");
        framing(&head::parse(text.as_bytes()).unwrap())
    }

    #[test]
    fn lengths_are_read_as_browsers_do() {
        for (headers, expected) in [
            ("Content-Length: 42", Some(Framing::Length(42))),
            (
                "Content-Length: 42,42\r\nContent-Length: 42",
                Some(Framing::Length(42)),
            ),
            ("Content-Length: 30,42", None),
            ("Content-Length: 30,", None),
            ("Content-Length: 030, 30", None),
            ("Content-Length: 030", Some(Framing::Length(30))),
            ("Content-Length: aaaah", Some(Framing::UntilClose)),
            ("Content-Length: -1", None),
            ("Content-Length: -1, -1", None),
            ("Content-Length: -", Some(Framing::UntilClose)),
            ("Content-Length: ", Some(Framing::UntilClose)),
            (
                "Content-Length: 1125899906842624",
                Some(Framing::Length(1 << 50)),
            ),
            ("Content-Length: 1125899906842625", None),
            ("Content-Length: 99999999999999999999999", None),
            ("X: y", Some(Framing::UntilClose)),
            (
                "Content-Length: 3\r\nTransfer-Encoding: chunked",
                Some(Framing::Chunked),
            ),
            (
                "Transfer-Encoding: chunked, gzip",
                Some(Framing::UntilClose),
            ),
            (
                "Transfer-Encoding: identity\r\nContent-Length: 3",
                Some(Framing::Length(3)),
            ),
        ] {
            assert_eq!(of(headers).ok(), expected, "{headers}");
        }
    }

    fn dechunk(text: &[u8], piece: usize) -> Result<(Vec<u8>, usize, bool), Failure> {
        let mut chunks = Chunks::default();
        let mut body = Vec::new();
        let mut used = 0;
        for part in text.chunks(piece) {
            used += chunks.feed(part, |data| {
                body.extend_from_slice(data);
                true
            })?;
        }
        Ok((body, used, chunks.is_done()))
    }

    #[test]
    fn chunks_come_apart_the_same_whatever_the_pieces() {
        let text = b"5;x=\"y\"\r\nhello\r\n 6 \r\n world\r\n0\r\nTrailer: x\r\n\r\nNEXT";
        for piece in 1..=text.len() {
            let (body, used, done) = dechunk(text, piece).unwrap();
            assert_eq!(
                (body.as_slice(), done),
                (&b"hello world"[..], true),
                "{piece}"
            );
            assert_eq!(used, text.len() - 4);
        }
    }

    #[test]
    fn chunks_without_carriage_returns_are_read() {
        let (body, _, done) = dechunk(b"3\nabc\n0\n\n", 64).unwrap();
        assert_eq!((body.as_slice(), done), (&b"abc"[..], true));
    }

    #[test]
    fn broken_chunks_are_malformed_and_never_grow() {
        let long = [b'a'; 5000];
        let mut trailers = b"0\r\n".to_vec();
        for _ in 0..2_000 {
            trailers.extend_from_slice(b"Trailer: 0123456789\r\n");
        }
        for text in [
            &b"x\r\n"[..],
            b"\r\n",
            b"5 x\r\nhello",
            b"3\r\nabcdef\r\n",
            b"fffffffffffffffff\r\n",
            &long,
            &trailers,
        ] {
            assert!(dechunk(text, 7).is_err(), "{:?}", text.get(..20));
        }
    }
}
