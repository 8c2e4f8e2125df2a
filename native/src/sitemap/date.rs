//! Dates as sitemaps (W3C) and feeds (RFC 822) write them, made one: `2005-01-01T00:00:00Z`.

/// `None` where it is no date, or one of a feed without a zone.
pub(super) fn normalise(text: &str) -> Option<String> {
    let text = text.trim();
    let moment = w3c(text).or_else(|| rfc_822(text))?;
    moment.in_utc()
}

#[derive(Debug, Default)]
struct Moment {
    year: i64,
    month: i64,
    day: i64,
    /// Of the day.
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

/// `YYYY[-MM[-DD[Thh:mm[:ss[.f]][zone]]]]`, with a space for the `T` if need be. Without a zone it
/// is taken for UTC.
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
    let valid = (1..=12).contains(&month) && (1..=days_of(year, month)).contains(&day);
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

pub(crate) fn days_of(year: i64, month: i64) -> i64 {
    match month {
        2 if year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// Days since 1970-01-01 in the Gregorian calendar, counted in eras of 400 years that begin in March.
pub(crate) fn days_from_civil(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let year_of_era = year.rem_euclid(400);
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    era * 146_097 + day_of_era - 719_468
}

/// The inverse.
pub(crate) fn civil_from_days(days: i64) -> (i64, i64, i64) {
    let days = days + 719_468;
    let era = days.div_euclid(146_097);
    let day_of_era = days.rem_euclid(146_097);
    let year_of_era =
        (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted_month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * shifted_month + 2) / 5 + 1;
    let month = (shifted_month + 2) % 12 + 1;
    (era * 400 + year_of_era + i64::from(month <= 2), month, day)
}
