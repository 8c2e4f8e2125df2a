"""Exact copies are recognised, and lead on like any page (X1, X3)."""

from dataclasses import replace
from pathlib import Path

import pytest

from tests.journeys.scripted_site import Answer, Script, crawl, export_rows, scripted_site

LIST = Answer.page("?p=2")
LEADING = Answer.page("/behind")
HTML = ("Content-Type", "text/html")
CASES: dict[str, tuple[Answer, Answer, str]] = {
    "links that depend on the path": (LIST, LIST, "/second?p=2"),
    "an original that is nofollow": (
        replace(LEADING, headers=(HTML, ("X-Robots-Tag", "nofollow"))),
        LEADING,
        "/behind",
    ),
    "an original that has no links by its type": (
        replace(LEADING, headers=(("Content-Type", "text/plain"),)),
        LEADING,
        "/behind",
    ),
}


@pytest.mark.parametrize(("original", "copy", "behind"), CASES.values(), ids=list(CASES))
async def test_x3_the_links_of_a_copy_are_followed_where_its_original_did_not_bring_them(
    tmp_path: Path, original: Answer, copy: Answer, behind: str
) -> None:
    script: Script = {"/": Answer.page("/first", "/second"), "/first": original, "/second": copy}
    async with scripted_site(script, lambda request: Answer(f"<p>{request.path}")) as site:
        await crawl(site, tmp_path / "c", "http://a.test/")
    rows = await export_rows(tmp_path / "c")
    assert rows["http://a.test/second"]["copy_of"] == "http://a.test/first"
    assert behind in site.paths()
