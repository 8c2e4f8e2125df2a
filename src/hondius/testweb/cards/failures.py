"""Answers that are no pages, for ever or for a while, and pages that take their time (P2, P5, F7)."""

from functools import partial

from hondius.testweb.cards.card import Card
from hondius.testweb.model import Answer, Content, Expected
from hondius.testweb.site import Site

TRIES = 4
"""The first and three more (P5)."""


def _always(status: int, requests: int, site: Site, kind: str) -> None:
    expected = Expected("failed", f"http_{status}", requests=requests)
    resource = site.add(kind, site.fresh("/lost/"), Answer(status=status, content=Content.NOTICE), expected)
    site.offer(resource)
    site.link(site.elsewhere().any_page(), resource)


def _at_first(failures: int, status: int, retry_after: int | None, site: Site, kind: str) -> None:
    answer = Answer(failures=failures, failure_status=status, retry_after=retry_after)
    site.offer(site.add(kind, site.fresh("/moody/"), answer, Expected("completed", requests=failures + 1)))


def _slow(site: Site, kind: str) -> None:
    answer = Answer(delay=round(site.slowest * site.random.uniform(0.2, 1.0), 3))
    site.offer(site.add(kind, site.fresh("/slow/"), answer))


FAILURES = (
    *(Card(f"always_{status}", partial(_always, status, 1)) for status in (401, 403, 404, 410, 451)),
    Card("always_500", partial(_always, 500, TRIES), server_errors=TRIES),
    *(Card(f"{n}_times_500", partial(_at_first, n, 500, None), server_errors=n) for n in (1, 2, 3)),
    Card("once_503", partial(_at_first, 1, 503, 1), server_errors=1),
    *(Card(f"slow_{n}", _slow) for n in (1, 2, 3)),
)
