//! Recognises traps by the shape of their URLs, before anything is fetched (F6).

use super::calendar::{has_date_after, years_after};
use super::{Limits, Pieces};

/// Longer extensions are not file types.
const LONGEST_EXTENSION: usize = 16;

/// `at` is the time at which the URL was found, in seconds since the epoch.
pub(super) fn judge(url: Pieces<'_>, limits: Limits, at: f64) -> Option<&'static str> {
    let path = inner_path(url.path);
    if count(path, b'/') > limits.segments {
        return Some("too_many_segments");
    }
    if has_repetition(path, limits.repeats) {
        return Some("repeated_segments");
    }
    if parameters(url) > limits.parameters {
        return Some("too_many_parameters");
    }
    if has_date_after(url, years_after(at, limits.years_ahead)) {
        return Some("future_date");
    }
    None
}

/// The extension of the last segment, without its dot and without path parameters.
pub(super) fn extension(path: &str) -> Option<&str> {
    let file = &path[path.rfind('/').map_or(0, |slash| slash + 1)..];
    let file = file.split_once(';').map_or(file, |(file, _)| file);
    let (_, extension) = file.rsplit_once('.')?;
    (extension.len() <= LONGEST_EXTENSION).then_some(extension)
}

/// The path without its first and its last slash: segments with slashes between them.
fn inner_path(path: &str) -> &str {
    let path = path.strip_prefix('/').unwrap_or(path);
    path.strip_suffix('/').unwrap_or(path)
}

/// Number of pieces between separators; 0 for an empty text.
fn count(text: &str, separator: u8) -> usize {
    if text.is_empty() {
        return 0;
    }
    memchr::memchr_iter(separator, text.as_bytes()).count() + 1
}

fn parameters(url: Pieces<'_>) -> usize {
    url.query.map_or(0, |query| count(query, b'&'))
}

/// Whether a group of segments is repeated `repeats` times in a row, literally or with digits replaced: then that many
/// segments, less one group, equal those one group further on. The number of segments was limited before, so trying
/// every group size is cheap.
fn has_repetition(path: &str, repeats: usize) -> bool {
    let segments = count(path, b'/');
    (1..=segments / repeats).any(|group| has_run(path, group, group * (repeats - 1)))
}

/// Whether `enough` consecutive segments equal those `distance` after them. Segments that differ only in digits count
/// as equal if one of them has a letter: `/page/1/page/2/page/3` is a trap, `/2024/05/06` is a date.
fn has_run(path: &str, distance: usize, enough: usize) -> bool {
    let (mut equal, mut alike, mut has_letter) = (0, 0, false);
    for (segment, later) in path.split('/').zip(path.split('/').skip(distance)) {
        if segment == later {
            equal += 1;
            alike += 1;
        } else if are_alike(segment, later) {
            equal = 0;
            alike += 1;
        } else {
            (equal, alike, has_letter) = (0, 0, false);
            continue;
        }
        has_letter = has_letter || !is_number(segment);
        if equal >= enough || alike >= enough && has_letter {
            return true;
        }
    }
    false
}

/// Whether two segments are equal with each number replaced.
fn are_alike(one: &str, other: &str) -> bool {
    let (mut one, mut other) = (one.as_bytes(), other.as_bytes());
    loop {
        match (one, other) {
            ([], []) => return true,
            ([a, ..], [b, ..]) if a.is_ascii_digit() && b.is_ascii_digit() => {
                one = behind_digits(one);
                other = behind_digits(other);
            }
            ([a, after_a @ ..], [b, after_b @ ..]) if a == b => (one, other) = (after_a, after_b),
            _ => return false,
        }
    }
}

fn behind_digits(text: &[u8]) -> &[u8] {
    let end = text.iter().position(|byte| !byte.is_ascii_digit());
    &text[end.unwrap_or(text.len())..]
}

/// Whether a segment is digits and punctuation: `7`, `2024-05`, `1.5`.
fn is_number(segment: &str) -> bool {
    segment
        .bytes()
        .all(|byte| byte.is_ascii() && !byte.is_ascii_alphabetic() && byte != b'%')
}
