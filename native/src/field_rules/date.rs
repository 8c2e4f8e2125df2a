//! Dates in texts: as machines write them, or with an English month. `03/04/2026` means two days, so it is none.

use std::sync::LazyLock;

use regex::{Captures, Regex};

use crate::civil_date::{days_from_civil, days_of_month};
use crate::http_date;
use crate::sitemap::date::{month, w3c_seconds};

/// Bytes of a text in which a date is searched.
const LONGEST: usize = 2_000;
const MONTH: &str = "jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|\
                     oct(?:ober)?|nov(?:ember)?|dec(?:ember)?";

/// Each with the names of its groups: y, m, d.
static FORMS: LazyLock<Vec<Regex>> = LazyLock::new(|| {
    let forms = [
        r"\b(?P<y>\d{4})[/.](?P<m>\d{1,2})[/.](?P<d>\d{1,2})\b".to_owned(),
        r"\b(?P<d>\d{1,2})\.\s?(?P<m>\d{1,2})\.\s?(?P<y>\d{4})\b".to_owned(),
        format!(
            r"(?i)\b(?P<d>\d{{1,2}})(?:st|nd|rd|th|\.)?[\s-]+(?P<m>{MONTH})\.?,?[\s-]+(?P<y>\d{{4}})\b"
        ),
        format!(r"(?i)\b(?P<m>{MONTH})\.?\s+(?P<d>\d{{1,2}})(?:st|nd|rd|th)?,?\s+(?P<y>\d{{4}})\b"),
    ];
    forms
        .iter()
        .filter_map(|form| Regex::new(form).ok())
        .collect()
});
static MACHINE: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r"\d{4}-\d{2}-\d{2}(?:[Tt ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?\s?(?:[Zz]|[+-]\d{2}:?\d{2})?)?",
    )
    .ok()
});

/// Seconds since the epoch; without a zone, in UTC.
pub fn parse(text: &str) -> Option<f64> {
    let text = &text[..text.floor_char_boundary(LONGEST)];
    let machine = MACHINE.as_ref().and_then(|form| form.find(text));
    machine
        .and_then(|found| w3c_seconds(found.as_str()))
        .or_else(|| http_date::parse(text).map(|seconds| seconds as f64))
        .or_else(|| {
            FORMS
                .iter()
                .find_map(|form| form.captures(text).and_then(to_seconds))
        })
}

fn to_seconds(found: Captures<'_>) -> Option<f64> {
    let number = |name: &str| found.name(name)?.as_str().parse::<i64>().ok();
    let (year, day) = (number("y")?, number("d")?);
    let month = number("m").or_else(|| month(found.name("m")?.as_str()))?;
    let is_valid = (1..=12).contains(&month) && (1..=days_of_month(year, month)).contains(&day);
    is_valid.then(|| days_from_civil(year, month, day) as f64 * 86_400.0)
}
