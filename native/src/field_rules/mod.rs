//! Reads the fields of a page by rules that a user wrote (O1).
//!
//! A rule finds texts: by a CSS selector, by a path into JSON-LD, or by a regular expression in the source. It converts
//! them to a value: a number, a price, a date. With `items`, a page has many rows, and its fields are searched in each
//! item.
//!
//! Everything about one page is bounded: the steps of its selectors, its items, the texts of its values. A page that
//! needs more is `costly` and has no rows. Regular expressions take linear time.
//!
//! - `field`: one rule, and the texts that it finds
//! - `json_path`: paths into JSON-LD
//! - `kind`: what a text is converted to; `number`, `currency` and `date` do it

mod currency;
mod date;
mod field;
mod json_path;
mod kind;
mod number;
mod page;
#[cfg(test)]
mod tests;

use url::Url;

use crate::error::Error;
use crate::html::Reader;
use crate::select::{Selector, TooMuch};

pub use field::{Field, FieldOptions};
use json_path::JsonPath;
pub use kind::Value;
use page::{Item, Page};

/// Fields of a rule set.
pub const MOST_FIELDS: usize = 200;
/// Items of a page; the rest is left out.
pub const MOST_ITEMS: usize = 10_000;

/// Where the rows of a page are.
pub enum Items {
    /// The page is one row.
    Page,
    Elements(Selector),
    Objects(JsonPath),
}

impl Items {
    pub fn parse(css: Option<&str>, json_ld: Option<&str>) -> Result<Self, Error> {
        let refuse = |reason: String| Error::Invalid(format!("items: {reason}"));
        match (css, json_ld) {
            (Some(css), _) => Selector::parse(css).map(Items::Elements).map_err(refuse),
            (None, Some(path)) => JsonPath::parse(path).map(Items::Objects).map_err(refuse),
            (None, None) => Ok(Items::Page),
        }
    }
}

pub struct Rules {
    items: Items,
    fields: Vec<Field>,
}

/// What rules find on one page.
#[derive(Debug, Default, PartialEq)]
pub struct Found {
    /// A value for each field.
    pub rows: Vec<Vec<Value>>,
    pub items: usize,
    /// Items without a value, or without that of a required field.
    pub left_out: usize,
    /// For each field, what it found in all items together.
    pub matches: Vec<Matches>,
    /// The page is too expensive: see [`page::MOST_STEPS`]. It has no rows.
    pub is_costly: bool,
}

#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Matches {
    pub count: usize,
    /// The first text, before it is converted.
    pub first: Option<String>,
    /// The first text that could not be converted.
    pub unread: Option<String>,
}

impl Rules {
    pub fn new(items: Items, fields: Vec<Field>) -> Result<Self, Error> {
        if fields.len() > MOST_FIELDS {
            let reason = format!("there are more than {MOST_FIELDS} fields");
            return Err(Error::Invalid(reason));
        }
        Ok(Rules { items, fields })
    }

    /// Never fails: any bytes give a result, in bounded time and memory.
    pub fn apply(
        &self,
        reader: &Reader,
        body: &[u8],
        url: &Url,
        content_type: &str,
        headers: &[(String, String)],
    ) -> Found {
        let mut page = Page::open(self, reader, body, url, content_type, headers);
        let found = match page.is_costly {
            true => Err(TooMuch),
            false => self.read(&mut page),
        };
        found.unwrap_or_else(|TooMuch| Found {
            matches: vec![Matches::default(); self.fields.len()],
            is_costly: true,
            ..Found::default()
        })
    }

    fn read(&self, page: &mut Page<'_>) -> Result<Found, TooMuch> {
        let mut found = Found {
            matches: vec![Matches::default(); self.fields.len()],
            ..Found::default()
        };
        let of_page = self.read_page_fields(page, &mut found)?;
        for item in page.list_items(&self.items)? {
            found.items += 1;
            let mut row = Vec::with_capacity(self.fields.len());
            for (index, field) in self.fields.iter().enumerate() {
                row.push(match &of_page[index] {
                    Some(value) => value.clone(),
                    None => field.read(page, &item, &mut found.matches[index])?,
                });
            }
            match self.is_kept(&row) {
                true => found.rows.push(row),
                false => found.left_out += 1,
            }
        }
        Ok(found)
    }

    /// Fields of the page itself are read once for all items.
    fn read_page_fields(
        &self,
        page: &mut Page<'_>,
        found: &mut Found,
    ) -> Result<Vec<Option<Value>>, TooMuch> {
        let mut values = Vec::with_capacity(self.fields.len());
        for (field, matches) in self.fields.iter().zip(&mut found.matches) {
            let is_of_page = !matches!(self.items, Items::Page) && field.is_of_page(&self.items);
            values.push(match is_of_page {
                true => Some(field.read(page, &Item::Page, matches)?),
                false => None,
            });
        }
        Ok(values)
    }

    fn is_kept(&self, row: &[Value]) -> bool {
        let mut fields = self.fields.iter().zip(row);
        let has_required = fields.all(|(field, value)| !field.is_required || value.is_found());
        let mut own = self.fields.iter().zip(row).filter(|(field, _)| {
            matches!(self.items, Items::Page) || !field.is_of_page(&self.items)
        });
        has_required && own.any(|(_, value)| value.is_found())
    }

    fn needs_positions(&self) -> bool {
        let items = match &self.items {
            Items::Elements(selector) => selector.needs_positions(),
            _ => false,
        };
        items || self.fields.iter().any(Field::needs_positions)
    }

    fn needs_json_ld(&self) -> bool {
        matches!(self.items, Items::Objects(_)) || self.fields.iter().any(Field::is_json_ld)
    }

    fn needs_source(&self) -> bool {
        self.fields.iter().any(Field::is_of_source)
    }
}
