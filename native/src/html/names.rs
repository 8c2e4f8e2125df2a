//! Element names as numbers, and the properties of each element.

use super::eight::Eight;

/// A tag name in lower case, up to 16 bytes. All longer names are equal and unknown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Name(u128);

impl Name {
    pub const UNKNOWN: Name = Name(0);

    pub const fn of(text: &[u8]) -> Name {
        if text.len() > 16 {
            return Name::UNKNOWN;
        }
        let (mut packed, mut index) = (0, 0);
        while index < text.len() {
            packed = packed << 8 | text[index].to_ascii_lowercase() as u128;
            index += 1;
        }
        Name(packed)
    }

    /// The name at the start of eight bytes, and its length, if it ends within them, as nearly every name does. Tests
    /// all bytes at once, as [`CollapsedText`](super::collapsed_text::CollapsedText) does.
    pub fn ended(bytes: [u8; 8]) -> Option<(Name, usize)> {
        let eight = Eight::of(bytes);
        let ends = eight.up_to(b' ') | eight.equal_to(b'/') | eight.equal_to(b'>');
        let length = ends.trailing_zeros() as usize / 8;
        if length == 0 || !is_name_end(*bytes.get(length)?) {
            return None;
        }
        let packed = u64::from_be_bytes(bytes) | eight.capitals().swap_bytes() >> 2;
        Some((Name(u128::from(packed >> (8 * (8 - length)))), length))
    }

    /// 1 to 6 for `h1` to `h6`.
    pub fn heading_level(self) -> u8 {
        (self.0 as u8).wrapping_sub(b'0')
    }
}

macro_rules! names {
    ($($constant:ident = $text:literal),* $(,)?) => {
        $(pub const $constant: Name = Name::of($text.as_bytes());)*
    };
}

names! {
    A = "a", AREA = "area", BASE = "base", BR = "br", COL = "col", COLGROUP = "colgroup",
    DESC = "desc", FONT = "font", FOREIGN_OBJECT = "foreignobject", FRAME = "frame",
    FRAMESET = "frameset", HTML = "html", IFRAME = "iframe", IMAGE = "image", IMG = "img", LINK = "link",
    MATH = "math", META = "meta", METADATA = "metadata", NOEMBED = "noembed", NOFRAMES = "noframes",
    NOSCRIPT = "noscript", OBJECT = "object", P = "p", PLAINTEXT = "plaintext", SCRIPT = "script",
    SOURCE = "source", STYLE = "style", SVG = "svg", TEMPLATE = "template", TEXTAREA = "textarea",
    TITLE = "title", VIDEO = "video", XMP = "xmp",
    MAIN = "main", ARTICLE = "article", HEADER = "header", FORM = "form",
    MI = "mi", MO = "mo", MN = "mn", MS = "ms", MTEXT = "mtext", ANNOTATION_XML = "annotation-xml",
    PATH = "path", G = "g", USE = "use", RECT = "rect", CIRCLE = "circle", LINE = "line",
    POLYGON = "polygon", POLYLINE = "polyline", ELLIPSE = "ellipse",
    DESCRIPTION = "description", SUBTITLE = "subtitle", LANGUAGE = "language", ENCLOSURE = "enclosure",
}

/// Whether a byte ends the name of a tag.
pub fn is_name_end(byte: u8) -> bool {
    matches!(byte, b'\t' | b'\n' | 0x0C | b'\r' | b' ' | b'/' | b'>')
}

/// Properties of an element, as bits.
pub mod mark {
    /// Words on both sides of its tags are different words.
    pub const SEPARATES: u8 = 1;
    /// Its attributes are read.
    pub const ATTRIBUTES: u8 = 2;
    /// Its attributes are read when media are wanted.
    pub const MEDIA: u8 = 4;
    /// Its start tag ends svg and math.
    pub const BREAKS_OUT: u8 = 8;
    /// How the bytes after its start tag are read depends on it.
    pub const STEERS: u8 = 16;
    /// A heading.
    pub const HEADING: u8 = 32;
    /// It defines a region of the page.
    pub const REGION: u8 = 64;
    /// It separates words within a block of text, not blocks.
    pub const FLOWS: u8 = 128;
}

const MARKED: [(u8, &str); 8] = [
    (
        mark::SEPARATES,
        "address article aside blockquote body br button caption center dd details dialog dir div dl dt fieldset \
         figcaption figure footer form frameset h1 h2 h3 h4 h5 h6 header hgroup hr html iframe input legend li \
         listing main menu nav ol optgroup option p plaintext pre search section select summary table tbody \
         td textarea tfoot th thead title tr ul xmp",
    ),
    (mark::ATTRIBUTES, "a area base link meta iframe html script"),
    (
        mark::MEDIA,
        "img image source video audio track embed object",
    ),
    (
        mark::BREAKS_OUT,
        "b big blockquote body br center code dd div dl dt em embed h1 h2 h3 h4 h5 h6 head hr i img li \
         listing menu meta nobr ol p pre ruby s small span strong strike sub sup table tt u ul var",
    ),
    (
        mark::STEERS,
        "svg math title textarea style xmp iframe noembed noframes script plaintext template frameset col \
         colgroup path g use rect circle line polygon polyline ellipse",
    ),
    (mark::HEADING, "h1 h2 h3 h4 h5 h6"),
    (mark::REGION, "main article nav header footer aside form"),
    (
        mark::FLOWS,
        "br button iframe input optgroup option select textarea",
    ),
];

/// Size of the hash table: a power of two, sparse enough for one or two probes.
const SLOTS: usize = 512;

static TABLE: [(u128, u8); SLOTS] = table();

/// All properties of a name, in one look-up.
pub fn marks_of(name: Name) -> u8 {
    let mut slot = slot_of(name.0);
    loop {
        let (packed, marks) = TABLE[slot];
        if packed == name.0 || packed == 0 {
            return marks;
        }
        slot = (slot + 1) % SLOTS;
    }
}

const fn slot_of(packed: u128) -> usize {
    let folded = packed as u64 ^ (packed >> 64) as u64;
    (folded.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 55) as usize
}

const fn table() -> [(u128, u8); SLOTS] {
    let mut table = [(0, 0); SLOTS];
    let mut row = 0;
    while row < MARKED.len() {
        let (marks, names) = MARKED[row];
        let names = names.as_bytes();
        let (mut packed, mut index) = (0, 0);
        while index <= names.len() {
            if index == names.len() || names[index] == b' ' {
                enter(&mut table, packed, marks);
                packed = 0;
            } else {
                packed = packed << 8 | names[index] as u128;
            }
            index += 1;
        }
        row += 1;
    }
    table
}

const fn enter(table: &mut [(u128, u8); SLOTS], packed: u128, marks: u8) {
    if packed == 0 {
        return;
    }
    let mut slot = slot_of(packed);
    while table[slot].0 != packed && table[slot].0 != 0 {
        slot = (slot + 1) % SLOTS;
    }
    table[slot] = (packed, table[slot].1 | marks);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_found_in_any_case_and_unknown_names_have_none() {
        assert_eq!(
            marks_of(Name::of(b"DIV")),
            mark::SEPARATES | mark::BREAKS_OUT
        );
        assert_eq!(marks_of(A), mark::ATTRIBUTES);
        assert_eq!(marks_of(Name::of(b"x-unknown")), 0);
        assert_eq!(marks_of(Name::of(b"a-name-longer-than-sixteen")), 0);
    }

    #[test]
    fn a_name_that_ends_early_is_found_at_once() {
        for text in [
            "a>xxxxxx",
            "DIV clas",
            "h1/>xxxx",
            "zZ[@`{|\t",
            "tbody\r\n<",
            "x\u{e9}-\u{c1}>x",
        ] {
            let bytes = text.as_bytes().first_chunk().unwrap();
            let length = bytes.iter().position(|byte| is_name_end(*byte)).unwrap();
            let expected = Some((Name::of(&bytes[..length]), length));
            assert_eq!(Name::ended(*bytes), expected, "{text}");
        }
        for text in ["colgroup", ">xxxxxxx", "a\u{1}b>xxxx", "\u{b}a>xxxxx"] {
            assert_eq!(
                Name::ended(*text.as_bytes().first_chunk().unwrap()),
                None,
                "{text}"
            );
        }
    }

    #[test]
    fn every_listed_name_is_in_the_table() {
        for (marks, names) in MARKED {
            for name in names.split_whitespace() {
                assert_eq!(marks_of(Name::of(name.as_bytes())) & marks, marks, "{name}");
            }
        }
    }
}
