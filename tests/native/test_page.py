"""A2, A3, D3, D4: what a page says, as a browser would read it."""

import json
import random
import time
from collections.abc import Sequence
from itertools import combinations
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hondius._native import Identity, NativeError, Page, Reader, parse_headers
from tests.native import conformance
from tests.native.full_parser import links_by_lexbor
from tests.native.mutation import mutate_page
from tests.native.suites import suite

IDENTITY = Identity()
READER = Reader(IDENTITY, agent_token="hondius")
URL = "http://a.test/dir/page.html"


def read(text: str, **more: Any) -> Page:
    return READER.read(text.encode(), url=URL, content_type="text/html; charset=utf-8", **more)


def hrefs(page: Page) -> list[str]:
    return [link.href for link in page.links]


def test_d3_meta_refresh_and_base_are_read_as_browsers_read_them() -> None:
    assert conformance.meta_refreshes().wrong == []
    assert conformance.bases().wrong == []


def test_d3_the_refresh_header_is_one_too() -> None:
    page = read("", headers=[("Refresh", "0; url=/next")])
    assert [(link.href, link.kind) for link in page.links] == [("http://a.test/next", "refresh")]


def test_d3_links_have_kind_anchor_and_key() -> None:
    page = read("<a href='/x?b=1&amp;a=2' rel='ugc'> one <b>two</b></a><iframe src=y></iframe><a href='tel:1'>")
    (first, second) = page.links
    assert (first.href, first.kind, first.anchor, first.nofollow) == (
        "http://a.test/x?b=1&a=2",
        "anchor",
        "one two",
        True,
    )
    assert first.key == IDENTITY.parse(first.href).key
    assert (second.href, second.kind, second.nofollow) == ("http://a.test/dir/y", "frame", False)
    assert page.links_found == 2, "distinct ones, of pages"


def test_d3_a_base_and_links_may_name_hosts_that_look_like_punycode() -> None:
    page = read("<base href=//xn--a.test:81/b/><a href=c>x</a><a href=//xn--/>y</a>")
    assert hrefs(page) == ["http://xn--a.test:81/b/c", "http://xn--/"]


def test_d3_media_and_scripts_by_setting() -> None:
    text = b"<img src=i srcset='j 2x'><script src=s></script>"
    everything = Reader(IDENTITY, agent_token="hondius", media=True, scripts=True)
    assert hrefs(READER.read(text, url=URL, content_type="text/html")) == []
    page = everything.read(text, url=URL, content_type="text/html")
    assert [(link.href[-1], link.kind) for link in page.links] == [("i", "media"), ("j", "media"), ("s", "script")]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("<img src=a srcset='b 1x, c 2x'>", ["a", "b", "c"]),
        ("<picture><source srcset='a 480w, b 800w'><img src=c></picture>", ["a", "b", "c"]),
        ("<video src=a poster=b><source src=c></video>", ["a", "b", "c"]),
        ("<audio src=a></audio><audio><source src=b></audio>", ["a", "b"]),
    ],
)
def test_d7_every_kind_of_media_is_found_and_none_without_the_setting(text: str, found: list[str]) -> None:
    media = Reader(IDENTITY, agent_token="hondius", media=True)
    page = media.read(text.encode(), url=URL, content_type="text/html")
    assert [(link.href[-1], link.kind) for link in page.links] == [(name, "media") for name in found]
    assert hrefs(read(text)) == []
    scripts = Reader(IDENTITY, agent_token="hondius", scripts=True)
    assert hrefs(scripts.read(text.encode(), url=URL, content_type="text/html")) == []


def test_d4_directives_of_the_page_its_headers_and_our_own_name() -> None:
    page = read("<meta name=robots content=none><meta name=otherbot content=noarchive>")
    assert (page.nofollow, page.noindex, page.noarchive) == (True, True, False)
    page = read("", headers=[("X-Robots-Tag", "otherbot: noindex, hondius: noarchive"), ("x-robots-tag", "nofollow")])
    assert (page.nofollow, page.noindex, page.noarchive) == (True, False, True)


def test_a2_the_page_as_people_see_it() -> None:
    page = read(
        "<html lang=EN><title>T &amp; t</title><meta name=description content=' d  d '><link rel=canonical href=/c>"
        "<script>no</script><p>one<p>two &lt;three&gt;&nbsp;four<noscript>no</noscript>"
    )
    assert (page.title, page.description, page.canonical) == ("T & t", "d d", "http://a.test/c")
    assert (page.language, page.text, page.charset) == ("en", "one two <three> four", "UTF-8")


def test_a2_main_text_headings_open_graph_and_the_language_it_is_written_in() -> None:
    sentence = (
        "The plates were bought at an auction and printed in so many languages that everyone could afford a copy."
    )
    page = read(
        f"<html lang=de><meta property=og:title content='An  atlas'><nav><a href=x>Home</a></nav>"
        f"<main><h1>The <b>atlas</b></h1><p>{sentence}</p></main><footer>Imprint</footer>"
    )
    assert page.main_text == f"The atlas\n{sentence}"
    assert page.headings == [(1, "The atlas")]
    assert page.open_graph == [("og:title", "An atlas")]
    assert (page.language, page.language_detected) == ("de", "en")


def test_a2_what_is_found_in_a_text_that_is_not_kept_is_kept() -> None:
    frugal = Reader(IDENTITY, agent_token="x", want_text=False)
    body = (
        b"<h2>one</h2><p>The plates of the atlas were bought and printed again by its new owner</p><a href=x>link</a>"
    )
    bare, full = frugal.read(body, url=URL), READER.read(body, url=URL)
    assert (bare.text, bare.main_text, bare.headings) == ("", "", [])
    assert full.headings == [(2, "one")]
    assert bare.links[0].anchor == full.links[0].anchor == "link"
    assert bare.language_detected == full.language_detected == "en"
    assert bare.simhash == full.simhash
    assert [link.key for link in bare.links] == [link.key for link in full.links]
    assert frugal.read(b"<html lang=de>" + body, url=URL).language_detected == ""


@pytest.mark.parametrize(
    ("markup", "anchor"),
    [
        ("before<a href=x>word</a>after", "word"),
        ("before <a href=x> two\n words </a> after", "two words"),
        ("<a href=x>a<b>b</b><br>c</a>", "ab c"),
        ("<a href=x>&amp; &nbsp; &eacute;</a>", "& é"),
        ("<a href=x><img alt=y></a>text", ""),
        ("<a href=x>one <svg><title>hidden</title></svg> two</a>", "one hidden two"),
        ("<noscript><a href=x>unseen</a></noscript>", "unseen"),
        ("<a href=x></a><p><a href=x>second</a>", "second"),
        (f"<a href=x>{'ab ' * 100}</a>", ("ab " * 67)[:200].strip()),
        ("<a href=x>first<a href=y>other</a>", "first"),
    ],
)
def test_a2_the_anchor_of_a_link_is_its_text(markup: str, anchor: str) -> None:
    for reader in (READER, Reader(IDENTITY, agent_token="x", want_text=False)):
        assert reader.read(markup.encode(), url=URL, content_type="text/html; charset=utf-8").links[0].anchor == anchor
    capped = Reader(IDENTITY, agent_token="x", max_text=1).read(markup.encode(), url=URL, content_type="text/html")
    assert anchor.startswith(capped.links[0].anchor[:1])


def test_a2_the_rel_of_a_link_is_told_in_words() -> None:
    page = READER.read(b'<a href=1 rel="ugc noopener nofollow"><a href=2>', url=URL, content_type="text/html")
    assert [link.rel for link in page.links] == ["nofollow ugc", ""]


def test_a2_text_is_capped_and_collected_only_when_wanted() -> None:
    assert Reader(IDENTITY, agent_token="x", max_text=3).read("žžžžž".encode(), url=URL).text == "žžž"
    assert Reader(IDENTITY, agent_token="x", want_text=False).read(b"text", url=URL).text == ""
    assert (
        len(Reader(IDENTITY, agent_token="x", max_links=2).read(b"<a href=1><a href=2><a href=3>", url=URL).links) == 2
    )


def test_u1_a_page_without_a_url_is_refused() -> None:
    with pytest.raises(NativeError) as caught:
        READER.read(b"", url="not a url")
    assert caught.value.kind == "invalid"


@given(st.text(max_size=300), st.sampled_from(["text/html", "application/rss+xml", "application/xhtml+xml", ""]))
def test_a3_any_text_gives_a_page(text: str, content_type: str) -> None:
    page = READER.read(text.encode(errors="surrogatepass"), url=URL, content_type=content_type)
    assert len(page.links) <= page.links_found


@pytest.mark.parametrize(
    "body",
    [
        b"<div>" * 1_000_000,
        b"<svg><font>" + b"<div>" * 1_000_000,
        b"<svg><font></svg>" + b"".join(b"<b id=%d>" % number for number in range(300_000)),
        b"".join(b"<a href=%d>" % number for number in range(1_000_000)),
        b"<a href='" + b"x" * 10_000_000 + b"'>",
        b"<" * 1_000_000,
        b"<![CDATA[" * 100_000,
        b"<a " + b"".join(b"a%d=1 " % number for number in range(500_000)) + b">",
    ],
    ids=["nested", "nested slowly", "formatting", "links", "attribute", "less-than", "cdata", "attributes"],
)
def test_a3_hostile_pages_take_seconds_at_most(body: bytes) -> None:
    started = time.process_time()
    READER.read(body, url=URL, content_type="text/html")
    assert time.process_time() - started < 10


# ---- the same links as a full parser -----------------------------------------------------------

WORDS = "the fox jumps over a lazy dog while nobody cares about it".split()


def paragraph(chance: random.Random) -> str:
    words = " ".join(chance.choices(WORDS, k=6))
    tag = chance.choice(["p", "div", "li", "td", "h2", "span", "section"])
    link = f'<a class="x" href="/p/{chance.randrange(10_000)}?q={chance.random()}">{words}</a>'
    return f"<{tag} id='{chance.randrange(99)}'>{words} {link} &amp; <b>{words}</b> <i>x</i></{tag}>\n"


def generate_page(chance: random.Random) -> str:
    body = "".join(paragraph(chance) for _ in range(chance.randrange(5, 25)))
    table = "".join(f"<tr><td>{paragraph(chance)}</td></tr>" for _ in range(3))
    return f"<!doctype html><html><head><title>T</title></head><body>{body}<table>{table}</table></body></html>"


def test_a3_links_equal_those_of_a_full_parser_on_generated_pages() -> None:
    chance = random.Random(1604)
    for _ in range(100):
        page = generate_page(chance)
        assert set(hrefs(read(page))) == links_by_lexbor(page, URL)


def test_a3_links_equal_those_of_a_full_parser_on_99_of_100_mutated_pages() -> None:
    chance = random.Random(1599)
    pages = [mutate_page(generate_page(chance), chance) for _ in range(2_000)]
    wrong = [page for page in pages if set(hrefs(read(page))) != links_by_lexbor(page, URL)]
    slow = sum(read(page).slow_road for page in pages)
    print(f"{len(wrong)} of {len(pages)} differ, {slow} took the slow road")
    assert len(wrong) <= len(pages) // 100, wrong[0]


# ---- simhash -------------------------------------------------------------------------------------


def article(words: Sequence[str]) -> str:
    menu = "<nav>" + "".join(f"<a href=/{number}>Section {number}</a>" for number in range(20)) + "</nav>"
    return f"<title>{words[0]}</title>{menu}<main><p>{' '.join(words)}</p></main><footer>The end</footer>"


def distance(one: Page, other: Page) -> int:
    assert one.simhash is not None
    assert other.simhash is not None
    return (one.simhash ^ other.simhash).bit_count()


def test_x2_near_copies_are_close_and_others_are_not_whatever_surrounds_them() -> None:
    texts = sorted(suite("near-dup/parkr-texts").glob("file*.txt"))
    words = [text.read_text("utf-8", "replace").split()[:300] for text in texts]
    pages = [read(article(text)) for text in words]
    chance = random.Random(1604)
    copies = [
        read(article([*text[:at], "changed", *text[at + 1 :]])) for text in words for at in [chance.randrange(300)]
    ]
    near = sum(distance(page, copy) <= 3 for page, copy in zip(pages, copies, strict=True))
    assert near >= 0.95 * len(pages)
    labelled = json.loads(suite("near-dup/parkr_pairs.json").read_text())["pairs_ge_0.3"]
    alike = {frozenset(names[:2]) for names in labelled}
    apart = [
        distance(pages[one], pages[other])
        for one, other in combinations(range(len(texts)), 2)
        if frozenset((texts[one].name, texts[other].name)) not in alike
    ]
    assert min(apart) > 3
    assert sum(apart) / len(apart) > 18


def test_x2_the_simhash_is_that_of_the_main_text_or_of_what_there_is() -> None:
    words = "Jodocus Hondius bought the plates of the atlas and put the maps of Mercator into hands of all".split() * 5
    assert read(article(words)).simhash == read(f"<p>{' '.join(words).upper()}").simhash
    assert read("<nav>only this</nav>").simhash == read("this only").simhash
    assert read("<img src=x>").simhash is None
    assert READER.read(bytes(range(256)), url=URL, content_type="image/png").simhash is None


def test_x2_the_text_need_not_be_kept_for_it() -> None:
    frugal = Reader(IDENTITY, agent_token="hondius", want_text=False)
    body = b"<p>some words"
    page = frugal.read(body, url=URL, content_type="text/html")
    assert (page.text, page.main_text) == ("", "")
    assert page.simhash == READER.read(body, url=URL, content_type="text/html").simhash is not None


# ---- the hash of a text --------------------------------------------------------------------------

TEXT = "Jodocus Hondius bought the plates of the atlas and put the maps of Mercator into the hands of all. " * 4


def test_f6_a_text_is_the_same_whatever_its_links_lead_to_and_whatever_surrounds_it() -> None:
    link = "<a href='/x?zz={token}'>next</a><!-- {token} -->"
    page = f"<title>Atlas</title><nav>{{nav}}</nav><h1>Maps</h1><p>{{text}} {link}</p>"
    first = read(page.format(nav="Home", text=TEXT, token="k3jd93"))
    assert first.text_hash is not None
    assert len(first.text_hash) == 16
    assert read(page.format(nav="Start here", text=TEXT, token="x8fj2k")).text_hash == first.text_hash
    assert read(page.format(nav="Home", text=TEXT + "!", token="k3jd93")).text_hash != first.text_hash


@pytest.mark.parametrize(
    "page",
    [
        "<nav><a href=/>Home</a></nav><h1>Mug {n}</h1><p>{text}</p>",
        "<p>{text}</p><ul><li><a href=/a>Mug {n}</a></li><li><a href=/b>Mug {n}0</a></li></ul>",
        "<blockquote>{text}</blockquote><p><a href=/r>Reply</a> <a href=/q>Quote</a></p><p>Number {n}.</p>",
        "<title>Picture {n}</title><img src=/p.jpg>",
        "<main><p>{text}</p><p>{n}</p></main>",
    ],
)
def test_f6_a_few_words_tell_texts_apart_wherever_they_stand(page: str) -> None:
    assert len({read(page.format(n=n, text=TEXT)).text_hash for n in range(5)}) == 5


def test_f6_a_page_without_text_has_an_empty_hash_and_what_is_no_text_has_none() -> None:
    assert read("<img src=x>").text_hash == b""
    assert READER.read(b"", url=URL, content_type="text/plain").text_hash == b""
    assert READER.read(bytes(range(256)), url=URL, content_type="image/png").text_hash is None
    assert read("<nav>only this</nav>").text_hash not in (b"", read("<nav>only that</nav>").text_hash)


def test_x2_scripts_without_spaces_have_a_simhash_that_tells_texts_apart() -> None:
    text = "北の大地に降る雪は静かに町を包み、人々は暖炉のそばで古い地図を広げて遠い国の話をした。"
    other = "経済成長率は前年同期比で低下し、政府は新たな対策を検討していると発表した。"
    long = "".join(text.replace("雪", str(part)) for part in range(8))
    assert distance(read(long), read(long.replace("国", "島", 1))) <= 3
    assert distance(read(text), read(other)) > 16


@pytest.mark.parametrize(
    ("head", "expected"),
    [
        (b"HTTP/1.1 200 OK\r\nA: b\r\nX-Y:  c \r\na: d\r\n\r\n", [("a", "b"), ("x-y", "c"), ("a", "d")]),
        (b"HTTP/1.0 200\nA: \xe9\n  folded\n\n", [("a", "\u00e9 folded")]),
        (b"HTTP/1.1 200 OK\r\n\r\n", []),
        (b"", []),
        (b"\x00\xff" * 1_000, []),
        (b"A: b\r\n\r\n", []),
    ],
)
def test_o2_headers_of_an_archived_head_are_parsed_and_never_raise(
    head: bytes, expected: list[tuple[str, str]]
) -> None:
    assert parse_headers(head) == expected
