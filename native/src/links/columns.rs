//! Encodes pages and links as columns of bytes, and decodes them. Similar data is stored together because it compresses better.
//!
//! ```text
//! directory   for each page: its key, a checksum of its link keys, number of links, number of omitted links, directives
//! kinds       one byte per link: its kind and its `rel`
//! shared      one byte per href: length of the prefix that it shares with an earlier href, and with which
//! texts       one line per href, first of the page and then of its links: the rest of the href, a tab, the anchor
//! ```
//!
//! An anchor is stored next to its href because the two often have words in common: in separate columns they take 7 %
//! more. Anchors are spelled like paths ([`toggle_slug`]), so that zstd finds more of these words.

use crate::error::{Error, Result};
use crate::page::{Link, LinkKind};
use crate::url::{Identity, Key};
use crate::url_store::wire::{Reader, put_varint};

use super::{PageLinks, Source};

/// Kinds by their number in the file. Add new ones at the end, here and in [`LinkKind`].
const KINDS: [LinkKind; 13] = [
    LinkKind::Anchor,
    LinkKind::Area,
    LinkKind::Canonical,
    LinkKind::Alternate,
    LinkKind::Next,
    LinkKind::Previous,
    LinkKind::Feed,
    LinkKind::Frame,
    LinkKind::Refresh,
    LinkKind::Header,
    LinkKind::Media,
    LinkKind::Script,
    LinkKind::Sitemap,
];
const REL_SHIFT: u32 = 4;
const MOST_REL: u8 = 7;
/// Neither occurs in an href, nor in an anchor, whose white space is collapsed.
const TAB: u8 = b'\t';
const END: u8 = b'\n';
/// Longest shared prefix that fits the byte; one bit says which href it is shared with.
const MOST_SHARED: usize = 127;
const WITH_PAGE: u8 = 1;
/// Most memory that the decoded links of one page may take. Links beyond it are omitted.
pub const MOST_PAGE_BYTES: usize = 128 * 1024 * 1024;
/// Most memory of the pages before it in the block. A link takes at least four bytes of the block, which bounds it.
const SPARE_BYTES: usize = 16 * 1024 * 1024;
/// Capacity reserved for the links of a page.
const TYPICAL: usize = 256;

/// The columns of the pages of one block.
#[derive(Debug, Default)]
pub struct Columns {
    pub pages: u32,
    /// False in blocks of format 1: anchors are stored unchanged.
    pub has_slugs: bool,
    pub directory: Vec<u8>,
    pub kinds: Vec<u8>,
    pub shared: Vec<u8>,
    pub texts: Vec<u8>,
}

impl Columns {
    pub fn clear(&mut self) {
        self.pages = 0;
        self.directory.clear();
        self.kinds.clear();
        self.shared.clear();
        self.texts.clear();
    }

    pub fn capacity(&self) -> usize {
        self.kinds.capacity() + self.shared.capacity() + self.texts.capacity()
    }

    pub fn bytes(&self) -> usize {
        self.kinds.len() + self.shared.len() + self.texts.len()
    }

    /// `before` is the href of the previous page, or empty.
    pub fn add(&mut self, source: &Source<'_>, before: &str) -> Result<()> {
        if !is_plain(source.href.as_bytes()) {
            return Err(Error::Invalid(format!("{:?} is no href", source.href)));
        }
        let shared = common_prefix(source.href.as_bytes(), before.as_bytes());
        self.add_text(source.href.as_bytes(), shared, 0, "");
        let (kinds, hrefs, start) = (self.kinds.len(), self.shared.len(), self.texts.len());
        let (mut kept, mut check) = self.add_links(source, false);
        if !has_lines(&self.texts[start..], kept) {
            self.kinds.truncate(kinds);
            self.shared.truncate(hrefs);
            self.texts.truncate(start);
            (kept, check) = self.add_links(source, true);
        }
        self.pages += 1;
        self.directory.extend_from_slice(&source.key);
        self.directory.extend_from_slice(&check.0.to_le_bytes());
        put_varint(&mut self.directory, kept as u64);
        let left_out = source.links.len() - kept;
        put_varint(&mut self.directory, left_out as u64);
        self.directory.push(source.directives);
        Ok(())
    }

    /// Returns the number of links added and the checksum of their keys. `careful`: some text contains a separator. The
    /// HTML reader never produces one, so the caller checks all texts at once and calls this again only if needed.
    fn add_links(&mut self, source: &Source<'_>, careful: bool) -> (usize, Check) {
        let page = source.href.as_bytes();
        let (mut kept, mut check) = (0, Check::default());
        let mut room = MOST_PAGE_BYTES;
        let (mut previous, mut with_page) = (page, MOST_SHARED);
        for link in source.links {
            let href = link.href.as_bytes();
            if memory_of(link) > room || careful && !is_plain(href) {
                continue;
            }
            let folded = (careful && !is_plain(link.anchor.as_bytes()))
                .then(|| link.anchor.replace(['\t', '\n'], " "));
            let anchor = folded.as_deref().unwrap_or(&link.anchor);
            room -= memory_of(link);
            let shared = common_prefix(href, previous);
            // The page can share a longer prefix only if this href differs from the previous one where that differs from the page.
            if shared == with_page {
                with_page = common_prefix(href, page);
                self.add_text(href, with_page, WITH_PAGE, anchor);
            } else {
                with_page = with_page.min(shared);
                self.add_text(href, shared, 0, anchor);
            }
            self.kinds.push(number_of(link));
            check.add(&link.key);
            kept += 1;
            previous = href;
        }
        (kept, check)
    }

    fn add_text(&mut self, href: &[u8], shared: usize, with: u8, anchor: &str) {
        self.shared.push((shared as u8) << 1 | with);
        self.texts.extend_from_slice(&href[shared..]);
        self.texts.push(TAB);
        let start = self.texts.len();
        self.texts.extend_from_slice(anchor.as_bytes());
        toggle_slug(&mut self.texts[start..]);
        self.texts.push(END);
    }
}

/// Spells words as paths spell them: "Open source" becomes "open-source". Spaces and hyphens are exchanged, and the
/// case of the first letter is flipped, so calling it a second time restores the words.
fn toggle_slug(words: &mut [u8]) {
    for byte in &mut *words {
        if matches!(*byte, b' ' | b'-') {
            *byte ^= b' ' ^ b'-';
        }
    }
    if let Some(first) = words.first_mut()
        && first.is_ascii_alphabetic()
    {
        *first ^= b' ';
    }
}

fn is_plain(text: &[u8]) -> bool {
    memchr::memchr2(TAB, END, text).is_none()
}

fn has_lines(texts: &[u8], lines: usize) -> bool {
    let count = |byte| memchr::memchr_iter(byte, texts).count();
    count(TAB) == lines && count(END) == lines
}

/// Memory that a decoded link takes.
fn memory_of(link: &Link) -> usize {
    size_of::<Link>() + link.href.len() + link.anchor.len()
}

fn number_of(link: &Link) -> u8 {
    link.kind as u8 | (link.rel & MOST_REL) << REL_SHIFT
}

/// Length of the common_prefix prefix, at most `MOST_SHARED`.
fn common_prefix(one: &[u8], other: &[u8]) -> usize {
    let most = one.len().min(other.len()).min(MOST_SHARED);
    let mut same = 0;
    while same + 8 <= most {
        let word = |text: &[u8]| u64::from_le_bytes(std::array::from_fn(|at| text[same + at]));
        let differs = word(one) ^ word(other);
        if differs != 0 {
            return same + differs.trailing_zeros() as usize / 8;
        }
        same += 8;
    }
    while same < most && one[same] == other[same] {
        same += 1;
    }
    same
}

/// Checksum of the keys of a page's links. The order counts.
#[derive(Debug, Default, PartialEq, Eq)]
struct Check(u32);

impl Check {
    fn add(&mut self, key: &Key) {
        let [first, second, third, fourth, ..] = *key;
        let part = u32::from_le_bytes([first, second, third, fourth]);
        self.0 = self.0.rotate_left(1).wrapping_add(part);
    }
}

/// Reads the pages of columns one after the other.
pub struct Pages<'a> {
    identity: &'a Identity,
    /// Memory that further links may take.
    room: usize,
    directory: Reader<'a>,
    kinds: Reader<'a>,
    shared: Reader<'a>,
    texts: &'a [u8],
    has_slugs: bool,
    before: String,
}

impl<'a> Pages<'a> {
    pub fn new(columns: &'a Columns, identity: &'a Identity) -> Self {
        Pages {
            identity,
            room: MOST_PAGE_BYTES + SPARE_BYTES,
            directory: Reader::new(&columns.directory),
            kinds: Reader::new(&columns.kinds),
            shared: Reader::new(&columns.shared),
            texts: &columns.texts,
            has_slugs: columns.has_slugs,
            before: String::new(),
        }
    }

    /// True if all columns are used up.
    pub fn is_at_end(&self) -> bool {
        self.directory.is_empty()
            && self.kinds.is_empty()
            && self.shared.is_empty()
            && self.texts.is_empty()
    }

    /// None if the columns do not hold another complete page.
    pub fn next(&mut self) -> Option<PageLinks> {
        let key = self.directory.array()?;
        let written = Check(u32::from_le_bytes(self.directory.array()?));
        let count = self.directory.small()? as usize;
        let left_out = self.directory.small()?;
        let directives = self.directory.byte()?;
        let before = std::mem::take(&mut self.before);
        let (href, _) = self.text(&before, &before)?;
        let links = self.links(count, &href)?;
        let mut check = Check::default();
        links.iter().for_each(|link| check.add(&link.key));
        self.before.clone_from(&href);
        Some(PageLinks {
            key,
            href,
            directives,
            links,
            left_out,
            has_same_keys: check == written,
        })
    }

    fn links(&mut self, count: usize, page: &str) -> Option<Vec<Link>> {
        if count > self.kinds.remaining() {
            return None;
        }
        let mut links: Vec<Link> = Vec::with_capacity(count.min(TYPICAL));
        for _ in 0..count {
            let previous = links.last().map_or(page, |link| link.href.as_str());
            let (href, anchor) = self.text(previous, page)?;
            let link = self.link(href, anchor)?;
            self.room = self.room.checked_sub(memory_of(&link))?;
            links.push(link);
        }
        Some(links)
    }

    /// An invalid href gets a key of zeros, and the checksum fails.
    fn link(&mut self, href: String, anchor: String) -> Option<Link> {
        let number = self.kinds.byte()?;
        let url = self.identity.parse(&href, None);
        let rel = number >> REL_SHIFT;
        (rel <= MOST_REL).then_some(Link {
            key: url.map_or([0; 16], |url| self.identity.key_of(&url)),
            href,
            kind: *KINDS.get(usize::from(number & ((1 << REL_SHIFT) - 1)))?,
            rel,
            anchor,
        })
    }

    /// The next href and its anchor.
    fn text(&mut self, previous: &str, page: &str) -> Option<(String, String)> {
        let number = self.shared.byte()?;
        let other = match number & WITH_PAGE {
            0 => previous,
            _ => page,
        };
        let rest = self.until(TAB)?;
        let mut href = other.as_bytes().get(..usize::from(number >> 1))?.to_vec();
        href.extend_from_slice(rest);
        let mut anchor = self.until(END)?.to_vec();
        if self.has_slugs {
            toggle_slug(&mut anchor);
        }
        Some((
            String::from_utf8(href).ok()?,
            String::from_utf8(anchor).ok()?,
        ))
    }

    fn until(&mut self, end: u8) -> Option<&'a [u8]> {
        let at = memchr::memchr(end, self.texts)?;
        let (text, behind) = self.texts.split_at(at);
        self.texts = &behind[1..];
        Some(text)
    }
}
