use super::*;

const DOCUMENT: &str = "https://a.test/dir/page?q";

fn prefixes() -> Prefixes {
    Prefixes {
        page: "/p/".into(),
        frame: "/f/".into(),
        asset: "/x/".into(),
    }
}

fn rewritten_as(content_type: &str, body: &[u8]) -> (String, Option<String>) {
    let url = Url::parse(DOCUMENT).unwrap();
    let headers = [("content-type".to_owned(), content_type.to_owned())];
    let Rewritten { content_type, body } = rewrite(body, &url, &headers, &prefixes(), false);
    (content_type, body)
}

fn html(body: &str) -> String {
    rewritten_as("text/html; charset=utf-8", body.as_bytes())
        .1
        .unwrap()
}

fn check(cases: &[(&str, &str)]) {
    for (before, after) in cases {
        assert_eq!(html(before), *after, "{before}");
    }
}

#[test]
fn o1_links_frames_forms_and_assets_lead_into_the_replay() {
    check(&[
        ("<a href='/b'>", "<a href='/p/https://a.test/b'>"),
        ("<a href=b>", "<a href=\"/p/https://a.test/dir/b\">"),
        (
            "<A HREF=\"//b.test/?x=1&amp;y=2\">",
            "<A HREF=\"/p/https://b.test/?x=1&amp;y=2\">",
        ),
        ("<area href=b>", "<area href=\"/p/https://a.test/dir/b\">"),
        (
            "<iframe src=b></iframe>",
            "<iframe src=\"/f/https://a.test/dir/b\"></iframe>",
        ),
        (
            "<form action=b>",
            "<form action=\"/p/https://a.test/dir/b\">",
        ),
        (
            "<button formaction=b>",
            "<button formaction=\"/p/https://a.test/dir/b\">",
        ),
        ("<img src=b>", "<img src=\"/x/https://a.test/dir/b\">"),
        (
            "<script src=b></script>",
            "<script src=\"/x/https://a.test/dir/b\"></script>",
        ),
        (
            "<td background=b>",
            "<td background=\"/x/https://a.test/dir/b\">",
        ),
        (
            "<video src=b poster='c'>",
            "<video src=\"/x/https://a.test/dir/b\" poster='/x/https://a.test/dir/c'>",
        ),
        (
            "<link rel=stylesheet href=b>",
            "<link rel=stylesheet href=\"/x/https://a.test/dir/b\">",
        ),
        (
            "<svg><image xlink:href='b'/><a href='c'/></svg>",
            "<svg><image xlink:href='/x/https://a.test/dir/b'/><a href='/p/https://a.test/dir/c'/></svg>",
        ),
    ]);
}

#[test]
fn what_is_no_link_into_the_web_stays() {
    for same in [
        "<a href='#here'>",
        "<a href=''>",
        "<a href=mailto:a@b.test>",
        "<img src='data:image/png;base64,AA'>",
        "<a href='javascript:x()'>",
        "<p title='/b'>text /b</p>",
        "<!-- <a href=/b> -->",
        "<script>'<a href=/b>'</script>",
        "<textarea><a href=/b></textarea>",
        "<svg><use href='#a'/></svg>",
        "<p style='fill:url(#a)'>",
        "<a href>",
        "<a href='x",
    ] {
        assert_eq!(html(same), same);
    }
}

#[test]
fn a_link_to_the_document_itself_stays_in_it() {
    check(&[
        ("<a href='page?q#x'>", "<a href='#x'>"),
        (
            "<a href='page#x'>",
            "<a href='/p/https://a.test/dir/page#x'>",
        ),
        (
            "<base href='/o/'><a href='#x'>",
            "<base data-was-href='/o/'><a href='/p/https://a.test/o/#x'>",
        ),
    ]);
}

#[test]
fn a_base_counts_for_the_whole_document_and_is_disarmed() {
    check(&[(
        "<img src=a><base target=_blank href='http://b.test/c/'><img src=d><base href=e>",
        "<img src=\"/x/http://b.test/c/a\"><base data-was-target=_blank data-was-href='http://b.test/c/'>\
         <img src=\"/x/http://b.test/c/d\"><base data-was-href=e>",
    )]);
}

#[test]
fn sets_styles_and_documents_within_attributes_are_rewritten() {
    check(&[
        (
            "<img srcset='a.png 1x, /b,c.png 2x'>",
            "<img srcset='/x/https://a.test/dir/a.png 1x, /x/https://a.test/b%2Cc.png 2x'>",
        ),
        (
            "<p style=\"background:url('a.png')\">",
            "<p style=\"background:url(&quot;/x/https://a.test/dir/a.png&quot;)\">",
        ),
        (
            "<style>@import 'a';b{c:url(d)}</style>",
            "<style>@import \"/x/https://a.test/dir/a\";b{c:url(\"/x/https://a.test/dir/d\")}</style>",
        ),
        (
            "<svg><style>a{b:url(c)}</style></svg>",
            "<svg><style>a{b:url(\"/x/https://a.test/dir/c\")}</style></svg>",
        ),
        (
            "<iframe srcdoc='<a href=/b>'></iframe>",
            "<iframe srcdoc='&lt;a href=&quot;/p/https://a.test/b&quot;&gt;'></iframe>",
        ),
    ]);
}

#[test]
fn documents_deep_within_documents_are_removed() {
    let mut document = "<link rel=preconnect href=//b.test>".to_owned();
    for _ in 0..4 {
        document = format!(
            "<iframe srcdoc=\"{}\"></iframe>",
            edits::escape_value(&document)
        );
    }
    assert!(!html(&document).contains("preconnect"));
}

#[test]
fn what_works_against_a_replay_is_disarmed() {
    check(&[
        (
            "<link rel=preconnect href=//b.test>",
            "<link data-was-rel=preconnect href=//b.test>",
        ),
        (
            "<link rel='dns-prefetch' href=//b.test>",
            "<link data-was-rel='dns-prefetch' href=//b.test>",
        ),
        (
            "<meta http-equiv=content-security-policy content=x>",
            "<meta data-was-http-equiv=content-security-policy content=x>",
        ),
        (
            "<meta name=referrer content=no-referrer>",
            "<meta data-was-name=referrer content=no-referrer>",
        ),
        (
            "<a target=_blank href=b ping=/c>",
            "<a data-was-target=_blank href=\"/p/https://a.test/dir/b\" data-was-ping=/c>",
        ),
        (
            "<script integrity=x src=b crossorigin></script>",
            "<script data-was-integrity=x src=\"/x/https://a.test/dir/b\" data-was-crossorigin></script>",
        ),
        (
            "<meta http-equiv=refresh content=\"3; url='/b'\">",
            "<meta http-equiv=refresh content=\"3;url=/p/https://a.test/b\">",
        ),
    ]);
    for same in [
        "<meta charset=x>",
        "<meta http-equiv=content-type content=x>",
    ] {
        assert_eq!(html(same), same);
    }
}

#[test]
fn a_link_into_a_named_frame_stays_in_the_frame() {
    check(&[(
        "<a target=main href=b>",
        "<a target=main href=\"/f/https://a.test/dir/b\">",
    )]);
}

#[test]
fn a_document_becomes_utf_8_and_its_queries_keep_their_encoding() {
    let body = b"<meta charset=windows-1252><a href='?\xe9'>\xe9</a>";
    let (content_type, text) = rewritten_as("text/html", body);
    assert_eq!(content_type, "text/html; charset=utf-8");
    assert_eq!(
        text.unwrap(),
        "<meta charset=windows-1252><a href='/p/https://a.test/dir/page?%E9'>é</a>"
    );
}

#[test]
fn sheets_and_xml_are_rewritten_and_other_types_are_not() {
    assert_eq!(
        rewritten_as("text/css", b"a{b:url(c)}"),
        (
            "text/css; charset=utf-8".to_owned(),
            Some("a{b:url(\"/x/https://a.test/dir/c\")}".to_owned())
        )
    );
    let svg = b"<svg><style><![CDATA[a{b:url(c)}]]></style><image href='d'/></svg>";
    assert_eq!(
        rewritten_as("image/svg+xml", svg).1.unwrap(),
        "<svg><style><![CDATA[a{b:url(\"/x/https://a.test/dir/c\")}]]></style>\
         <image href='/x/https://a.test/dir/d'/></svg>"
    );
    let xhtml =
        b"<html><style>a{b:url('c?d&amp;e')}</style><script>&lt;</script><a href='f'/></html>";
    assert_eq!(
        rewritten_as("application/xhtml+xml", xhtml).1.unwrap(),
        "<html><style>a{b:url(&quot;/x/https://a.test/dir/c?d&amp;e&quot;)}</style><script>&lt;</script>\
         <a href='/p/https://a.test/dir/f'/></html>"
    );
    let image = ("image/png".to_owned(), None);
    assert_eq!(rewritten_as("image/png", b"<a href=b>"), image);
}

fn guarded(body: &str) -> String {
    let url = Url::parse(DOCUMENT).unwrap();
    let headers = [("content-type".to_owned(), "text/html".to_owned())];
    rewrite(body.as_bytes(), &url, &headers, &prefixes(), true)
        .body
        .unwrap()
}

#[test]
fn links_ahead_of_time_are_disarmed_wherever_they_hide() {
    let link = "<link rel=preconnect href=//b.test>";
    let inner = edits::escape_value(link);
    for hidden in [
        format!("<select><textarea></select>{link}"),
        format!("<select><plaintext></select>{link}"),
        format!("<noscript><textarea></noscript>{link}"),
        format!("<!-- {link} -->"),
        format!("<script>document.write('{link}')</script>"),
        format!("<p title='{link}'>"),
        format!("<select><xmp></select><iframe srcdoc='{inner}'>"),
        "<link rel=x rel=preconnect href=//b.test>".to_owned(),
        "<LINK\u{c}REL='a DNS-Prefetch' href=//b.test>".to_owned(),
        "<link/rel=pre&#99;onnect href=//b.test>".to_owned(),
        "<link rel='stylesheet preconnect' href=http:>".to_owned(),
        "<textarea><link rel=preconnect href=//b.test".to_owned(),
    ] {
        let text = html(&hidden).to_lowercase();
        let is_disarmed = text.contains("<data-was-")
            || text.contains("data-was-rel")
            || !text.contains("preconnect");
        assert!(is_disarmed, "{hidden} becomes {text}");
        assert!(
            !text.contains(" rel=preconnect") || text.contains("<data-was-"),
            "{text}"
        );
    }
    check(&[
        (
            "<link rel='stylesheet preconnect' href=b>",
            "<link rel='stylesheet' href=\"/x/https://a.test/dir/b\">",
        ),
        (
            "<link rel=a rel=preconnect href=b>",
            "<link data-was-rel=a data-was-rel=preconnect href=b>",
        ),
        (
            "<script>'<link rel=stylesheet href=/b>'</script>",
            "<script>'<link rel=stylesheet href=/b>'</script>",
        ),
        (
            "<textarea><iframe srcdoc='<p>'></textarea>",
            "<textarea><iframe srcdoc='<p>'></textarea>",
        ),
    ]);
}

#[test]
fn declarations_of_xml_make_no_links() {
    let declared = |declaration: &str| {
        let text =
            format!("<!DOCTYPE x [{declaration}]><x xmlns:h='http://www.w3.org/1999/xhtml'/>");
        rewritten_as("text/xml", text.as_bytes()).1.unwrap()
    };
    for dangerous in [
        "<!ENTITY a '<h:link rel=\"preconnect\" href=\"//b.test\"/>'>",
        "<!ENTITY a '&#60;h:link/>'>",
        "<!ENTITY % a 'x'>",
        "<!ATTLIST link rel CDATA 'preconnect'>",
    ] {
        assert!(declared(dangerous).contains("data-was-"), "{dangerous}");
    }
    let harmless = "<!ENTITY ns 'http://www.w3.org/2000/svg'>";
    assert!(declared(harmless).contains(harmless));
    let (_, text) = rewritten_as("application/xml", b"<h:link rel='&p;' href='//b.test'/>");
    assert!(text.unwrap().starts_with("<h:data-was-link"));
    let again = declared("<!ENTITY data-was-a '<h:link/>'>");
    assert!(again.contains("<!ENTITY data-was-data-was-a"));
}

#[test]
fn where_scripts_run_each_document_begins_with_the_guard() {
    let text = guarded("<!doctype html><iframe srcdoc='<p>x'></iframe>");
    assert!(text.starts_with("<!doctype html><script>"));
    assert!(text.contains("<iframe srcdoc='&lt;script&gt;"));
    // Where the walk sees none, a frame is none.
    let hidden = guarded("<select><textarea></select><iframe srcdoc='<p>x'></iframe>");
    assert!(hidden.contains("<data-was-iframe srcdoc='<p>x'>"));
    let script = rewritten_as("text/javascript", b"a").1;
    assert_eq!(script, None);
}

#[test]
fn what_browsers_sniff_is_sniffed_here() {
    let (content_type, text) = rewritten_as("unknown/unknown", b"<html><a href=/b>");
    assert_eq!(content_type, "text/html; charset=utf-8");
    assert!(text.unwrap().contains("/p/https://a.test/b"));
    let parts = rewritten_as("multipart/x-mixed-replace; boundary=a", b"--a");
    assert_eq!(parts, ("application/octet-stream".to_owned(), None));
}
