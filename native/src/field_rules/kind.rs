//! What a text is converted to.

use std::str::FromStr;

use super::page::Page;
use super::{currency, date, number};

/// A value of a field.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    Nothing,
    Text(String),
    Integer(i64),
    Number(f64),
    Truth(bool),
    List(Vec<Value>),
}

impl Value {
    pub fn is_found(&self) -> bool {
        !matches!(self, Value::Nothing | Value::Truth(false))
            && !matches!(self, Value::List(list) if list.is_empty())
            && !matches!(self, Value::Text(text) if text.is_empty())
    }
}

/// A text that was found.
#[derive(Debug, Clone, PartialEq)]
pub struct Raw {
    pub text: String,
    /// If it was a number already.
    pub number: Option<f64>,
}

impl Raw {
    pub fn of(text: String) -> Self {
        Raw { text, number: None }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Text,
    Number,
    Integer,
    Price,
    Currency,
    /// Seconds since the epoch.
    Date,
    Url,
    /// Whether something was found at all.
    Exists,
}

const NAMES: [(&str, Kind); 8] = [
    ("text", Kind::Text),
    ("number", Kind::Number),
    ("integer", Kind::Integer),
    ("price", Kind::Price),
    ("currency", Kind::Currency),
    ("date", Kind::Date),
    ("url", Kind::Url),
    ("exists", Kind::Exists),
];

impl FromStr for Kind {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let found = NAMES.iter().find(|(name, _)| *name == text);
        found.map(|(_, kind)| *kind).ok_or_else(|| {
            let names: Vec<&str> = NAMES.iter().map(|(name, _)| *name).collect();
            format!("unknown type {text:?}; choose from {}", names.join(", "))
        })
    }
}

impl Kind {
    /// `None` if the text is no such value.
    pub(super) fn convert(self, raw: &Raw, page: &Page<'_>) -> Option<Value> {
        let text = raw.text.as_str();
        match self {
            Kind::Text => Some(Value::Text(raw.text.clone())),
            Kind::Number => raw
                .number
                .or_else(|| number::parse(text))
                .map(Value::Number),
            Kind::Price => raw
                .number
                .or_else(|| number::parse_price(text))
                .map(Value::Number),
            Kind::Integer => {
                let number = raw.number.or_else(|| number::parse(text))?;
                number::to_integer(number).map(Value::Integer)
            }
            Kind::Currency => currency::find(text).map(|code| Value::Text(code.to_owned())),
            Kind::Date => date::parse(text).map(Value::Number),
            Kind::Url => page.resolve(text).map(Value::Text),
            Kind::Exists => Some(Value::Truth(true)),
        }
    }
}
