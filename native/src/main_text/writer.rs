//! Writes what was kept, as Markdown (CommonMark with the tables of GitHub) and as plain text.
//!
//! Both are written at once, block by block. A block is a line of inline text, a heading, code or a table; lists and
//! quotations are frames that put a prefix before each line of the blocks in them.

use super::line::{Line, Mark, escape_start, longest_run};
use super::outline::{Index, Outline};
use super::phrases;
use super::table;
use super::tag::Tag;

/// Lists and quotations within each other; deeper ones are written at this depth.
const MOST_FRAMES: usize = 12;

/// Addresses of links, resolved. Each may be as long as the base: together they are capped.
pub trait Addresses {
    fn resolve(&mut self, href: &str) -> Option<String>;
}

#[derive(Debug, Clone)]
struct Frame {
    number: usize,
    kind: FrameKind,
}

#[derive(Debug, Clone)]
enum FrameKind {
    Quote,
    Item {
        marker: String,
        is_written: bool,
        /// It needs an empty line before it: Markdown takes `3.` after a line of text for text.
        needs_gap: bool,
    },
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
    pub markdown: String,
    pub plain: String,
    most_bytes: usize,
    line: Line,
    frames: Vec<Frame>,
    /// Of the last block: its frames' numbers.
    last_frames: Vec<usize>,
    last_is_item: bool,
    frames_made: usize,
    lists: Vec<OpenList>,
    /// Frames that a list item or a quotation was too deep for.
    skipped_frames: usize,
    heading: Option<u8>,
    /// The heading that is the page's title: not part of the plain text.
    pub title: Option<Index>,
    is_in_title: bool,
    /// Lines that are no text of the page are left out.
    pub drops_asides: bool,
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
            markdown: String::new(),
            plain: String::new(),
            most_bytes,
            line: Line::default(),
            frames: Vec::new(),
            last_frames: Vec::new(),
            last_is_item: false,
            frames_made: 0,
            lists: Vec::new(),
            skipped_frames: 0,
            heading: None,
            title: None,
            is_in_title: false,
            drops_asides: false,
        }
    }

    pub fn write(&mut self, root: Index) {
        let mut open: Vec<Index> = Vec::new();
        let mut index = root;
        let end = self.outline.nodes[root].end;
        while index < end && !self.is_full() {
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

    fn is_full(&self) -> bool {
        self.markdown.len() > self.most_bytes
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
            Tag::List => self.lists.push(OpenList {
                next: None,
                is_begun: false,
            }),
            Tag::OrderedList => {
                let start = self
                    .outline
                    .attribute(index, "start")
                    .and_then(|start| start.trim().parse().ok());
                self.lists.push(OpenList {
                    next: Some(start.unwrap_or(1).min(99_999_999)),
                    is_begun: false,
                });
            }
            Tag::Item => {
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
                self.push_frame(FrameKind::Item {
                    marker,
                    is_written: false,
                    needs_gap,
                });
            }
            Tag::Quote => self.push_frame(FrameKind::Quote),
            Tag::A => {
                let href = self.outline.attribute(index, "href");
                let address = href.and_then(|href| self.addresses.resolve(href));
                self.line.open_link(address);
            }
            Tag::Strong if self.heading.is_none() => self.line.open_mark(Mark::Strong),
            Tag::Emphasis => self.line.open_mark(Mark::Emphasis),
            Tag::Deleted => self.line.open_mark(Mark::Deleted),
            Tag::Code => self.line.open_code(),
            _ => {}
        }
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
            Tag::Item | Tag::Quote => self.pop_frame(),
            Tag::A => self.line.close_link(),
            Tag::Strong if self.heading.is_none() => self.line.close_mark(Mark::Strong),
            Tag::Emphasis => self.line.close_mark(Mark::Emphasis),
            Tag::Deleted => self.line.close_mark(Mark::Deleted),
            Tag::Code => self.line.close_code(),
            _ => {}
        }
    }

    fn push_frame(&mut self, kind: FrameKind) {
        if self.frames.len() == MOST_FRAMES {
            self.skipped_frames += 1;
            return;
        }
        self.frames_made += 1;
        self.frames.push(Frame {
            number: self.frames_made,
            kind,
        });
    }

    fn pop_frame(&mut self) {
        if self.skipped_frames > 0 {
            self.skipped_frames -= 1;
        } else {
            self.frames.pop();
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
        match self.heading {
            Some(level) => {
                let markdown = format!(
                    "{} {}",
                    "#".repeat(usize::from(level)),
                    markdown.replace("  \n", " ")
                );
                let plain = if self.is_in_title {
                    String::new()
                } else {
                    plain.replace('\n', " ")
                };
                self.block(&markdown, &plain);
            }
            None => {
                escape_start(&mut markdown);
                self.block(&markdown, &plain);
            }
        }
    }

    fn write_code(&mut self, index: Index) {
        let code = self.raw_text(index);
        let code = code.trim_end();
        let code = code.trim_start_matches(['\n', '\r']);
        if code.trim().is_empty() {
            return;
        }
        let fence = "`".repeat(longest_run(code, b'`').max(2) + 1);
        let language = super::code_language::find(self.outline, index).unwrap_or_default();
        self.block(&format!("{fence}{language}\n{code}\n{fence}"), code);
    }

    /// The text of a subtree as it stands.
    fn raw_text(&self, root: Index) -> String {
        let mut text = String::new();
        let mut index = root + 1;
        while index < self.outline.nodes[root].end {
            let node = &self.outline.nodes[index];
            if self.dropped[index] {
                index = node.end;
                continue;
            }
            match node.tag {
                Tag::Text => text.push_str(node.text),
                Tag::Break => text.push('\n'),
                tag if tag.is_block() && !text.is_empty() && !text.ends_with('\n') => {
                    text.push('\n')
                }
                _ => {}
            }
            index += 1;
        }
        text
    }

    fn write_table(&mut self, index: Index) {
        let table = table::read(self.outline, self.dropped, index, |cell| self.inline(cell));
        for (markdown, plain) in &table.captions {
            self.block(markdown, plain);
        }
        if !table.rows.is_empty() {
            let (markdown, plain) = table.render();
            self.block(&markdown, &plain);
        }
    }

    /// The text of a cell or caption in one line.
    fn inline(&mut self, root: Index) -> (String, String) {
        let mut line = Line::single();
        let mut open: Vec<Index> = Vec::new();
        let mut index = root + 1;
        std::mem::swap(&mut self.line, &mut line);
        while index < self.outline.nodes[root].end {
            while let Some(above) = open.pop_if(|above| self.outline.nodes[*above].end <= index) {
                self.leave_inline(above);
            }
            let node = &self.outline.nodes[index];
            if self.dropped[index] {
                index = node.end;
                continue;
            }
            match node.tag {
                Tag::Text => self.line.text(node.text),
                Tag::Break => self.line.line_break(),
                tag if tag.is_block() => {
                    self.line.space();
                    open.push(index);
                }
                tag => {
                    self.open(tag, index);
                    open.push(index);
                }
            }
            index += 1;
        }
        while let Some(above) = open.pop() {
            self.leave_inline(above);
        }
        std::mem::swap(&mut self.line, &mut line);
        line.take().unwrap_or_default()
    }

    fn leave_inline(&mut self, index: Index) {
        if self.outline.nodes[index].tag.is_block() {
            self.line.space();
        } else {
            self.leave(index);
        }
    }

    fn block(&mut self, markdown: &str, plain: &str) {
        if markdown.is_empty() {
            return;
        }
        let begun = self.frames.iter().filter_map(Frame::gap_of_begun);
        let (begins_item, needs_gap) =
            begun.fold((false, false), |(_, gap), other| (true, gap || other));
        let shared = self
            .frames
            .iter()
            .zip(&self.last_frames)
            .take_while(|(frame, last)| frame.number == **last)
            .count();
        if !self.markdown.is_empty() {
            self.markdown.push('\n');
            if !begins_item || needs_gap || !self.last_is_item {
                let quotes = self.frames[..shared].iter();
                let prefix: String = quotes.map(Frame::continuation).collect();
                self.markdown.push_str(prefix.trim_end());
                self.markdown.push('\n');
            }
        }
        if !self.plain.is_empty() && !plain.is_empty() {
            self.plain.push('\n');
        }
        let first: String = self.frames.iter_mut().map(Frame::beginning).collect();
        let plain_first: String = if begins_item {
            first.replace("> ", "")
        } else {
            String::new()
        };
        let rest: String = self.frames.iter().map(Frame::continuation).collect();
        for (number, line) in markdown.split('\n').enumerate() {
            if self.is_full() {
                break;
            }
            if number > 0 {
                self.markdown.push('\n');
            }
            let prefix = if number == 0 { &first } else { &rest };
            self.markdown.push_str(if line.is_empty() {
                prefix.trim_end()
            } else {
                prefix
            });
            self.markdown.push_str(line);
        }
        if !plain.is_empty() {
            self.plain.push_str(plain_first.trim_start());
            self.plain.push_str(plain);
        }
        self.last_is_item = self.frames.iter().any(Frame::is_item);
        self.last_frames.clear();
        self.last_frames
            .extend(self.frames.iter().map(|frame| frame.number));
    }
}

impl Frame {
    fn is_item(&self) -> bool {
        matches!(self.kind, FrameKind::Item { .. })
    }

    /// Whether the item that begins here needs a gap; `None` where none does.
    fn gap_of_begun(&self) -> Option<bool> {
        match self.kind {
            FrameKind::Item {
                is_written: false,
                needs_gap,
                ..
            } => Some(needs_gap),
            _ => None,
        }
    }

    /// What stands before the next line: the marker of an item, once.
    fn beginning(&mut self) -> String {
        if let FrameKind::Item {
            marker, is_written, ..
        } = &mut self.kind
            && !*is_written
        {
            *is_written = true;
            return marker.clone();
        }
        self.continuation()
    }

    fn continuation(&self) -> String {
        match &self.kind {
            FrameKind::Quote => "> ".to_owned(),
            FrameKind::Item { marker, .. } => " ".repeat(marker.len()),
        }
    }
}
