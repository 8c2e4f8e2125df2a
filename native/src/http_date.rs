//! Dates in HTTP headers (RFC 9110 §5.6.7): read in the three forms of the standard and in what servers make of them,
//! written in the first.

use std::borrow::Cow;

use crate::civil_date::{civil_from_days, days_from_civil, days_of_month};
use crate::sitemap::date::{month, number, numeric_zone};

const LONGEST: usize = 64;
const DAY: i64 = 86_400;

/// Seconds since the epoch; `None` if it is not a date. The default zone is GMT.
pub fn parse(text: &str) -> Option<i64> {
    if text.len() > LONGEST {
        return None;
    }
    let mut date = Parts::default();
    for word in text.split([' ', '\t', ',']) {
        date.take(word);
    }
    date.seconds()
}

/// The date in the first form, which nearly every server sends; `None` if it is not a date.
pub fn in_standard_form(text: &str) -> Option<Cow<'_, str>> {
    let is_standard =
        httpdate::parse_http_date(text).is_ok_and(|date| httpdate::fmt_http_date(date) == text);
    match is_standard {
        true => Some(Cow::Borrowed(text)),
        false => parse(text).and_then(format).map(Cow::Owned),
    }
}

/// `Sun, 06 Nov 1994 08:49:37 GMT`; `None` if the year does not have four digits.
pub fn format(seconds: i64) -> Option<String> {
    const WEEKDAYS: [&str; 7] = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"];
    const MONTHS: [&str; 12] = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ];
    let (days, second) = (seconds.div_euclid(DAY), seconds.rem_euclid(DAY));
    let (year, month, day) = civil_from_days(days);
    let month = MONTHS.get(usize::try_from(month - 1).ok()?)?;
    let weekday = WEEKDAYS[days.rem_euclid(7) as usize];
    (1000..=9999).contains(&year).then(|| {
        format!(
            "{weekday}, {day:02} {month} {year} {:02}:{:02}:{:02} GMT",
            second / 3600,
            second / 60 % 60,
            second % 60
        )
    })
}

/// The parts of a date parsed so far.
#[derive(Default)]
struct Parts {
    day: Option<i64>,
    month: Option<i64>,
    year: Option<i64>,
    second: Option<i64>,
    offset: i64,
}

impl Parts {
    fn take(&mut self, word: &str) {
        if self.second.is_none() && word.contains(':') {
            self.second = clock(word);
        } else if self.second.is_some() && word.starts_with(['+', '-']) {
            self.offset = numeric_zone(word).unwrap_or(0);
        } else {
            word.split('-').for_each(|part| self.take_part(part));
        }
    }

    fn take_part(&mut self, part: &str) {
        let is_number = !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
        match part.len() {
            1 | 2 if is_number && self.day.is_none() => self.day = number(part, part.len()),
            2 if is_number && self.year.is_none() => {
                let century = |year| if year < 70 { 2000 + year } else { 1900 + year };
                self.year = number(part, 2).map(century);
            }
            4 if is_number && self.year.is_none() => self.year = number(part, 4),
            3.. if !is_number && self.month.is_none() => self.month = month(part),
            _ => {}
        }
    }

    fn seconds(&self) -> Option<i64> {
        let (year, month, day) = (self.year?, self.month?, self.day?);
        let is_valid = (1..=days_of_month(year, month)).contains(&day);
        let seconds = days_from_civil(year, month, day) * DAY + self.second? - self.offset;
        is_valid.then_some(seconds)
    }
}

fn clock(text: &str) -> Option<i64> {
    let mut parts = text.split(':');
    let mut next = |limit| {
        let part = parts.next()?;
        number(part, part.len().clamp(1, 2)).filter(|number| *number < limit)
    };
    let (hour, minute, second) = (next(24)?, next(60)?, next(61)?);
    parts
        .next()
        .is_none()
        .then_some(hour * 3600 + minute * 60 + second.min(59))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn p2_dates_are_read_in_every_form_that_servers_send() {
        for text in [
            "Sun, 06 Nov 1994 08:49:37 GMT",
            "Sunday, 06-Nov-94 08:49:37 GMT",
            "Sun Nov  6 08:49:37 1994",
            "6 Nov 1994 8:49:37",
            "Sun, 06 Nov 1994 10:49:37 +0200",
            "Sun, 06 Nov 1994 06:49:37 -02:00",
        ] {
            assert_eq!(parse(text), Some(784_111_777), "{text}");
        }
        assert_eq!(
            format(784_111_777).as_deref(),
            Some("Sun, 06 Nov 1994 08:49:37 GMT")
        );
    }

    #[test]
    fn every_date_gets_the_standard_form() {
        let standard = "Sun, 06 Nov 1994 08:49:37 GMT";
        for text in [
            standard,
            "Sunday, 06-Nov-94 08:49:37 GMT",
            "Mon, 06 Nov 1994 08:49:37 GMT",
            "sun, 06 nov 1994 08:49:37 gmt",
            "Sun, 06 Nov 1994 10:49:37 +0200",
        ] {
            assert_eq!(in_standard_form(text).as_deref(), Some(standard), "{text}");
        }
        assert_eq!(in_standard_form("Sun, 31 Feb 1994 08:49:37 GMT"), None);
    }

    #[test]
    fn what_is_no_date_is_none() {
        for text in [
            "",
            "0",
            "tomorrow",
            "Sun, 31 Feb 1994 08:49:37 GMT",
            "Sun, 06 Nov 1994",
            "Sun, 06 Nov 1994 25:49:37 GMT",
            "Sun, 06 Nov \u{b2}\u{b2} 08:49:37",
            "99999999999999999999 Nov 1994 08:49:37",
            &"Sun, 06 Nov 1994 08:49:37 GMT ".repeat(9),
        ] {
            assert_eq!(parse(text), None, "{text}");
        }
        assert_eq!(format(i64::from(u32::MAX) * 1000), None);
    }
}
