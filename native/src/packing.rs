//! Compresses texts for a cache. Its file may come from a stranger, so unpacking is bounded in time and memory.

use std::cell::RefCell;
use std::io::Read;

use zstd::bulk::Compressor;
use zstd::stream::read::Decoder;
use zstd::zstd_safe::CParameter;

use crate::error::{Error, Result};

/// Deep texts hold their words twice, as plain text and as Markdown, which even the lowest level finds.
const LEVEL: i32 = 1;
/// The window of that level has 19 bits. Unpacking takes no more memory than this beside the result.
const MOST_WINDOW_BITS: u32 = 22;

thread_local! {
    /// Reused: its tables take longer to allocate than a text takes to pack.
    static COMPRESSOR: RefCell<Option<Compressor<'static>>> = const { RefCell::new(None) };
}

pub fn pack(data: &[u8]) -> Result<Vec<u8>> {
    COMPRESSOR.with_borrow_mut(|slot| {
        let mut compressor = match slot.take() {
            Some(ready) => ready,
            None => make_compressor().map_err(pack_error)?,
        };
        let packed = compressor.compress(data).map_err(pack_error)?;
        *slot = Some(compressor);
        Ok(packed)
    })
}

/// `None` if it is damaged, or longer than `most` bytes.
pub fn unpack(data: &[u8], most: usize) -> Option<Vec<u8>> {
    let mut decoder = Decoder::with_buffer(data).ok()?.single_frame();
    decoder.window_log_max(MOST_WINDOW_BITS).ok()?;
    let mut plain = Vec::new();
    let mut bounded = decoder.take(most as u64 + 1);
    bounded.read_to_end(&mut plain).ok()?;
    (!data.is_empty() && plain.len() <= most).then_some(plain)
}

fn make_compressor() -> std::io::Result<Compressor<'static>> {
    let mut compressor = Compressor::new(LEVEL)?;
    compressor.set_parameter(CParameter::ChecksumFlag(true))?;
    Ok(compressor)
}

fn pack_error(error: std::io::Error) -> Error {
    Error::Invalid(format!("a text could not be packed: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_packed_is_unpacked() {
        for text in [&b""[..], b"a", &b"many words ".repeat(200_000)] {
            assert_eq!(
                unpack(&pack(text).unwrap(), text.len()).as_deref(),
                Some(text)
            );
        }
    }

    #[test]
    fn damage_and_excess_are_found() {
        let text = b"words and other words ".repeat(100);
        let packed = pack(&text).unwrap();
        assert_eq!(unpack(&packed, text.len() - 1), None);
        assert_eq!(unpack(b"", 100), None);
        for length in 0..packed.len() {
            assert_eq!(unpack(&packed[..length], text.len()), None, "{length}");
            let mut damaged = packed.clone();
            damaged[length] ^= 0x55;
            let found = unpack(&damaged, text.len());
            assert!(found.is_none_or(|found| found == text), "{length}");
        }
        let mut damaged = packed.clone();
        *damaged.last_mut().unwrap() ^= 1;
        assert_eq!(unpack(&damaged, text.len()), None);
    }

    #[test]
    fn a_bomb_takes_no_more_than_the_cap() {
        let bomb = pack(&vec![0; 100_000_000]).unwrap();
        assert!(bomb.len() < 100_000);
        assert_eq!(unpack(&bomb, 1_000_000), None);
    }
}
