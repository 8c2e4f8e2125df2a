//! Converts dates of sitemaps (W3C) and feeds (RFC 822) to one form: `2005-01-01T00:00:00Z`.

use crate::civil_date::{civil_from_days, days_from_civil, days_of_month};

/// `None` if it is not a date, or a date of a feed without a zone.
pub(super) fn normalise(text: &str) -> Option<String> {
    let text = text.trim();
    let moment = w3c(text).or_else(|| rfc_822(text))?;
    moment.in_utc()
}

/// Seconds since the epoch, of a date in W3C's form.
pub(crate) fn w3c_seconds(text: &str) -> Option<f64> {
    let moment = w3c(text.trim())?;
    let days = days_from_civil(moment.year, moment.month, moment.day);
    let seconds = days * 86_400 + moment.seconds - moment.offset;
    Some(seconds as f64 + moment.milliseconds as f64 / 1000.0)
}

#[derive(Debug, Default)]
struct Moment {
    year: i64,
    month: i64,
    day: i64,
    /// Seconds since midnight.
    seconds: i64,
    milliseconds: i64,
    /// Seconds east of Greenwich.
    offset: i64,
}

impl Moment {
    fn in_utc(&self) -> Option<String> {
        let total =
            days_from_civil(self.year, self.month, self.day) * 86_400 + self.seconds - self.offset;
        let (year, month, day) = civil_from_days(total.div_euclid(86_400));
        let second = total.rem_euclid(86_400);
        let fraction = match self.milliseconds {
            0 => String::new(),
            milliseconds => format!(".{milliseconds:03}"),
        };
        (1..=9999).contains(&year).then(|| {
            format!(
                "{year:04}-{month:02}-{day:02}T{:02}:{:02}:{:02}{fraction}Z",
                second / 3600,
                second / 60 % 60,
                second % 60
            )
        })
    }
}

/// `YYYY[-MM[-DD[Thh:mm[:ss[.f]][zone]]]]`; a space may replace the `T`. The default zone is UTC.
fn w3c(text: &str) -> Option<Moment> {
    let (date, time) = match text.split_once(['T', 't', ' ']) {
        Some((date, time)) => (date, Some(time)),
        None => (text, None),
    };
    let mut parts = date.split('-');
    let year = number(parts.next()?, 4)?;
    let month = parts.next().map_or(Some(1), |part| number(part, 2))?;
    let day = parts.next().map_or(Some(1), |part| number(part, 2))?;
    if parts.next().is_some() {
        return None;
    }
    with_time(year, month, day, time.unwrap_or_default())
}

/// `[Thu, ]05 Jan 2017 12:34[:51] zone`
fn rfc_822(text: &str) -> Option<Moment> {
    let text = text.split_once(',').map_or(text, |(_, rest)| rest);
    let mut words = text.split_whitespace();
    let day = words
        .next()
        .and_then(|word| number(word, word.len().min(2)))?;
    let month = month(words.next()?)?;
    let year = words.next()?;
    let year = match year.len() {
        2 => number(year, 2).map(|year| if year < 70 { 2000 + year } else { 1900 + year })?,
        _ => number(year, 4)?,
    };
    let time = words.next()?;
    let zone = words.next()?;
    with_time(year, month, day, &[time, zone].concat())
}

fn with_time(year: i64, month: i64, day: i64, text: &str) -> Option<Moment> {
    let valid = (1..=12).contains(&month) && (1..=days_of_month(year, month)).contains(&day);
    let mut moment = Moment {
        year,
        month,
        day,
        ..Moment::default()
    };
    if !text.is_empty() {
        let end = text
            .find(|c: char| !(c.is_ascii_digit() || matches!(c, ':' | '.')))
            .unwrap_or(text.len());
        (moment.seconds, moment.milliseconds) = clock(&text[..end])?;
        moment.offset = zone(text[end..].trim())?;
    }
    valid.then_some(moment)
}

/// Seconds of the day and milliseconds.
fn clock(text: &str) -> Option<(i64, i64)> {
    let (text, fraction) = text.split_once('.').unwrap_or((text, ""));
    let mut parts = text.split(':');
    let hour = number(parts.next()?, 2).filter(|hour| *hour < 24)?;
    let minute = number(parts.next()?, 2).filter(|minute| *minute < 60)?;
    let second = parts
        .next()
        .map_or(Some(0), |part| number(part, 2))?
        .min(59);
    let digits = fraction.bytes().chain(*b"000").take(3);
    let milliseconds = digits.fold(0, |sum, digit| {
        sum * 10 + i64::from(digit.saturating_sub(b'0'))
    });
    parts
        .next()
        .is_none()
        .then_some((hour * 3600 + minute * 60 + second, milliseconds))
}

fn zone(text: &str) -> Option<i64> {
    let hours = match text {
        "" | "Z" | "z" | "GMT" | "UTC" | "UT" => 0,
        "EDT" => -4,
        "EST" | "CDT" => -5,
        "CST" | "MDT" => -6,
        "MST" | "PDT" => -7,
        "PST" => -8,
        _ => return numeric_zone(text),
    };
    Some(hours * 3600)
}

/// `+hh:mm` or `+hhmm`
pub(crate) fn numeric_zone(text: &str) -> Option<i64> {
    let (sign, digits) = match text.as_bytes().first()? {
        b'+' => (1, &text[1..]),
        b'-' => (-1, &text[1..]),
        _ => return None,
    };
    let digits = digits.replace(':', "");
    let hours = number(digits.get(..2)?, 2).filter(|hours| *hours < 24)?;
    let minutes = number(digits.get(2..)?, 2).filter(|minutes| *minutes < 60)?;
    Some(sign * (hours * 3600 + minutes * 60))
}

pub(crate) fn number(text: &str, digits: usize) -> Option<i64> {
    let right = text.len() == digits && text.bytes().all(|byte| byte.is_ascii_digit());
    right.then(|| text.parse().ok()).flatten()
}

pub(crate) fn month(name: &str) -> Option<i64> {
    const NAMES: &str = "janfebmaraprmayjunjulaugsepoctnovdec";
    let name = name.get(..3)?.to_ascii_lowercase();
    let position = NAMES.find(&name).filter(|position| position % 3 == 0)?;
    i64::try_from(position / 3 + 1).ok()
}
