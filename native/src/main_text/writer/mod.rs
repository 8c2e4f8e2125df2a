//! Writes what was kept, as Markdown (CommonMark with the tables of GitHub) and as plain text.
//!
//! Both are written at once, block by block. A block is a line of inline text, a heading, code or a table; lists and
//! quotations are frames that put a prefix before each line of the blocks in them.

mod frames;
mod output;
mod parts;

use super::line::{Line, Mark, escape_heading, escape_lines};
use super::outline::{Index, Outline};
use super::phrases;
use super::table;
use super::tag::Tag;
use frames::FrameKind;
use output::Output;

/// The greatest number that a list may begin with: Markdown reads nine digits.
const MOST_NUMBER: u64 = 99_999_999;

/// Addresses of links, resolved. Each may be as long as the base: together they are capped.
pub trait Addresses {
    fn resolve(&mut self, href: &str) -> Option<String>;
}

struct OpenList {
    /// The number of the next item, where items have one.
    next: Option<u64>,
    is_begun: bool,
}

pub struct Writer<'a, 't, A: Addresses> {
    pub outline: &'a Outline<'t>,
    pub dropped: &'a [bool],
    addresses: A,
    output: Output,
    line: Line,
    lists: Vec<OpenList>,
    heading: Option<u8>,
    /// The heading that is the page's title: not part of the plain text.
    pub title: Option<Index>,
    is_in_title: bool,
    /// Lines that are no text of the page are left out.
    pub drops_asides: bool,
    /// Only the Markdown has the captions of figures.
    pub parts_captions: bool,
    /// How many captions are open.
    captions: usize,
}

impl<'a, 't, A: Addresses> Writer<'a, 't, A> {
    pub fn new(
        outline: &'a Outline<'t>,
        dropped: &'a [bool],
        addresses: A,
        most_bytes: usize,
    ) -> Self {
        Writer {
            outline,
            dropped,
            addresses,
            output: Output::new(most_bytes),
            line: Line::default(),
            lists: Vec::new(),
            heading: None,
            title: None,
            is_in_title: false,
            drops_asides: false,
            parts_captions: false,
            captions: 0,
        }
    }

    pub fn write(&mut self, root: Index) {
        let mut open: Vec<Index> = Vec::new();
        let mut index = root;
        let end = self.outline.nodes[root].end;
        while index < end && !self.output.is_full() {
            while let Some(above) = open.pop_if(|above| self.outline.nodes[*above].end <= index) {
                self.leave(above);
            }
            index = if self.dropped[index] {
                self.outline.nodes[index].end
            } else {
                self.enter(index, &mut open)
            };
        }
        while let Some(above) = open.pop() {
            self.leave(above);
        }
        self.flush();
    }

    /// What was written, as Markdown and as plain text.
    pub fn finish(self) -> (String, String) {
        (self.output.markdown, self.output.plain)
    }

    /// The node to go on with.
    fn enter(&mut self, index: Index, open: &mut Vec<Index>) -> Index {
        let node = &self.outline.nodes[index];
        match node.tag {
            Tag::Text => {
                self.line.text(node.text);
                return index + 1;
            }
            Tag::Preformatted => {
                self.flush();
                self.write_code(index);
                return node.end;
            }
            Tag::Table if table::is_data(self.outline, self.dropped, index) => {
                self.flush();
                self.write_table(index);
                return node.end;
            }
            Tag::Break => {
                self.line.line_break();
                return node.end;
            }
            Tag::Rule => {
                self.flush();
                return node.end;
            }
            tag => self.open(tag, index),
        }
        open.push(index);
        index + 1
    }

    fn open(&mut self, tag: Tag, index: Index) {
        if tag.is_block() {
            self.flush();
        }
        match tag {
            Tag::Heading(level) => {
                self.heading = Some(level);
                self.is_in_title = self.title == Some(index);
            }
            Tag::List | Tag::OrderedList => self.open_list(tag, index),
            Tag::Item => self.open_item(),
            Tag::Quote => self.output.frames.push(FrameKind::Quote),
            Tag::FigureCaption => self.captions += 1,
            Tag::A => {
                let href = self.outline.attribute(index, "href");
                let address = href.and_then(|href| self.addresses.resolve(href));
                self.line.open_link(address);
            }
            Tag::Strong if self.heading.is_none() => self.line.open_mark(Mark::Strong),
            Tag::Emphasis => self.line.open_mark(Mark::Emphasis),
            Tag::Deleted => self.line.open_mark(Mark::Deleted),
            Tag::Subscript => self.line.open_mark(Mark::Subscript),
            Tag::Superscript => self.line.open_mark(Mark::Superscript),
            Tag::Code => self.line.open_code(),
            _ => {}
        }
    }

    fn open_list(&mut self, tag: Tag, index: Index) {
        let start = self
            .outline
            .attribute(index, "start")
            .and_then(|start| start.trim().parse::<u64>().ok());
        self.lists.push(OpenList {
            next: (tag == Tag::OrderedList).then(|| start.unwrap_or(1).min(MOST_NUMBER)),
            is_begun: false,
        });
    }

    fn open_item(&mut self) {
        let (marker, needs_gap) = match self.lists.last_mut() {
            Some(OpenList {
                next: Some(number),
                is_begun,
            }) => {
                let needs_gap = !std::mem::replace(is_begun, true) && *number != 1;
                *number += 1;
                (format!("{}. ", *number - 1), needs_gap)
            }
            _ => ("- ".to_owned(), false),
        };
        self.output.frames.push(FrameKind::Item {
            marker,
            is_written: false,
            needs_gap,
        });
    }

    fn leave(&mut self, index: Index) {
        let tag = self.outline.nodes[index].tag;
        if tag.is_block() {
            self.flush();
        }
        match tag {
            Tag::Heading(_) => {
                self.heading = None;
                self.is_in_title = false;
            }
            Tag::List | Tag::OrderedList => {
                self.lists.pop();
            }
            Tag::Item | Tag::Quote => self.output.frames.pop(),
            Tag::FigureCaption => self.captions -= 1,
            Tag::A => self.line.close_link(),
            Tag::Strong if self.heading.is_none() => self.line.close_mark(Mark::Strong),
            Tag::Emphasis => self.line.close_mark(Mark::Emphasis),
            Tag::Deleted => self.line.close_mark(Mark::Deleted),
            Tag::Subscript => self.line.close_mark(Mark::Subscript),
            Tag::Superscript => self.line.close_mark(Mark::Superscript),
            Tag::Code => self.line.close_code(),
            _ => {}
        }
    }

    /// Ends the line that is being made.
    fn flush(&mut self) {
        let Some((mut markdown, plain)) = self.line.take() else {
            return;
        };
        if self.drops_asides && phrases::is_aside(&plain) {
            return;
        }
        let Some(level) = self.heading else {
            escape_lines(&mut markdown);
            let is_apart = self.parts_captions && self.captions > 0;
            self.output
                .block(&markdown, if is_apart { "" } else { &plain });
            return;
        };
        let mut text = markdown.replace("  \n", " ");
        escape_heading(&mut text);
        let plain = match self.is_in_title {
            true => String::new(),
            false => plain.replace('\n', " "),
        };
        let signs = "#".repeat(usize::from(level));
        self.output.block(&format!("{signs} {text}"), &plain);
    }
}
