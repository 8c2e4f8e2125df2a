//! Session ids that are not a single parameter: a segment of the path, or two parameters that belong together (U2).

use memchr::memchr2_iter;

use super::parameters::name_of;
use super::percent;

/// The length of an ASP.NET session id.
const SESSION_LENGTH: usize = 24;

/// Whether a segment is `(S(24 letters and digits))`, alone or with other tickets of ASP.NET: `(X(1)S(…))`. Parentheses
/// may be escaped.
pub(super) fn is_session_segment(segment: &str) -> bool {
    if !segment.starts_with(['(', '%']) {
        return false;
    }
    let decoded = percent::decode(segment);
    let Some(mut tickets) = decoded
        .strip_prefix(b"(")
        .and_then(|rest| rest.strip_suffix(b")"))
    else {
        return false;
    };
    let mut has_session = false;
    while let [letter, b'(', rest @ ..] = tickets
        && let Some(end) = rest.iter().position(|byte| *byte == b')')
    {
        let value = &rest[..end];
        if !letter.is_ascii_alphabetic() || !value.iter().all(is_ticket_byte) {
            return false;
        }
        has_session |= letter.eq_ignore_ascii_case(&b'S')
            && value.len() == SESSION_LENGTH
            && value.iter().all(u8::is_ascii_alphanumeric);
        tickets = &rest[end + 1..];
    }
    has_session && tickets.is_empty()
}

fn is_ticket_byte(byte: &u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_')
}

/// Whether the query has the pair of parameters of ColdFusion. One of them alone may be anything.
pub(super) fn has_cold_fusion_pair(query: &str) -> bool {
    // Few queries have a `k` in the right place: the others are not taken apart.
    let may_have_token = memchr2_iter(b'k', b'K', query.as_bytes())
        .any(|at| at >= 4 && query.as_bytes()[at - 4..at].eq_ignore_ascii_case(b"cfto"));
    let has = |name: &str| {
        query
            .split('&')
            .any(|parameter| name_of(parameter).eq_ignore_ascii_case(name))
    };
    may_have_token && has("cfid") && has("cftoken")
}

pub(super) fn is_of_cold_fusion(parameter: &str) -> bool {
    let name = name_of(parameter);
    name.eq_ignore_ascii_case("cfid") || name.eq_ignore_ascii_case("cftoken")
}
