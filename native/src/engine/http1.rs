//! Sends a request over a connection and reads the head of the answer.
//!
//! This is our own client instead of hyper for two reasons: the archive needs the head byte for byte
//! as received, and a head that hyper refuses must still be read as browsers read it (decision 0001).

use std::io;

use bytes::Bytes;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};

use super::deadlines::Deadlines;
use super::failure::{Failure, cause};
use super::head::{self, Head};
use super::tls_words;

const FIRST_READ: usize = 16 * 1024;

/// Most interim answers (1xx) before the final one.
const MOST_INTERIM: usize = 16;

/// A final head, and the bytes that arrived with it.
#[derive(Debug)]
pub struct Incoming {
    pub head: Head,
    pub raw_head: Bytes,
    /// Bytes read beyond the head: the start of the body.
    pub rest: Vec<u8>,
    /// Everything read off the socket so far.
    pub wire_bytes: u64,
}

/// `unanswered` is true if the connection ended before the first byte of an answer.
#[derive(Debug)]
pub struct AskFailure {
    pub failure: Failure,
    pub unanswered: bool,
}

impl From<Failure> for AskFailure {
    fn from(failure: Failure) -> Self {
        AskFailure {
            failure,
            unanswered: false,
        }
    }
}

/// Sends a request in one write and reads up to the end of the final head.
pub async fn ask<S: AsyncRead + AsyncWrite + Unpin>(
    stream: &mut S,
    request: &[u8],
    header_cap: usize,
    deadlines: &Deadlines,
) -> Result<Incoming, AskFailure> {
    let sending = async {
        stream.write_all(request).await?;
        stream.flush().await
    };
    if let Err(error) = deadlines.transferring(sending).await? {
        return Err(AskFailure {
            failure: broken(&error),
            unanswered: true,
        });
    }
    let mut reading = Reading {
        buffer: Vec::with_capacity(FIRST_READ.min(header_cap + 1)),
        start: 0,
        seen: 0,
        total: 0,
        header_cap,
    };
    for _ in 0..=MOST_INTERIM {
        let end = reading.until_end_of_head(stream, deadlines).await?;
        let raw_head = &reading.buffer[reading.start..end];
        let head = head::parse(raw_head)?;
        if head.status >= 200 {
            return Ok(Incoming {
                raw_head: Bytes::copy_from_slice(raw_head),
                head,
                rest: reading.buffer.split_off(end),
                wire_bytes: reading.total,
            });
        }
        if head.status == 101 {
            return Err(malformed("the server switched protocols unasked").into());
        }
        reading.start = end;
        reading.seen = end;
    }
    Err(malformed("too many interim answers").into())
}

/// Received bytes of heads; `start` is where the current head begins.
struct Reading {
    buffer: Vec<u8>,
    start: usize,
    seen: usize,
    total: u64,
    header_cap: usize,
}

impl Reading {
    async fn until_end_of_head<S: AsyncRead + Unpin>(
        &mut self,
        stream: &mut S,
        deadlines: &Deadlines,
    ) -> Result<usize, AskFailure> {
        loop {
            self.start += head::leading_blank(&self.buffer[self.start..]);
            let current = &self.buffer[self.start..];
            if !head::may_be_http(current) {
                return Err(malformed("the answer is not HTTP/1").into());
            }
            let seen = self.seen.saturating_sub(self.start);
            if let Some(length) = head::find_end(current, seen) {
                return self.checked(self.start + length).map_err(AskFailure::from);
            }
            self.checked(self.buffer.len())?;
            self.seen = self.buffer.len();
            self.read_more(stream, deadlines).await?;
        }
    }

    fn checked(&self, length: usize) -> Result<usize, Failure> {
        if length <= self.header_cap {
            return Ok(length);
        }
        let detail = format!("the head is longer than {} bytes", self.header_cap);
        Err(Failure::new(cause::HEADERS_TOO_LARGE, detail))
    }

    async fn read_more<S: AsyncRead + Unpin>(
        &mut self,
        stream: &mut S,
        deadlines: &Deadlines,
    ) -> Result<(), AskFailure> {
        if self.buffer.len() == self.buffer.capacity() {
            self.buffer.reserve(FIRST_READ);
        }
        let failure = match deadlines
            .transferring(stream.read_buf(&mut self.buffer))
            .await?
        {
            Ok(0) => closed(),
            Ok(length) => {
                self.total += length as u64;
                return Ok(());
            }
            Err(error) => broken(&error),
        };
        Err(AskFailure {
            failure,
            unanswered: self.total == 0,
        })
    }
}

/// Converts an I/O error to a failure. A TLS stream that ends without close_notify counts as closed.
pub fn broken(error: &io::Error) -> Failure {
    match error.kind() {
        io::ErrorKind::UnexpectedEof => closed(),
        io::ErrorKind::InvalidData => {
            Failure::new(cause::TLS_FAILED, tls_words::of_handshake(error))
        }
        _ => Failure::new(cause::CONNECTION_RESET, "the connection was reset"),
    }
}

fn closed() -> Failure {
    Failure::new(
        cause::CONNECTION_RESET,
        "the connection was closed before an answer came",
    )
}

fn malformed(detail: &str) -> Failure {
    Failure::new(cause::HTTP_MALFORMED, detail)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::super::deadlines::Timeouts;
    use super::*;

    async fn answer_to(raw: &[u8], piece: usize) -> Result<Incoming, AskFailure> {
        let (mut near, mut far) = tokio::io::duplex(64);
        let raw = raw.to_vec();
        let server = tokio::spawn(async move {
            for part in raw.chunks(piece) {
                if far.write_all(part).await.is_err() {
                    return;
                }
            }
            // Reads what was asked, then closes.
            let _ = far.read(&mut [0; 64]).await;
        });
        let second = Duration::from_secs(1);
        let deadlines = Deadlines::start(Timeouts {
            connect: second,
            read: second,
            total: second,
        });
        let answer = ask(&mut near, b"GET", 1024, &deadlines).await;
        drop(near);
        server.await.unwrap();
        answer
    }

    #[tokio::test]
    async fn h1_the_final_head_is_kept_byte_for_byte_and_interim_ones_dropped() {
        let raw =
            b"HTTP/1.1 103 Early\r\nLink: x\r\n\r\n\r\nHTTP/1.1 200  fine \r\nA:b\r\n\r\nbody";
        for piece in [1, 2, 7, 200] {
            let incoming = answer_to(raw, piece).await.unwrap();
            assert_eq!(
                &incoming.raw_head[..],
                b"HTTP/1.1 200  fine \r\nA:b\r\n\r\n"
            );
            assert!(b"body".starts_with(&incoming.rest));
        }
    }

    #[tokio::test]
    async fn h2_heads_over_the_cap_are_refused_also_over_many_interim_answers() {
        let mut long = b"HTTP/1.1 200 OK\r\nA: ".to_vec();
        long.resize(2000, b'a');
        let interim =
            b"HTTP/1.1 100 Continue\r\nPadding: 0123456789012345678901234567890123456789\r\n\r\n"
                .repeat(15);
        for raw in [long, interim] {
            let failure = answer_to(&raw, 100).await.unwrap_err().failure;
            assert_eq!(failure.cause, cause::HEADERS_TOO_LARGE);
        }
        let many = b"HTTP/1.1 100 C\r\n\r\n".repeat(40);
        let failure = answer_to(&many, 100).await.unwrap_err().failure;
        assert_eq!(failure.cause, cause::HTTP_MALFORMED);
    }

    #[tokio::test]
    async fn what_is_not_http_is_known_at_the_first_bytes() {
        let failure = answer_to(b"<html>", 100).await.unwrap_err().failure;
        assert_eq!(failure.cause, cause::HTTP_MALFORMED);
    }

    #[tokio::test]
    async fn a_connection_that_ends_without_a_byte_is_unanswered() {
        let silent = answer_to(b"", 1).await.unwrap_err();
        assert!(silent.unanswered);
        let cut = answer_to(b"HTTP/1.1 2", 100).await.unwrap_err();
        assert!(!cut.unanswered);
        assert_eq!(cut.failure.cause, cause::CONNECTION_RESET);
    }
}
