use std::io::Write;
use std::time::{Duration, Instant};

use flate2::Compression;
use flate2::write::GzEncoder;
use proptest::prelude::*;

use super::*;
use crate::url::parse;

fn read_bytes(body: &[u8]) -> Sitemap {
    let url = parse("http://h.example/maps/sitemap.xml", None).unwrap();
    read(body, &url, &Identity::default())
}

fn hrefs(body: &str) -> Vec<String> {
    let entries = read_bytes(body.as_bytes()).entries;
    entries.into_iter().map(|entry| entry.href).collect()
}

fn gzip(body: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(body).unwrap();
    encoder.finish().unwrap()
}

#[test]
fn d2_an_entry_has_its_attributes() {
    let sitemap = read_bytes(
        b"<urlset><url><loc>http://h.example/?a=1&amp;b=&#50;</loc><lastmod>2005-01-01</lastmod>\
          <changefreq>Weekly</changefreq><priority>0.8</priority></url>\
          <url><loc>/b</loc><lastmod>soon</lastmod><changefreq>often</changefreq><priority>7</priority></url></urlset>",
    );
    let [first, second] = &sitemap.entries[..] else {
        panic!("{sitemap:?}");
    };
    assert_eq!(first.href, "http://h.example/?a=1&b=2");
    assert_eq!(first.last_modified, "2005-01-01T00:00:00Z");
    assert_eq!(
        (first.change_frequency, first.priority),
        ("weekly", Some(0.8))
    );
    assert_eq!(second.href, "http://h.example/b");
    assert_eq!(
        (
            second.last_modified.as_str(),
            second.change_frequency,
            second.priority
        ),
        ("", "", None)
    );
    assert!(!first.is_sitemap);
}

#[test]
fn d2_a_location_without_its_scheme_is_a_url_and_a_path_is_a_path() {
    for (location, expected) in [
        ("www.example.com/", "http://www.example.com/"),
        ("WWW.Example.com", "http://www.example.com/"),
        ("h.example/a?b=c:d", "http://h.example/a?b=c:d"),
        ("m.h.example:8080/a", "http://m.h.example:8080/a"),
        ("readme.md", "http://h.example/maps/readme.md"),
        ("story.info/x", "http://h.example/maps/story.info/x"),
        ("www.html", "http://h.example/maps/www.html"),
        ("a:b", ""),
    ] {
        let found = hrefs(&format!(
            "<urlset><url><loc>{location}</loc></url></urlset>"
        ));
        let expected: Vec<&str> = [expected]
            .into_iter()
            .filter(|href| !href.is_empty())
            .collect();
        assert_eq!(found, expected, "{location}");
    }
    assert_eq!(
        hrefs("www.example.com/a\nsome words\nreadme.md\nh.example/b\n"),
        ["http://www.example.com/a", "http://h.example/b"]
    );
}

#[test]
fn d2_an_index_has_children() {
    let sitemap = read_bytes(b"<s:sitemapindex xmlns:s='x'><s:sitemap><s:loc><![CDATA[ a.xml?b&c ]]></s:loc></s:sitemap>");
    assert_eq!(sitemap.entries[0].href, "http://h.example/maps/a.xml?b&c");
    assert!(sitemap.entries[0].is_sitemap);
}

#[test]
fn d2_images_and_alternates_are_no_pages() {
    let body = "<urlset><url><loc>/a</loc><image:image><image:loc>/i.png</image:loc></image:image>\
                <xhtml:link rel='alternate' href='/de'/></url></urlset>";
    assert_eq!(hrefs(body), ["http://h.example/a"]);
}

#[test]
fn d2_feeds_are_sitemaps() {
    let rss = "<rss><channel><link>/home</link><image><url>/i.png</url><link>/home</link></image>\
               <item><link>/a</link><pubDate>Thu, 05 Jan 2017 13:34:51 +0100</pubDate></item>\
               <item><guid isPermaLink='true'>http://h.example/b</guid></item><item><guid>7</guid></item>\
               <link>/home</link></channel></rss>";
    assert_eq!(hrefs(rss), ["http://h.example/a", "http://h.example/b"]);
    assert_eq!(
        read_bytes(rss.as_bytes()).entries[0].last_modified,
        "2017-01-05T12:34:51Z"
    );
    let atom = "<feed><link href='/home'/><entry><link rel=\"self\" href='/s'/><link href='/a?b&amp;c'/>\
                <updated>2003-12-13T18:30:02Z</updated><published>2001-01-01</published></entry></feed>";
    assert_eq!(hrefs(atom), ["http://h.example/a?b&c"]);
    assert_eq!(
        read_bytes(atom.as_bytes()).entries[0].last_modified,
        "2003-12-13T18:30:02Z"
    );
}

#[test]
fn d2_a_list_is_a_sitemap() {
    let body = "\u{feff}http://h.example/a\r\n\r# no\nHTTPS://h.example/b \nnothing\n";
    assert_eq!(hrefs(body), ["http://h.example/a", "https://h.example/b"]);
    assert!(hrefs("this is no sitemap").is_empty());
}

#[test]
fn d2_gzip_and_encodings_are_recognised_by_the_bytes() {
    let body = "<?xml version='1.0'?><urlset><url><loc>/\u{fc}</loc></url></urlset>";
    let expected = "http://h.example/%C3%BC";
    let latin = body.replace("'1.0'", "'1.0' encoding='iso-8859-1'");
    let latin: Vec<u8> = latin
        .chars()
        .map(|c| u8::try_from(u32::from(c)).unwrap())
        .collect();
    let utf_16: Vec<u8> = body.encode_utf16().flat_map(u16::to_be_bytes).collect();
    let with_mark: Vec<u8> = [vec![0xFE, 0xFF], utf_16.clone()].concat();
    let twice = gzip(&gzip(body.as_bytes()));
    for bytes in [
        body.as_bytes(),
        &latin,
        &utf_16,
        &with_mark,
        &gzip(body.as_bytes()),
        &twice,
    ] {
        assert_eq!(read_bytes(bytes).entries[0].href, expected);
    }
}

#[test]
fn d2_broken_gzip_yields_what_can_be_read() {
    let body = "http://h.example/a\n".repeat(1000);
    let mut torn = gzip(body.as_bytes());
    torn.truncate(torn.len() - 10);
    assert!(read_bytes(&torn).entries.len() > 900);
}

#[test]
fn d2_broken_xml_yields_what_can_be_read() {
    for (body, expected) in [
        ("<urlset><url><loc>/a</url><url><loc>/b</loc></url>", 2),
        ("<urlset><url><loc>/a<url><loc>/b", 1),
        ("<urlset><url><loc>/a</lo", 1),
        ("<urlset><url><loc>/a</loc><loc>/b</loc></url>", 2),
        ("<urlset><url><loc><url>/a</url></loc></url>", 1),
        (
            "<urlset><url>http://h.example/a</url><url></url><url><loc>/b</loc></url>",
            2,
        ),
        ("<urlset><url x=\"><loc>/a</loc></url>", 1),
        ("<urlset><url <loc>/a</loc></url>", 1),
        (
            "<urlset><url><loc></loc><lastmod/></url><url><loc>/b</loc></url>",
            1,
        ),
        (
            "junk <?xml version='1.0'?><urlset><loc>/a</loc></urlset>",
            1,
        ),
        ("<!-- never closed <urlset><url><loc>/a</loc>", 0),
        ("<html><body><a href='/a'>a</a></body></html>", 0),
    ] {
        assert_eq!(hrefs(body).len(), expected, "{body}");
    }
}

#[test]
fn d2_no_entity_of_a_document_type_is_expanded() {
    let body = "<!DOCTYPE a [<!ENTITY x SYSTEM 'file:///etc/hostname'>]><urlset><url><loc>&x;</loc></url>\
                <url><loc>/a&x;</loc></url></urlset>";
    assert_eq!(hrefs(body), ["http://h.example/a"]);
    assert_eq!(
        hrefs("<urlset><loc>/?a=1&b=2&copy;</loc></urlset>"),
        ["http://h.example/?a=1&b=2&copy;"]
    );
}

#[test]
fn d2_what_exceeds_the_limits_is_cut_and_counted() {
    let sitemap = read_bytes("http://h.example/a\n".repeat(MAX_ENTRIES + 7).as_bytes());
    assert_eq!((sitemap.entries.len(), sitemap.cut), (MAX_ENTRIES, 7));
    let bomb = gzip(&[b' '; 100_000]);
    assert_eq!(decode::gunzip(&bomb, 1000).len(), 1000);
}

#[test]
fn q2_short_locations_relative_to_a_long_url_take_no_more_than_the_cap() {
    let url = Url::parse(&format!("http://h.example/{}/", "x".repeat(60_000))).unwrap();
    let body: String = (0..2_000)
        .map(|n| format!("<url><loc>{n}</loc></url>"))
        .collect();
    let sitemap = read(body.as_bytes(), &url, &Identity::default());
    assert_eq!(sitemap.entries.len() + sitemap.cut, 2_000);
    assert!(sitemap.cut > 1_000 && sitemap.bytes() < MAX_BYTES + 1_000_000);
}

#[test]
fn q2_what_is_no_text_takes_no_more_than_the_cap() {
    let text = decode::text(&[0xFF; 20_000_000]).into_owned();
    assert!(text.capacity() <= MAX_BYTES && text.len() > MAX_BYTES - 8);
}

#[test]
fn d2_hostile_documents_take_linear_time() {
    for piece in [
        "<!---->",
        "<!--",
        "<a x=\"",
        "<url><loc>",
        "<![CDATA[",
        "&",
        "<",
        "<!DOCTYPE [",
        "</",
        "<?",
    ] {
        let start = Instant::now();
        hrefs(&format!("<urlset><loc>{}", piece.repeat(100_000)));
        assert!(start.elapsed() < Duration::from_secs(5), "{piece}");
    }
}

#[test]
fn dates_that_are_none_are_left_out() {
    for text in [
        "",
        "blah",
        "2014-13-01",
        "2014-02-30",
        "2014-06-03T25:00Z",
        "1-2-3-4",
        "0000-01-01T00:00+05:00",
        "05 Jan 17 13:34:55",
    ] {
        assert_eq!(date::normalise(text), None, "{text}");
    }
    assert_eq!(
        date::normalise("2016-02-29 23:59:59 -0130").unwrap(),
        "2016-03-01T01:29:59Z"
    );
}

proptest! {
    #[test]
    fn any_bytes_are_a_sitemap(pieces in prop::collection::vec(prop::sample::select(vec![
        "<urlset>", "<url>", "</url>", "<loc>", "</loc>", "<rss>", "<item>", "<link>", "<feed>", "<entry>", "<link href='",
        "<![CDATA[", "]]>", "<!--", "-->", "<!DOCTYPE x [", "]>", "&amp;", "&#x", ";", "ü", "/a", "\"", "'", ">", "<", "?",
    ]), 0..40)) {
        hrefs(&pieces.concat());
        hrefs(&format!("<urlset>{}", pieces.concat()));
    }

    #[test]
    fn any_text_is_a_date_or_none(text in ".{0,40}", digits in "[0-9TZ:+ .,a-z-]{0,30}") {
        date::normalise(&text);
        date::normalise(&digits);
    }
}

#[test]
fn articles_of_a_news_sitemap_are_told_from_other_pages_f2() {
    let sitemap = read_bytes(
        b"<urlset xmlns:news='n'><url><loc>http://a.test/1</loc><news:news><news:title>T</news:title></news:news></url>\
         <url><loc>http://a.test/2</loc></url></urlset>",
    );
    let news: Vec<bool> = sitemap.entries.iter().map(|entry| entry.is_news).collect();
    assert_eq!(news, [true, false]);
}
