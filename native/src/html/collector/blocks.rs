//! The main text of a page, chosen in one pass and without a tree (A2).
//!
//! While the text is collected, every boundary between two blocks notes how far the text has come,
//! how much of it was in links, and which of `main`, `article`, `nav`… were open. Nothing is copied:
//! the main text is a list of ranges of the text. `choice` picks them at the end.
//!
//! Regions are counted, not nested: a `nav` that is never closed reaches too far here, where a tree
//! would end it with its parent. A `main` puts that right, and `choice` distrusts a verdict that
//! leaves next to nothing.

mod choice;

use crate::html::names::{self, Name};

/// Maximum number of blocks; further text is added to the last one.
const MOST_BLOCKS: usize = 50_000;

/// The region of a block, as bits.
mod place {
    pub const MAIN: u8 = 1;
    pub const ARTICLE: u8 = 2;
    /// In navigation, a sidebar, a footer, or a header that does not belong to an article.
    pub const BESIDE: u8 = 4;
    pub const FORM: u8 = 8;
}

/// The text between two boundaries: from the end of the previous block to `end`.
#[derive(Debug, Clone, Copy)]
struct Block {
    end: u32,
    linked: u32,
    place: u8,
}

/// The result of choosing the main text.
#[derive(Debug)]
pub struct Chosen {
    /// The ranges of the main text, in order.
    pub main: Vec<(u32, u32)>,
    /// The ranges of the part from which it was chosen: also lists of links and short blocks.
    pub content: Vec<(u32, u32)>,
    /// The ranges of its blocks, and of the forms between them: what `change_hash` is made of.
    pub compared: Vec<(u32, u32)>,
    /// Hash of the main text, including lists of links and short blocks; `None` if there is no text.
    pub hash: Option<u128>,
    /// Digest of its text without what changes by itself; `None` if there is no such text.
    pub change_hash: Option<[u8; 16]>,
}

/// Notes the blocks of a text. All positions are lengths of the text so far.
#[derive(Default)]
pub struct Blocks {
    list: Vec<Block>,
    from: usize,
    /// Bytes of link text in the open block, without the link that is open.
    linked: usize,
    link: Option<usize>,
    regions: Regions,
}

impl Blocks {
    pub fn boundary(&mut self, at: usize) {
        if at > self.from && self.list.len() < MOST_BLOCKS {
            self.close_block(at);
        }
    }

    pub fn open_link(&mut self, at: usize) {
        self.close_link(at);
        self.link = Some(at);
    }

    pub fn close_link(&mut self, at: usize) {
        if let Some(from) = self.link.take() {
            self.linked += at - from;
        }
    }

    pub fn enter(&mut self, region: Name) {
        self.regions.enter(region);
    }

    pub fn leave(&mut self, region: Name) {
        self.regions.leave(region);
    }

    /// The main text of `text`.
    pub fn main(mut self, text: &str) -> Chosen {
        if text.len() > self.from {
            self.close_block(text.len());
        }
        choice::main_ranges(&self.list, text)
    }

    fn close_block(&mut self, at: usize) {
        if let Some(from) = &mut self.link {
            self.linked += at - *from;
            *from = at;
        }
        self.list.push(Block {
            end: at as u32,
            linked: self.linked as u32,
            place: self.regions.place(),
        });
        self.from = at;
        self.linked = 0;
    }
}

/// Counts of open regions.
#[derive(Default)]
struct Regions {
    main: u32,
    article: u32,
    header: u32,
    beside: u32,
    form: u32,
}

impl Regions {
    fn enter(&mut self, region: Name) {
        if region == names::MAIN {
            (self.header, self.beside) = (0, 0);
        }
        *self.count(region) += 1;
    }

    fn leave(&mut self, region: Name) {
        let count = self.count(region);
        *count = count.saturating_sub(1);
    }

    fn count(&mut self, region: Name) -> &mut u32 {
        match region {
            names::MAIN => &mut self.main,
            names::ARTICLE => &mut self.article,
            names::HEADER => &mut self.header,
            names::FORM => &mut self.form,
            _ => &mut self.beside,
        }
    }

    fn place(&self) -> u8 {
        let is_page_header = self.header > 0 && self.main == 0 && self.article == 0;
        let bit = |bit: u8, holds: bool| if holds { bit } else { 0 };
        bit(place::MAIN, self.main > 0)
            | bit(place::ARTICLE, self.article > 0)
            | bit(place::BESIDE, self.beside > 0 || is_page_header)
            | bit(place::FORM, self.form > 0)
    }
}
