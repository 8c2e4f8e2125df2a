"""D5: with a depth limit, the requested pages are those of a breadth-first search on the fetched graph."""

from collections import defaultdict
from collections.abc import Iterator
from math import inf
from typing import Any

from hondius.model import INTERNAL, State
from hondius.native import DiscoveredUrl
from tests.simulation.judges.ends import PLANTED
from tests.simulation.judges.evidence import Evidence
from tests.simulation.web import IDENTITY

READ = frozenset({State.COMPLETED, State.DUPLICATE})


def check_depth(evidence: Evidence, pages: dict[bytes, dict[str, Any]]) -> Iterator[str]:
    deepest = evidence.simulation.settings.scope.max_depth
    if deepest is None:
        return
    depths = _search_breadth_first(evidence, deepest)
    names = {key: page.href for key, page in evidence.web.by_key.items()}
    for key, depth in depths.items():
        if (
            key in pages
            and pages[key]["kind"] == "page"
            and pages[key]["depth"] != depth
            and not _is_wanted_again(evidence, key)
        ):
            yield f"{names.get(key, key.hex())} is at depth {depth}, and was recorded at {pages[key]['depth']}"
    asked = {request.url.key: request for request in evidence.sent() if request.kind == "page"}
    for key, request in asked.items():
        if key not in depths and not _was_ordered(evidence, key):
            yield f"{request.url.href} is deeper than {deepest} and was asked for"
    for key in depths:
        plan = evidence.web.by_key.get(key)
        if key not in pages and plan is not None and plan.host.robots != "never":
            yield f"{plan.href} is at depth {depths[key]} and never ended"


def _was_ordered(evidence: Evidence, key: bytes) -> bool:
    """The operator may order any URL by its name, however deep it is."""
    return any(url.via == "recrawl" for _, url in evidence.discovered.get(key, ()))


def _is_wanted_again(evidence: Evidence, key: bytes) -> bool:
    """Whether a recrawl was ordered since its last end."""
    wanted = [at for at, url in evidence.discovered.get(key, ()) if url.via == "recrawl"]
    return bool(wanted) and all(at < max(wanted) for at, _ in evidence.finished.get(key, ()))


def _search_breadth_first(evidence: Evidence, deepest: int) -> dict[bytes, int]:
    """Depths by key, down to `deepest`. The target of a redirect has the depth of the redirect."""
    links, targets = _find_edges(evidence)
    rows = _find_roots(evidence)
    depths: dict[bytes, int] = {}
    for depth in range(deepest + 1):
        row = [*rows[depth]]
        while row:
            key = row.pop()
            if depths.setdefault(key, depth) < depth:
                continue
            row += [target for target in targets[key] if depths.get(target, deepest + 1) > depth]
            rows[depth + 1] |= links[key]
    return depths


def _find_roots(evidence: Evidence) -> dict[int, set[bytes]]:
    """Seeds, URLs in sitemaps, and URLs that were unknown when the operator ordered a recrawl, by depth. A URL that had
    been found or had ended keeps its depth, whatever the order says."""
    rows: dict[int, set[bytes]] = defaultdict(set)
    rows[0] |= {seed.url.key for seed in evidence.web.seeds}
    for key, found in evidence.discovered.items():
        first_end = min((at for at, _ in evidence.finished.get(key, ())), default=inf)
        at, url = found[0]
        if url.via == "recrawl" and url.source is None and at <= first_end:
            rows[0].add(key)
    for key, plan in evidence.web.by_key.items():
        if plan.kind == "sitemap" and _was_read(evidence, key):
            rows[1] |= {IDENTITY.parse(href).key for href in plan.linked}
    return rows


def _find_edges(evidence: Evidence) -> tuple[dict[bytes, set[bytes]], dict[bytes, set[bytes]]]:
    """The links and the redirect targets of fetched pages."""
    links: dict[bytes, set[bytes]] = defaultdict(set)
    targets: dict[bytes, set[bytes]] = defaultdict(set)
    for key, ended in evidence.finished.items():
        plan = evidence.web.by_key.get(key)
        if plan is not None and plan.kind != "sitemap" and _was_read(evidence, key):
            body = plan.original or plan
            links[key] |= {IDENTITY.parse(href).key for href in body.linked}
        targets[key] |= {IDENTITY.parse(event.redirect_to).key for _, event in ended if event.redirect_to}
        targets[key] |= {url.key for url in _list_stored_links(evidence, key) if url.via == "redirect"}
    return links, targets


def _was_read(evidence: Evidence, key: bytes) -> bool:
    """Whether its end, or at least its links, are in the log: a fault may lose the end alone."""
    if any(event.state in READ for _, event in evidence.finished.get(key, ())):
        return True
    return any(url.via in ("link", "sitemap") for url in _list_stored_links(evidence, key))


def _list_stored_links(evidence: Evidence, key: bytes) -> list[DiscoveredUrl]:
    """The links in the log of a URL that a fault ended after its answer."""
    is_lost = any(event.cause == INTERNAL and PLANTED in event.detail for _, event in evidence.finished.get(key, ()))
    return evidence.found_by.get(key, []) if is_lost else []
