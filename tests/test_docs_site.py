"""The documentation: generated pages are up to date, every page is in the navigation, and no link is broken."""

import re
from pathlib import Path

import pytest
from scripts.check_docs_site import find_broken_links, find_outside_requests
from scripts.make_commands_page import make_commands_page
from scripts.make_reference_page import make_reference_page

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
LINK = re.compile(r"\]\(([^)#\s]+)(#[^)\s]+)?\)")


def test_o1_the_page_of_commands_is_up_to_date() -> None:
    assert (DOCS / "commands.md").read_text() == make_commands_page(), "run `make commands-page`"


def test_o2_the_page_of_the_python_interface_is_up_to_date() -> None:
    assert (DOCS / "reference.md").read_text() == make_reference_page(), "run `make reference-page`"


def test_every_page_is_in_the_navigation() -> None:
    listed = set(re.findall(r"[\w/.-]+\.md", (ROOT / "mkdocs.yml").read_text()))
    assert listed == {str(path.relative_to(DOCS)) for path in DOCS.rglob("*.md")}


@pytest.mark.parametrize("page", sorted(DOCS.rglob("*.md")), ids=lambda page: page.stem)
def test_every_link_of_a_page_leads_to_a_file_of_the_documentation(page: Path) -> None:
    """The built site has nothing else."""
    targets = [target for target, _ in LINK.findall(page.read_text()) if "://" not in target]
    outside = [target for target in targets if not (page.parent / target).resolve().is_relative_to(DOCS)]
    missing = [target for target in targets if not (page.parent / target).exists()]
    assert (outside, missing) == ([], [])


def test_a_broken_link_of_a_built_site_is_found(tmp_path: Path) -> None:
    (tmp_path / "index.html").write_text('<a href="good.html">good</a><img src="lost.png"><a href="bad/">bad</a>')
    (tmp_path / "good.html").write_text('<title>good</title><a href="/">home</a>')
    pages, broken = find_broken_links(tmp_path)
    assert pages == 2
    assert sorted(line.partition(": ")[0].rpartition("/")[2] or "bad" for line in broken) == ["bad", "lost.png"]


@pytest.mark.parametrize(
    ("page", "is_outside"),
    [
        ('<script src="https://cdn.test/x.js"></script>', True),
        ('<link rel="stylesheet" href="//fonts.test/css">', True),
        ('<link href="https://fonts.test" rel="preconnect" crossorigin>', True),
        ("<style>@import 'https://fonts.test/x.css'</style>", True),
        ("<style>a { background: url(http://x.test/a.png) }</style>", True),
        ('<a href="https://example.com/">a link</a><link rel="canonical" href="https://example.com/">', False),
        ('<script src="assets/x.js"></script><link rel="icon" href="assets/x.png">', False),
    ],
)
def test_a_request_to_another_host_is_found(tmp_path: Path, page: str, is_outside: bool) -> None:
    (tmp_path / "index.html").write_text(page)
    assert bool(find_outside_requests(tmp_path)) is is_outside
