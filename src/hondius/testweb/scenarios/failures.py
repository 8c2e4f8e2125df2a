"""Permanent and temporary failures, and slow pages (P2, P5, F7)."""

from functools import partial

from hondius.testweb.model import Answer, Content, Expected
from hondius.testweb.scenarios.scenario import Scenario
from hondius.testweb.site import Site

TRIES = 4
"""The first request and three retries (P5)."""


def _always(status: int, requests: int, site: Site, kind: str) -> None:
    expected = Expected("failed", f"http_{status}", requests=requests)
    resource = site.add(kind, site.make_target("/lost/"), Answer(status=status, content=Content.NOTICE), expected)
    site.link_from_some_page(resource)
    site.link(site.choose_other_host().choose_page(), resource)


def _at_first(failures: int, status: int, retry_after: int | None, site: Site, kind: str) -> None:
    answer = Answer(failures=failures, failure_status=status, retry_after=retry_after)
    site.link_from_some_page(
        site.add(kind, site.make_target("/moody/"), answer, Expected("completed", requests=failures + 1))
    )


def _slow(site: Site, kind: str) -> None:
    answer = Answer(delay=round(site.slowest * site.random.uniform(0.2, 1.0), 3))
    site.link_from_some_page(site.add(kind, site.make_target("/slow/"), answer))


FAILURES = (
    *(Scenario(f"always_{status}", partial(_always, status, 1)) for status in (401, 403, 404, 410, 451)),
    Scenario("always_500", partial(_always, 500, TRIES), server_errors=TRIES),
    *(Scenario(f"{n}_times_500", partial(_at_first, n, 500, None), server_errors=n) for n in (1, 2, 3)),
    Scenario("once_503", partial(_at_first, 1, 503, 1), server_errors=1),
    *(Scenario(f"slow_{n}", _slow) for n in (1, 2, 3)),
)
