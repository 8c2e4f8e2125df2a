//! CSS selectors over the tree of a page (O1).
//!
//! A selector is a list of alternatives; each is a row of *compounds* (`li.product[data-id]`) with a combinator between
//! two of them. `parser` reads the text, `compound` decides about one element, `walk` finds all elements of a subtree in
//! one pass: for every element it notes which beginnings of the selector end there, and the notes of parents and siblings
//! decide about the next ones. So the time is the number of elements times the number of compounds, whatever the page
//! looks like; there is no backtracking.
//!
//! The engine is our own: the crates for it (`selectors`, `cssparser`) are under MPL-2.0 (decision 0031).

mod compound;
mod elements;
mod nth;
mod parser;
mod positions;
#[cfg(test)]
mod tests;
mod text;
mod walk;

pub(crate) use compound::value_of;
pub use elements::{FoundElement, find_elements};
pub(crate) use positions::Positions;
pub(crate) use text::{inner_html, inner_text};
pub(crate) use walk::Search;

use compound::Compound;

/// Bytes of a selector.
pub const LONGEST: usize = 2_000;
/// Compounds of a selector, of all its alternatives together: a bit for each.
pub const MOST_COMPOUNDS: usize = 64;

/// A selector was too expensive for a page: see [`Work`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct TooMuch;

/// The steps that the selectors of one page may still take.
#[derive(Debug)]
pub(crate) struct Work(u64);

impl Work {
    pub fn new(steps: u64) -> Self {
        Work(steps)
    }

    pub fn take(&mut self, steps: usize) -> Result<(), TooMuch> {
        self.0 = self.0.checked_sub(steps as u64).ok_or(TooMuch)?;
        Ok(())
    }
}

/// How a compound relates to the one before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Combinator {
    /// It is the first of its alternative.
    First,
    Descendant,
    Child,
    NextSibling,
    LaterSibling,
}

#[derive(Debug)]
struct Step {
    combinator: Combinator,
    compound: Compound,
    /// Whether an element that matches it is a result.
    is_last: bool,
}

#[derive(Debug)]
pub struct Selector {
    steps: Vec<Step>,
    needs_positions: bool,
}

impl Selector {
    /// The error says what is wrong with the text, and what to write instead.
    pub fn parse(text: &str) -> Result<Self, String> {
        if text.len() > LONGEST {
            return Err(format!("the selector is longer than {LONGEST} bytes"));
        }
        let steps = parser::parse(text)?;
        let needs_positions = steps.iter().any(|step| step.compound.needs_positions());
        Ok(Selector {
            steps,
            needs_positions,
        })
    }

    /// Whether [`Positions`] of the page are needed.
    pub(crate) fn needs_positions(&self) -> bool {
        self.needs_positions
    }
}
