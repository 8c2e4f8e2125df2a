//! The parts of a URL, and which of them do not affect the text of a page (F6).
//!
//! A site that writes a new session id into each link has no two URLs of one shape, so no count of shapes ends it.
//! But its pages repeat: two URLs of a host with the same text differ only in the session id. Such a part of a URL, a
//! query parameter or a path segment, has a streak of stale fetches, see [`super::novelty`].

use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed, xxh3_128, xxh3_128_with_seed};

use crate::url::Key;

/// Most parts that are considered; a URL with more is a trap by its form.
const MOST_SEGMENTS: usize = 32;
const MOST_PARAMETERS: usize = 32;
/// Most parts in which two URLs with equal texts may differ; otherwise they are different pages.
const MOST_DIFFERING: usize = 3;

/// Shorter segments are compared by exact length, longer ones by length up to a factor of two.
const SHORTEST_BUCKET: usize = 8;

/// Digest of the text of a part, or of a URL's other parts.
pub type Digest = u32;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Part {
    /// Its name: that of a parameter, or position and form of a segment.
    name: u64,
    /// Its value.
    value: Digest,
}

/// The parts of one URL.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Parts {
    segments: Vec<Part>,
    parameters: Vec<Part>,
    /// All parts, mixed.
    sum: u64,
}

/// Digests of a URL: values of its segments, and its parameters. Stored for the first URL with a text.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Outline {
    segments: Vec<Digest>,
    parameters: Vec<(Digest, Digest)>,
}

/// The keys of the streaks of a part.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PartKeys {
    /// For all URLs of the host that have this part.
    pub anywhere: Key,
    /// For those whose other parts are equal.
    pub here: Key,
    /// The other parts.
    pub others: Digest,
}

impl Parts {
    /// `path` begins with `/` and includes the query.
    pub fn of(path: &str) -> Parts {
        let (path, query) = path.split_once('?').unwrap_or((path, ""));
        let segments = path.strip_prefix('/').unwrap_or(path).split('/');
        let parameters = query.split('&').filter(|parameter| !parameter.is_empty());
        let mut parts = Parts {
            segments: (0..)
                .zip(segments.take(MOST_SEGMENTS))
                .map(|(position, segment)| Part {
                    name: xxh3_64_with_seed(&look_of(segment), position + 1),
                    value: digest(segment),
                })
                .collect(),
            parameters: parameters
                .take(MOST_PARAMETERS)
                .map(|parameter| {
                    // `?k3jd93` is a value without a name, not a name of its own.
                    let (name, value) = parameter.split_once('=').unwrap_or(("", parameter));
                    Part {
                        name: xxh3_64(name.as_bytes()),
                        value: digest(value),
                    }
                })
                .collect(),
            sum: 0,
        };
        parts.sum = parts.all().map(mixed).fold(0, u64::wrapping_add);
        parts
    }

    pub fn outline(&self) -> Outline {
        let segments = self.segments.iter();
        let parameters = self.parameters.iter();
        Outline {
            segments: segments.map(|part| part.value).collect(),
            parameters: parameters
                .map(|part| (part.name as Digest, part.value))
                .collect(),
        }
    }

    /// The keys of all parts.
    pub fn keys(&self, host: &str) -> impl Iterator<Item = PartKeys> {
        self.all().map(move |part| self.keys_of(host, part))
    }

    /// The keys of parts in which this URL differs from one with the same text; empty if they have little in common.
    pub fn differing(&self, other: &Outline, host: &str) -> Vec<PartKeys> {
        let Some(segments) = self.differing_segments(&other.segments) else {
            return Vec::new();
        };
        let parameters = self.parameters.iter().filter(|part| {
            !other
                .parameters
                .contains(&(part.name as Digest, part.value))
        });
        let differing: Vec<&Part> = segments.into_iter().chain(parameters).collect();
        if differing.len() > MOST_DIFFERING {
            return Vec::new();
        }
        let keys = differing.into_iter();
        keys.map(|part| self.keys_of(host, part)).collect()
    }

    /// Compares segments by position, or finds one inserted segment. `None` if the paths cannot be compared.
    fn differing_segments(&self, other: &[Digest]) -> Option<Vec<&Part>> {
        let own = &self.segments;
        if own.len() == other.len() {
            let pairs = own.iter().zip(other);
            let differing = pairs.filter(|(part, value)| part.value != **value);
            return Some(differing.map(|(part, _)| part).collect());
        }
        if own.len() != other.len() + 1 {
            return None;
        }
        let same = own.iter().zip(other);
        let place = same
            .take_while(|(part, value)| part.value == **value)
            .count();
        let behind = own[place + 1..].iter().map(|part| part.value);
        behind
            .eq(other[place..].iter().copied())
            .then(|| vec![&own[place]])
    }

    fn keys_of(&self, host: &str, part: &Part) -> PartKeys {
        let others = self.sum.wrapping_sub(mixed(part)) as Digest;
        PartKeys {
            anywhere: key_of(host, part.name, 0),
            here: key_of(host, part.name, u64::from(others) + 1),
            others,
        }
    }

    fn all(&self) -> impl Iterator<Item = &Part> {
        self.segments.iter().chain(&self.parameters)
    }
}

impl Outline {
    pub fn encode(&self) -> Vec<u8> {
        let mut value = vec![self.segments.len() as u8];
        for segment in &self.segments {
            value.extend_from_slice(&segment.to_le_bytes());
        }
        for (name, parameter) in &self.parameters {
            value.extend_from_slice(&name.to_le_bytes());
            value.extend_from_slice(&parameter.to_le_bytes());
        }
        value
    }

    pub fn parse(value: &[u8]) -> Option<Outline> {
        let (&count, rest) = value.split_first()?;
        let (segments, parameters) = rest.split_at_checked(4 * usize::from(count))?;
        let (segments, _) = segments.as_chunks();
        let (parameters, torn) = parameters.as_chunks::<8>();
        let pair = |&[a, b, c, d, e, f, g, h]: &[u8; 8]| {
            (
                Digest::from_le_bytes([a, b, c, d]),
                Digest::from_le_bytes([e, f, g, h]),
            )
        };
        torn.is_empty().then(|| Outline {
            segments: segments
                .iter()
                .copied()
                .map(Digest::from_le_bytes)
                .collect(),
            parameters: parameters.iter().map(pair).collect(),
        })
    }
}

/// The key of the row that says whether a host has streaks of parts at all; most hosts have none.
pub fn host_key(host: &str) -> Key {
    xxh3_128_with_seed(host.as_bytes(), u64::MAX).to_be_bytes()
}

/// The key of a part of the URLs of a host.
fn key_of(host: &str, name: u64, others: u64) -> Key {
    let mut text = Vec::with_capacity(host.len() + 17);
    text.extend_from_slice(host.as_bytes());
    text.push(0);
    text.extend_from_slice(&name.to_le_bytes());
    text.extend_from_slice(&others.to_le_bytes());
    xxh3_128(&text).to_be_bytes()
}

fn mixed(part: &Part) -> u64 {
    xxh3_64_with_seed(&part.value.to_le_bytes(), part.name)
}

fn digest(text: &str) -> Digest {
    xxh3_64(text.as_bytes()) as Digest
}

/// The form of a segment: its first character if that is not a letter or digit, the kinds of its characters, and its
/// approximate length. Random tokens of one kind have the same form; `about` and `~k3jd93` do not.
fn look_of(segment: &str) -> [u8; 3] {
    let bytes = segment.as_bytes();
    let first = bytes.first().copied().unwrap_or_default();
    let mark = if first.is_ascii_alphanumeric() {
        0
    } else {
        first
    };
    let kind = |byte: &u8| match byte {
        b'a'..=b'z' => 1,
        b'A'..=b'Z' => 2,
        b'0'..=b'9' => 4,
        _ => 0,
    };
    let kinds = bytes.iter().map(kind).fold(0, |kinds, kind| kinds | kind);
    let length = match bytes.len() {
        short if short < SHORTEST_BUCKET => short,
        long => SHORTEST_BUCKET + long.ilog2() as usize,
    };
    [mark, kinds, length as u8]
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const HOST: &str = "a.test";

    fn differing(one: &str, other: &str) -> usize {
        let outline = Parts::of(other).outline();
        Parts::of(one).differing(&outline, HOST).len()
    }

    #[test]
    fn f6_the_parts_are_found_in_which_two_urls_differ() {
        for (one, other, expected) in [
            ("/a?zz=1&b=2", "/a?b=2&zz=3", 1),
            ("/a?zz=1", "/a", 1),
            ("/a", "/a?zz=1", 0),
            ("/a?k3jd93", "/a?x8fj2k", 1),
            ("/~k3jd93/page", "/~x8fj2k/page", 1),
            ("/~k3jd93/page", "/page", 1),
            ("/page", "/~k3jd93/page", 0),
            ("/a/b/c", "/a/b/c", 0),
            ("/a/b/c/d", "/e/f/g/h", 0),
            ("/a/b/c", "/e", 0),
        ] {
            assert_eq!(differing(one, other), expected, "{one} {other}");
        }
    }

    #[test]
    fn f6_a_part_has_one_key_wherever_it_is_and_another_with_the_same_others() {
        let keys = |path: &str, other: &str| {
            Parts::of(path).differing(&Parts::of(other).outline(), HOST)[0]
        };
        let one = keys("/a?zz=k3jd93", "/a?zz=1");
        let two = keys("/a?zz=x8fj2k", "/a?zz=2");
        let elsewhere = keys("/b?zz=p2m4n6", "/b?zz=3");
        assert_eq!(one, two);
        assert_eq!(one.anywhere, elsewhere.anywhere);
        assert_ne!((one.here, one.others), (elsewhere.here, elsewhere.others));
        assert_eq!(
            keys("/~k3jd93abcd/x", "/~1/x").anywhere,
            keys("/~x8fj2kefghi/y", "/~2/y").anywhere
        );
        assert_ne!(
            keys("/~k3jd93/x", "/~1/x").anywhere,
            keys("/about/x", "/other/x").anywhere
        );
    }

    proptest! {
        #[test]
        fn what_is_written_is_read(path in "(/[a-z0-9]{0,4}){0,9}(\\?([a-z]=?[0-9]{0,3}&){0,5})?") {
            let outline = Parts::of(&path).outline();
            prop_assert_eq!(Outline::parse(&outline.encode()), Some(outline));
        }

        #[test]
        fn any_text_has_parts(one in "\\PC{0,80}", other in "\\PC{0,80}", value in proptest::collection::vec(any::<u8>(), 0..40)) {
            let outline = Outline::parse(&value).unwrap_or_else(|| Parts::of(&other).outline());
            prop_assert!(Parts::of(&one).differing(&outline, HOST).len() <= MOST_DIFFERING);
        }
    }
}
