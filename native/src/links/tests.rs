use proptest::prelude::*;

use super::{
    Blocks, HEAD_BYTES, PageLinks, Source, block_bytes, check_header, header, read, write,
};
use crate::html::Reader;
use crate::page::{Link, LinkKind, Page, ReadOptions};
use crate::url::{Identity, Key, Switches, Version, parse};

fn identity() -> Identity {
    Identity::new(Switches::default())
}

fn link(identity: &Identity, href: &str, kind: LinkKind, rel: u8, anchor: &str) -> Link {
    let url = identity.parse(href, None).unwrap();
    Link {
        key: identity.key_of(&url),
        href: url.into(),
        kind,
        rel,
        anchor: anchor.to_owned(),
    }
}

type Given = (Key, String, Vec<Link>);

fn blocks(pages: &[Given], base: u64) -> Blocks {
    let sources: Vec<_> = pages
        .iter()
        .map(|(key, href, links)| Source {
            key: *key,
            href,
            directives: 2,
            links,
        })
        .collect();
    write(&sources, base).unwrap()
}

/// Reads each page by its place.
fn read_back(blocks: &Blocks, base: u64, identity: &Identity) -> Vec<PageLinks> {
    let page = |place: &super::Place| {
        let start = usize::try_from(place.offset - base).unwrap();
        read(&blocks.data[start..], identity)
            .unwrap()
            .swap_remove(place.index as usize)
    };
    blocks.places.iter().map(page).collect()
}

fn assert_same(given: &[Given], found: &[PageLinks]) {
    assert_eq!(given.len(), found.len());
    for ((key, href, links), page) in given.iter().zip(found) {
        assert_eq!((key, href), (&page.key, &page.href));
        assert_eq!((page.directives, page.left_out), (2, 0));
        assert!(page.has_same_keys);
        assert_eq!(links.len(), page.links.len());
        for (one, other) in links.iter().zip(&page.links) {
            assert_eq!((&one.href, one.key), (&other.href, other.key));
            assert_eq!((one.kind, one.rel), (other.kind, other.rel));
            assert_eq!(one.anchor, other.anchor);
        }
    }
}

const KINDS: [LinkKind; 13] = [
    LinkKind::Anchor,
    LinkKind::Area,
    LinkKind::Canonical,
    LinkKind::Alternate,
    LinkKind::Next,
    LinkKind::Previous,
    LinkKind::Feed,
    LinkKind::Frame,
    LinkKind::Refresh,
    LinkKind::Header,
    LinkKind::Media,
    LinkKind::Script,
    LinkKind::Sitemap,
];

#[test]
fn every_kind_and_rel_comes_back() {
    let identity = identity();
    let kinds = KINDS.into_iter().enumerate();
    let links = kinds.flat_map(|(number, kind)| {
        let identity = &identity;
        (0..8).map(move |rel| {
            link(
                identity,
                &format!("http://b.test/{number}/{rel}"),
                kind,
                rel,
                "words",
            )
        })
    });
    let given = [([1; 16], "http://a.test/".to_owned(), links.collect())];
    assert_same(&given, &read_back(&blocks(&given, 12), 12, &identity));
}

fn hrefs() -> impl Strategy<Value = String> {
    let host = prop_oneof![
        Just("http://a.test"),
        Just("https://www.example.org"),
        Just("http://xn--mnchen-3ya.de:8080"),
        Just("http://[2001:db8::1]"),
    ];
    (
        host,
        "(/[a-zA-Z0-9%._~!$&'()*+,;=:@^ äé-]{0,60}){0,4}(\\?[a-z0-9=&;%^|{}-]{0,30})?",
    )
        .prop_map(|(host, rest)| format!("{host}/{rest}"))
}

fn any_link() -> impl Strategy<Value = Link> {
    let kind = (0..KINDS.len()).prop_map(|number| KINDS[number]);
    (hrefs(), kind, 0u8..8, "\\PC{0,200}")
        .prop_map(|(href, kind, rel, anchor)| link(&identity(), &href, kind, rel, &anchor))
}

fn any_page() -> impl Strategy<Value = Given> {
    let links = prop::collection::vec(any_link(), 0..60);
    (any::<[u8; 16]>(), hrefs(), links)
        .prop_map(|(key, href, links)| (key, parse(&href, None).unwrap().into(), links))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn whatever_was_written_is_read(given in prop::collection::vec(any_page(), 0..12), base in 0u64..1 << 40) {
        assert_same(&given, &read_back(&blocks(&given, base), base, &identity()));
    }

    #[test]
    fn damage_is_never_taken_for_links(given in prop::collection::vec(any_page(), 1..4), at: prop::sample::Index, bit in 0u8..8) {
        let mut data = blocks(&given, 0).data;
        let at = at.index(data.len());
        data[at] ^= 1 << bit;
        prop_assert!(read(&data, &identity()).is_err());
    }

    #[test]
    fn a_block_that_is_cut_off_is_refused(given in prop::collection::vec(any_page(), 1..4), at: prop::sample::Index) {
        let data = blocks(&given, 0).data;
        prop_assert!(read(&data[..at.index(data.len())], &identity()).is_err());
    }

    #[test]
    fn any_bytes_with_a_right_checksum_give_pages_or_an_error(content in prop::collection::vec(any::<u8>(), 0..200)) {
        let mut data = u32::try_from(content.len()).unwrap().to_le_bytes().to_vec();
        data.extend(crc32fast::hash(&content).to_le_bytes());
        data.extend(content);
        prop_assert_eq!(block_bytes(&data[..HEAD_BYTES]).unwrap(), data.len());
        let _ = read(&data, &identity());
    }
}

#[test]
fn many_pages_fill_many_blocks_and_each_is_found() {
    let identity = identity();
    let given: Vec<Given> = (0..300u32)
        .map(|number| {
            let links = (0..100).map(|other| {
                let href = format!(
                    "http://host-{}.test/{number}/{other}.html",
                    (number + other) % 7
                );
                link(
                    &identity,
                    &href,
                    LinkKind::Anchor,
                    0,
                    &format!("page {other}"),
                )
            });
            let key = u128::from(number).to_le_bytes();
            (
                key,
                format!("http://host-{}.test/{number}", number % 7),
                links.collect(),
            )
        })
        .collect();
    let written = blocks(&given, 99);
    let mut offsets: Vec<_> = written.places.iter().map(|place| place.offset).collect();
    offsets.dedup();
    assert!(offsets.len() > 3, "{} blocks", offsets.len());
    assert_same(&given, &read_back(&written, 99, &identity));
}

#[test]
fn what_cannot_stand_in_a_line_is_left_out_or_folded() {
    let identity = identity();
    let mut odd = link(
        &identity,
        "http://b.test/",
        LinkKind::Anchor,
        0,
        "two\nwords\tthree",
    );
    let fine = odd.clone();
    odd.href = "http://b.test/a\nb".to_owned();
    let given = [([1; 16], "http://a.test/".to_owned(), vec![odd, fine])];
    let found = read_back(&blocks(&given, 0), 0, &identity).remove(0);
    assert_eq!((found.left_out, found.links.len()), (1, 1));
    assert_eq!(found.links[0].anchor, "two words three");
    let page = ([1; 16], "http://a.test/\n".to_owned(), vec![]);
    let source = Source {
        key: page.0,
        href: &page.1,
        directives: 0,
        links: &page.2,
    };
    assert!(write(&[source], 0).is_err());
}

#[test]
fn other_rules_of_identity_are_noticed() {
    let identity = identity();
    let tracked = link(
        &identity,
        "http://b.test/?utm_source=x",
        LinkKind::Anchor,
        0,
        "",
    );
    let given = [([1; 16], "http://a.test/".to_owned(), vec![tracked])];
    let other = Identity::new(Switches {
        drop_tracking: false,
        ..Switches::default()
    });
    assert!(!read_back(&blocks(&given, 0), 0, &other)[0].has_same_keys);
}

/// The keys of all links that the reader finds are those that their hrefs have, in both versions of identity.
#[test]
fn the_key_of_every_link_of_a_page_can_be_made_again_from_its_href() {
    let hrefs = [
        "?a=%E4&b=é&utm_source=x#top",
        "//user:secret@Example.COM:80/a/../b/./c^d?q=[1]|{2}",
        "http://a_b.test./x;jsessionid=0123456789ABCDEF",
        "http://xn--a.test/", // a name that is no valid IDNA
        "https://xn--/%7Euser/(S(abcdefghijklmnopqrstuvwx))/page.aspx",
        "\\\\other.test\\path",
        "///three.test/x",
        "http://[::ffff:1.2.3.4]/",
        "http://0x7f.1/",
        "HTTP://b.TEST:8080/%7euser/%zz/ü?x=ü&PHPSESSID=1",
    ];
    let body: String = hrefs
        .iter()
        .map(|href| format!("<a href=\"{href}\">x</a>"))
        .collect();
    for version in [Version::First, Version::Second] {
        let identity = Identity::new(Switches {
            version,
            ..Switches::default()
        });
        let page = read_page(&identity, &body);
        assert!(page.links.len() >= 7, "{}", page.links.len());
        let given = [([1; 16], "http://a.test/dir/page".to_owned(), page.links)];
        assert_same(&given, &read_back(&blocks(&given, 0), 0, &identity));
    }
}

fn read_page(identity: &Identity, body: &str) -> Page {
    let options = ReadOptions {
        agent_token: "hondius".into(),
        media: true,
        scripts: true,
        requisites: false,
        max_links: 1000,
        max_text: 1000,
        want_text: false,
        keywords: None,
    };
    let url = parse("http://a.test/dir/page", None).unwrap();
    Reader::new(identity.clone(), options).read(
        body.as_bytes(),
        &url,
        "text/html; charset=windows-1252",
        &[],
    )
}

/// A page with two links, written before anchors were spelled like paths.
const BLOCK_OF_FORMAT_1: &[u8] = b"i\x00\x00\x00\xc4\xd4\x89\x97\x01\x17\x17\x02\x02\x03\x03DD\
    \x01\x01\x01\x01\x01\x01\x01\x01\x01\x01\x01\x01\x01\x01\x01\x01Zy\x8cB\x02\x00\x00\x00\x10\x00\x1c\x1d\
    http://a.test/dir/page\t\nopen-source\tOpen source - all of it\nx\tx-y z\n";

#[test]
fn a_block_of_format_1_can_be_read() {
    let page = read(BLOCK_OF_FORMAT_1, &identity()).unwrap().remove(0);
    assert!(page.has_same_keys);
    assert_eq!(page.href, "http://a.test/dir/page");
    let links = page.links.iter();
    let links: Vec<_> = links.map(|link| (&*link.href, &*link.anchor)).collect();
    assert_eq!(
        links,
        [
            ("http://a.test/open-source", "Open source - all of it"),
            ("http://a.test/x", "x-y z")
        ]
    );
}

#[test]
fn a_block_of_a_newer_format_is_refused() {
    let given = [([1; 16], "http://a.test/".to_owned(), vec![])];
    let mut data = blocks(&given, 0).data;
    assert_eq!(data[HEAD_BYTES..][..2], [0, 2]);
    data[HEAD_BYTES + 1] = 3;
    let checksum = crc32fast::hash(&data[HEAD_BYTES..]).to_le_bytes();
    data[4..HEAD_BYTES].copy_from_slice(&checksum);
    assert!(read(&data, &identity()).is_err());
}

#[test]
fn an_anchor_that_repeats_the_path_takes_less_room() {
    let identity = identity();
    let page = |separator: &str| {
        let links = (0..40u64).map(|number| {
            let mut words = (number + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            let mut word = || {
                words = words.rotate_left(17).wrapping_mul(0xbf58_476d_1ce4_e5b9);
                format!("{:08x}", words >> 32)
            };
            let words = [word(), word(), word(), word()];
            let href = format!("http://a.test/a{}", words.join(separator));
            let anchor = format!("A{}", words.join(" "));
            link(&identity, &href, LinkKind::Anchor, 0, &anchor)
        });
        [([1; 16], "http://a.test/".to_owned(), links.collect())]
    };
    let (hyphens, underscores) = (blocks(&page("-"), 0), blocks(&page("_"), 0));
    assert!(hyphens.data.len() + 40 < underscores.data.len());
}

#[test]
fn a_file_that_is_no_segment_is_refused() {
    assert!(check_header(&header()).is_ok());
    assert!(check_header(&header()[..11]).is_err());
    assert!(check_header(b"HONDLOG\n\x01\0\0\0").is_err());
    let mut newer = header();
    newer[8] = 9;
    let said = check_header(&newer).unwrap_err().to_string();
    assert!(said.contains("format 9"), "{said}");
}
