//! Formats seconds since the epoch for WARC (`2026-11-15T04:34:38.123456Z`) and CDXJ (14 digits).

use crate::civil_date::civil_from_days;

/// With microseconds, which WARC 1.1 allows and a float of seconds can hold. Rounds like Python's `datetime`, which
/// formats the date of the original for revisits.
pub fn warc_date(seconds: f64) -> String {
    let microseconds = (seconds.fract() * 1e6).round_ties_even() as i64;
    let whole = seconds.trunc() as i64 + microseconds.div_euclid(1_000_000);
    let (year, month, day) = civil_from_days(whole.div_euclid(86_400));
    let of_day = whole.rem_euclid(86_400);
    format!(
        "{year:04}-{month:02}-{day:02}T{:02}:{:02}:{:02}.{:06}Z",
        of_day / 3600,
        of_day / 60 % 60,
        of_day % 60,
        microseconds.rem_euclid(1_000_000)
    )
}

/// The first 14 digits of a WARC date: the form of an index.
pub fn timestamp(warc_date: &str) -> String {
    let digits = warc_date.bytes().filter(u8::is_ascii_digit).take(14);
    digits.map(char::from).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seconds_become_a_warc_date() {
        for (seconds, expected) in [
            (0.0, "1970-01-01T00:00:00.000000Z"),
            (-0.25, "1969-12-31T23:59:59.750000Z"),
            (1.999_999_9, "1970-01-01T00:00:02.000000Z"),
            (951_782_400.0, "2000-02-29T00:00:00.000000Z"),
            (1_794_717_278.5, "2026-11-15T04:34:38.500000Z"),
            (4_107_542_399.0, "2100-02-28T23:59:59.000000Z"),
            (4_107_542_400.0, "2100-03-01T00:00:00.000000Z"),
        ] {
            assert_eq!(warc_date(seconds), expected);
        }
    }

    #[test]
    fn a_timestamp_drops_what_an_index_does_not_keep() {
        assert_eq!(timestamp("2026-11-15T04:34:38.500000Z"), "20261115043438");
    }
}
