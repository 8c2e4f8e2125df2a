//! What reading a page gives, by either road.

use url::Url;

use super::*;
use crate::page::{LinkKind, directive};
use crate::url::Switches;

fn options() -> ReadOptions {
    ReadOptions {
        agent_token: "hondius".into(),
        media: false,
        scripts: false,
        requisites: false,
        max_links: 10_000,
        max_text: 1_000_000,
        want_text: true,
        keywords: None,
    }
}

fn reader(options: ReadOptions) -> Reader {
    Reader::new(Identity::new(Switches::default()), options)
}

fn url() -> Url {
    Url::parse("http://a.test/dir/page").unwrap()
}

fn read(html: &str) -> Page {
    reader(options()).read(html.as_bytes(), &url(), "text/html; charset=utf-8", &[])
}

fn hrefs(page: &Page) -> Vec<&str> {
    page.links.iter().map(|link| link.href.as_str()).collect()
}

fn links(html: &str) -> Vec<String> {
    let page = read(html);
    page.links.into_iter().map(|link| link.href).collect()
}

#[test]
fn links_of_every_kind_are_found_in_order_d3() {
    let page = read(
        "<link rel=canonical href=/c><link rel='alternate' type='application/rss+xml' href=/feed>\
         <link rel=alternate hreflang=de href=/de><link rel=next href=2><link rel=previous href=0>\
         <link rel=stylesheet href=/s.css><link rel='alternate stylesheet' href=/t.css><link rel=icon href=/i>\
         <meta http-equiv=refresh content='3; url=/r'><a href=a>x</a><map><area href=b rel=ugc></map>\
         <iframe src=f></iframe><img src=/i.png><script src=/s.js></script><a href='mailto:x@y'>",
    );
    let found: Vec<_> = page
        .links
        .iter()
        .map(|link| (&link.href["http://a.test".len()..], link.kind))
        .collect();
    assert_eq!(
        found,
        [
            ("/c", LinkKind::Canonical),
            ("/feed", LinkKind::Feed),
            ("/de", LinkKind::Alternate),
            ("/dir/2", LinkKind::Next),
            ("/dir/0", LinkKind::Previous),
            ("/r", LinkKind::Refresh),
            ("/dir/a", LinkKind::Anchor),
            ("/dir/b", LinkKind::Area),
            ("/dir/f", LinkKind::Frame),
        ]
    );
    assert_eq!(page.links_found, 9);
    assert_eq!(page.canonical.as_deref(), Some("http://a.test/c"));
    assert!(!page.slow_road);
}

#[test]
fn media_and_scripts_are_links_by_setting_d3() {
    let html = "<img src=1 srcset='2 1x, 3 2x'><video src=4 poster=5><source src=6><track src=7></video>\
                <audio src=8></audio><embed src=9><object data=10></object><picture><source srcset=11></picture>\
                <image src=12><script src=s></script>";
    assert!(links(html).is_empty());
    let media = reader(ReadOptions {
        media: true,
        ..options()
    })
    .read(html.as_bytes(), &url(), "text/html", &[]);
    let expected: Vec<_> = (1..=12)
        .map(|number| format!("http://a.test/dir/{number}"))
        .collect();
    assert_eq!(hrefs(&media), expected);
    let scripts = reader(ReadOptions {
        scripts: true,
        ..options()
    })
    .read(html.as_bytes(), &url(), "text/html", &[]);
    assert_eq!(hrefs(&scripts), ["http://a.test/dir/s"]);
}

#[test]
fn a_link_is_listed_once_and_followable_if_it_is_anywhere_d4() {
    let page = read(
        "<a rel=nofollow href=x></a><a href=x#top rel='ugc nofollow'>one</a><a href=x>two</a><a rel=sponsored href=y>",
    );
    assert_eq!(page.links.len(), 2);
    assert_eq!(
        (page.links[0].rel, page.links[0].anchor.as_str()),
        (0, "one")
    );
    assert_eq!(page.links[1].rel, crate::page::rel::SPONSORED);
    assert_eq!(page.links_found, 2);
}

#[test]
fn links_beyond_the_cap_are_counted_only() {
    let html: String = (0..50).map(|number| format!("<a href={number}>")).collect();
    let page = reader(ReadOptions {
        max_links: 20,
        ..options()
    })
    .read(html.as_bytes(), &url(), "text/html", &[]);
    assert_eq!((page.links.len(), page.links_found), (20, 50));
}

#[test]
fn a_short_link_takes_no_more_memory_than_its_page_allows_however_long_its_base() {
    let long = format!("http://a.test/{}/", "b".repeat(60_000));
    let html: String = (0..1_000)
        .map(|number| format!("<a href={number}>"))
        .collect();
    let page = reader(ReadOptions {
        max_links: 1_000,
        ..options()
    })
    .read(
        html.as_bytes(),
        &Url::parse(&long).unwrap(),
        "text/html",
        &[],
    );
    let bytes: usize = page.links.iter().map(|link| link.href.len()).sum();
    assert!(bytes < 9 * 1024 * 1024, "{bytes}");
    assert_eq!(page.links_found, 1_000);
}

#[test]
fn noframes_and_srcdoc_are_read_for_their_links_d3() {
    let html = "<title>t</title><body><noframes><p>unseen <a href=1>x</a><template><a href=no></template>\
                <script>'<a href=no>'</script><iframe src=2></iframe></p></noframes>\
                <a href=outer>text <iframe srcdoc='&lt;base href=/z/&gt;&lt;a href=3 rel=nofollow&gt;y&lt;/a&gt;\
                &lt;area href=4&gt;'></iframe>more</a><p>seen";
    for html in [
        html.to_owned(),
        format!("<frameset></frameset>{html}"),
        format!("<path>{html}"),
    ] {
        let page = read(&html);
        let expected =
            ["1", "2", "outer", "3", "4"].map(|name| format!("http://a.test/dir/{name}"));
        if !html.starts_with("<frameset") {
            assert_eq!(hrefs(&page), expected, "{html}");
            assert_eq!(page.text, "text more seen");
            assert_eq!(page.links[2].anchor, "text more");
            assert_eq!(page.links[3].rel, crate::page::rel::NOFOLLOW);
        } else {
            assert_eq!(hrefs(&page), expected[..2], "{html}");
        }
    }
}

#[test]
fn noframes_within_noframes_are_read_once() {
    let html = format!("{}<a href=x>", "<noframes><iframe srcdoc='".repeat(50_000));
    assert!(read(&html).links.len() <= 1);
}

#[test]
fn u1_the_query_of_a_link_is_in_the_encoding_of_its_page() {
    let html = "<meta charset=windows-1251><a href='/\u{43f}?q=\u{43f}'></a><iframe srcdoc='&lt;a href=\"/?d=\u{43f}\"&gt;'></iframe>\
                <a href='/?d=\u{43f}'></a>";
    let (body, _, _) = encoding_rs::WINDOWS_1251.encode(html);
    let headers = [("Link".to_owned(), "</?h=\u{43f}>; rel=next".to_owned())];
    let page = reader(options()).read(&body, &url(), "text/html", &headers);
    let expected = ["?h=%D0%BF", "%D0%BF?q=%EF", "?d=%D0%BF", "?d=%EF"];
    assert_eq!(
        hrefs(&page),
        expected.map(|tail| format!("http://a.test/{tail}"))
    );
    let feed = "<?xml version='1.0' encoding='windows-1251'?><rss><link>/?q=\u{43f}</link></rss>";
    let (body, _, _) = encoding_rs::WINDOWS_1251.encode(feed);
    let page = reader(options()).read(&body, &url(), "application/rss+xml", &[]);
    assert_eq!(hrefs(&page), ["http://a.test/?q=%D0%BF"]);
}

#[test]
fn references_in_attributes_are_decoded() {
    assert_eq!(
        links("<a href='?a=1&amp;b=2&copy=3&#x26;c&not'>"),
        ["http://a.test/dir/page?a=1&b=2&copy=3&c%C2%AC"]
    );
}

#[test]
fn an_anchor_is_folded_and_cut_at_200_characters() {
    let page = read(&format!(
        "<a href=x> one\n<b>two</b><div>three</div>&nbsp;&amp; {}</a>after",
        "ž".repeat(300)
    ));
    assert!(page.links[0].anchor.starts_with("one two three & žž"));
    assert_eq!(page.links[0].anchor.chars().count(), 200);
}

#[test]
fn base_counts_for_links_before_it_too() {
    assert_eq!(
        links("<a href=x></a><base href=/b/><base href=/c/><a href=y>"),
        ["http://a.test/b/x", "http://a.test/b/y"]
    );
    assert_eq!(
        links("<template><base href=/t/></template><svg><base href=/s/></svg><a href=x>"),
        ["http://a.test/dir/x"]
    );
    assert_eq!(
        links("<base href='data:text/plain,x'><a href=x>"),
        ["http://a.test/dir/x"]
    );
}

#[test]
fn templates_do_not_count_and_noscript_does() {
    assert_eq!(
        links(
            "<template><a href=1><template></template><a href=2></template><noscript><a href=3></noscript>"
        ),
        ["http://a.test/dir/3"]
    );
    let page = read("<noscript>Enable <a href=x>scripts</a></noscript>seen");
    assert_eq!(page.text, "seen");
    assert_eq!(page.links[0].anchor, "scripts");
}

#[test]
fn raw_text_holds_no_links() {
    let html = "<script>'<a href=1>'</script><style><a href=2></style><title><a href=3></title><textarea><a href=4></textarea>\
                <xmp><a href=5></xmp><iframe><a href=6></iframe><noembed><a href=7></noembed>\
                <!-- <a href=9> --><a href=10><plaintext><a href=11>";
    assert_eq!(links(html), ["http://a.test/dir/10"]);
}

#[test]
fn svg_and_math_are_read_on_the_fast_road_where_they_are_plain() {
    let page = read(
        "<title>Page</title><svg><title>Icon</title><desc>d</desc><style>s</style><path d=''/></path><a href=1><text>t</text></a>\
         <a xlink:href=2 /><![CDATA[<a href=3>]]></svg><math><mi>x</mi></math><svg><g><p>after</p><a href=4></a>",
    );
    assert_eq!(
        hrefs(&page),
        [
            "http://a.test/dir/1",
            "http://a.test/dir/2",
            "http://a.test/dir/4"
        ]
    );
    assert_eq!(
        (page.title.as_str(), page.text.as_str()),
        ("Page", "t<a href=3>x after")
    );
    assert!(!page.slow_road);
}

#[test]
fn what_only_the_tree_can_tell_takes_the_slow_road() {
    for html in [
        "<svg><foreignObject><title><a href=x></title></foreignObject></svg>",
        "<div><svg><g></div><title><a href=x></title>",
        "<frameset><frame src=x><noframes><a href=y></noframes></frameset>",
        "<noscript><a href=x>never closed",
        "<svg><font color=red><a href=x>",
    ] {
        assert!(read(html).slow_road, "{html}");
    }
    assert_eq!(
        links("<a href=gone></a><frameset><frame src=x></frameset>"),
        ["http://a.test/dir/x"]
    );
}

#[test]
fn w1_signals_come_from_meta_links_and_headers() {
    let usage = |html: &str| read(html).usage;
    assert_eq!(
        usage("<p>none<meta name=author content=noai><a rel=nofollow href=/a>a</a>"),
        ""
    );
    assert_eq!(
        usage("<meta name=robots content='noai, noindex'><meta name=Hondius content=noimageai>"),
        "meta noai\nmeta noimageai"
    );
    assert_eq!(
        usage(
            "<meta name=tdm-reservation content=1><meta name=TDM-policy content='https://p.test/p.json'>"
        ),
        "meta tdm-reservation 1\nmeta tdm-policy https://p.test/p.json"
    );
    assert_eq!(
        usage(
            "<base href='https://b.test/d/'><link rel=license href=l><a rel='x license' href='https://c.test/by'>c</a>"
        ),
        "link license https://b.test/d/l\nlink license https://c.test/by"
    );
    assert_eq!(
        usage("<link rel='license' type='application/rsl+xml' href='https://b.test/l.xml'>"),
        "link rsl https://b.test/l.xml"
    );
}

#[test]
fn w1_a_licence_is_a_link_only_where_it_was_one_before() {
    let page =
        read("<link rel=license href=https://b.test/l><a rel=license href=https://c.test/by>c</a>");
    let links: Vec<_> = page
        .links
        .iter()
        .map(|link| (link.href.as_str(), link.rel))
        .collect();
    assert_eq!(links, [("https://c.test/by", 0)]);
    assert_eq!(page.directives, 0);
}

#[test]
fn directives_come_from_meta_and_headers_d4() {
    assert_eq!(
        read("<meta name=ROBOTS content='noindex, NoFollow'>").directives,
        directive::NOINDEX | directive::NOFOLLOW
    );
    assert_eq!(
        read("<meta name=Hondius content=noarchive><meta name=otherbot content=noindex>")
            .directives,
        directive::NOARCHIVE
    );
    let headers = [
        ("X-Robots-Tag".to_owned(), "otherbot: noindex".to_owned()),
        ("x-robots-tag".to_owned(), "nofollow".to_owned()),
        ("x-robots-tag".to_owned(), "hondius: noarchive".to_owned()),
    ];
    let page = reader(options()).read(b"", &url(), "text/html", &headers);
    assert_eq!(page.directives, directive::NOFOLLOW | directive::NOARCHIVE);
}

#[test]
fn link_and_refresh_headers_are_links_of_the_document_url() {
    let headers = [
        (
            "link".to_owned(),
            "<x>; rel=canonical, <y>; rel=\"next\", <z>; rel=preload".to_owned(),
        ),
        ("refresh".to_owned(), "0;url=r".to_owned()),
        ("content-language".to_owned(), "de-AT".to_owned()),
    ];
    let page = reader(options()).read(b"<base href=/b/><a href=x>", &url(), "text/html", &headers);
    assert_eq!(
        hrefs(&page),
        [
            "http://a.test/dir/x",
            "http://a.test/dir/y",
            "http://a.test/dir/r",
            "http://a.test/b/x"
        ]
    );
    assert_eq!(page.links[0].kind, LinkKind::Header);
    assert_eq!(page.canonical.as_deref(), Some("http://a.test/dir/x"));
    assert_eq!(page.language, "de-at");
}

#[test]
fn title_description_language_and_text_are_as_people_see_them_a2() {
    let page = read(
        "<!doctype html><html lang=EN-gb><head><title> A &amp;\n B </title><title>other</title>\
         <meta name=Description content=' what  it &lt;is&gt; '><meta http-equiv=content-language content=fr>\
         <style>p{}</style><script>var x</script></head><body><h1>Head</h1>one<b>two</b><p>three<br>four\
         <table><tr><td>a<td>b</table><ul><li>c<li>d</ul><textarea>&lt;e</textarea><xmp>&lt;</xmp>",
    );
    assert_eq!(page.title, "A & B");
    assert_eq!(page.description, "what it <is>");
    assert_eq!(page.language, "en-gb");
    assert_eq!(page.text, "Head onetwo three four a b c d <e &lt;");
}

#[test]
fn a_nul_is_nothing_in_text_and_a_character_in_a_title() {
    let page = read("<title>a\0b</title>c\0d<textarea>e\0f</textarea>");
    assert_eq!(
        (page.title.as_str(), page.text.as_str()),
        ("a\u{fffd}b", "cd e\u{fffd}f")
    );
}

#[test]
fn text_is_capped_and_left_out_where_nobody_asks() {
    let html = b"<p>abcdef";
    assert_eq!(
        reader(ReadOptions {
            max_text: 3,
            ..options()
        })
        .read(html, &url(), "text/html", &[])
        .text,
        "abc"
    );
    assert_eq!(
        reader(ReadOptions {
            want_text: false,
            ..options()
        })
        .read(html, &url(), "text/html", &[])
        .text,
        ""
    );
}

#[test]
fn feeds_and_other_xml_give_their_links_and_character_data() {
    let rss = "<?xml version='1.0'?><rss><channel><title>News</title><link>http://a.test/</link><description>All</description>\
               <language>en</language><atom:link rel='self' href='/feed'/><item><title>One &amp; two</title>\
               <link><![CDATA[/one]]></link><content:encoded><![CDATA[<p>x</p>]]></content:encoded></item></channel></rss>";
    let page = reader(options()).read(rss.as_bytes(), &url(), "application/rss+xml", &[]);
    assert_eq!(hrefs(&page), ["http://a.test/", "http://a.test/one"]);
    assert_eq!(
        (
            page.title.as_str(),
            page.description.as_str(),
            page.language.as_str()
        ),
        ("News", "All", "en")
    );
    assert_eq!(page.text, "News All en One & two <p>x</p>");
    let atom = "<feed xml:lang='DE'><title>F</title><entry><link href='/1'/><link rel='next' href='/2'/>\
                <link rel='edit' href='/3'/><content><div><a href='/4'>a</a></div></content></entry></feed>";
    let page = reader(options()).read(atom.as_bytes(), &url(), "application/atom+xml", &[]);
    assert_eq!(
        hrefs(&page),
        ["http://a.test/1", "http://a.test/2", "http://a.test/4"]
    );
    assert_eq!(page.language, "de");
}

#[test]
fn xhtml_is_read_without_raw_text() {
    let xhtml = "<?xml version='1.0'?><html xmlns='http://www.w3.org/1999/xhtml' xml:lang='cs'><head><title/><script src='s'/>\
                 <style>a &lt; b</style></head><body><textarea/><a href='x'/><p>text</p></body></html>";
    let page = reader(options()).read(xhtml.as_bytes(), &url(), "application/xhtml+xml", &[]);
    assert_eq!(hrefs(&page), ["http://a.test/dir/x"]);
    assert_eq!((page.text.as_str(), page.language.as_str()), ("text", "cs"));
}

#[test]
fn plain_text_is_text_and_nothing_else() {
    let page = reader(options()).read("<a href=x> &amp;".as_bytes(), &url(), "text/plain", &[]);
    assert_eq!(
        (page.text.as_str(), page.links.len()),
        ("<a href=x> &amp;", 0)
    );
    let page = reader(options()).read(b"\x89PNG", &url(), "image/png", &[]);
    assert_eq!(page.text, "");
}
