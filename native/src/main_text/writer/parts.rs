//! Parts whose insides are no blocks of their own: code and tables.

use super::super::code_language;
use super::super::line::{Line, escape_lines, longest_run};
use super::super::outline::Index;
use super::super::table;
use super::super::tag::Tag;
use super::{Addresses, Writer};

impl<A: Addresses> Writer<'_, '_, A> {
    pub fn write_code(&mut self, index: Index) {
        let code = self.raw_text(index);
        let code = code.trim_end();
        let code = code.trim_start_matches(['\n', '\r']);
        if code.trim().is_empty() {
            return;
        }
        let fence = "`".repeat(longest_run(code, b'`').max(2) + 1);
        let language = code_language::find(self.outline, index).unwrap_or_default();
        self.output
            .block(&format!("{fence}{language}\n{code}\n{fence}"), code);
    }

    /// The text of a subtree as it stands, its lines ended by line feeds: a carriage return that was left would end the prefix
    /// of a list or a quotation.
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
        match text.contains('\r') {
            true => text.replace("\r\n", "\n").replace('\r', "\n"),
            false => text,
        }
    }

    pub fn write_table(&mut self, index: Index) {
        let mut table = table::read(self.outline, self.dropped, index, |cell| self.inline(cell));
        for (markdown, plain) in &mut table.captions {
            escape_lines(markdown);
            self.output.block(markdown, plain);
        }
        if !table.rows.is_empty() {
            let (markdown, plain) = table.render();
            self.output.block(&markdown, &plain);
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
}
