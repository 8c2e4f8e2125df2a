//! Keys and values of the tables, which share one tree: a byte for the table, then numbers in
//! big endian so that they sort.
//!
//! | table | key | value |
//! |---|---|---|
//! | seen | URL key | the [`Slot`] it was given last, unless it ended without one, its depth, and whether only other hosts name it |
//! | chunks | origin, class, number, part | part 0: bits of the finished slots; part 1: the URLs |
//! | names | origin | `https://example.com` |
//! | queues | origin | class, lowest live chunk, count and first chunk of which nothing ended, for each class that has URLs |
//! | contents | 16 bytes of the body's SHA-256 | key of the first URL with it |
//! | hosts | host name | what is counted of it ([`super::budgets`]) |
//! | domains | registrable domain | what is counted of it |
//! | texts | host and hash of a text, as a digest | the [`super::budgets`] outline of the first URL with it |
//! | stale | host and shape or part of a URL, as a digest | fetches in a row without anything new, and what they were counted beside |
//! | closer | URL key | what is known of a URL that was found closer while it was handed out ([`super::closer`]) |
//! | rereads | depth, URL key | a page that ended and was found closer since: its links are to be read again |
//! | meta | | [`Meta`] |

use super::wire::{Reader, put_varint};
use crate::error::{Error, Result};
use crate::url::Key;

/// The number of this layout. A store with a higher number is refused, one with a lower number is rebuilt.
pub const FORMAT: u32 = 6;

const SEEN: u8 = b's';
const CHUNKS: u8 = b'c';
const NAMES: u8 = b'n';
const QUEUES: u8 = b'q';
const CONTENTS: u8 = b'x';
const HOSTS: u8 = b'h';
const DOMAINS: u8 = b'd';
const STALE: u8 = b't';
const TEXTS: u8 = b'w';
const CLOSER: u8 = b'l';
const REREADS: u8 = b'r';
const META: u8 = b'm';
pub const META_KEY: [u8; 1] = [META];

/// Identifies a chunk: up to 64 URLs of one origin and class. Numbers increase with frames, so key order is the order
/// of discovery.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ChunkId {
    pub origin: u32,
    pub class: u8,
    pub number: u64,
}

/// The position of a URL in a chunk.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Slot {
    pub chunk: ChunkId,
    pub index: u8,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    Finished,
    Urls,
}

/// The seen row of a URL. It is not queued any more if its slot is marked or its chunk is gone. The depth is the lowest
/// at which it was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Seen {
    Waiting(Slot, u32, Foreign, Again),
    Finished(u32, Foreign),
}

/// For a queued URL: it is foreign. For an ended URL: it was foreign, and was refused because of the results of foreign
/// URLs, or is a page that was only fetched as a requisite. Then it is new to the first page of its own host that names
/// it.
pub type Foreign = bool;

/// A queued URL that has ended before: it is requested again.
pub type Again = bool;

/// Data that changes with every frame.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Meta {
    pub applied: u64,
    /// The identity of the log that this is a view of.
    pub log: u64,
    pub seen: u64,
    pub queued: u64,
    pub parked: u64,
    pub finished: u64,
}

pub fn seen_key(key: &Key) -> [u8; 17] {
    prefixed(SEEN, key)
}

pub fn content_key(hash: &Key) -> [u8; 17] {
    prefixed(CONTENTS, hash)
}

pub fn stale_key(shape: &Key) -> [u8; 17] {
    prefixed(STALE, shape)
}

pub fn text_key(text: &Key) -> [u8; 17] {
    prefixed(TEXTS, text)
}

fn prefixed(table: u8, key: &Key) -> [u8; 17] {
    let mut row = [table; 17];
    row[1..].copy_from_slice(key);
    row
}

pub fn closer_key(key: &Key) -> [u8; 17] {
    prefixed(CLOSER, key)
}

pub fn closer_range() -> ([u8; 1], [u8; 1]) {
    ([CLOSER], [CLOSER + 1])
}

pub fn reread_key(depth: u32, key: &Key) -> [u8; 21] {
    let mut row = [REREADS; 21];
    row[1..5].copy_from_slice(&depth.to_be_bytes());
    row[5..].copy_from_slice(key);
    row
}

pub fn rereads_range() -> ([u8; 1], [u8; 1]) {
    ([REREADS], [REREADS + 1])
}

pub fn parse_reread(row: &[u8]) -> Result<(u32, Key)> {
    let mut reader = Reader::new(row);
    let fields = (|| {
        reader.byte()?;
        Some((u32::from_be_bytes(reader.array()?), reader.array()?))
    })();
    fields.ok_or_else(|| damaged("a page to be read again"))
}

pub fn host_key(name: &str) -> Vec<u8> {
    [&[HOSTS], name.as_bytes()].concat()
}

pub fn domain_key(name: &str) -> Vec<u8> {
    [&[DOMAINS], name.as_bytes()].concat()
}

/// First key of a table, and the first one after it.
pub fn seen_range() -> ([u8; 1], [u8; 1]) {
    ([SEEN], [SEEN + 1])
}

pub fn contents_range() -> ([u8; 1], [u8; 1]) {
    ([CONTENTS], [CONTENTS + 1])
}

pub fn stale_range() -> ([u8; 1], [u8; 1]) {
    ([STALE], [STALE + 1])
}

pub fn texts_range() -> ([u8; 1], [u8; 1]) {
    ([TEXTS], [TEXTS + 1])
}

pub fn names_range() -> ([u8; 1], [u8; 1]) {
    ([NAMES], [NAMES + 1])
}

pub fn queues_range() -> ([u8; 1], [u8; 1]) {
    ([QUEUES], [QUEUES + 1])
}

pub fn name_key(origin: u32) -> [u8; 5] {
    numbered(NAMES, origin)
}

pub fn queue_key(origin: u32) -> [u8; 5] {
    numbered(QUEUES, origin)
}

fn numbered(table: u8, origin: u32) -> [u8; 5] {
    let mut row = [table; 5];
    row[1..].copy_from_slice(&origin.to_be_bytes());
    row
}

/// The position of a key in the order of scans, for keys of chunks, which have a fixed length. `None` for all others.
pub fn scan_order(key: &[u8]) -> Option<u128> {
    let key: &[u8; 15] = key.try_into().ok()?;
    let mut bytes = [0; 16];
    bytes[..15].copy_from_slice(key);
    (key[0] == CHUNKS).then(|| u128::from_be_bytes(bytes))
}

/// The number of the chunk if the key is that of its URLs; `None` for other rows.
pub fn urls_number(key: &[u8]) -> Option<u64> {
    let key: &[u8; 15] = key.try_into().ok()?;
    let number = key[6..14].try_into().ok()?;
    (key[0] == CHUNKS && key[14] == Part::Urls as u8).then(|| u64::from_be_bytes(number))
}

/// The common prefix of neighbouring keys: a run knows whether it has any of them.
pub fn shared_part(key: &[u8]) -> Option<&[u8]> {
    key.get(..5).filter(|_| key[0] == CHUNKS)
}

/// The first bytes of a key that is a digest, as a number with the same order.
pub fn digest_of(key: &[u8]) -> Option<u64> {
    let key: &[u8; 17] = key.try_into().ok()?;
    let (&[table], digest) = key.split_first_chunk::<1>()?;
    let is_digest = matches!(table, SEEN | CONTENTS | STALE | TEXTS);
    let first = digest.first_chunk().filter(|_| is_digest)?;
    Some(u64::from_be_bytes(*first))
}

pub fn origin_of(key: &[u8]) -> Result<u32> {
    let number = key.get(1..5).and_then(|bytes| bytes.try_into().ok());
    number
        .map(u32::from_be_bytes)
        .ok_or_else(|| damaged("an origin's key"))
}

pub fn key_of(seen_key: &[u8]) -> Result<Key> {
    let key = seen_key.get(1..).and_then(|bytes| bytes.try_into().ok());
    key.ok_or_else(|| damaged("a seen key"))
}

impl ChunkId {
    pub fn key(&self, part: Part) -> [u8; 15] {
        let mut row = [CHUNKS; 15];
        row[1..5].copy_from_slice(&self.origin.to_be_bytes());
        row[5] = self.class;
        row[6..14].copy_from_slice(&self.number.to_be_bytes());
        row[14] = part as u8;
        row
    }

    /// The end of this class of the origin.
    pub fn end_of_class(&self) -> [u8; 15] {
        let mut row = ChunkId {
            number: u64::MAX,
            ..*self
        }
        .key(Part::Urls);
        row[14] = u8::MAX;
        row
    }

    pub fn parse(key: &[u8]) -> Result<(ChunkId, Part)> {
        let mut reader = Reader::new(key);
        let fields = (|| {
            reader.byte()?;
            let chunk = ChunkId {
                origin: u32::from_be_bytes(reader.array()?),
                class: reader.byte()?,
                number: u64::from_be_bytes(reader.array()?),
            };
            let part = match reader.byte()? {
                0 => Part::Finished,
                1 => Part::Urls,
                _ => return None,
            };
            Some((chunk, part))
        })();
        fields.ok_or_else(|| damaged("a chunk's key"))
    }
}

impl Slot {
    pub fn bit(&self) -> u64 {
        1 << (self.index & 63)
    }

    fn put(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.chunk.origin.to_be_bytes());
        out.push(self.chunk.class);
        out.extend_from_slice(&self.chunk.number.to_be_bytes());
        out.push(self.index);
    }
}

/// Bytes of a slot. URLs that ended without one are shorter.
const SLOT: usize = 14;

/// Bit of a slot's index in a seen row; an index has six bits.
const AGAIN: u8 = 0x80;

impl Seen {
    pub fn depth(&self) -> u32 {
        match *self {
            Seen::Waiting(_, depth, ..) | Seen::Finished(depth, _) => depth,
        }
    }

    /// Encodes into an empty buffer, which is reused.
    pub fn encode<'a>(&self, buffer: &'a mut Vec<u8>) -> &'a [u8] {
        buffer.clear();
        let (depth, foreign) = match *self {
            Seen::Waiting(slot, depth, foreign, again) => {
                slot.put(buffer);
                if again && let Some(index) = buffer.last_mut() {
                    *index |= AGAIN;
                }
                (depth, foreign)
            }
            Seen::Finished(depth, foreign) => (depth, foreign),
        };
        put_varint(buffer, u64::from(depth) << 1 | u64::from(foreign));
        buffer
    }

    pub fn parse(value: &[u8]) -> Result<Seen> {
        let mut reader = Reader::new(value);
        if value.len() < SLOT {
            let (depth, foreign) = read_depth(&mut reader).ok_or_else(|| damaged("a seen row"))?;
            return Ok(Seen::Finished(depth, foreign));
        }
        let seen = (|| {
            let chunk = ChunkId {
                origin: u32::from_be_bytes(reader.array()?),
                class: reader.byte()?,
                number: u64::from_be_bytes(reader.array()?),
            };
            let byte = reader.byte()?;
            let (index, again) = (byte & !AGAIN, byte & AGAIN != 0);
            let slot = (index < 64).then_some(Slot { chunk, index })?;
            let (depth, foreign) = read_depth(&mut reader)?;
            Some(Seen::Waiting(slot, depth, foreign, again))
        })();
        seen.ok_or_else(|| damaged("a seen row"))
    }
}

fn read_depth(reader: &mut Reader<'_>) -> Option<(u32, Foreign)> {
    let number = reader.varint()?;
    Some((u32::try_from(number >> 1).ok()?, number & 1 != 0))
}

impl Meta {
    pub fn encode(&self) -> Vec<u8> {
        let mut value = FORMAT.to_le_bytes().to_vec();
        for number in [
            self.applied,
            self.log,
            self.seen,
            self.queued,
            self.parked,
            self.finished,
        ] {
            put_varint(&mut value, number);
        }
        value
    }

    pub fn parse(value: &[u8]) -> Result<Meta> {
        let mut reader = Reader::new(value);
        let format = reader
            .array()
            .map(u32::from_le_bytes)
            .ok_or_else(|| damaged("the meta row"))?;
        if format > FORMAT {
            return Err(Error::Invalid(format!(
                "the URL store has format {format}, and this version knows {FORMAT}: use a newer Hondius"
            )));
        }
        if format < FORMAT {
            return Err(Error::Corrupt(format!(
                "its format is {format}, and this version writes {FORMAT}"
            )));
        }
        let fields = (|| {
            Some(Meta {
                applied: reader.varint()?,
                log: reader.varint()?,
                seen: reader.varint()?,
                queued: reader.varint()?,
                parked: reader.varint()?,
                finished: reader.varint()?,
            })
        })();
        fields.ok_or_else(|| damaged("the meta row"))
    }
}

pub fn finished_bits(value: &[u8]) -> Result<u64> {
    let bits = value.try_into().map(u64::from_be_bytes);
    bits.map_err(|_| damaged("a chunk's bits"))
}

/// An error about damage; the caller adds the path and what to do.
pub fn damaged(what: &str) -> Error {
    Error::Corrupt(format!("{what} is not as it was written"))
}
