//! Responses: heads, framing, chunks and content codings of servers that mean no good.

use bytes::Bytes;
use hondius_native::engine::budget::Budget;
use hondius_native::engine::framing::{Chunks, framing};
use hondius_native::engine::head::Head;
use hondius_native::engine::{decode, head};
use hondius_native::fetched::{Body, Exchange, Fetched, Kind, is_sendable};

use super::{Target, Verdict, choice, must};

const CAP: usize = 100_000;

pub struct Responses;

/// The pieces that the network cuts a body into make no difference.
fn check_chunks(body: &[u8], cut: usize) -> Verdict {
    let (mut whole, mut pieces) = (Vec::new(), Vec::new());
    let mut chunks = Chunks::default();
    let first = chunks.feed(body, |data| {
        whole.extend_from_slice(data);
        true
    });
    let mut chunks = Chunks::default();
    let mut failed = false;
    for piece in body.chunks(cut.max(1)) {
        let fed = chunks.feed(piece, |data| {
            pieces.extend_from_slice(data);
            true
        });
        failed |= fed.is_err();
        if failed || chunks.is_done() {
            break;
        }
    }
    must(first.is_err() == failed, || {
        "chunks: fail in one piece or in many".into()
    })?;
    must(failed || whole == pieces, || {
        "chunks: differ in pieces".into()
    })
}

/// What Python sees of a head: numbers that are some, and validators that can go back as they came.
fn check_values(raw: &[u8], head: &Head) -> Verdict {
    let exchange = Exchange {
        request_head: Bytes::new(),
        response_head: Bytes::copy_from_slice(raw),
        status: head.status,
        headers: head.headers.clone(),
        wire_body: Body::Memory(Bytes::new()),
        truncated: false,
        chunked: false,
        wire_bytes: 0,
    };
    let fetched = Fetched {
        ended_at: 1e9,
        exchange: Some(exchange),
        ..Fetched::new(1, [0; 16], "http://a.test/".into(), Kind::Page)
    };
    for seconds in [fetched.retry_after(), fetched.max_age()] {
        let seconds = seconds.unwrap_or_default();
        must(seconds.is_finite() && seconds >= 0.0, || {
            format!("seconds: {seconds}")
        })?;
    }
    for validator in [fetched.etag(), fetched.last_modified()] {
        must(is_sendable(&validator), || "validator: unsendable".into())?;
    }
    let _ = (fetched.http_date(), fetched.location());
    Ok(())
}

impl Target for Responses {
    fn name(&self) -> &'static str {
        "http"
    }

    fn seeds(&self) -> Vec<Vec<u8>> {
        [
            &b"\x05HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\nX: y\r\n\r\n"[..],
            b"\x01HTTP/1.0 301 Moved\nLocation: /x\nContent-Length: 3\n\nabc",
            b"\x02HTTP/1.1 200\r\nContent-Encoding: gzip, br\r\nContent-Length: 5, 5\r\n folded\r\n\r\n\x1F\x8B\x08\0\0",
            b"\x03HTTP/1.1 200 OK\r\nContent-Encoding: zstd\r\nConnection: close\r\n\r\n\x28\xB5\x2F\xFD\x04\0\x09\0\0abc",
            b"\x04HTTP/1.1 200 OK\r\nContent-Encoding: deflate\r\n\r\n\x78\x9C\x4B\x04\0\0\x62\0\x62",
        ]
        .map(<[u8]>::to_vec)
        .to_vec()
    }

    fn tokens(&self) -> &'static [&'static str] {
        &[
            "HTTP/1.1 ",
            "200 OK",
            "\r\n",
            "\r\n\r\n",
            "\n\n",
            "Content-Length: ",
            "Transfer-Encoding: ",
            "chunked",
            "identity",
            "Content-Encoding: ",
            "Retry-After: ",
            "Cache-Control: max-age=",
            "Location: ",
            "ETag: ",
            "Date: Sun, 06 Nov 1994 08:49:37 GMT",
            "gzip",
            "br",
            "zstd",
            "deflate",
            "x-gzip",
            ", ",
            ":",
            "0\r\n\r\n",
            "ffffffffffffffff",
            ";ext=1",
            "\t",
        ]
    }

    fn run(&self, input: &[u8]) -> Verdict {
        let (way, bytes) = choice(input);
        let Some(end) = head::find_end(bytes, 0) else {
            return check_chunks(bytes, way as usize);
        };
        must(end <= bytes.len(), || {
            "end: of the head is behind the bytes".into()
        })?;
        let (raw, body) = bytes.split_at(end);
        check_chunks(body, way as usize)?;
        let Ok(head) = head::parse(raw) else {
            return Ok(());
        };
        drop(framing(&head));
        check_values(raw, &head)?;
        if let Ok(codings) = decode::codings(&head.headers)
            && let Ok(decoded) = decode::decode(body, &codings, CAP, &Budget::new(usize::MAX, None))
        {
            must(decoded.body.as_slice().len() <= CAP, || {
                "cap: of the body".into()
            })?;
        }
        Ok(())
    }
}
