"""What the end of a URL says of its host (F6)."""

import pytest

from hondius.crawler.commit.visits import make_visit
from hondius.model import Finished, State

URL = "http://a.test/p/1"
KEY = b"k" * 16


def ended(state: State, cause: str = "", *, fetched_at: float | None = 2.0, **more: object) -> Finished:
    return Finished(KEY, URL, URL, "a.test", state, cause, fetched_at=fetched_at, **more)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("event", "word"),
    [
        (ended(State.COMPLETED, length=10), "novel"),
        (ended(State.COMPLETED, length=0), "stale"),
        (ended(State.COMPLETED, length=10, text_hash=b"t" * 16), "novel"),
        (ended(State.COMPLETED, length=10, text_hash=b""), "stale"),
        (ended(State.DUPLICATE, "copy", length=10), "stale"),
        (ended(State.REDIRECTED, "http_301", new_links=1), "novel"),
        (ended(State.REDIRECTED, "http_301"), "stale"),
        (ended(State.FAILED, "http_404", status=404), "stale"),
        (ended(State.FAILED, "http_500", status=500), None),
        (ended(State.FAILED, "timeout"), None),
        (ended(State.REFUSED, "type", status=200), None),
        (ended(State.DUPLICATE, "copy", via="recrawl"), None),
        (ended(State.COMPLETED, kind="sitemap"), None),
        (ended(State.REFUSED, "shape", fetched_at=None), "shape"),
    ],
)
def test_f6_a_copy_an_empty_page_a_missing_one_and_a_known_target_bring_nothing_new(
    event: Finished, word: str | None
) -> None:
    assert (make_visit(event) or (KEY, URL, None))[:3] == (KEY, URL, word)


def test_f6_the_text_of_a_page_or_a_copy_is_told_and_whether_it_brought_links() -> None:
    text = b"t" * 16
    page = ended(State.COMPLETED, length=10, text_hash=text, new_links=2)
    assert make_visit(page) == (KEY, URL, "novel", text, True)
    assert make_visit(ended(State.DUPLICATE, "copy", length=10, text_hash=text)) == (KEY, URL, "novel", text, False)
    assert make_visit(ended(State.FAILED, "http_404", status=404, text_hash=text)) == (KEY, URL, "stale", None, False)
    assert make_visit(ended(State.COMPLETED, length=10, text_hash=b"")) == (KEY, URL, "stale", None, False)


def test_what_was_never_asked_for_says_nothing() -> None:
    assert make_visit(ended(State.BLOCKED, "robots", fetched_at=None)) is None
    assert make_visit(ended(State.FAILED, "internal", fetched_at=None)) is None


def test_d5_a_url_whose_host_has_no_address_says_so_of_its_host() -> None:
    assert make_visit(ended(State.FAILED, "dns_nxdomain", fetched_at=None)) == (KEY, URL, "unnamed", None, False)
