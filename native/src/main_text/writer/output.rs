//! Markdown and plain text, written at once, block by block.

use super::frames::Frames;

pub struct Output {
    pub markdown: String,
    pub plain: String,
    pub frames: Frames,
    most_bytes: usize,
}

impl Output {
    pub fn new(most_bytes: usize) -> Self {
        Output {
            markdown: String::new(),
            plain: String::new(),
            frames: Frames::default(),
            most_bytes,
        }
    }

    pub fn is_full(&self) -> bool {
        self.markdown.len() > self.most_bytes
    }

    pub fn block(&mut self, markdown: &str, plain: &str) {
        if markdown.is_empty() {
            return;
        }
        let prefixes = self.frames.begin_block();
        if !self.markdown.is_empty() {
            self.markdown.push('\n');
            if let Some(gap) = &prefixes.gap {
                self.markdown.push_str(gap);
                self.markdown.push('\n');
            }
        }
        for (number, line) in markdown.split('\n').enumerate() {
            if self.is_full() {
                break;
            }
            let mut prefix = prefixes.first.as_str();
            if number > 0 {
                self.markdown.push('\n');
                prefix = prefixes.rest.as_str();
            }
            if line.is_empty() {
                prefix = prefix.trim_end();
            }
            self.markdown.push_str(prefix);
            self.markdown.push_str(line);
        }
        self.plain_block(plain, &prefixes.first, prefixes.begins_item);
    }

    /// Items keep their markers in plain text; quotations have none.
    fn plain_block(&mut self, plain: &str, first: &str, begins_item: bool) {
        if plain.is_empty() {
            return;
        }
        if !self.plain.is_empty() {
            self.plain.push('\n');
        }
        if begins_item {
            self.plain.push_str(first.replace("> ", "").trim_start());
        }
        self.plain.push_str(plain);
    }
}
