"""The public test suites, each as one verdict: what was asked, what was answered otherwise, what of that we stand by.

The tests demand that nothing is wrong; `make accept ONLY=reading` prints the counts.
"""

import base64
import html
import json
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from hondius._native import Identity, Reader, Robots, registrable_domain
from tests.native.suites import cases, suite

IDENTITY = Identity()
READER = Reader(IDENTITY, agent_token="hondius")
URL = "http://a.test/dir/page.html"


@dataclass(frozen=True)
class Verdict:
    suite: str
    total: int
    wrong: list[object]
    """Cases that failed, as far as no deviation explains them."""
    deviations: list[object]
    """Cases that failed for a reason that is named beside the suite."""

    @property
    def passed(self) -> int:
        return self.total - len(self.wrong) - len(self.deviations)


def every_verdict() -> Iterable[Verdict]:
    for judge in JUDGES:
        yield judge()


def _verdict(
    name: str, answers: Iterable[tuple[object, object, object]], deviates: Callable[[Any, Any], bool] | None = None
) -> Verdict:
    """Of (question, right answer, our answer)."""
    rows = list(answers)
    failed = [row for row in rows if row[1] != row[2]]
    named = [row for row in failed if deviates is not None and deviates(row[0], row[2])]
    return Verdict(name, len(rows), [row for row in failed if row not in named], list(named))


# ---- URLs ----------------------------------------------------------------------------------------


def href(text: str, base: str | None = None) -> str | None:
    return IDENTITY.batch([(text, base)])[0][0]


def expected_href(case: dict[str, Any]) -> str | None:
    """Without fragment and user info, which an href never has; None for what is not http(s)."""
    if case.get("failure") or case["protocol"] not in ("http:", "https:"):
        return None
    text: str = case["href"].split("#")[0]
    user_info = case["username"] + (f":{case['password']}" if case["password"] else "")
    return text.replace(f"//{user_info}@", "//", 1) if user_info else text


def is_unassigned(asked: tuple[str, str | None], found: str | None) -> bool:
    """The tables behind the `url` crate take the empty places of plane 3 for characters; nobody can register one."""
    return "\U0003e8ac" in asked[0] and found is not None


def urls() -> Verdict:
    rows = cases("wpt-url/urltestdata.json")
    found = IDENTITY.batch([(case["input"], case["base"]) for case in rows])
    answers = [
        ((case["input"], case["base"]), expected_href(case), row[0]) for case, row in zip(rows, found, strict=True)
    ]
    return _verdict("wpt-url", answers)


def host_names() -> Verdict:
    answers = [
        ((case["input"], None), case["output"] and f"https://{case['output']}/x", href(f"https://{case['input']}/x"))
        for name in ("toascii", "IdnaTestV2", "IdnaTestV2-removed")
        for case in cases(f"wpt-url/{name}.json")
        if case["input"]
    ]
    return _verdict("wpt-url hosts", answers, is_unassigned)


def percent_encoding() -> Verdict:
    """Of a link's query, in each encoding that its page may have."""
    answers = [
        ((case["input"], encoding), f"https://h.example/?{output}", _href_in_page(case["input"], encoding))
        for case in cases("wpt-url/percent-encoding.json")
        for encoding, output in case["output"].items()
    ]
    return _verdict("wpt-url percent-encoding", answers)


def _href_in_page(query: str, encoding: str) -> str | None:
    text = "".join(f"&#{ord(character)};" for character in query)
    page = READER.read(
        f'<a href="https://h.example/?{text}">'.encode(), url=URL, content_type=f"text/html; charset={encoding}"
    )
    return page.links[0].href if page.links else None


def public_suffixes() -> Verdict:
    lines = suite("psl/tests.txt").read_text("utf-8").splitlines()
    rows = [line.split() for line in lines if line.strip() and not line.startswith("//")]
    answers = [
        (host, None if expected == "null" else expected, registrable_domain(host))
        for host, expected in rows
        if host != "null"
    ]
    return _verdict("psl", answers)


# ---- robots.txt ----------------------------------------------------------------------------------


def path_of(url: str) -> str:
    return IDENTITY.parse(url).path_and_query if url else "/"


NAMED_WITH_DIGITS = {"stress/369883/7", "stress/369883/8"}
"""Google's parser reads `User-agent: AB42bot` as `AB`, so that no group binds an agent that is called AB42bot. Sites
mean the whole name (131 of 4,231 real files name MJ12bot), and an agent with digits is bound by it."""


def robots() -> Verdict:
    """Where Google's parser does what RFC 9309 forbids, the suite says so, and we keep to the RFC."""
    rows: list[dict[str, Any]] = [
        case
        for name in ("google_robotstxt_cases", "google_spec_test_cases")
        for case in json.loads(suite(f"robots-google/{name}.json").read_text("utf-8"))["cases"]
    ]
    answers = [
        (
            (case["id"], "rfc_conflict" in case or case["id"] in NAMED_WITH_DIGITS),
            case["allowed"],
            Robots(base64.b64decode(case["robots_b64"]), case["agent"]).allowed(path_of(case["url"]))[0],
        )
        for case in rows
    ]
    return _verdict("robots-google", answers, lambda asked, _: asked[1])


# ---- charset -------------------------------------------------------------------------------------

PRESCAN_READS_RAW_TEXT = {"in-script.html", "in-style.html", "in-title.html"}
"""Here browsers do not what the standard's prescan does: it reads markup in raw text too. We keep to the standard."""


def charset_of(body: bytes, content_type: str = "text/html") -> str:
    return READER.read(body, url="http://a.test/", content_type=content_type).charset


def html5lib_encodings() -> Verdict:
    answers = [
        (body[:80], label.decode().lower(), charset_of(body).lower())
        for name in ("tests1.dat", "tests2.dat", "test-yahoo-jp.dat")
        for body, label in _html5lib_cases(name)
    ]
    return _verdict("html5lib-encoding", answers)


def _html5lib_cases(name: str) -> list[tuple[bytes, bytes]]:
    data = (suite("html5lib-encoding") / name).read_bytes()
    return re.findall(rb"#data\n(.*?)\n#encoding\n(.*?)(?:\n|$)", data, flags=re.DOTALL)


def encoding_labels() -> Verdict:
    answers = [
        (label, encoding["name"], charset_of(b"x", f"text/html; charset={label}"))
        for group in cases("whatwg-encoding/encodings.json")
        for encoding in group["encodings"]
        for label in encoding["labels"]
    ]
    return _verdict("whatwg-encoding", answers)


def meta_charsets() -> Verdict:
    """A reference that must not match is a declaration that must not count."""
    folder = suite("wpt-html/charset")
    answers: list[tuple[object, object, object]] = []
    for case in cases("wpt-html/charset/manifest.json"):
        body = (folder / case["file"]).read_bytes()
        expected = case.get("expected", "windows-1251")
        is_counted = not case["negated"] if "expected" in case else b'rel="mismatch"' not in body
        answers.append((case["file"], is_counted, charset_of(body) == expected))
    return _verdict("wpt-html charset", answers, lambda file, _: file in PRESCAN_READS_RAW_TEXT)


def input_byte_streams() -> Verdict:
    folder = suite("wpt-html/input-byte-stream")
    answers = []
    for case in cases("wpt-html/input-byte-stream/manifest.json"):
        body = (folder / case["file"]).read_bytes()
        content_type = (case["headers"] or "Content-Type: text/html").removeprefix("Content-Type: ").strip()
        mark = {b"\xff\xfe": "utf-16le", b"\xfe\xff": "utf-16be"}.get(body[:2])
        answers.append((case["file"], mark or case["expected"], charset_of(body, content_type).lower()))
    return _verdict("wpt-html input-byte-stream", answers)


# ---- links ---------------------------------------------------------------------------------------


def _suite_cases(path: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(suite(path).read_text("utf-8"))["cases"]
    return found


def meta_refreshes() -> Verdict:
    answers = []
    for case in _suite_cases("wpt-html/meta_refresh.json"):
        text = f'<meta http-equiv=refresh content="{html.escape(case["content"])}">'
        page = READER.read(text.encode(), url=URL, content_type="text/html; charset=utf-8")
        target = case["expected"] and case["expected"]["url"]
        expected = [] if target is None else [IDENTITY.parse(target, URL).href]
        answers.append((case["content"], expected, [link.href for link in page.links if link.kind == "refresh"]))
    return _verdict("wpt-html meta-refresh", answers)


def bases() -> Verdict:
    answers = []
    for case in _suite_cases("wpt-html/base_cases.json"):
        page = READER.read(case["html"].encode(), url=case["doc_url"], content_type="text/html")
        expected = list(dict.fromkeys(link.split("#")[0] for link in case["links"]))
        answers.append((case["html"], expected, [link.href for link in page.links]))
    return _verdict("wpt-html base", answers)


JUDGES: tuple[Callable[[], Verdict], ...] = (
    urls,
    host_names,
    percent_encoding,
    public_suffixes,
    robots,
    html5lib_encodings,
    encoding_labels,
    meta_charsets,
    input_byte_streams,
    meta_refreshes,
    bases,
)
