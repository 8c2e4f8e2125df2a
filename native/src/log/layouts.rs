//! Checks from its bytes alone whether a frame can be decoded. No objects are created.
//!
//! The check is sufficient, not necessary: an event with lists in it, or an integer where a float is usual, does not
//! match. The caller then has to decode the frame.

use rustc_hash::FxHashMap;

use crate::error::{Error, Result};

const NONE: u8 = 1;
const BOOL: u8 = 2;
const INT: u8 = 4;
const FLOAT: u8 = 8;
const STR: u8 = 16;
const BYTES: u8 = 32;

/// The kinds of values that a field may have. If there are `words`, a text must be one of them.
pub struct Field {
    kinds: u8,
    words: Vec<String>,
}

impl Field {
    /// `kinds` are Python's names for them.
    pub fn new<'a>(kinds: impl IntoIterator<Item = &'a str>, words: Vec<String>) -> Result<Self> {
        let mut field = Field { kinds: 0, words };
        for kind in kinds {
            field.kinds |= match kind {
                "None" => NONE,
                "bool" => BOOL,
                "int" => INT,
                "float" => FLOAT,
                "str" => STR,
                "bytes" => BYTES,
                _ => return Err(Error::Invalid(format!("{kind} is no kind of field"))),
            };
        }
        Ok(field)
    }

    fn admits(&self, kind: u8, content: &[u8]) -> bool {
        self.kinds & kind != 0
            && (kind != STR
                || self.words.is_empty()
                || self.words.iter().any(|word| word.as_bytes() == content))
    }
}

/// The fields of each known event, in order, by the tag of the event.
pub struct Layouts(FxHashMap<Vec<u8>, Vec<Field>>);

impl Layouts {
    pub fn new(events: impl IntoIterator<Item = (String, Vec<Field>)>) -> Self {
        let events = events.into_iter();
        Layouts(
            events
                .map(|(tag, fields)| (tag.into_bytes(), fields))
                .collect(),
        )
    }

    /// Whether `payload` is an array of such events in MessagePack, and nothing else.
    pub fn matches(&self, payload: &[u8]) -> bool {
        self.read_all(payload).is_some()
    }

    fn read_all(&self, payload: &[u8]) -> Option<()> {
        let mut reader = Reader(payload);
        for _ in 0..reader.array()? {
            self.read_event(&mut reader)?;
        }
        reader.0.is_empty().then_some(())
    }

    fn read_event(&self, reader: &mut Reader<'_>) -> Option<()> {
        let length = reader.array()?;
        let (kind, tag) = reader.value()?;
        let fields = self.0.get(tag).filter(|_| kind == STR)?;
        if length != fields.len() + 1 {
            return None;
        }
        fields.iter().try_for_each(|field| {
            let (kind, content) = reader.value()?;
            field.admits(kind, content).then_some(())
        })
    }
}

/// The rest of a MessagePack document.
struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    /// The length of the array that begins here.
    fn array(&mut self) -> Option<usize> {
        match self.number(1)? {
            head @ 0x90..=0x9f => Some(head & 0x0f),
            0xdc => self.number(2),
            0xdd => self.number(4),
            _ => None,
        }
    }

    /// The kind and the content of the value that begins here; `None` for arrays and maps.
    fn value(&mut self) -> Option<(u8, &'a [u8])> {
        let (kind, length) = match self.number(1)? {
            0x00..=0x7f | 0xe0..=0xff => (INT, 0),
            head @ 0xa0..=0xbf => (STR, head & 0x1f),
            0xc0 => (NONE, 0),
            0xc2 | 0xc3 => (BOOL, 0),
            head @ 0xc4..=0xc6 => (BYTES, self.number(1 << (head - 0xc4))?),
            0xcb => (FLOAT, 8),
            head @ 0xcc..=0xcf => (INT, 1 << (head - 0xcc)),
            head @ 0xd0..=0xd3 => (INT, 1 << (head - 0xd0)),
            head @ 0xd9..=0xdb => (STR, self.number(1 << (head - 0xd9))?),
            _ => return None,
        };
        Some((kind, self.bytes(length)?))
    }

    fn number(&mut self, size: usize) -> Option<usize> {
        let bytes = self.bytes(size)?;
        Some(
            bytes
                .iter()
                .fold(0, |number, &byte| number << 8 | usize::from(byte)),
        )
    }

    fn bytes(&mut self, length: usize) -> Option<&'a [u8]> {
        let (bytes, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::{Field, Layouts};

    fn layouts() -> Layouts {
        let fields = [
            Field::new(["str"], vec![String::from("on"), String::from("off")]),
            Field::new(["int", "None"], Vec::new()),
        ];
        let fields = fields.into_iter().map(|field| field.unwrap()).collect();
        Layouts::new([(String::from("x"), fields)])
    }

    #[test]
    fn a_known_event_matches_whatever_the_size_of_its_numbers() {
        assert!(layouts().matches(b"\x90"));
        assert!(layouts().matches(b"\x92\x93\xa1x\xa2on\xc0\x93\xa1x\xa3off\xcd\x01\x00"));
        assert!(layouts().matches(b"\xdc\x00\x01\x93\xd9\x01x\xa2on\xff"));
    }

    #[test]
    fn nothing_else_matches() {
        let others: [&[u8]; 9] = [
            b"",
            b"\x91\x93\xa1y\xa2on\xc0",
            b"\x91\x93\xc4\x01x\xa2on\xc0",
            b"\x91\x93\xa1x\xa2up\xc0",
            b"\x91\x93\xa1x\xa2on\xc2",
            b"\x91\x92\xa1x\xa2on",
            b"\x91\x94\xa1x\xa2on\xc0\xc0",
            b"\x91\x93\xa1x\xa2on\xc0\xc0",
            b"\x91\x93\xa1x\xa2on\xcd\x01",
        ];
        for other in others {
            assert!(!layouts().matches(other), "{other:x?}");
        }
    }
}
