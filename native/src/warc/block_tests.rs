use std::io::Write;

use bytes::Bytes;
use sha2::{Digest, Sha256};

use super::*;
use crate::fetched::{Body, Kind};
use crate::warc::{read, scan};

fn whole(data: &[u8]) -> crate::error::Result<crate::warc::Content> {
    read(data, usize::MAX)
}

fn settings() -> Settings {
    Settings {
        software: String::from("hondius/test"),
        operator: String::from("somebody"),
        robots_policy: String::from("obey"),
        compression: 1,
    }
}

fn fetched(response_head: &str, wire_body: &[u8]) -> Fetched {
    let headers = response_head
        .lines()
        .filter_map(|line| line.split_once(':'))
        .map(|(name, value)| (name.to_ascii_lowercase(), value.trim().to_owned()))
        .collect();
    let status = response_head[9..12].parse().unwrap();
    Fetched {
        address: Some("127.0.0.1:80".parse().unwrap()),
        started_at: 1_794_717_278.5,
        ended_at: 1_794_717_278.75,
        exchange: Some(Exchange {
            request_head: Bytes::from_static(b"GET /page HTTP/1.1\r\nHost: a.test\r\n\r\n"),
            response_head: Bytes::copy_from_slice(response_head.as_bytes()),
            status,
            headers,
            wire_body: Body::Memory(Bytes::copy_from_slice(wire_body)),
            truncated: false,
            chunked: response_head.contains("chunked"),
            wire_bytes: 0,
        }),
        decoded_length: wire_body.len() as u64,
        content_type: String::from("text/html"),
        ..Fetched::new(7, [1; 16], String::from("http://a.test/page"), Kind::Page)
    }
}

fn plain() -> Fetched {
    fetched(
        "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 5\r\n\r\n",
        b"hello",
    )
}

fn archived(fetched: &Fetched) -> ArchivedFetch<'_> {
    ArchivedFetch {
        fetched,
        original: None,
        fields: "via: http://a.test/\r\n",
        keep_body: true,
    }
}

fn built(fetch: ArchivedFetch<'_>) -> Block {
    block(&settings(), &[fetch], 100, "x.warc.gz").unwrap()
}

/// The fields of the first record.
fn field(block: &Block, name: &str) -> Option<String> {
    let fields = whole(&block.data).unwrap().fields;
    fields
        .into_iter()
        .find_map(|(found, value)| (found == name).then_some(value))
}

fn original(payload: &[u8]) -> Option<Original> {
    Some(Original {
        target: String::from("http://a.test/first"),
        warc_date: String::from("2026-01-01T00:00:00.000000Z"),
        payload_digest: digest::of(&[payload]),
    })
}

#[test]
fn s3_a_fetch_becomes_response_request_and_metadata() {
    let fetched = plain();
    let block = built(archived(&fetched));
    let found = scan(&block.data, 100, "x.warc.gz");
    let kinds: Vec<&str> = found
        .entries
        .iter()
        .map(|entry| entry.kind.as_str())
        .collect();
    assert_eq!(kinds, ["response", "request", "metadata"]);
    assert_eq!(found.whole, block.data.len());
    assert!(found.entries.iter().all(|entry| entry.problem.is_none()));
    assert!(
        found
            .entries
            .iter()
            .all(|entry| entry.target == "http://a.test/page")
    );
    let response = &found.entries[0];
    assert_eq!(block.positions[0].offset, 100);
    assert_eq!(block.positions[0].length, response.length);
    assert_eq!(response.cdxj.as_ref(), Some(&block.cdxj[0]));
    assert_eq!(
        field(&block, "warc-ip-address").as_deref(),
        Some("127.0.0.1")
    );
    assert_eq!(
        field(&block, "warc-date").as_deref(),
        Some("2026-11-15T04:34:38.500000Z")
    );
    let metadata = whole(&block.data[found.entries[2].offset as usize - 100..]).unwrap();
    assert_eq!(
        metadata.body,
        b"via: http://a.test/\r\nfetchTimeMs: 250\r\n"
    );
    let concurrent = metadata
        .fields
        .iter()
        .find(|(name, _)| name == "warc-concurrent-to");
    assert_eq!(
        concurrent.map(|(_, value)| value.clone()),
        field(&block, "warc-record-id")
    );
}

#[test]
fn s3_the_file_opens_with_what_wrote_it() {
    let data = information(&settings(), "x.warc.gz", 0.0).unwrap();
    let found = scan(&data, 0, "x.warc.gz");
    assert_eq!(found.entries[0].kind, "warcinfo");
    assert_eq!(found.entries[0].problem, None);
    let text = String::from_utf8(whole(&data).unwrap().body).unwrap();
    assert!(text.contains("software: hondius/test\r\n"));
    assert!(text.contains("operator: somebody\r\n"));
}

#[test]
fn s3_the_hash_of_an_uncoded_body_is_not_computed_twice() {
    let mut fetched = plain();
    fetched.content_hash = Some([0xab; 32]);
    assert!(built(archived(&fetched)).payload_digests[0].ends_with("abab"));
    fetched.content_hash = Some(Sha256::digest(b"hello").into());
    let block = built(archived(&fetched));
    assert_eq!(block.payload_digests[0], digest::of(&[b"hello"]));
}

#[test]
fn s3_a_coded_body_is_stored_as_it_came() {
    let mut coded = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    coded.write_all(&b"hello hello ".repeat(9000)).unwrap();
    let coded = coded.finish().unwrap();
    let head = "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n\r\n";
    let mut fetched = fetched(head, &coded);
    fetched.content_hash = Some([9; 32]);
    let block = built(archived(&fetched));
    assert!(
        block
            .data
            .windows(coded.len())
            .any(|window| window == coded)
    );
    assert_eq!(block.payload_digests[0], digest::of(&[&coded]));
    let content = whole(&block.data).unwrap();
    let http_head = String::from_utf8(content.http_head).unwrap();
    assert!(http_head.contains("X-Archive-Orig-Transfer-Encoding: chunked\r\n"));
    assert!(http_head.contains(&format!("Content-Length: {}\r\n", coded.len())));
    assert!(content.body == b"hello hello ".repeat(9000));
    assert_eq!(scan(&block.data, 0, "").entries[0].problem, None);
}

#[test]
fn x3_an_exact_copy_is_a_revisit_without_a_body() {
    let fetched = plain();
    let block = built(ArchivedFetch {
        original: original(b"hello"),
        ..archived(&fetched)
    });
    assert_eq!(field(&block, "warc-type").as_deref(), Some("revisit"));
    assert_eq!(field(&block, "warc-profile").as_deref(), Some(SAME_PAYLOAD));
    assert_eq!(
        field(&block, "warc-refers-to-target-uri").as_deref(),
        Some("http://a.test/first")
    );
    assert!(whole(&block.data).unwrap().body.is_empty());
    assert!(block.cdxj[0].contains(r#""mime": "warc/revisit""#));
    assert_eq!(
        scan(&block.data, 100, "x.warc.gz").entries[0].cdxj.as_ref(),
        Some(&block.cdxj[0])
    );
}

#[test]
fn x3_an_original_in_the_same_block_is_found() {
    let first = plain();
    let mut second = plain();
    second.href = String::from("http://a.test/copy");
    let copy = ArchivedFetch {
        original: Some(Original {
            target: first.href.clone(),
            warc_date: String::from("2026-11-15T04:34:38.500000Z"),
            payload_digest: String::new(),
        }),
        ..archived(&second)
    };
    let block = block(&settings(), &[archived(&first), copy], 0, "x.warc.gz").unwrap();
    let kinds = scan(&block.data, 0, "").entries;
    assert_eq!(
        [kinds[0].kind.as_str(), kinds[3].kind.as_str()],
        ["response", "revisit"]
    );
    assert_eq!(
        block.payload_digests,
        [digest::of(&[b"hello"]), String::new()]
    );
}

#[test]
fn x3_equal_text_in_other_bytes_is_kept_whole() {
    let fetched = plain();
    let block = built(ArchivedFetch {
        original: original(b"the same, gzipped"),
        ..archived(&fetched)
    });
    assert_eq!(field(&block, "warc-type").as_deref(), Some("response"));
    assert_eq!(whole(&block.data).unwrap().body, b"hello");
}

#[test]
fn h4_a_304_is_a_revisit_of_what_was_not_modified() {
    let head = "HTTP/1.1 304 Not Modified\r\nContent-Length: 99\r\n\r\n";
    let fetched = fetched(head, b"");
    let block = built(ArchivedFetch {
        original: original(b"hello"),
        ..archived(&fetched)
    });
    assert_eq!(field(&block, "warc-profile").as_deref(), Some(NOT_MODIFIED));
    assert_eq!(
        field(&block, "warc-payload-digest"),
        Some(digest::of(&[b"hello"]))
    );
    assert_eq!(whole(&block.data).unwrap().http_head, head.as_bytes());
}

#[test]
fn d4_what_asks_not_to_be_archived_keeps_its_head_only() {
    let fetched = plain();
    let block = built(ArchivedFetch {
        keep_body: false,
        ..archived(&fetched)
    });
    assert_eq!(
        field(&block, "warc-truncated").as_deref(),
        Some("unspecified")
    );
    let content = whole(&block.data).unwrap();
    assert!(content.body.is_empty());
    assert!(
        content
            .http_head
            .ends_with(b"\r\nContent-Length: 0\r\n\r\n")
    );
    assert_eq!(scan(&block.data, 0, "").entries[0].problem, None);
}

fn truncated(fetched: &Fetched) -> Option<String> {
    field(&built(archived(fetched)), "warc-truncated")
}

#[test]
fn h2_a_cut_body_says_why_it_was_cut() {
    let head = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 99\r\n\r\n";
    let mut fetched = fetched(head, b"hello");
    fetched.exchange.as_mut().unwrap().truncated = true;
    assert_eq!(truncated(&fetched).as_deref(), Some("length"));
    for (cause, reason) in [
        (cause::READ_TIMEOUT, "time"),
        (cause::TOTAL_TIMEOUT, "time"),
        (cause::BODY_INCOMPLETE, "disconnect"),
        (cause::CONNECTION_RESET, "disconnect"),
        (cause::HTTP_MALFORMED, "unspecified"),
    ] {
        fetched.failure = Some((cause, String::new()));
        assert_eq!(truncated(&fetched).as_deref(), Some(reason), "{cause}");
    }
}

#[test]
fn s3_a_body_that_came_whole_and_cannot_be_decoded_is_not_cut() {
    let head = "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 5\r\n\r\n";
    let mut fetched = fetched(head, b"hello");
    fetched.failure = Some((cause::DECODE_FAILED, String::new()));
    assert_eq!(truncated(&fetched), None);
    fetched.failure = None;
    fetched.is_partly_decoded = true;
    assert_eq!(truncated(&fetched), None);
    assert_eq!(
        whole(&built(archived(&fetched)).data).unwrap().body,
        b"hello"
    );
}

#[test]
fn s3_a_body_in_chunks_that_cannot_be_decoded_is_not_cut() {
    let head = "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n\r\n";
    let mut fetched = fetched(head, b"hello");
    fetched.failure = Some((cause::DECODE_FAILED, String::new()));
    assert_eq!(truncated(&fetched), None);
    fetched.failure = None;
    fetched.is_partly_decoded = true;
    assert_eq!(truncated(&fetched), None);
    fetched.exchange.as_mut().unwrap().truncated = true;
    assert_eq!(truncated(&fetched).as_deref(), Some("length"));
}

#[test]
fn what_was_never_answered_cannot_be_archived() {
    let mut fetched = plain();
    fetched.exchange = None;
    assert!(block(&settings(), &[archived(&fetched)], 0, "x").is_err());
}

#[test]
fn s4_a_tail_cut_at_any_byte_leaves_the_records_before_it() {
    let fetched = plain();
    let data = built(archived(&fetched)).data;
    let lengths: Vec<u64> = scan(&data, 0, "")
        .entries
        .iter()
        .map(|entry| entry.length)
        .collect();
    for cut in 0..data.len() {
        let found = scan(&data[..cut], 0, "");
        let whole: u64 = lengths.iter().take(found.entries.len()).sum();
        assert_eq!(found.whole as u64, whole);
        assert!(found.whole <= cut);
    }
}

#[test]
fn s10_a_changed_byte_does_not_pass() {
    let fetched = plain();
    let data = built(archived(&fetched)).data;
    for position in 0..data.len() {
        let mut damaged = data.clone();
        damaged[position] ^= 0x55;
        let found = scan(&damaged, 0, "");
        let passes =
            found.entries.len() == 3 && found.entries.iter().all(|entry| entry.problem.is_none());
        assert!(!passes || is_hint(&data, position), "byte {position}");
    }
}

/// Flags, time and hints of a gzip header are not covered by any checksum.
fn is_hint(data: &[u8], position: usize) -> bool {
    let starts = scan(data, 0, "").entries;
    starts
        .iter()
        .any(|entry| (3..10).contains(&(position as i64 - entry.offset as i64)))
}
