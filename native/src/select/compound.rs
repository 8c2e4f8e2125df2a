//! One compound: conditions that a single element must meet, such as `li.product[data-id]:first-child`.

use html5ever::{LocalName, ns};

use super::nth::Nth;
use super::positions::{Position, Positions, children};
use super::text::inner_text;
use super::{TooMuch, Work};
use crate::html::tree::{Content, DOCUMENT, Element, Id, Tree};

/// Bytes of a value that are compared in one step.
const BYTES_A_STEP: usize = 16;

#[derive(Debug, Default)]
pub struct Compound {
    /// In lower case; `None` means any element.
    pub name: Option<LocalName>,
    pub conditions: Vec<Condition>,
}

#[derive(Debug)]
pub enum Condition {
    Id(String),
    Class(String),
    Attribute(Attribute),
    Position(From, Nth),
    OnlyChild,
    OnlyOfType,
    Empty,
    Root,
    Scope,
    /// In lower case.
    HasText(String),
    Is(Vec<Compound>),
    Not(Vec<Compound>),
}

#[derive(Debug)]
pub struct Attribute {
    /// In lower case.
    pub name: String,
    pub test: Test,
    pub value: String,
    pub ignores_case: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Test {
    Present,
    Equals,
    /// One of its words.
    Word,
    /// The value, or the value and a hyphen after it.
    Language,
    Begins,
    Ends,
    Contains,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum From {
    Start,
    End,
    StartOfType,
    EndOfType,
}

/// What a compound is asked about.
pub struct Asked<'t> {
    pub tree: &'t Tree,
    pub positions: Option<&'t Positions>,
    pub scope: Id,
    pub id: Id,
    pub element: &'t Element,
}

impl Compound {
    pub fn needs_positions(&self) -> bool {
        self.conditions.iter().any(|condition| match condition {
            Condition::Position(..) | Condition::OnlyChild | Condition::OnlyOfType => true,
            Condition::Is(list) | Condition::Not(list) => {
                list.iter().any(Compound::needs_positions)
            }
            _ => false,
        })
    }

    pub fn names_scope(&self) -> bool {
        let mut conditions = self.conditions.iter();
        conditions.any(|condition| matches!(condition, Condition::Scope))
    }

    pub fn matches(&self, asked: &Asked<'_>, work: &mut Work) -> Result<bool, TooMuch> {
        work.take(1)?;
        if let Some(name) = &self.name
            && !has_name(asked.element, name)
        {
            return Ok(false);
        }
        for condition in &self.conditions {
            if !condition.holds(asked, work)? {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

impl Condition {
    fn holds(&self, asked: &Asked<'_>, work: &mut Work) -> Result<bool, TooMuch> {
        Ok(match self {
            Condition::Id(id) => asked.element.attribute("id") == Some(id),
            Condition::Class(class) => {
                let classes = asked.element.attribute("class").unwrap_or_default();
                work.take(classes.len() / BYTES_A_STEP)?;
                classes.split_ascii_whitespace().any(|word| word == class)
            }
            Condition::Attribute(attribute) => attribute.holds(asked.element, work)?,
            Condition::Position(from, nth) => nth.matches(from.of(asked.position())),
            Condition::OnlyChild => {
                let position = asked.position();
                position.from_start == 1 && position.from_end == 1
            }
            Condition::OnlyOfType => {
                let position = asked.position();
                position.of_type_from_start == 1 && position.of_type_from_end == 1
            }
            Condition::Empty => asked.is_empty(),
            Condition::Root => asked.tree.parent(asked.id) == Some(DOCUMENT),
            Condition::Scope => asked.is_scope(),
            Condition::HasText(text) => inner_text(asked.tree, asked.id, work)?
                .to_lowercase()
                .contains(text),
            Condition::Is(list) => any_matches(list, asked, work)?,
            Condition::Not(list) => !any_matches(list, asked, work)?,
        })
    }
}

fn any_matches(list: &[Compound], asked: &Asked<'_>, work: &mut Work) -> Result<bool, TooMuch> {
    for compound in list {
        if compound.matches(asked, work)? {
            return Ok(true);
        }
    }
    Ok(false)
}

impl Asked<'_> {
    fn position(&self) -> Position {
        let positions = self.positions.map(|positions| positions.of(self.id));
        positions.unwrap_or_default()
    }

    /// In a whole document, the scope is its root element.
    fn is_scope(&self) -> bool {
        self.id == self.scope
            || (self.scope == DOCUMENT && self.tree.parent(self.id) == Some(DOCUMENT))
    }

    fn is_empty(&self) -> bool {
        children(self.tree, self.id).all(|child| match self.tree.content(child) {
            Content::Element(_) => false,
            Content::Text(text) => text.is_empty(),
            Content::Fragment => true,
        })
    }
}

impl From {
    fn of(self, position: Position) -> u32 {
        match self {
            From::Start => position.from_start,
            From::End => position.from_end,
            From::StartOfType => position.of_type_from_start,
            From::EndOfType => position.of_type_from_end,
        }
    }
}

impl Attribute {
    fn holds(&self, element: &Element, work: &mut Work) -> Result<bool, TooMuch> {
        let Some(found) = value_of(element, &self.name) else {
            return Ok(false);
        };
        work.take(found.len() / BYTES_A_STEP)?;
        if self.ignores_case {
            let (found, value) = (found.to_ascii_lowercase(), self.value.to_ascii_lowercase());
            return Ok(self.test.holds(&found, &value));
        }
        Ok(self.test.holds(found, &self.value))
    }
}

/// Names of SVG and MathML may have capitals.
fn has_name(element: &Element, name: &LocalName) -> bool {
    let local = &element.name.local;
    local == name || (element.name.ns != ns!(html) && (**local).eq_ignore_ascii_case(name))
}

/// The value of an attribute; its name is compared without case.
pub fn value_of<'t>(element: &'t Element, name: &str) -> Option<&'t str> {
    let found = element.attributes.iter().find(|attribute| {
        let local: &str = &attribute.name.local;
        match &attribute.name.prefix {
            None => local.eq_ignore_ascii_case(name),
            Some(prefix) => name.split_once(':').is_some_and(|(before, after)| {
                (**prefix).eq_ignore_ascii_case(before) && local.eq_ignore_ascii_case(after)
            }),
        }
    })?;
    Some(&found.value)
}

impl Test {
    fn holds(self, found: &str, value: &str) -> bool {
        match self {
            Test::Present => true,
            Test::Equals => found == value,
            Test::Word => found.split_ascii_whitespace().any(|word| word == value),
            Test::Language => {
                let rest = found.strip_prefix(value);
                rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('-'))
            }
            // As the standard has it, an empty value is in nothing.
            Test::Begins => !value.is_empty() && found.starts_with(value),
            Test::Ends => !value.is_empty() && found.ends_with(value),
            Test::Contains => !value.is_empty() && found.contains(value),
        }
    }
}
