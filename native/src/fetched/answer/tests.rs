use bytes::Bytes;

use super::*;
use crate::engine::head;
use crate::fetched::{Body, Kind};

fn answer(status: u16, headers: &[u8]) -> Fetched {
    let mut raw = format!("HTTP/1.1 {status} x\r\n").into_bytes();
    raw.extend_from_slice(headers);
    raw.extend_from_slice(b"\r\n\r\n");
    let head = head::parse(&raw).unwrap();
    Fetched {
        ended_at: 784_111_777.0,
        exchange: Some(Exchange {
            request_head: Bytes::new(),
            response_head: Bytes::from(raw),
            status: head.status,
            headers: head.headers,
            wire_body: Body::Memory(Bytes::new()),
            truncated: false,
            chunked: false,
            wire_bytes: 0,
        }),
        ..Fetched::new(1, [0; 16], "http://a.test/x/y".into(), Kind::Page)
    }
}

#[test]
fn p2_retry_after_is_a_number_a_date_or_nothing() {
    for (header, expected) in [
        (&b"Retry-After: 120"[..], Some(120.0)),
        (b"Retry-After: Sun, 06 Nov 1994 08:50:37 GMT", Some(60.0)),
        (b"Retry-After: Sun, 06 Nov 1994 08:00:00 GMT", Some(0.0)),
        (
            b"Retry-After: 99999999999999999999",
            Some(999_999_999_999.0),
        ),
        (b"Retry-After: \xb2", None),
        (b"Retry-After: 1\xb2", None),
        (b"Retry-After: -1", None),
        (b"Retry-After: 1.5", None),
        (b"Retry-After: soon", None),
        (b"Retry-After: ", None),
        (b"X: y", None),
    ] {
        assert_eq!(answer(503, header).retry_after(), expected, "{header:?}");
    }
}

#[test]
fn b2_max_age_is_read_from_all_lines() {
    for (header, expected) in [
        (&b"Cache-Control: public, Max-Age = 90"[..], Some(90.0)),
        (
            b"Cache-Control: no-store\r\nCache-Control: max-age=\"5\"",
            Some(5.0),
        ),
        (b"Cache-Control: max-age=\xb2", None),
        (b"Cache-Control: s-maxage=9", None),
        (b"Cache-Control: max-age=", None),
    ] {
        assert_eq!(answer(200, header).max_age(), expected, "{header:?}");
    }
}

#[test]
fn h4_validators_are_kept_byte_for_byte_or_not_at_all() {
    for (header, expected) in [
        (&b"ETag: \"v1\""[..], &b"\"v1\""[..]),
        (b"ETag: \"\xe9\xff\"", b"\"\xe9\xff\""),
        (b"ETag: \"\xd0\xbf\"", b"\"\xd0\xbf\""),
        (b"ETag: \"a\x01b\"", b""),
        (b"ETag: \"a\0b\"", b""),
        (b"ETag: \"a\x7fb\"", b""),
        (b"ETag: \"a\r\n b\"", b""),
        (b"X: y", b""),
    ] {
        assert_eq!(&*answer(200, header).etag(), expected, "{header:?}");
    }
    let long = [&b"ETag: "[..], &[b'x'; 1_001]].concat();
    assert_eq!(&*answer(200, &long).etag(), b"");
    let modified = answer(200, b"Last-Modified: whenever");
    assert_eq!(&*modified.last_modified(), b"whenever");
}

#[test]
fn h3_a_location_is_a_url_or_a_reason() {
    let href = |header: &[u8]| {
        let location = answer(302, header).location();
        location.map(|target| target.map(String::from))
    };
    assert_eq!(href(b"Location: z"), Some(Ok("http://a.test/x/z".into())));
    assert_eq!(
        href(b"Location: /\xd0\xbf"),
        Some(Ok("http://a.test/%D0%BF".into()))
    );
    assert_eq!(
        href(b"Location: /\xe9"),
        Some(Ok("http://a.test/%E9".into()))
    );
    assert_eq!(href(b"Location: mailto:a@b"), Some(Err(Reason::NotHttp)));
    assert_eq!(href(b"Location: "), None);
    assert!(answer(302, b"Location: /").is_redirect());
    assert!(!answer(302, b"X: y").is_redirect());
    assert!(!answer(200, b"Location: /").is_redirect());
}

#[test]
fn a_date_is_written_in_one_form() {
    let date = answer(200, b"Date: Sunday, 06-Nov-94 08:49:37 GMT").http_date();
    assert_eq!(date, "Sun, 06 Nov 1994 08:49:37 GMT");
    assert_eq!(answer(200, b"Date: \xb2").http_date(), "");
}
