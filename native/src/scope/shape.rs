//! The shape of a URL: what a trap looks like before anything is fetched (F6).

use super::calendar::{has_date_after, years_after};
use super::{Limits, Pieces};

/// Longer ones name no type of file.
const LONGEST_EXTENSION: usize = 16;

/// `at` is when the URL was found, in seconds since the epoch.
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

/// How many pieces a separator makes; an empty text has none.
fn count(text: &str, separator: u8) -> usize {
    if text.is_empty() {
        return 0;
    }
    memchr::memchr_iter(separator, text.as_bytes()).count() + 1
}

fn parameters(url: Pieces<'_>) -> usize {
    url.query.map_or(0, |query| count(query, b'&'))
}

/// A group of segments that stands `repeats` times in a row: then, at the group's distance, that
/// many segments less one group are equal to their successors. The number of segments is limited
/// before, so trying every group size is cheap.
fn has_repetition(path: &str, repeats: usize) -> bool {
    let segments = count(path, b'/');
    (1..=segments / repeats).any(|group| longest_run(path, group) >= group * (repeats - 1))
}

/// The most segments in a row that are equal to those so far behind them.
fn longest_run(path: &str, distance: usize) -> usize {
    let mut longest = 0;
    let mut run = 0;
    for (segment, later) in path.split('/').zip(path.split('/').skip(distance)) {
        run = if segment == later { run + 1 } else { 0 };
        longest = longest.max(run);
    }
    longest
}
