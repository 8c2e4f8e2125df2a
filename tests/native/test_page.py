"""A2, A3, D3, D4: what a page says, as a browser would read it."""

import html
import json
import random
import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from selectolax.lexbor import LexborHTMLParser

from hondius._native import Identity, NativeError, Page, Reader
from tests.native.suites import suite

IDENTITY = Identity()
READER = Reader(IDENTITY, agent_token="hondius")
URL = "http://a.test/dir/page.html"


def read(text: str, **more: Any) -> Page:
    return READER.read(text.encode(), url=URL, content_type="text/html; charset=utf-8", **more)


def hrefs(page: Page) -> list[str]:
    return [link.href for link in page.links]


def suite_cases(path: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(suite(path).read_text("utf-8"))["cases"]
    return found


def test_d3_meta_refresh_is_read_as_browsers_read_it() -> None:
    for case in suite_cases("wpt-html/meta_refresh.json"):
        page = read(f'<meta http-equiv=refresh content="{html.escape(case["content"])}">')
        target = case["expected"] and case["expected"]["url"]
        expected = [] if target is None else [IDENTITY.parse(target, URL).href]
        assert [link.href for link in page.links if link.kind == "refresh"] == expected, case


def test_d3_the_refresh_header_is_one_too() -> None:
    page = read("", headers=[("Refresh", "0; url=/next")])
    assert [(link.href, link.kind) for link in page.links] == [("http://a.test/next", "refresh")]


def test_d3_base_is_what_browsers_take_for_it() -> None:
    for case in suite_cases("wpt-html/base_cases.json"):
        page = READER.read(case["html"].encode(), url=case["doc_url"], content_type="text/html")
        assert hrefs(page) == list(dict.fromkeys(link.split("#")[0] for link in case["links"])), case


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
    assert page.links_found == 3


def test_d3_media_and_scripts_by_setting() -> None:
    text = b"<img src=i srcset='j 2x'><script src=s></script>"
    everything = Reader(IDENTITY, agent_token="hondius", media=True, scripts=True)
    assert hrefs(READER.read(text, url=URL, content_type="text/html")) == []
    page = everything.read(text, url=URL, content_type="text/html")
    assert [(link.href[-1], link.kind) for link in page.links] == [("i", "media"), ("j", "media"), ("s", "script")]


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
INSERTED = [
    "<svg><title>icon</title><path d='M0 0'/><a xlink:href='/svg'>x</a></svg>",
    "<svg><style>a{}</style><g><text>t</text></g>",
    "<svg><foreignObject><div><a href='/foreign'>f</a></div></foreignObject></svg>",
    "<math><mi>x</mi><mo>=</mo><annotation-xml encoding='text/html'><a href='/math'>m</a></annotation-xml></math>",
    "<template><a href='/template'>t</a><p>x</template>",
    "<select><option>1<option>2<a href='/select'>s</a></select>",
    "<noscript><img src=x><a href='/noscript'>n</a></noscript>",
    "<textarea><a href='/textarea'></textarea>",
    "<iframe src='/frame'><a href='/in-frame'></iframe>",
    "<script>document.write('<a href=\"/script\">')</script>",
    "<script><!-- <script> <a href='/escaped'> --></script>",
    "<!-- <a href='/comment'> -->",
    "<![CDATA[ <a href='/cdata'> ]]>",
    "<title>late <a href='/title'></title>",
    "<base href='/late/'>",
    "<table><a href='/foster'>f</a><tr><td>x</table>",
    "<p><b><p></b>",
    "<frameset><frame src='/frameset'></frameset>",
    "<plaintext>",
]


def paragraph(chance: random.Random) -> str:
    words = " ".join(chance.choices(WORDS, k=6))
    tag = chance.choice(["p", "div", "li", "td", "h2", "span", "section"])
    link = f'<a class="x" href="/p/{chance.randrange(10_000)}?q={chance.random()}">{words}</a>'
    return f"<{tag} id='{chance.randrange(99)}'>{words} {link} &amp; <b>{words}</b> <i>x</i></{tag}>\n"


def generated(chance: random.Random) -> str:
    body = "".join(paragraph(chance) for _ in range(chance.randrange(5, 25)))
    table = "".join(f"<tr><td>{paragraph(chance)}</td></tr>" for _ in range(3))
    return f"<!doctype html><html><head><title>T</title></head><body>{body}<table>{table}</table></body></html>"


def mutated(page: str, chance: random.Random) -> str:
    pieces = page.replace("<", "\0<").replace(">", ">\0").split("\0")
    for _ in range(chance.randrange(1, 8)):
        place = chance.randrange(len(pieces))
        match chance.randrange(5):
            case 0:
                del pieces[place : place + chance.randrange(1, 3)]
            case 1:
                pieces.insert(place, chance.choice(INSERTED))
            case 2:
                pieces.insert(place, chance.choice(pieces))
            case 3:
                pieces[place] = pieces[place][: chance.randrange(len(pieces[place]) + 1)]
            case _:
                other = chance.randrange(len(pieces))
                pieces[place], pieces[other] = pieces[other], pieces[place]
    return "".join(pieces)


def links_by_lexbor(page: str) -> set[str]:
    tree = LexborHTMLParser(page)
    base = URL
    if (element := tree.css_first("base[href]")) is not None:
        base = IDENTITY.parse(element.attributes["href"] or "", URL).href
    texts = [node.attributes.get("href") for node in tree.css("a, area")]
    texts += [node.attributes.get("xlink:href") for node in tree.css("svg a")]
    texts += [node.attributes["src"] for node in tree.css("iframe[src], frame[src]")]
    rows = IDENTITY.batch([(text, base) for text in texts if text is not None])
    return {row[0] for row in rows if row[0] is not None}


def test_a3_links_equal_those_of_a_full_parser_on_generated_pages() -> None:
    chance = random.Random(1604)
    for _ in range(100):
        page = generated(chance)
        assert set(hrefs(read(page))) == links_by_lexbor(page)


def test_a3_links_equal_those_of_a_full_parser_on_99_of_100_mutated_pages() -> None:
    chance = random.Random(1599)
    pages = [mutated(generated(chance), chance) for _ in range(2_000)]
    wrong = [page for page in pages if set(hrefs(read(page))) != links_by_lexbor(page)]
    slow = sum(read(page).slow_road for page in pages)
    print(f"{len(wrong)} of {len(pages)} differ, {slow} took the slow road")
    assert len(wrong) <= len(pages) // 100, wrong[0]
