//! One paragraph, heading or cell in the making: its inline text, as Markdown and as plain text at once.
//!
//! White space is folded: a space is written when something follows it. So are the marks that open emphasis and links:
//! one that holds no text leaves no trace. CommonMark reads `a**"b"**c` as text, so where a mark would not count it is
//! left out.

mod escape;

use escape::{escape, write_destination};
pub use escape::{escape_heading, escape_lines};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mark {
    Strong,
    Emphasis,
    Deleted,
    Subscript,
    Superscript,
}

impl Mark {
    /// What opens it. Markdown has no sign for the last two; the HTML that it allows says them.
    fn opening(self) -> &'static str {
        match self {
            Mark::Strong => "**",
            Mark::Emphasis => "*",
            Mark::Deleted => "~~",
            Mark::Subscript => "<sub>",
            Mark::Superscript => "<sup>",
        }
    }

    fn closing(self) -> &'static str {
        match self {
            Mark::Subscript => "</sub>",
            Mark::Superscript => "</sup>",
            _ => self.opening(),
        }
    }

    /// Its signs count wherever they stand.
    fn is_element(self) -> bool {
        matches!(self, Mark::Subscript | Mark::Superscript)
    }
}

/// Something that is open around the text to come.
#[derive(Debug, Clone)]
enum Span {
    Mark {
        mark: Mark,
        /// Where its sign stands, once there is text in it; `Some(None)`: it was left out.
        at: Option<Option<usize>>,
    },
    Link {
        address: Option<String>,
        at: Option<usize>,
    },
}

#[derive(Default)]
pub struct Line {
    pub markdown: String,
    pub plain: String,
    /// The word that is being collected.
    word: String,
    spans: Vec<Span>,
    has_space: bool,
    has_break: bool,
    /// Text of a `code` that is open, and how many are.
    code: String,
    codes: usize,
    /// Start and end of the signs that were closed last.
    closed: Option<(usize, usize, &'static str)>,
    /// Breaks are spaces here.
    is_single: bool,
}

/// Soft hyphens, and spaces and marks that take no room.
const UNSEEN: [char; 4] = ['\u{AD}', '\u{200B}', '\u{2060}', '\u{FEFF}'];

/// Deeper ones are not written.
const MOST_SPANS: usize = 32;

impl Line {
    pub fn single() -> Self {
        Line {
            is_single: true,
            ..Line::default()
        }
    }

    pub fn text(&mut self, text: &str) {
        if self.codes > 0 {
            self.code.push_str(text);
            return;
        }
        for (number, piece) in text.split([' ', '\n', '\t', '\r', '\x0C']).enumerate() {
            if number > 0 {
                self.end_word();
                self.has_space = true;
            }
            self.word.push_str(piece);
        }
    }

    pub fn space(&mut self) {
        self.end_word();
        self.has_space = true;
    }

    pub fn line_break(&mut self) {
        self.end_word();
        if self.codes > 0 {
            self.code.push(' ');
        } else if self.is_single {
            self.has_space = true;
        } else {
            self.has_break = true;
        }
    }

    pub fn open_mark(&mut self, mark: Mark) {
        self.end_word();
        if self.spans.len() < MOST_SPANS {
            self.spans.push(Span::Mark { mark, at: None });
        }
    }

    pub fn close_mark(&mut self, mark: Mark) {
        self.end_word();
        let position = self
            .spans
            .iter()
            .rposition(|span| matches!(span, Span::Mark { mark: other, .. } if *other == mark));
        let Some(position) = position else { return };
        self.close_span(position);
    }

    pub fn open_link(&mut self, address: Option<String>) {
        self.end_word();
        if self.spans.len() < MOST_SPANS {
            self.spans.push(Span::Link { address, at: None });
        }
    }

    pub fn close_link(&mut self) {
        self.end_word();
        let position = self
            .spans
            .iter()
            .rposition(|span| matches!(span, Span::Link { .. }));
        let Some(position) = position else { return };
        self.close_span(position);
    }

    pub fn open_code(&mut self) {
        self.end_word();
        self.codes += 1;
    }

    pub fn close_code(&mut self) {
        self.codes = self.codes.saturating_sub(1);
        if self.codes == 0 {
            self.write_code();
        }
    }

    /// Takes what was written; spans that are open go on in the next line.
    pub fn take(&mut self) -> Option<(String, String)> {
        self.end_word();
        if !self.code.is_empty() {
            self.write_code();
        }
        let mut reopened = Vec::new();
        while let Some(span) = self.spans.last().cloned() {
            reopened.push(match span {
                Span::Mark { mark, .. } => Span::Mark { mark, at: None },
                Span::Link { address, .. } => Span::Link { address, at: None },
            });
            self.close_span(self.spans.len() - 1);
        }
        reopened.reverse();
        self.spans = reopened;
        (self.has_space, self.has_break, self.closed) = (false, false, None);
        let plain = std::mem::take(&mut self.plain);
        let markdown = std::mem::take(&mut self.markdown);
        (!plain.is_empty()).then_some((markdown, plain))
    }

    /// Writes the word that was collected: it may come in pieces, as a character reference is a text of its own.
    fn end_word(&mut self) {
        if self.word.is_empty() {
            return;
        }
        let mut word = std::mem::take(&mut self.word);
        word.retain(|c| !UNSEEN.contains(&c));
        if let Some(first) = word.chars().next() {
            self.separate();
            self.check_closed(first);
            self.write_opening(first);
            escape(&word, &mut self.markdown);
            self.plain.push_str(&word);
        }
        word.clear();
        self.word = word;
    }

    fn write_code(&mut self) {
        let raw = std::mem::take(&mut self.code);
        let mut code = String::with_capacity(raw.len());
        for word in raw.split_ascii_whitespace() {
            if !code.is_empty() {
                code.push(' ');
            }
            code.push_str(word);
        }
        self.has_space |= raw.starts_with(|c: char| c.is_ascii_whitespace());
        if !code.is_empty() {
            self.separate();
            self.check_closed('`');
            self.write_opening('`');
            let fence = "`".repeat(longest_run(&code, b'`') + 1);
            let pad = if code.starts_with('`') || code.ends_with('`') {
                " "
            } else {
                ""
            };
            for part in [&fence, pad, &code, pad, &fence] {
                self.markdown.push_str(part);
            }
            self.plain.push_str(&code);
        }
        self.has_space |= raw.ends_with(|c: char| c.is_ascii_whitespace());
    }

    fn separate(&mut self) {
        let (space, line_break) = (
            std::mem::take(&mut self.has_space),
            std::mem::take(&mut self.has_break),
        );
        if self.plain.is_empty() || !(space || line_break) {
            return;
        }
        self.closed = None;
        if line_break {
            self.markdown.push_str("  \n");
            self.plain.push('\n');
        } else {
            self.markdown.push(' ');
            self.plain.push(' ');
        }
    }

    /// A closing sign after punctuation does not count before a letter: both signs go.
    fn check_closed(&mut self, next: char) {
        let Some((open, close, sign)) = self.closed.take() else {
            return;
        };
        if close + sign.len() != self.markdown.len() {
            return;
        }
        let before = self.markdown[..close].chars().next_back().unwrap_or(' ');
        if next.is_alphanumeric() && !before.is_alphanumeric() {
            self.markdown.truncate(close);
            self.markdown.replace_range(open..open + sign.len(), "");
        }
    }

    fn write_opening(&mut self, next: char) {
        for index in 0..self.spans.len() {
            let before = self.markdown.chars().next_back().unwrap_or(' ');
            match &mut self.spans[index] {
                Span::Mark { mark, at } if at.is_none() => {
                    let counts = mark.is_element()
                        || (next.is_alphanumeric() || !before.is_alphanumeric())
                            && before != '*'
                            && before != '~';
                    *at = Some(counts.then_some(self.markdown.len()));
                    if counts {
                        self.markdown.push_str(mark.opening());
                    }
                }
                Span::Link {
                    address: Some(_),
                    at,
                } if at.is_none() => {
                    if self.markdown.ends_with('!') {
                        self.markdown.pop();
                        self.markdown.push_str("\\!");
                    }
                    *at = Some(self.markdown.len());
                    self.markdown.push('[');
                }
                _ => {}
            }
        }
    }

    /// Those that were opened after it are closed with it: they overlap, which Markdown cannot say.
    fn close_span(&mut self, position: usize) {
        while self.spans.len() > position {
            match self.spans.pop() {
                Some(Span::Mark {
                    mark,
                    at: Some(Some(at)),
                }) => {
                    let sign = mark.closing();
                    self.closed = (!mark.is_element()).then_some((at, self.markdown.len(), sign));
                    self.markdown.push_str(sign);
                }
                Some(Span::Link {
                    address: Some(address),
                    at: Some(_),
                }) => {
                    self.closed = None;
                    self.markdown.push_str("](");
                    write_destination(&address, &mut self.markdown);
                    self.markdown.push(')');
                }
                _ => {}
            }
        }
    }
}

pub fn longest_run(text: &str, wanted: u8) -> usize {
    let (mut longest, mut run) = (0, 0);
    for byte in text.bytes() {
        run = if byte == wanted { run + 1 } else { 0 };
        longest = longest.max(run);
    }
    longest
}
