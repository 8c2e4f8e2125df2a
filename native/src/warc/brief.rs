//! Deflate for texts of some hundred bytes: the heads of records, and records that are little else.
//!
//! A compressor for pages clears more than a hundred kilobytes of tables before its first byte, which is
//! dearer than the head it is for. Here the table is 4 KB, and the codes are the fixed ones of RFC 1951, which
//! need not be sent along: for so short a text they are as good as any that are.

/// Matches reach no further back than this, which is also as far as deflate lets them.
const PIECE: usize = 32 * 1024;
const SHORTEST: usize = 4;
const LONGEST: usize = 258;
const HASH_BITS: u32 = 11;
const END_OF_BLOCK: usize = 256;
const FIXED: u64 = 0b01;
const STORED: u64 = 0b00;
const LONGEST_STORED: usize = 0xffff;

/// Code and number of its bits, as they go into the stream, for literals, the end and lengths.
static SYMBOLS: [(u16, u8); 288] = symbols();

const fn symbols() -> [(u16, u8); 288] {
    let mut symbols = [(0, 0); 288];
    let mut symbol = 0;
    while symbol < 288 {
        let (code, bits) = match symbol {
            0..=143 => (0x30 + symbol, 8),
            144..=255 => (0x190 + symbol - 144, 9),
            256..=279 => (symbol - 256, 7),
            _ => (0xc0 + symbol - 280, 8),
        };
        symbols[symbol] = (reversed(code as u16, bits), bits);
        symbol += 1;
    }
    symbols
}

/// Codes go into the stream with their first bit first, numbers with their last.
const fn reversed(code: u16, bits: u8) -> u16 {
    code.reverse_bits() >> (16 - bits)
}

/// A stream of blocks behind what `output` holds already; bits that do not fill a byte yet wait here.
pub struct Blocks<'o> {
    output: &'o mut Vec<u8>,
    waiting: u64,
    count: u32,
}

impl<'o> Blocks<'o> {
    pub fn behind(output: &'o mut Vec<u8>) -> Self {
        Blocks {
            output,
            waiting: 0,
            count: 0,
        }
    }

    pub fn deflated(&mut self, text: &[u8], last: bool) {
        let pieces = text.len().div_ceil(PIECE).max(1);
        for index in 0..pieces {
            let end = text.len().min((index + 1) * PIECE);
            self.begin(FIXED, last && index + 1 == pieces);
            self.piece(&text[index * PIECE..end]);
            self.symbol(END_OF_BLOCK);
        }
        if last {
            self.fill_byte();
        }
    }

    pub fn stored(&mut self, data: &[u8], last: bool) {
        let pieces = data.len().div_ceil(LONGEST_STORED).max(1);
        for index in 0..pieces {
            let end = data.len().min((index + 1) * LONGEST_STORED);
            let piece = &data[index * LONGEST_STORED..end];
            self.begin(STORED, last && index + 1 == pieces);
            self.fill_byte();
            let length = piece.len() as u16;
            self.output.extend_from_slice(&length.to_le_bytes());
            self.output.extend_from_slice(&(!length).to_le_bytes());
            self.output.extend_from_slice(piece);
        }
    }

    fn begin(&mut self, kind: u64, last: bool) {
        self.put(u64::from(last) | kind << 1, 3);
    }

    /// The last place of each four bytes is looked at, no other: most heads repeat what they just said.
    fn piece(&mut self, text: &[u8]) {
        let mut places = [0_u16; 1 << HASH_BITS];
        let (mut position, mut here) = (0, next_four(text, 0));
        while let Some(four) = here {
            let place = &mut places[hash(four)];
            let earlier = usize::from(*place);
            *place = position as u16;
            if earlier < position && next_four(text, earlier) == Some(four) {
                let length = common(&text[earlier..], &text[position..]);
                self.matched(length, position - earlier);
                position += length;
            } else {
                self.symbol(usize::from(text[position]));
                position += 1;
            }
            here = next_four(text, position);
        }
        for byte in &text[position..] {
            self.symbol(usize::from(*byte));
        }
    }

    fn matched(&mut self, length: usize, distance: usize) {
        let (code, first, extra) = length_code(length);
        self.symbol(END_OF_BLOCK + 1 + code);
        self.put((length - first) as u64, extra);
        let (code, first, extra) = distance_code(distance);
        self.put(u64::from(reversed(code, 5)), 5);
        self.put((distance - first) as u64, extra);
    }

    fn symbol(&mut self, symbol: usize) {
        let (code, bits) = SYMBOLS[symbol];
        self.put(u64::from(code), u32::from(bits));
    }

    fn put(&mut self, bits: u64, count: u32) {
        self.waiting |= bits << self.count;
        self.count += count;
        if self.count >= 32 {
            self.output
                .extend_from_slice(&(self.waiting as u32).to_le_bytes());
            self.waiting >>= 32;
            self.count -= 32;
        }
    }

    fn fill_byte(&mut self) {
        let bytes = self.count.div_ceil(8) as usize;
        self.output
            .extend_from_slice(&self.waiting.to_le_bytes()[..bytes]);
        (self.waiting, self.count) = (0, 0);
    }
}

fn next_four(text: &[u8], position: usize) -> Option<u32> {
    let four = text.get(position..position + SHORTEST)?;
    Some(u32::from_le_bytes([four[0], four[1], four[2], four[3]]))
}

fn hash(four: u32) -> usize {
    (four.wrapping_mul(0x9e37_79b1) >> (32 - HASH_BITS)) as usize
}

fn common(earlier: &[u8], now: &[u8]) -> usize {
    let pairs = earlier.iter().zip(now).take(LONGEST);
    pairs.take_while(|(one, other)| one == other).count()
}

/// Code, first length and extra bits: four codes for each power of two from 8 on, and one for the longest.
fn length_code(length: usize) -> (usize, usize, u32) {
    match length {
        LONGEST => (28, LONGEST, 0),
        ..11 => (length - 3, length, 0),
        _ => {
            let power = (length - 3).ilog2();
            let extra = power - 2;
            let quarter = (length - 3) >> extra & 3;
            let first = ((4 + quarter) << extra) + 3;
            (4 * power as usize - 4 + quarter, first, extra)
        }
    }
}

/// Code, first distance and extra bits: two codes for each power of two from 4 on.
fn distance_code(distance: usize) -> (u16, usize, u32) {
    if distance <= 4 {
        return (distance as u16 - 1, distance, 0);
    }
    let power = (distance - 1).ilog2();
    let half = (distance - 1) >> (power - 1) & 1;
    let first = (1 << power) + (half << (power - 1)) + 1;
    (2 * power as u16 + half as u16, first, power - 1)
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use proptest::prelude::*;

    use super::*;

    fn inflated(deflated: &[u8]) -> Vec<u8> {
        let mut decoder = flate2::bufread::DeflateDecoder::new(deflated);
        let mut text = Vec::new();
        decoder.read_to_end(&mut text).unwrap();
        assert!(decoder.into_inner().is_empty());
        text
    }

    fn deflated(text: &[u8]) -> Vec<u8> {
        let mut output = Vec::new();
        Blocks::behind(&mut output).deflated(text, true);
        output
    }

    #[test]
    fn s3_every_length_and_distance_has_its_code() {
        let noise: Vec<u8> = (0..PIECE as u32)
            .flat_map(|n| n.wrapping_mul(0x9e37_79b1).to_be_bytes())
            .take(PIECE)
            .collect();
        for length in SHORTEST..=LONGEST + 2 {
            let text = [&noise[..300], &noise[..length], b"."].concat();
            assert_eq!(inflated(&deflated(&text)), text, "{length}");
        }
        for distance in (1..300).chain((300..PIECE - 9).step_by(97)) {
            let text = [&noise[..distance], &noise[..8.min(distance)]].concat();
            assert_eq!(inflated(&deflated(&text)), text, "{distance}");
        }
    }

    #[test]
    fn s3_what_a_head_repeats_takes_hardly_any_room() {
        let head = "WARC/1.1\r\nWARC-Type: request\r\nWARC-Record-ID: <urn:uuid:2f1c6a0e-7a58-8c3e-9d2b-0b6a4c1f7e55>\r\n\
                    WARC-Date: 2026-11-15T04:34:38.123456Z\r\nWARC-Target-URI: http://a.test/journal/entry-05.html\r\n\
                    WARC-Concurrent-To: <urn:uuid:7b1c6a0e-1a58-8c3e-8d2b-1b6a4c1f7e50>\r\nContent-Type: application/http; msgtype=request\r\n\
                    Content-Length: 120\r\n\r\nGET /journal/entry-05.html HTTP/1.1\r\nHost: a.test\r\nAccept-Encoding: gzip\r\n\r\n";
        assert!(deflated(head.as_bytes()).len() * 5 < head.len() * 4);
        assert!(deflated(&head.as_bytes().repeat(9)).len() * 5 < head.len() * 9);
    }

    proptest! {
        #[test]
        fn s3_what_is_deflated_or_stored_can_be_inflated(
            parts in prop::collection::vec((prop::collection::vec(0..5_u8, 0..900), any::<bool>(), 1..90_usize), 0..6),
        ) {
            let mut output = Vec::new();
            let mut blocks = Blocks::behind(&mut output);
            let mut expected = Vec::new();
            for (part, is_stored, times) in parts {
                let part = part.repeat(times);
                match is_stored {
                    true => blocks.stored(&part, false),
                    false => blocks.deflated(&part, false),
                }
                expected.extend(part);
            }
            blocks.stored(&[], true);
            prop_assert_eq!(inflated(&output), expected);
        }
    }
}
