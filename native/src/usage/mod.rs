//! Usage preferences (W1): what an owner says about the use of a page for search and AI.
//!
//! A signal is one line of text, `where name value`, for example `robots content-signal ai-train=no`, `meta noai` or
//! `header tdm-reservation 1`. Values are as the owner wrote them: trimmed, without control characters, capped. What a
//! signal means is decided elsewhere (`usage.py`). Nothing here permits or forbids a request.

mod statement;
mod tdmrep;

pub use statement::{Statement, members};
pub use tdmrep::Tdmrep;

/// Characters of a value that are kept: enough for a URL.
const LONGEST: usize = 500;
/// Signals of one name that are read at one place, repetitions included.
const MOST: u8 = 32;

/// Where a signal stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    Robots,
    Header,
    Meta,
    /// A `link` or `a` element.
    Link,
    /// `/.well-known/tdmrep.json`.
    Tdmrep,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Name {
    ContentSignal,
    ContentUsage,
    TdmReservation,
    TdmPolicy,
    NoAi,
    NoImageAi,
    /// A link to the licence of the page, of any kind.
    License,
    /// A link to terms in the format of RSL.
    Rsl,
}

const PLACES: [&str; 5] = ["robots", "header", "meta", "link", "tdmrep"];
const NAMES: [&str; 8] = [
    "content-signal",
    "content-usage",
    "tdm-reservation",
    "tdm-policy",
    "noai",
    "noimageai",
    "license",
    "rsl",
];

impl Name {
    fn as_str(self) -> &'static str {
        NAMES[self as usize]
    }
}

/// The media type of RSL terms.
const RSL_TYPE: &str = "application/rsl+xml";

/// The signals of one page, or of one robots.txt for one path. Without signals it owns no memory.
#[derive(Debug, Default)]
pub struct Signals {
    lines: String,
    read: [[u8; NAMES.len()]; PLACES.len()],
}

impl Signals {
    /// Each line once, in the order in which they came.
    pub fn add(&mut self, place: Place, name: Name, value: &str) {
        let read = &mut self.read[place as usize][name as usize];
        if *read == MOST {
            return;
        }
        *read += 1;
        let start = self.lines.len();
        if start > 0 {
            self.lines.push('\n');
        }
        self.lines.push_str(PLACES[place as usize]);
        self.lines.push(' ');
        self.lines.push_str(name.as_str());
        push_value(value, &mut self.lines);
        let (before, line) = self.lines.split_at(start);
        if before
            .split('\n')
            .any(|known| known == line.trim_start_matches('\n'))
        {
            self.lines.truncate(start);
        }
    }

    pub fn add_statement(&mut self, place: Place, statement: Statement, value: &str) {
        for member in members(statement, value) {
            self.add(place, statement.name(), &member);
        }
    }

    /// A link of `rel=license`.
    pub fn add_license(&mut self, place: Place, href: &str, media_type: &str) {
        let essence = media_type.split(';').next().unwrap_or_default().trim();
        let name = match essence.eq_ignore_ascii_case(RSL_TYPE) {
            true => Name::Rsl,
            false => Name::License,
        };
        self.add(place, name, href);
    }

    /// A header that holds a signal of its own. `X-Robots-Tag` and `Link` hold more than signals, and are read elsewhere.
    pub fn add_header(&mut self, name: &str, value: &str) {
        match name.len() {
            10 if name.eq_ignore_ascii_case("tdm-policy") => {
                self.add(Place::Header, Name::TdmPolicy, value);
            }
            13 if name.eq_ignore_ascii_case("content-usage") => {
                self.add_statement(Place::Header, Statement::Usage, value);
            }
            14 if name.eq_ignore_ascii_case("content-signal") => {
                self.add_statement(Place::Header, Statement::Signal, value);
            }
            15 if name.eq_ignore_ascii_case("tdm-reservation") => {
                self.add(Place::Header, Name::TdmReservation, value);
            }
            _ => {}
        }
    }

    /// A `<meta name content>`; false if it is not a signal.
    pub fn add_meta(&mut self, name: &str, content: &str) -> bool {
        let name = match name.len() {
            10 if name.eq_ignore_ascii_case("tdm-policy") => Name::TdmPolicy,
            15 if name.eq_ignore_ascii_case("tdm-reservation") => Name::TdmReservation,
            _ => return false,
        };
        self.add(Place::Meta, name, content);
        true
    }

    /// One line for each signal; empty without signals.
    pub fn into_lines(self) -> String {
        self.lines
    }
}

/// A space and the value; nothing if it is empty. A value is part of one line, so it has no white space but single
/// spaces.
fn push_value(value: &str, out: &mut String) {
    let is_blank = |character: char| character.is_whitespace() || character.is_control();
    let words = value.split(is_blank).filter(|word| !word.is_empty());
    let mut room = LONGEST;
    for word in words {
        if room == 0 {
            return;
        }
        out.push(' ');
        for character in word.chars().take(room) {
            out.push(character);
            room -= 1;
        }
    }
}

#[cfg(test)]
mod tests;
