//! Where svg and math begin and end, without a tree.
//!
//! Within them titles, styles and scripts are ordinary elements and CDATA means something. The
//! common cases are decided here; if only a tree could decide, the result is `Unclear`.

use super::names::{self, Name, mark};

/// Open elements, from the outermost `svg` or `math` inwards. Empty in plain HTML.
#[derive(Default)]
pub struct Foreign {
    open: Vec<Name>,
}

/// Which language a tag belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Whose {
    /// It belongs to svg or math.
    Foreign,
    /// It ends svg and math and belongs to HTML.
    Html,
    /// It has no effect.
    Nobody,
    /// Only a tree can decide.
    Unclear,
}

/// How many of the innermost elements are searched for the start of an end tag.
const LOOK_BACK: usize = 64;

/// Deeper nesting is not tracked.
const DEEPEST: usize = 4096;

impl Foreign {
    pub fn is_open(&self) -> bool {
        !self.open.is_empty()
    }

    pub fn enter(&mut self, name: Name) {
        self.open.push(name);
    }

    /// A start tag while an element is open.
    pub fn start(&mut self, name: Name, marks: u8, self_closing: bool) -> Whose {
        if self
            .open
            .last()
            .is_some_and(|innermost| holds_html(*innermost))
            || name == names::FONT
        {
            return Whose::Unclear;
        }
        if marks & mark::BREAKS_OUT != 0 {
            return Whose::Html;
        }
        if !self_closing {
            if self.open.len() >= DEEPEST {
                return Whose::Unclear;
            }
            self.open.push(name);
        }
        Whose::Foreign
    }

    /// An end tag while an element is open; `Foreign` if it closes elements, which `close` returns.
    pub fn end(&self, name: Name) -> Whose {
        if self.innermost(name).is_some() {
            Whose::Foreign
        } else if matches!(name, names::P | names::BR) {
            self.breaks_out()
        } else if is_shape(name) {
            Whose::Nobody
        } else {
            Whose::Unclear
        }
    }

    /// For a tag that ends svg and math: it closes elements up to the nearest integration point, if there is one.
    fn breaks_out(&self) -> Whose {
        if self.open.len() > LOOK_BACK || self.open.iter().any(|open| holds_html(*open)) {
            Whose::Unclear
        } else {
            Whose::Html
        }
    }

    /// Removes the elements that an end tag closes, or all of them, innermost first.
    pub fn close(&mut self, name: Option<Name>) -> impl Iterator<Item = Name> + '_ {
        let keep = name.and_then(|name| self.innermost(name)).unwrap_or(0);
        self.open.drain(keep..).rev()
    }

    fn innermost(&self, name: Name) -> Option<usize> {
        let from = self.open.len().saturating_sub(LOOK_BACK);
        let found = self.open[from..].iter().rposition(|open| *open == name)?;
        Some(from + found)
    }
}

/// Integration points: start tags in them are HTML again.
fn holds_html(name: Name) -> bool {
    matches!(
        name,
        names::FOREIGN_OBJECT
            | names::DESC
            | names::TITLE
            | names::MI
            | names::MO
            | names::MN
            | names::MS
            | names::MTEXT
            | names::ANNOTATION_XML
    )
}

/// Shapes are often closed twice (`<path/></path>`), which has no effect unless one is open in HTML.
pub fn is_shape(name: Name) -> bool {
    matches!(
        name,
        names::PATH
            | names::G
            | names::USE
            | names::RECT
            | names::CIRCLE
            | names::LINE
            | names::POLYGON
            | names::POLYLINE
            | names::ELLIPSE
    )
}
