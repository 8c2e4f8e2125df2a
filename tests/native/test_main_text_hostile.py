"""A5: pages that are made to cost much take bounded time and memory."""

import resource
import subprocess
import sys

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


def limit() -> None:
    resource.setrlimit(resource.RLIMIT_CPU, (MOST_SECONDS, MOST_SECONDS))
    resource.setrlimit(resource.RLIMIT_AS, (MOST_BYTES, MOST_BYTES))


@pytest.mark.parametrize("page", PAGES.values(), ids=PAGES.keys())
def test_a5_a_hostile_page_takes_bounded_time_and_memory(page: str) -> None:
    command = [sys.executable, "-c", PROGRAM.format(page=page)]
    ended = subprocess.run(command, preexec_fn=limit, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr[-500:]
