"""A5: pages that are made to cost much take bounded time and memory."""

import json
import resource
import subprocess
import sys
from typing import Any

import pytest

MOST_SECONDS, MOST_BYTES = 15, 1 << 30
"""The system ends a process that takes more. A page of 10 MiB takes a few seconds in a build that is not optimised."""
PROGRAM = """
from hondius.native import Extraction, Identity, Reader
body = ({page}).encode()
found = Extraction(Reader(Identity(), agent_token="hondius"), body, url="https://a.test/", content_type="text/html")
assert len(found.markdown) <= 6 * len(body) + 200_000, len(found.markdown)
assert len(found.structured_data) <= 6 * len(body) + 200_000, len(found.structured_data)
print(len(body), len(found.main_text))
"""
PAGES = {
    "deep": "'<div>' * 1_000_000 + 'x'",
    "deep lists and quotations": "'<ul><li><blockquote>' * 100_000 + 'x'",
    "deep tables": "'<table><tr><td>' * 100_000 + 'x'",
    "formatting that is never closed": "''.join(f'<b a={n}>' for n in range(300_000)) + 'x'",
    "formatting that is opened again": "'<p><font size=1><font size=2><font size=3>' * 100_000 + 'x'",
    "nearly too deep": "'<div class=post>' * 4_000 + '<p>related <b>x</b>' * 80_000",
    "nearly too deep, with headings": "'<div>' * 4_000 + '<h2><i><a href=x>y</a></i></h2>' * 80_000",
    "parts of one class": "'<div class=post-content><p>x</p></div>' * 150_000",
    "posts": "'<div class=post><p>' + 'prose ' * 20 + '</div>' + '<div class=post><h1>a</h1></div>' * 120_000",
    "huge table": "'<table>' + '<tr><td>a</td><td>b</td></tr>' * 300_000",
    "table of spans": "'<table>' + '<tr><td rowspan=1000 colspan=1000>a' * 100_000",
    "one line": "'<p>' + 'a' * 10_000_000",
    "one line of words": "'<p>' + 'word ' * 2_000_000",
    "one line of signs": "'<p>' + '*_[`<' * 2_000_000",
    "one line of code": "'<pre>' + '`' * 10_000_000",
    "one line of links": "'<p>' + '<a href=x>y</a> ' * 600_000",
    "one attribute": "'<p class=' + 'x' * 10_000_000 + '>text'",
    "many headings": "'<article><p>' + 'prose ' * 50 + '<p>related' * 500_000",
    "items in items": "'<div itemscope itemprop=a>' * 300_000 + 'x'",
    "references": "'<p id=r itemprop=x>y</p>' + '<div itemscope itemref=r></div>' * 200_000",
    "broken JSON": "'<script type=application/ld+json>' + '[{\"a\":' * 1_000_000",
}

PEAK = """
import sys
from pathlib import Path
from hondius.native import Extraction, Identity, Reader
def read_peak():
    return int(Path("/proc/self/status").read_text().split("VmHWM:")[1].split()[0])
body = sys.stdin.buffer.read()
before = read_peak()
found = Extraction(Reader(Identity(), agent_token="hondius"), body, url="https://a.test/", content_type="text/html")
print(read_peak() - before)
print(found.structured_data)
"""
MOST_ABOVE_PLAIN = 75_000
"""Kilobytes that structured data may take beside the tree of its page."""
JSON_LD = "<script type=application/ld+json>"
FLOODS = {
    "JSON-LD of objects": (f"'{JSON_LD}[' + '{{\"a\":1}},' * 1_200_000 + '{{}}]'", "json_ld"),
    "JSON-LD of lists": (f"'{JSON_LD}{{\"a\":[' + '[],' * 3_400_000 + '1]}}'", "json_ld"),
    "JSON-LD of names": (
        f"'{JSON_LD}{{' + ','.join(f'\"{{n:x}}\":{{{{}}}}' for n in range(900_000)) + '}}'",
        "json_ld",
    ),
    "JSON-LD of a text": (f"'{JSON_LD}{{\"b\": 1, \"a\": \"' + 'x' * 10_000_000 + '\"}}'", "json_ld"),
    "JSON-LD in many scripts": (f'\'{JSON_LD}{{"a":{{"b":{{}}}}}}</script>\' * 150_000', "json_ld"),
    "JSON-LD that is deep": (f"('{JSON_LD}' + '{{\"a\":' * 100 + '1' + '}}' * 100 + '</script>') * 15_000", "json_ld"),
    "microdata": ("'<div itemscope>' + ''.join(f'<b itemprop={n:x}></b>' for n in range(400_000))", "microdata"),
    "microdata of many names": ("'<div itemscope>' + '<b itemprop=\"a b c d e f g h\"></b>' * 280_000", "microdata"),
    "references to many names": (
        "''.join(f'<b itemscope itemref=\"a{n} b{n} c{n} d{n} e{n} f{n} g{n} h{n}\"></b>' for n in range(100_000))",
        "microdata",
    ),
    "RDFa": ("'<div typeof=a>' + ''.join(f'<b property=schema:{n:x}></b>' for n in range(300_000))", "rdfa"),
    "RDFa of long prefixes": (
        "'<div typeof=a prefix=\"p: ' + 'x' * 499 + '\">' + '<b property=\"p:a p:b p:c p:d\"></b>' * 280_000",
        "rdfa",
    ),
    "Open Graph": ("'<meta property=og:a content=b>' * 320_000", "open_graph"),
}
"""Pages of about 10 MB, and the part in which something of each is kept."""


def limit() -> None:
    resource.setrlimit(resource.RLIMIT_CPU, (MOST_SECONDS, MOST_SECONDS))
    resource.setrlimit(resource.RLIMIT_AS, (MOST_BYTES, MOST_BYTES))


@pytest.mark.parametrize("page", PAGES.values(), ids=PAGES.keys())
def test_a5_a_hostile_page_takes_bounded_time_and_memory(page: str) -> None:
    command = [sys.executable, "-c", PROGRAM.format(page=page)]
    ended = subprocess.run(command, preexec_fn=limit, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr[-500:]


def measure_peak(page: str) -> tuple[int, dict[str, Any]]:
    """Kilobytes that the extraction added to the peak of its process, and the structured data."""
    body = str(eval(page))  # here, so that making it does not count
    ended = subprocess.run([sys.executable, "-c", PEAK], input=body, capture_output=True, text=True, check=True)
    peak, data = ended.stdout.splitlines()
    return int(peak), json.loads(data)


@pytest.mark.parametrize(("page", "part"), FLOODS.values(), ids=FLOODS.keys())
def test_a5_a_flood_of_structured_data_takes_little_more_than_a_plain_page_and_is_counted(page: str, part: str) -> None:
    """The plain page has the same tree: only the names that mark structured data are others."""
    words = ("ld+json", "itemscope", "itemprop", "itemref", "typeof", "property")
    plain = page
    for word in words:
        plain = plain.replace(word, "x" * len(word))
    peak, data = measure_peak(page)
    plain_peak, nothing = measure_peak(plain)
    assert nothing == {"json_ld": [], "microdata": [], "rdfa": [], "open_graph": {}, "left_out": 0}
    assert peak - plain_peak < MOST_ABOVE_PLAIN, (peak, plain_peak)
    assert data[part]
    assert data["left_out"] > 0
