//! Pages and links as columns of bytes: what is alike lies together, and packs well.
//!
//! ```text
//! directory   for each page: its key, a check of the keys of its links, how many it has, how many were left out, directives
//! kinds       a byte a link: where it stood, and its `rel`
//! shared      a byte for each href: how much of it is that of another href before it, and of which
//! texts       a line for each href, of a page and then of its links: the rest of it, a tab, the words of the link
//! ```
//!
//! The words of a link stand beside its href because they are often the same: apart, the two take a tenth more. They are
//! written as a path spells them ([`toggle_slug`]), so that zstd finds more of them in the href.

use crate::error::{Error, Result};
use crate::page::{Link, LinkKind};
use crate::url::{Identity, Key};
use crate::url_store::wire::{Reader, put_varint};

use super::{PageLinks, Source};

/// By number. It is the format: kinds are added at the end, here and in [`LinkKind`].
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
/// Neither is in an href, nor in the words of a link, in which white space is folded.
const TAB: u8 = b'\t';
const END: u8 = b'\n';
/// Bytes of an href that can be those of another; one bit tells of which.
const MOST_SHARED: usize = 127;
const WITH_PAGE: u8 = 1;
/// Of memory that the links of one page take when they are read. What is beyond it is left out.
pub const MOST_PAGE_BYTES: usize = 128 * 1024 * 1024;
/// The same of the pages before it in its block: their columns fill no block, and a link is four bytes there at least.
const SPARE_BYTES: usize = 16 * 1024 * 1024;
/// Links of a page.
const TYPICAL: usize = 256;

/// What is written of some pages.
#[derive(Debug, Default)]
pub struct Columns {
    pub pages: u32,
    /// False: words are written as they are, as in blocks of format 1.
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

    /// `before`: the href of the page that was added last; empty where there is none.
    pub fn add(&mut self, source: &Source<'_>, before: &str) -> Result<()> {
        if !is_plain(source.href.as_bytes()) {
            return Err(Error::Invalid(format!("{:?} is no href", source.href)));
        }
        let shared = common(source.href.as_bytes(), before.as_bytes());
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

    /// Returns how many were kept, and the check of their keys. `careful`: some text holds what ends a text here. That
    /// never happens to what was read, so that it is looked for in all texts together, and not in each.
    fn add_links(&mut self, source: &Source<'_>, careful: bool) -> (usize, Check) {
        let page = source.href.as_bytes();
        let (mut kept, mut check) = (0, Check::default());
        let mut room = MOST_PAGE_BYTES;
        let (mut previous, mut with_page) = (page, MOST_SHARED);
        for link in source.links {
            let href = link.href.as_bytes();
            if cost(link) > room || careful && !is_plain(href) {
                continue;
            }
            let folded = (careful && !is_plain(link.anchor.as_bytes()))
                .then(|| link.anchor.replace(['\t', '\n'], " "));
            let anchor = folded.as_deref().unwrap_or(&link.anchor);
            room -= cost(link);
            let shared = common(href, previous);
            // The page can share more only where this href leaves the previous one where that left the page.
            if shared == with_page {
                with_page = common(href, page);
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

/// Of memory that a link takes when it is read.
fn cost(link: &Link) -> usize {
    size_of::<Link>() + link.href.len() + link.anchor.len()
}

fn number_of(link: &Link) -> u8 {
    link.kind as u8 | (link.rel & MOST_REL) << REL_SHIFT
}

/// How many bytes two texts begin with alike, of those that can be told.
fn common(one: &[u8], other: &[u8]) -> usize {
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

/// Of the keys of a page's links, in their order.
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
    /// Of memory that links may still take.
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

    /// True where nothing is left over.
    pub fn is_at_end(&self) -> bool {
        self.directory.is_empty()
            && self.kinds.is_empty()
            && self.shared.is_empty()
            && self.texts.is_empty()
    }

    /// None where the columns do not hold another whole page.
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
            self.room = self.room.checked_sub(cost(&link))?;
            links.push(link);
        }
        Some(links)
    }

    /// An href that is none has a key of zeros, which the check tells from those that were written.
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

    /// The next href, and the words beside it.
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
