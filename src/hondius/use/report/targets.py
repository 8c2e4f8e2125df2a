"""URLs that a link should not lead to: those that failed, and redirects. They are found by key."""

from collections.abc import Callable
from dataclasses import dataclass, field

from hondius.model import INTERNAL, PageFilter, State
from hondius.native import Identity, NativeError
from hondius.ports import Catalog
from hondius.use.report.counts import WITHOUT_ANSWER

MOST_FAILED = 500_000
"""Failed URLs that are in memory: 120 bytes each."""
MOST_REDIRECTS = 200_000
LONGEST_CHAIN = 10


@dataclass
class Targets:
    """`failed`: keys of URLs without a good answer. `redirects`: key of a redirect → key of its target."""

    failed: set[bytes] = field(default_factory=set)
    redirects: dict[bytes, bytes] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)

    def follow(self, key: bytes) -> list[bytes]:
        """The keys of a chain of redirects, `key` first. If it ends in a loop, the last one is there twice."""
        chain = [key]
        while (following := self.redirects.get(chain[-1])) is not None and len(chain) <= LONGEST_CHAIN:
            chain.append(following)
            if following in chain[:-1]:
                break
        return chain

    def find_failure(self, key: bytes) -> bytes | None:
        """The failed URL that a link to `key` leads to, directly or by redirects."""
        if key in self.failed:
            return key
        if key not in self.redirects:
            return None
        end = self.follow(key)[-1]
        return end if end in self.failed else None


def read_targets(catalog: Catalog, identity: Identity, show: Callable[[int], None]) -> Targets:
    """Reads those of all hosts: a page may link to any."""
    found = Targets()
    states = tuple(state.value for state in WITHOUT_ANSWER)
    for key, cause in catalog.read_columns(("key", "cause"), PageFilter(states=states, kinds=("page",))):
        if cause == INTERNAL:
            continue  # our own failure: nothing is known about the page
        if len(found.failed) == MOST_FAILED:
            found.notes.append(f"more than {MOST_FAILED:,} URLs failed: links to the others were not looked for")
            break
        found.failed.add(key)
    show(len(found.failed))
    redirected = PageFilter(states=(State.REDIRECTED.value,), kinds=("page",))
    for key, href in catalog.read_columns(("key", "redirect_to"), redirected):
        if len(found.redirects) == MOST_REDIRECTS:
            found.notes.append(f"more than {MOST_REDIRECTS:,} URLs redirect: chains of the others were not followed")
            break
        if (target := _find_key(identity, href)) is not None and target != key:
            found.redirects[key] = target
    show(len(found.failed) + len(found.redirects))
    return found


def _find_key(identity: Identity, href: str | None) -> bytes | None:
    try:
        return None if href is None else identity.parse(href).key
    except NativeError:
        return None
