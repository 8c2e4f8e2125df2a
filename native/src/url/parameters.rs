//! Parameters that track where a visitor came from, and do not affect the content (U2).

use super::Version;

/// Longest name that is looked up. Longer names are never sessions or campaigns.
const LONGEST_NAME: usize = 32;

/// Minimum length of a `sid` that counts as a session: many sites use it for other numbers.
const SHORTEST_SESSION: usize = 16;

/// The name of a parameter, which is the text between two separators.
pub(super) fn name_of(parameter: &str) -> &str {
    parameter
        .split_once('=')
        .map_or(parameter, |(name, _)| name)
}

pub(super) fn is_tracking(parameter: &str) -> bool {
    let mut buffer = [0; LONGEST_NAME];
    let Some(name) = lower_case(name_of(parameter), &mut buffer) else {
        return false;
    };
    name.starts_with(b"utm_")
        || name.starts_with(b"_ga_")
        || name.starts_with(b"mtm_")
        || matches!(
            name,
            b"gclid" | b"gclsrc" | b"gbraid" | b"wbraid" | b"dclid" | b"_ga" | b"_gl" | b"srsltid" // Google
                | b"fbclid" | b"igshid" | b"igsh" | b"fb_action_ids" | b"fb_action_types" // Meta
                | b"msclkid" | b"twclid" | b"ttclid" | b"li_fat_id" | b"epik" // Microsoft, X, TikTok, LinkedIn, Pinterest
                | b"yclid" | b"ysclid" | b"_openstat" // Yandex
                | b"mc_cid" | b"mc_eid" | b"_hsenc" | b"_hsmi" | b"__hssc" | b"__hstc" | b"__hsfp" // mailings
                | b"mkt_tok" | b"vero_id" | b"vero_conv" | b"oly_anon_id" | b"oly_enc_id"
                | b"pk_campaign" | b"pk_kwd" | b"pk_keyword" | b"pk_source" | b"pk_medium" | b"pk_content" | b"pk_cid"
        )
}

pub(super) fn is_session(parameter: &str, version: Version) -> bool {
    let (name, value) = parameter.split_once('=').unwrap_or((parameter, ""));
    let mut buffer = [0; LONGEST_NAME];
    let Some(name) = lower_case(name, &mut buffer) else {
        return false;
    };
    match name {
        b"jsessionid" | b"phpsessid" | b"sessionid" => true,
        b"session_id" => version >= Version::Second,
        b"sid" => looks_random(value),
        _ => name.starts_with(b"aspsessionid"),
    }
}

/// Whether a value is long and mixes letters and digits; dashes are allowed only between hex digits, as in a UUID.
fn looks_random(value: &str) -> bool {
    let bytes = value.as_bytes();
    let letters = bytes
        .iter()
        .filter(|byte| byte.is_ascii_alphabetic())
        .count();
    let digits = bytes.iter().filter(|byte| byte.is_ascii_digit()).count();
    let dashes = bytes.iter().filter(|byte| **byte == b'-').count();
    let only_hex = || {
        bytes
            .iter()
            .all(|byte| byte.is_ascii_hexdigit() || *byte == b'-')
    };
    letters >= 2
        && digits >= 2
        && letters + digits >= SHORTEST_SESSION
        && letters + digits + dashes == bytes.len()
        && (dashes == 0 || only_hex())
}

fn lower_case<'a>(name: &str, buffer: &'a mut [u8; LONGEST_NAME]) -> Option<&'a [u8]> {
    let lower = buffer.get_mut(..name.len())?;
    lower.copy_from_slice(name.as_bytes());
    lower.make_ascii_lowercase();
    Some(lower)
}
