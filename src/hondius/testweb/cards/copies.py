"""Exact copies (X1). Only the original mentions them, so that it is always fetched first; its links are absolute,
so that the octets mean the same everywhere (X3)."""

from functools import partial

from hondius.testweb.cards.card import Card
from hondius.testweb.model import Answer, Expected
from hondius.testweb.site import Site


def _copies(count: int, site: Site, kind: str) -> None:
    original = site.add(kind, site.fresh("/originals/"), Answer(absolute_links=True))
    site.offer(original)
    answer = Answer(same_as=original.id)
    expected = Expected("duplicate", "copy", copy_of=original.key_form)
    for _ in range(count):
        site.link(original, site.add(f"{kind}_copy", site.fresh("/mirror/"), answer, expected))


def _copy_on_another_host(site: Site, kind: str) -> None:
    original = site.add(kind, site.fresh("/originals/"), Answer(absolute_links=True))
    site.offer(original)
    other = site.elsewhere()
    expected = Expected("duplicate", "copy", copy_of=original.key_form)
    site.link(original, other.add(f"{kind}_copy", other.fresh("/mirror/"), Answer(same_as=original.id), expected))


COPIES = (
    Card("copied_once", partial(_copies, 1)),
    Card("copied_twice", partial(_copies, 2)),
    Card("copied_elsewhere", _copy_on_another_host),
)
