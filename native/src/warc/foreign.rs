//! Reads archives that others made (S11): record after record, from front to back.
//!
//! A file is plain, or gzip with a member for each record, or gzip as a whole. A record that cannot be read is reported
//! with its offset and the reason, and reading continues at the next one that looks like a record: the next gzip member, or
//! the next line that begins with `WARC/`. In a file that is gzip as a whole, nothing after the damage can be read.

use std::fs::File;
use std::io::{BufRead, BufReader, Read, Result as IoResult, Seek, SeekFrom};
use std::path::Path;

use flate2::bufread::GzDecoder;

use super::stored_head::{body_offset, field};
use crate::error::{Error, Result};
use crate::sitemap::date::w3c_seconds;

const CHUNK: usize = 64 * 1024;
/// Bytes that are unpacked at once.
const PIECE: usize = 16 * 1024;
/// Bytes of the head of a record.
const LONGEST_HEAD: usize = 64 * 1024;
/// Longer than any record.
const ABSURD_LENGTH: u64 = 1 << 50;
/// Bytes that damage may cause to be read again, beside as many as the file has. A file can be made of which each
/// thousandth byte begins a member that goes on to its end.
const MOST_AGAIN: u64 = 16 * 1024 * 1024;
const GZIP: [u8; 3] = [0x1f, 0x8b, 8];
const PLAIN: &[u8] = b"WARC/";

/// A record, or why there is none at its place.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ForeignRecord {
    /// Where it begins in the file: its gzip member, or its first line.
    pub offset: u64,
    /// The fields of its head; names are compared without case.
    head: Vec<u8>,
    /// As much of its block as was asked for.
    pub block: Vec<u8>,
    /// The block is longer.
    pub is_cut: bool,
    pub problem: Option<String>,
}

impl ForeignRecord {
    pub fn text(&self, name: &str) -> String {
        String::from_utf8_lossy(field(&self.head, name).unwrap_or_default()).into_owned()
    }

    /// The URL, without the angle brackets that some archives write.
    pub fn target(&self) -> String {
        let target = self.text("warc-target-uri");
        target.trim_matches(['<', '>']).to_owned()
    }

    /// Seconds since the epoch.
    pub fn date(&self) -> Option<f64> {
        w3c_seconds(&self.text("warc-date"))
    }

    /// Whether its block is an HTTP message.
    pub fn is_http(&self) -> bool {
        let kind = self.text("content-type").to_ascii_lowercase();
        kind.starts_with("application/http")
    }

    /// The HTTP head and what follows it. A resource has no HTTP head: one is made of its type.
    pub fn split(&self) -> (Vec<u8>, &[u8]) {
        if self.is_http() {
            let (head, body) = self.block.split_at(body_offset(&self.block));
            return (head.to_vec(), body);
        }
        let kind = self.text("content-type");
        let kind: String = kind.chars().filter(|c| !c.is_control()).collect();
        let head = match kind.is_empty() {
            true => String::from("HTTP/1.1 200 OK\r\n\r\n"),
            false => format!("HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\n\r\n"),
        };
        (head.into_bytes(), &self.block)
    }
}

/// What is wrong at a place of the file.
type Damage = String;

pub struct ForeignArchive {
    source: Option<Source>,
    size: u64,
    is_gzip: bool,
    /// Bytes of a block that are returned.
    cap: usize,
    /// Where the current gzip member, or the current record of a plain file, begins.
    start: u64,
    /// Bytes that may still be read again.
    again: u64,
}

enum Source {
    Plain(Counted),
    Member(Box<Member>),
}

/// A gzip member, unpacked in pieces.
type Member = BufReader<GzDecoder<Counted>>;

fn open_member(source: Counted) -> Source {
    Source::Member(Box::new(BufReader::with_capacity(
        PIECE,
        GzDecoder::new(source),
    )))
}

/// Knows how far the file was read.
struct Counted {
    file: BufReader<File>,
    at: u64,
}

impl ForeignArchive {
    pub fn open(path: &Path, cap: usize) -> Result<Self> {
        let context = || path.display().to_string();
        let open = || -> IoResult<(File, u64)> {
            let file = File::open(path)?;
            let size = file.metadata()?.len();
            Ok((file, size))
        };
        let (file, size) = open().map_err(|error| Error::io(context(), error))?;
        let mut source = Counted {
            file: BufReader::with_capacity(CHUNK, file),
            at: 0,
        };
        let first = source.file.fill_buf();
        let is_gzip = first
            .map_err(|error| Error::io(context(), error))?
            .starts_with(&GZIP[..2]);
        Ok(ForeignArchive {
            source: Some(match is_gzip {
                true => open_member(source),
                false => Source::Plain(source),
            }),
            size,
            is_gzip,
            cap,
            start: 0,
            again: size.saturating_add(MOST_AGAIN),
        })
    }

    /// Bytes of the file that were read, of how many.
    pub fn progress(&self) -> (u64, u64) {
        let at = match &self.source {
            Some(Source::Plain(source)) => source.at,
            Some(Source::Member(member)) => member.get_ref().get_ref().at,
            None => self.size,
        };
        (at, self.size)
    }

    /// The next record; `None` at the end of the file. Errors are those of the disk.
    pub fn read(&mut self) -> Result<Option<ForeignRecord>> {
        loop {
            let Some(source) = &mut self.source else {
                return Ok(None);
            };
            if let Source::Plain(plain) = source {
                skip_line_ends(plain).map_err(|error| Error::io("the archive", error))?;
                self.start = plain.at;
            }
            let start = self.start;
            let read = match source {
                Source::Plain(source) => {
                    let end = self.size;
                    read_record(source, self.cap, |source| end.saturating_sub(source.at))
                }
                Source::Member(member) => read_checked(member.as_mut(), self.cap),
            };
            match read {
                Ok(Some(record)) => {
                    return Ok(Some(ForeignRecord {
                        offset: start,
                        ..record
                    }));
                }
                Ok(None) => self.next_member()?,
                Err(damage) => {
                    self.recover()?;
                    return Ok(Some(ForeignRecord {
                        offset: start,
                        problem: Some(damage),
                        ..ForeignRecord::default()
                    }));
                }
            }
        }
    }

    /// The member, or the plain file, is at its end.
    fn next_member(&mut self) -> Result<()> {
        if let Some(Source::Member(member)) = self.source.take() {
            let counted = member.into_inner().into_inner();
            self.start = counted.at;
            if counted.at < self.size {
                self.source = Some(open_member(counted));
            }
        }
        Ok(())
    }

    /// Continues at the next place that looks like a record: after the beginning of the damaged one, or, once too much was
    /// read again, after what was read of it.
    fn recover(&mut self) -> Result<()> {
        let mut source = match self.source.take() {
            Some(Source::Plain(source)) => source,
            Some(Source::Member(member)) => member.into_inner().into_inner(),
            None => return Ok(()),
        };
        let from = match self.again.checked_sub(source.at.saturating_sub(self.start)) {
            Some(room) => {
                self.again = room;
                self.start + 1
            }
            None => source.at.max(self.start + 1),
        };
        let found = source.search(from, if self.is_gzip { &GZIP } else { PLAIN });
        if let Some(at) = found.map_err(|error| Error::io("the archive", error))? {
            self.start = at;
            self.source = Some(match self.is_gzip {
                true => open_member(source),
                false => Source::Plain(source),
            });
        }
        Ok(())
    }
}

impl Counted {
    /// Moves to the first place at or after `from` that has these bytes, which a line of a plain file begins with. Stays in
    /// the buffer if it can: a file may have damage everywhere.
    fn search(&mut self, from: u64, wanted: &[u8]) -> IoResult<Option<u64>> {
        self.move_to(from)?;
        let is_line = wanted == PLAIN;
        let find = |data: &[u8], is_start: bool| {
            let mut found = memchr::memmem::find_iter(data, wanted);
            let begins = |at: usize| {
                if at == 0 {
                    is_start
                } else {
                    data[at - 1] == b'\n'
                }
            };
            found.find(|at| !is_line || begins(*at))
        };
        // The end of what was searched, as long as what is wanted.
        let mut carried: Vec<u8> = Vec::new();
        loop {
            let data = self.file.fill_buf()?;
            if data.is_empty() {
                return Ok(None);
            }
            let start = &data[..data.len().min(wanted.len())];
            let before = carried.len();
            carried.extend_from_slice(start);
            if before > 0
                && let Some(place) = find(&carried, false)
            {
                let at = self.at - before as u64 + place as u64;
                self.move_to(at)?;
                return Ok(Some(at));
            }
            if let Some(place) = find(data, before == 0) {
                self.consume(place);
                return Ok(Some(self.at));
            }
            let length = data.len();
            let end = &data[length.saturating_sub(wanted.len())..];
            if length >= wanted.len() {
                carried.clear();
                carried.extend_from_slice(end);
            } else {
                carried.drain(..carried.len().saturating_sub(wanted.len()));
            }
            self.consume(length);
        }
    }

    fn move_to(&mut self, place: u64) -> IoResult<()> {
        let distance = i64::try_from(place).and_then(|place| Ok(place - i64::try_from(self.at)?));
        match distance {
            Ok(distance) => self.file.seek_relative(distance)?,
            Err(_) => drop(self.file.seek(SeekFrom::Start(place))?),
        }
        self.at = place;
        Ok(())
    }
}

impl Read for Counted {
    fn read(&mut self, into: &mut [u8]) -> IoResult<usize> {
        let count = self.file.read(into)?;
        self.at += count as u64;
        Ok(count)
    }
}

impl BufRead for Counted {
    fn fill_buf(&mut self) -> IoResult<&[u8]> {
        self.file.fill_buf()
    }

    fn consume(&mut self, amount: usize) {
        self.file.consume(amount);
        self.at += amount as u64;
    }
}

/// A record of a gzip member. If the member ends with it, its checksum is compared before the record is believed.
fn read_checked(
    member: &mut Member,
    cap: usize,
) -> std::result::Result<Option<ForeignRecord>, Damage> {
    let record = read_record(member, cap, |_| ABSURD_LENGTH)?;
    if record.is_some() {
        skip_line_ends(member).map_err(|error| describe(&error))?;
    }
    Ok(record)
}

/// Those that follow a record.
fn skip_line_ends(source: &mut impl BufRead) -> IoResult<()> {
    loop {
        let rest = source.fill_buf()?;
        let ends = rest.iter().take_while(|byte| matches!(byte, b'\r' | b'\n'));
        let (ends, length) = (ends.count(), rest.len());
        source.consume(ends);
        if length == 0 || ends < length {
            return Ok(()); // the end of the stream, or another record
        }
    }
}

/// `None` at the end of the stream. `left`: how many bytes the stream can still have.
fn read_record<S: BufRead>(
    source: &mut S,
    cap: usize,
    left: impl FnOnce(&S) -> u64,
) -> std::result::Result<Option<ForeignRecord>, Damage> {
    let Some(head) = read_head(source)? else {
        return Ok(None);
    };
    let length = std::str::from_utf8(field(&head, "content-length").unwrap_or_default())
        .ok()
        .and_then(|text| text.parse::<u64>().ok())
        .filter(|length| *length < ABSURD_LENGTH)
        .ok_or("its head has no length")?;
    if length > left(source) {
        return Err("the file ends within it".to_owned());
    }
    let wanted = length.min(cap as u64);
    let mut block = Vec::new();
    let taken = source.by_ref().take(wanted).read_to_end(&mut block);
    taken.map_err(|error| describe(&error))?;
    let skipped = std::io::copy(
        &mut source.by_ref().take(length - wanted),
        &mut std::io::sink(),
    );
    let skipped = skipped.map_err(|error| describe(&error))?;
    if block.len() as u64 + skipped < length {
        return Err("the file ends within it".to_owned());
    }
    Ok(Some(ForeignRecord {
        head,
        block,
        is_cut: length > wanted,
        ..ForeignRecord::default()
    }))
}

/// Up to and including the empty line. Line ends before it, which follow the record before, are skipped.
fn read_head(source: &mut impl BufRead) -> std::result::Result<Option<Vec<u8>>, Damage> {
    let mut head: Vec<u8> = Vec::new();
    loop {
        let room = (LONGEST_HEAD - head.len()) as u64;
        let before = head.len();
        let read = source.by_ref().take(room).read_until(b'\n', &mut head);
        let count = read.map_err(|error| describe(&error))?;
        let line = &head[before..];
        match (before, line) {
            (0, []) => return Ok(None),
            (0, b"\r\n" | b"\n") => head.clear(),
            (0, line) if !line.starts_with(PLAIN) => {
                return Err("no WARC record begins there".to_owned());
            }
            (_, b"\r\n" | b"\n") => return Ok(Some(head)),
            (_, line) if line.ends_with(b"\n") => {}
            _ if head.len() >= LONGEST_HEAD || count as u64 == room => {
                return Err("its head is too long".to_owned());
            }
            _ => return Err("the file ends within its head".to_owned()),
        }
    }
}

fn describe(error: &std::io::Error) -> Damage {
    match error.kind() {
        std::io::ErrorKind::UnexpectedEof => "the file ends within it".to_owned(),
        _ => "it cannot be decompressed".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;
    use std::time::{Duration, Instant};

    use flate2::Compression;
    use flate2::write::GzEncoder;

    use super::*;

    fn record(target: &str, body: &str) -> Vec<u8> {
        let block = format!("HTTP/1.1 200 OK\r\n\r\n{body}");
        format!(
            "WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: <{target}>\r\nWARC-Date: 2026-11-18T00:00:00Z\r\n\
             Content-Type: application/http; msgtype=response\r\nContent-Length: {}\r\n\r\n{block}\r\n\r\n",
            block.len()
        )
        .into_bytes()
    }

    fn packed(data: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
        encoder.write_all(data).unwrap();
        encoder.finish().unwrap()
    }

    fn read_all(data: &[u8]) -> Vec<(u64, String, Option<String>)> {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        file.write_all(data).unwrap();
        let mut archive = ForeignArchive::open(file.path(), 1 << 20).unwrap();
        let mut found = Vec::new();
        while let Some(record) = archive.read().unwrap() {
            found.push((record.offset, record.target(), record.problem));
        }
        assert_eq!(archive.progress().1, data.len() as u64);
        found
    }

    fn targets(data: &[u8]) -> String {
        let read = read_all(data).into_iter();
        let shown = read.map(|(_, target, problem)| problem.map_or(target, |_| "damaged".into()));
        shown.collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn s11_records_are_read_from_every_kind_of_file() {
        let (a, b) = (
            record("http://a.test/", "a"),
            record("http://b.test/", &"b".repeat(200_000)),
        );
        let plain = [a.clone(), b.clone()].concat();
        let expected = "http://a.test/ http://b.test/";
        assert_eq!(targets(&plain), expected);
        assert_eq!(targets(&packed(&plain)), expected);
        assert_eq!(targets(&[packed(&a), packed(&b)].concat()), expected);
        assert_eq!(
            read_all(&[packed(&a), packed(&b)].concat())[1].0,
            packed(&a).len() as u64
        );
        assert_eq!(targets(b""), "");
    }

    #[test]
    fn s11_a_damaged_record_is_named_and_the_next_one_is_read() {
        let (a, b, c) = (
            record("http://a.test/", "a"),
            record("http://b.test/", "b"),
            record("http://c.test/", "c"),
        );
        let mut damaged = packed(&b);
        let middle = damaged.len() / 2;
        damaged[middle] ^= 0xff;
        damaged[middle + 1] ^= 0xff;
        let data = [packed(&a), damaged, packed(&c)].concat();
        assert_eq!(targets(&data), "http://a.test/ damaged http://c.test/");
        assert_eq!(read_all(&data)[1].0, packed(&a).len() as u64);
        let wrong = [a.clone(), b"WARK".to_vec(), b[4..].to_vec(), c.clone()].concat();
        assert_eq!(targets(&wrong), "http://a.test/ damaged http://c.test/");
        let torn = [a.clone(), b[..b.len() - 10].to_vec()].concat();
        assert_eq!(targets(&torn), "http://a.test/ damaged");
        let torn = [packed(&a), packed(&b)[..30].to_vec()].concat();
        assert_eq!(targets(&torn), "http://a.test/ damaged");
    }

    #[test]
    fn s11_the_next_record_is_found_at_the_edges_of_the_buffer() {
        let good = record("http://a.test/", "a");
        for shift in CHUNK - 12..CHUNK + 3 {
            let mut data = b"WARC/1.0\r\n\r\n".to_vec();
            data.resize(shift, b'x');
            data.push(b'\n');
            data.extend_from_slice(&good);
            assert_eq!(targets(&data), "damaged http://a.test/", "{shift}");
        }
    }

    #[test]
    fn s11_any_bytes_end() {
        let mut state = 7u64;
        let base = [
            packed(&record("http://a.test/", "a")),
            packed(&record("http://b.test/", "b")),
        ]
        .concat();
        for _ in 0..300 {
            let mut data = base.clone();
            for _ in 0..4 {
                state = state
                    .wrapping_mul(6_364_136_223_846_793_005)
                    .wrapping_add(1);
                let at = (state >> 33) as usize % data.len();
                data[at] = (state >> 20) as u8;
            }
            assert!(read_all(&data).len() < 50);
        }
    }

    #[test]
    fn q2_records_that_lie_about_their_length_take_linear_time() {
        let lie = "WARC/1.0\r\nContent-Length: 99999999\r\n\r\n";
        let before = Instant::now();
        assert_eq!(read_all(lie.repeat(20_000).as_bytes()).len(), 20_000);
        // Stored blocks: each member goes on over the beginnings of all that follow.
        let stored = |length: usize| {
            let length = u16::try_from(length).unwrap();
            [&[0u8][..], &length.to_le_bytes(), &(!length).to_le_bytes()].concat()
        };
        let start = [
            &[0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255][..],
            &stored(lie.len()),
            lie.as_bytes(),
        ]
        .concat();
        let member = [start.clone(), stored(start.len())].concat();
        assert!(!read_all(&member.repeat(20_000)).is_empty());
        assert!(before.elapsed() < Duration::from_secs(60));
    }

    #[test]
    fn q2_bombs_and_endless_heads_are_read_piece_by_piece() {
        let long = format!("WARC/1.0\r\nX: {}\r\n\r\n", "x".repeat(5_000_000));
        assert_eq!(targets(&packed(long.as_bytes())), "damaged");
        let bomb = [record("http://a.test/", ""), vec![b'\n'; 5_000_000]].concat();
        assert_eq!(targets(&packed(&bomb)), "http://a.test/");
        let empty = packed(b"").repeat(1_000);
        assert_eq!(
            targets(&[empty, packed(&record("http://b.test/", ""))].concat()),
            "http://b.test/"
        );
    }

    #[test]
    fn s11_a_record_says_what_it_is() {
        let data = record("http://a.test/", "body");
        let mut file = tempfile::NamedTempFile::new().unwrap();
        file.write_all(&data).unwrap();
        let mut archive = ForeignArchive::open(file.path(), 1 << 20).unwrap();
        let read = archive.read().unwrap().unwrap();
        assert_eq!(
            (read.text("warc-type"), read.date()),
            ("response".to_owned(), Some(1_794_960_000.0))
        );
        assert_eq!(
            read.split(),
            (b"HTTP/1.1 200 OK\r\n\r\n".to_vec(), &b"body"[..])
        );
        let mut archive = ForeignArchive::open(file.path(), 20).unwrap();
        assert!(archive.read().unwrap().unwrap().is_cut);
    }
}
