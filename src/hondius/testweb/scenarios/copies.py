"""Exact copies (X1). Only the original links to them, so that it is always fetched first. Its links are absolute, so
that the body means the same under any URL (X3)."""

from functools import partial

from hondius.testweb.model import Answer, Expected
from hondius.testweb.scenarios.scenario import Scenario
from hondius.testweb.site import Site


def _copies(count: int, site: Site, kind: str) -> None:
    original = site.add(kind, site.make_target("/originals/"), Answer(absolute_links=True))
    site.link_from_some_page(original)
    answer = Answer(same_as=original.id)
    expected = Expected("duplicate", "copy", copy_of=original.key_form)
    for _ in range(count):
        site.link(original, site.add(f"{kind}_copy", site.make_target("/mirror/"), answer, expected))


def _copy_on_another_host(site: Site, kind: str) -> None:
    original = site.add(kind, site.make_target("/originals/"), Answer(absolute_links=True))
    site.link_from_some_page(original)
    other = site.choose_other_host()
    expected = Expected("duplicate", "copy", copy_of=original.key_form)
    site.link(original, other.add(f"{kind}_copy", other.make_target("/mirror/"), Answer(same_as=original.id), expected))


COPIES = (
    Scenario("copied_once", partial(_copies, 1)),
    Scenario("copied_twice", partial(_copies, 2)),
    Scenario("copied_elsewhere", _copy_on_another_host),
)
