//! The `Link` header (RFC 8288): several links a header, parameters quoted or not.

/// A link: its unresolved target, the words of its `rel`, and its `type`.
#[derive(Debug, PartialEq, Eq)]
pub struct HeaderLink<'v> {
    pub target: &'v str,
    pub rel: &'v str,
    pub media_type: &'v str,
}

/// The links of one header value, up to the first that cannot be parsed.
pub fn parse(value: &str) -> impl Iterator<Item = HeaderLink<'_>> {
    let mut rest = value;
    std::iter::from_fn(move || {
        rest = rest.trim_start_matches(|character: char| {
            character == ',' || character.is_ascii_whitespace()
        });
        let (target, after) = rest.strip_prefix('<')?.split_once('>')?;
        let (rel, media_type);
        (rel, media_type, rest) = parameters(after);
        Some(HeaderLink {
            target,
            rel,
            media_type,
        })
    })
}

/// The first `rel` and the first `type` among the parameters, and what is behind them.
fn parameters(mut rest: &str) -> (&str, &str, &str) {
    let (mut rel, mut media_type) = (None, None);
    loop {
        rest = rest.trim_ascii_start();
        let Some(after) = rest.strip_prefix(';') else {
            return (
                rel.unwrap_or_default(),
                media_type.unwrap_or_default(),
                rest,
            );
        };
        let end = after.find([';', ',', '=']).unwrap_or(after.len());
        let name = after[..end].trim_ascii();
        let value;
        (value, rest) = match after[end..].strip_prefix('=') {
            Some(after) => parameter_value(after.trim_ascii_start()),
            None => ("", &after[end..]),
        };
        if name.eq_ignore_ascii_case("rel") {
            rel = rel.or(Some(value));
        } else if name.eq_ignore_ascii_case("type") {
            media_type = media_type.or(Some(value));
        }
    }
}

fn parameter_value(text: &str) -> (&str, &str) {
    if let Some(quoted) = text.strip_prefix('"') {
        return quoted.split_once('"').unwrap_or((quoted, ""));
    }
    let end = text.find([';', ',']).unwrap_or(text.len());
    (text[..end].trim_ascii(), &text[end..])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn links(value: &str) -> Vec<(&str, &str)> {
        parse(value).map(|link| (link.target, link.rel)).collect()
    }

    #[test]
    fn several_links_with_quoted_parameters_are_told_apart() {
        let value = r#"</a,b>; title="x, <y>; z"; rel="next last" , <c>;rel=prev;rel=next, <d>"#;
        assert_eq!(
            links(value),
            [("/a,b", "next last"), ("c", "prev"), ("d", "")]
        );
    }

    #[test]
    fn the_type_of_a_link_is_read() {
        let value =
            r#"<a>; type="application/rsl+xml"; rel=license, <b>; rel=license; Type = text/html"#;
        let types: Vec<_> = parse(value).map(|link| link.media_type).collect();
        assert_eq!(types, ["application/rsl+xml", "text/html"]);
    }

    #[test]
    fn broken_headers_give_what_can_be_read() {
        assert_eq!(links("<a>; rel=\"next"), [("a", "next")]);
        assert_eq!(
            links("<a>; rel; x=, <b>;REL = Canonical"),
            [("a", ""), ("b", "Canonical")]
        );
        assert_eq!(links("a; rel=next"), []);
        assert_eq!(links("<a"), []);
        assert_eq!(links("<a> b, <c>"), [("a", "")]);
    }
}
