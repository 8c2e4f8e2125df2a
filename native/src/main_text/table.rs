//! Tables: which hold data, and how they are written.

use super::outline::{Index, Outline};
use super::tag::Tag;

/// Cells of a row; further ones are dropped.
const MOST_COLUMNS: usize = 60;

#[derive(Default)]
pub struct Table {
    pub captions: Vec<(String, String)>,
    pub rows: Vec<Vec<(String, String)>>,
    has_header: bool,
}

/// False for a table that lays out the page: what is in it is written as if it were not there.
pub fn is_data(outline: &Outline<'_>, dropped: &[bool], table: Index) -> bool {
    if matches!(
        outline.attribute(table, "role"),
        Some("presentation" | "none")
    ) {
        return false;
    }
    let (mut rows, mut columns, mut widest) = (0, 0, 0);
    let mut has_header = false;
    let (mut blocks, mut quotes) = (0, 0);
    let mut index = table + 1;
    while index < outline.nodes[table].end {
        let node = &outline.nodes[index];
        if dropped[index] {
            index = node.end;
            continue;
        }
        match node.tag {
            Tag::Table => return false,
            Tag::Row => {
                rows += 1;
                columns = 0;
            }
            Tag::Cell | Tag::HeaderCell => {
                columns += 1;
                widest = widest.max(columns);
                has_header |= node.tag == Tag::HeaderCell;
            }
            Tag::Heading(_) | Tag::Preformatted | Tag::Article => blocks += 1,
            Tag::Quote => quotes += 1,
            _ => {}
        }
        index += 1;
    }
    let is_plain = blocks + quotes == 0;
    widest >= 2 && (rows >= 2 || has_header) && (is_plain || has_header && blocks * 4 < rows)
}

/// Reads a data table; `inline` gives the text of a cell.
pub fn read(
    outline: &Outline<'_>,
    dropped: &[bool],
    table: Index,
    mut inline: impl FnMut(Index) -> (String, String),
) -> Table {
    let mut read = Table::default();
    // How many more rows the cell above reaches into, by column.
    let mut spans: Vec<usize> = Vec::new();
    let mut is_first = true;
    let mut index = table + 1;
    while index < outline.nodes[table].end {
        let node = &outline.nodes[index];
        index = match node.tag {
            _ if dropped[index] => node.end,
            Tag::Caption => {
                let (markdown, plain) = inline(index);
                if !plain.is_empty() {
                    read.captions.push((markdown, plain));
                }
                node.end
            }
            Tag::Row => {
                let (row, is_header) = read_row(outline, dropped, index, &mut spans, &mut inline);
                if row.iter().any(|(_, plain)| !plain.is_empty()) {
                    read.has_header |= is_first && is_header;
                    is_first = false;
                    read.rows.push(row);
                }
                node.end
            }
            _ => index + 1,
        };
    }
    read
}

fn read_row(
    outline: &Outline<'_>,
    dropped: &[bool],
    row: Index,
    spans: &mut Vec<usize>,
    inline: &mut impl FnMut(Index) -> (String, String),
) -> (Vec<(String, String)>, bool) {
    let mut cells = Vec::new();
    let mut is_header = true;
    let mut next_spans = vec![0; spans.len()];
    for (column, left) in spans.iter().enumerate() {
        next_spans[column] = left.saturating_sub(1);
    }
    for cell in outline.children(row) {
        if dropped[cell] || !matches!(outline.nodes[cell].tag, Tag::Cell | Tag::HeaderCell) {
            continue;
        }
        while spans.get(cells.len()).is_some_and(|left| *left > 0) {
            cells.push(Default::default());
        }
        if cells.len() >= MOST_COLUMNS {
            break;
        }
        is_header &= outline.nodes[cell].tag == Tag::HeaderCell;
        let number = |name| {
            outline
                .attribute(cell, name)
                .and_then(|text| text.trim().parse::<usize>().ok())
        };
        let width = number("colspan")
            .unwrap_or(1)
            .clamp(1, MOST_COLUMNS - cells.len());
        let height = number("rowspan").unwrap_or(1).clamp(1, 1_000);
        if height > 1 {
            next_spans.resize(next_spans.len().max(cells.len() + width), 0);
            next_spans[cells.len()..cells.len() + width].fill(height - 1);
        }
        cells.push(inline(cell));
        cells.extend((1..width).map(|_| Default::default()));
    }
    while cells
        .last()
        .is_some_and(|(_, plain): &(String, String)| plain.is_empty())
    {
        cells.pop();
    }
    *spans = next_spans;
    (cells, is_header)
}

impl Table {
    /// Without a header of its own its header is empty: Markdown has no tables without one.
    pub fn render(&self) -> (String, String) {
        let columns = self.rows.iter().map(Vec::len).max().unwrap_or(0);
        let mut markdown = String::new();
        let nothing = Vec::new();
        let (header, body) = match self.has_header {
            true => (&self.rows[0], &self.rows[1..]),
            false => (&nothing, &self.rows[..]),
        };
        write_row(&mut markdown, header, columns);
        markdown.push_str("\n|");
        markdown.push_str(&" --- |".repeat(columns));
        for row in body {
            markdown.push('\n');
            write_row(&mut markdown, row, row.len());
        }
        let plain_row = |row: &Vec<(String, String)>| {
            let cells: Vec<&str> = row.iter().map(|(_, plain)| plain.as_str()).collect();
            cells.join("\t")
        };
        let plain: Vec<String> = self.rows.iter().map(plain_row).collect();
        (markdown, plain.join("\n"))
    }
}

fn write_row(markdown: &mut String, row: &[(String, String)], columns: usize) {
    markdown.push('|');
    for column in 0..columns {
        let text = row
            .get(column)
            .map_or("", |(markdown, _)| markdown.as_str());
        markdown.push(' ');
        markdown.push_str(&text.replace('|', "\\|"));
        markdown.push_str(" |");
    }
}
