//! Recognises dates in the far future: the sign of an endless calendar (F6).
//!
//! A date has at least a year and a month. A single number may belong to an article, a product or a price. So `/2031/05`,
//! `/2031/5/12`, `/2031-05-12-concert`, `?date=2031-05` and `?year=2031&month=5` are dates; `/2048/3` and `/20310512` are
//! dates only after a name such as `calendar`.

use super::Pieces;
use crate::civil_date::civil_from_days;

/// Year, month and day. A missing day is 1. Days are not checked against their month.
pub type Date = (u32, u32, u32);

/// Last year of a date without a day; complete dates may have any year of four digits.
const LAST_YEAR: u32 = 2199;
const DATE_WORDS: [&str; 9] = [
    "date", "day", "week", "month", "year", "cal", "event", "agenda", "archive",
];
const MONTHS: [&str; 12] = [
    "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
];

/// The date `years` after `at`, in seconds since the epoch.
pub fn years_after(at: f64, years: u32) -> Date {
    let (year, month, day) = civil_from_days(i64::from((at / 86_400.0) as u32));
    (
        (year as u32).saturating_add(years),
        month as u32,
        day as u32,
    )
}

/// True if the path or the query contains a date after `last`.
pub fn has_date_after(url: Pieces<'_>, last: Date) -> bool {
    let mut later = |date: Date| date > last;
    in_path(url.path, &mut later) || url.query.is_some_and(|query| in_query(query, &mut later))
}

fn in_path(path: &str, found: &mut impl FnMut(Date) -> bool) -> bool {
    let mut before = "";
    let mut rest = path;
    while let Some(slash) = rest.find('/') {
        rest = &rest[slash + 1..];
        let segment = first_segment(rest);
        if segment.as_bytes().iter().any(u8::is_ascii_digit) {
            let date = in_text(segment, before).or_else(|| over_segments(segment, rest, before));
            if date.is_some_and(&mut *found) {
                return true;
            }
        }
        before = segment;
    }
    false
}

fn in_query(query: &str, found: &mut impl FnMut(Date) -> bool) -> bool {
    let (mut year, mut month) = (None, None);
    for parameter in query.split('&') {
        let (name, value) = parameter.split_once('=').unwrap_or(("", parameter));
        if in_text(value, name).is_some_and(&mut *found) {
            return true;
        }
        if is_one_of(name, &["year", "yr", "y"]) {
            year = year_of(value);
        } else if is_one_of(name, &["month", "mon", "mo", "m"]) {
            month = month_of(value);
        }
    }
    year.zip(month)
        .is_some_and(|(year, month)| found((year, month, 1)))
}

/// `2031-05-12` at the start of a text or after punctuation, `2031-05` at the start, `20310512` after a name of dates.
fn in_text(text: &str, name: &str) -> Option<Date> {
    let bytes = text.as_bytes();
    if bytes.len() == 8 && is_name_of_dates(name) {
        let (year, month, day) = (text.get(..4)?, text.get(4..6)?, text.get(6..)?);
        return Some((year_of(year)?, month_of(month)?, day_of(day)?));
    }
    let starts = (0..bytes.len().saturating_sub(6)).filter(|&start| {
        bytes[start].is_ascii_digit() && (start == 0 || !bytes[start - 1].is_ascii_alphanumeric())
    });
    starts
        .filter_map(|start| hyphenated(text.get(start..)?, start == 0))
        .next()
}

fn hyphenated(text: &str, may_lack_day: bool) -> Option<Date> {
    let mark = *text.as_bytes().get(4)?;
    if !matches!(mark, b'-' | b'_' | b'.') {
        return None;
    }
    let (year, month) = (number(text.get(..4)?)?, month_of(text.get(5..7)?)?);
    let rest = text.get(7..)?;
    if rest.as_bytes().first() == Some(&mark)
        && let Some(day) = rest.get(1..3).and_then(day_of)
    {
        let ends = !rest[3..].starts_with(|next: char| next.is_ascii_digit());
        return ends.then_some((year, month, day));
    }
    let continues = rest
        .trim_start_matches(mark as char)
        .starts_with(|next: char| next.is_ascii_alphanumeric());
    let is_month = may_lack_day && mark != b'.' && !continues && year <= LAST_YEAR;
    is_month.then_some((year, month, 1))
}

/// `2031/05`, `2031/may`, `2031/5/12`; `2031/5` after a name of dates.
fn over_segments(segment: &str, from: &str, before: &str) -> Option<Date> {
    let year = year_of(segment)?;
    let mut following = from.split('/').skip(1);
    let written = following.next()?;
    let month = month_of(written)?;
    let day = following.next().and_then(day_of);
    let is_date = written.len() > 1 || day.is_some() || is_name_of_dates(before);
    is_date.then_some((year, month, day.unwrap_or(1)))
}

fn first_segment(text: &str) -> &str {
    text.split('/').next().unwrap_or_default()
}

fn is_one_of(name: &str, words: &[&str]) -> bool {
    words.iter().any(|word| name.eq_ignore_ascii_case(word))
}

fn is_name_of_dates(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    DATE_WORDS.iter().any(|word| name.contains(word))
}

fn year_of(text: &str) -> Option<u32> {
    let year = number(text).filter(|_| text.len() == 4)?;
    (1900..=LAST_YEAR).contains(&year).then_some(year)
}

/// A number, or an English name or its first letters.
fn month_of(text: &str) -> Option<u32> {
    if let Some(month) = number(text).filter(|_| text.len() <= 2) {
        return (1..=12).contains(&month).then_some(month);
    }
    let name = text.to_ascii_lowercase();
    let index = MONTHS
        .iter()
        .position(|month| name.starts_with(month) && name.len() <= "september".len())?;
    name.bytes()
        .all(|byte| byte.is_ascii_lowercase())
        .then_some(index as u32 + 1)
}

fn day_of(text: &str) -> Option<u32> {
    let day = number(text).filter(|_| text.len() <= 2)?;
    (1..=31).contains(&day).then_some(day)
}

fn number(text: &str) -> Option<u32> {
    let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    digits.then(|| text.parse().ok())?
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 2026-11-15.
    const NOW: f64 = 1_794_700_800.0;

    fn is_ahead(rest: &str) -> bool {
        let href = format!("http://a.test/{rest}");
        let url = Pieces::of(&href).unwrap();
        has_date_after(url, years_after(NOW, 2))
    }

    #[test]
    fn a_time_has_its_date() {
        assert_eq!(years_after(0.0, 0), (1970, 1, 1));
        assert_eq!(years_after(951_782_400.0, 0), (2000, 2, 29));
        assert_eq!(years_after(NOW, 2), (2028, 11, 15));
        assert_eq!(years_after(-5.0, 0), (1970, 1, 1));
    }

    #[test]
    fn f6_a_date_more_than_two_years_ahead_is_a_trap() {
        for rest in [
            "2031/05/12",
            "2031/05",
            "cal/2031/05/",
            "blog/2031/may/12/title",
            "2031-05",
            "2031-05-12-concert",
            "events/on-2031-05-12.html",
            "2031_05_12",
            "calendar/2031/5",
            "events/20310512",
            "2028-11-16",
            "?date=2031-05-12",
            "?a=1&day=20310512",
            "?from=2031-05-12T00:00",
            "x?month=5&year=2031",
            "?until=9999-12-31",
        ] {
            assert!(is_ahead(rest), "{rest}");
        }
    }

    #[test]
    fn f6_dates_within_two_years_and_numbers_that_are_no_dates_are_none() {
        for rest in [
            "",
            "2026/11/16",
            "2028-11-15",
            "1999/12/31",
            "2031",
            "2048/3",
            "2031/13/01",
            "2031-99",
            "product/20310512",
            "part/2031-05-1234",
            "part/2031-05123",
            "x2031-05-12",
            "12031-05-12",
            "4000/12/11",
            "v/2031.05",
            "?id=20310512",
            "?year=2031",
            "?price=2031&m=500",
            "?p=2031-5",
            "wiki/2100-2199",
            "%E2%80%93/é2031",
        ] {
            assert!(!is_ahead(rest), "{rest}");
        }
    }
}
