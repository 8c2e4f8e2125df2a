//! Copies records into another file, some without their bodies (S9).

use rustc_hash::FxHashSet;

use super::Settings;
use super::digest;
use super::member::Members;
use super::record::END;
use super::scan::{entry, member, parts};
use super::stored_head::{body_offset, stored_head};
use crate::error::Result;

/// Fields of a record that depend on its body, in lower case.
const REPLACED: [&[u8]; 4] = [
    b"warc-payload-digest",
    b"warc-block-digest",
    b"warc-truncated",
    b"content-length",
];

#[derive(Debug, Default)]
pub struct Copied {
    pub data: Vec<u8>,
    /// Where each record was, where it is now, and its length.
    pub moves: Vec<(u64, u64, u64)>,
    /// The index lines of responses and revisits.
    pub cdxj: Vec<String>,
    /// Length of the records that were read. What follows is cut off or damaged.
    pub whole: usize,
}

/// Where records come from, and where they go.
#[derive(Debug, Clone, Copy)]
pub struct Copy<'a> {
    /// The offset of the data in the old file.
    pub from: u64,
    /// The offset in the new file.
    pub to: u64,
    /// The name of the new file.
    pub file_name: &'a str,
    /// Offsets of responses whose bodies are left out.
    pub without_body: &'a FxHashSet<u64>,
}

/// Copies the complete records at the start of `data`, byte by byte except for those that lose their bodies. The
/// `warcinfo` record is left out: it is valid for its own file only.
pub fn copy(settings: &Settings, data: &[u8], copy: Copy<'_>) -> Result<Copied> {
    let mut members = Members::new(settings.compression)?;
    let mut copied = Copied::default();
    while let Some((content, length)) = member(&data[copied.whole..]) {
        let (from, start) = (copied.whole, copied.data.len());
        copied.whole += length;
        let old = copy.from + from as u64;
        let found = entry(&content, old, length as u64, copy.file_name);
        if found.kind == "warcinfo" {
            continue;
        }
        let is_shortened = found.kind == "response" && copy.without_body.contains(&old);
        match is_shortened.then(|| without_body(&content)).flatten() {
            Some(record) => members.append(&[&record], &mut copied.data)?,
            None => copied.data.extend_from_slice(&data[from..copied.whole]),
        }
        let new = copy.to + start as u64;
        let length = (copied.data.len() - start) as u64;
        copied.moves.push((old, new, length));
        if found.cdxj.is_some()
            && let Some((content, _)) = member(&copied.data[start..])
        {
            copied
                .cdxj
                .extend(entry(&content, new, length, copy.file_name).cdxj);
        }
    }
    Ok(copied)
}

/// The record of a response with its HTTP head alone. `None` if it is not a record, or has no body.
fn without_body(content: &[u8]) -> Option<Vec<u8>> {
    let (head, block) = parts(content)?;
    let at = body_offset(block);
    if at == block.len() {
        return None;
    }
    let http_head = stored_head(&block[..at], false, 0);
    let mut record = Vec::with_capacity(head.len() + http_head.len() + 128);
    for line in head.split_inclusive(|byte| *byte == b'\n') {
        if matches!(line, b"\r\n" | b"\n") {
            break;
        }
        if !is_replaced(line) {
            record.extend_from_slice(line);
        }
    }
    let fields = [
        ("WARC-Payload-Digest", digest::of(&[])),
        ("WARC-Block-Digest", digest::of(&[&http_head])),
        ("WARC-Truncated", String::from("unspecified")),
        ("Content-Length", http_head.len().to_string()),
    ];
    for (name, value) in fields {
        record.extend_from_slice(format!("{name}: {value}\r\n").as_bytes());
    }
    record.extend_from_slice(b"\r\n");
    record.extend_from_slice(&http_head);
    record.extend_from_slice(END);
    Some(record)
}

fn is_replaced(line: &[u8]) -> bool {
    let name = line.split(|byte| *byte == b':').next().unwrap_or_default();
    let name = name.trim_ascii().to_ascii_lowercase();
    REPLACED.contains(&name.as_slice())
}

#[cfg(test)]
mod tests {
    use super::super::{read, scan};
    use super::*;

    fn settings() -> Settings {
        Settings {
            software: String::from("Hondius"),
            operator: String::new(),
            robots_policy: String::from("obey"),
            compression: 1,
        }
    }

    fn response(uri: &str, body: &str) -> Vec<u8> {
        let http = format!(
            "HTTP/1.1 200 OK\r\nContent-Length: {}\r\nX: y\r\n\r\n{body}",
            body.len()
        );
        let record = format!(
            "WARC/1.1\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:uuid:{uri}>\r\nWARC-Target-URI: {uri}\r\n\
             WARC-Date: 2026-01-01T00:00:00Z\r\nWARC-Payload-Digest: {}\r\nWARC-Block-Digest: {}\r\n\
             Content-Type: application/http; msgtype=response\r\nContent-Length: {}\r\n\r\n{http}\r\n\r\n",
            digest::of(&[body.as_bytes()]),
            digest::of(&[http.as_bytes()]),
            http.len()
        );
        packed(record.as_bytes())
    }

    fn packed(record: &[u8]) -> Vec<u8> {
        let mut data = Vec::new();
        Members::new(1)
            .unwrap()
            .append(&[record], &mut data)
            .unwrap();
        data
    }

    fn file() -> (Vec<u8>, u64, u64) {
        let information = super::super::information(&settings(), "old", 0.0).unwrap();
        let first = information.len() as u64;
        let one = response("http://a.test/1", &"one ".repeat(1000));
        let second = first + one.len() as u64;
        let two = response("http://a.test/2", &"two ".repeat(1000));
        ([information, one, two].concat(), first, second)
    }

    fn copied(data: &[u8], without_body: &[u64]) -> Copied {
        let without_body = without_body.iter().copied().collect();
        let place = Copy {
            from: 0,
            to: 100,
            file_name: "new",
            without_body: &without_body,
        };
        copy(&settings(), data, place).unwrap()
    }

    #[test]
    fn s9_one_record_loses_its_body_and_the_others_stay_byte_for_byte() {
        let (data, first, second) = file();
        let copied = copied(&data, &[first]);
        assert_eq!(copied.whole, data.len());
        let [(old, new, length), (other, moved, same)] = copied.moves[..] else {
            panic!("two records, without the warcinfo");
        };
        assert_eq!((old, new, other, moved), (first, 100, second, 100 + length));
        assert_eq!(copied.data[length as usize..], data[second as usize..]);
        assert_eq!(same, data.len() as u64 - second);
        let content = read(&copied.data[..length as usize], 9999).unwrap();
        assert!(content.body.is_empty());
        let head = String::from_utf8(content.http_head).unwrap();
        assert_eq!(
            head,
            "HTTP/1.1 200 OK\r\nX-Archive-Orig-Content-Length: 4000\r\nX: y\r\nContent-Length: 0\r\n\r\n"
        );
        let found = scan(&copied.data, 100, "new").entries;
        assert!(
            found.iter().all(|entry| entry.problem.is_none()),
            "{found:?}"
        );
        let lines: Vec<_> = found.into_iter().filter_map(|entry| entry.cdxj).collect();
        assert_eq!(copied.cdxj, lines);
    }

    #[test]
    fn s9_a_second_time_changes_nothing() {
        let (data, first, _) = file();
        let once = copied(&data, &[first]);
        let again = copied(&once.data, &[0]);
        assert_eq!(again.data, once.data);
    }

    #[test]
    fn s9_copying_stops_at_damage() {
        let (mut data, first, second) = file();
        data.truncate(data.len() - 3);
        let copied = copied(&data, &[first, second]);
        assert_eq!(copied.whole as u64, second);
    }
}
