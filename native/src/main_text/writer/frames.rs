//! Lists and quotations around a block: what they put before each of its lines.

/// Lists and quotations within each other; deeper ones are written at this depth.
const MOST_FRAMES: usize = 12;

#[derive(Debug, Clone)]
pub struct Frame {
    number: usize,
    kind: FrameKind,
}

#[derive(Debug, Clone)]
pub enum FrameKind {
    Quote,
    Item {
        marker: String,
        is_written: bool,
        /// It needs an empty line before it: Markdown takes `3.` after a line of text for text.
        needs_gap: bool,
    },
}

/// The frames that are open, the outermost first.
#[derive(Default)]
pub struct Frames {
    open: Vec<Frame>,
    made: usize,
    /// Frames that were too deep to be opened.
    skipped: usize,
    /// Numbers of the frames of the last block.
    last: Vec<usize>,
    last_is_item: bool,
}

/// What stands before the lines of a block.
pub struct Prefixes {
    /// The line before the block, if there is one.
    pub gap: Option<String>,
    pub first: String,
    pub rest: String,
    pub begins_item: bool,
}

impl Frames {
    pub fn push(&mut self, kind: FrameKind) {
        if self.open.len() == MOST_FRAMES {
            self.skipped += 1;
            return;
        }
        self.made += 1;
        self.open.push(Frame {
            number: self.made,
            kind,
        });
    }

    pub fn pop(&mut self) {
        if self.skipped > 0 {
            self.skipped -= 1;
        } else {
            self.open.pop();
        }
    }

    /// For the next block, which is then the last one.
    pub fn begin_block(&mut self) -> Prefixes {
        let begun = self.open.iter().filter_map(Frame::gap_of_begun);
        let (begins_item, needs_gap) =
            begun.fold((false, false), |(_, gap), other| (true, gap || other));
        let prefixes = Prefixes {
            gap: (!begins_item || needs_gap || !self.last_is_item).then(|| self.shared_prefix()),
            first: self.open.iter_mut().map(Frame::beginning).collect(),
            rest: self.open.iter().map(Frame::continuation).collect(),
            begins_item,
        };
        self.last_is_item = self.open.iter().any(Frame::is_item);
        self.last.clear();
        self.last.extend(self.open.iter().map(|frame| frame.number));
        prefixes
    }

    /// Of the frames that the last block is in, too.
    fn shared_prefix(&self) -> String {
        let both = self.open.iter().zip(&self.last);
        let shared = both.take_while(|(frame, last)| frame.number == **last);
        let prefix: String = shared.map(|(frame, _)| frame.continuation()).collect();
        prefix.trim_end().to_owned()
    }
}

impl Frame {
    fn is_item(&self) -> bool {
        matches!(self.kind, FrameKind::Item { .. })
    }

    /// Whether the item that begins here needs a gap; `None` where none begins.
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
