"""Follows the path from a URL back to its seed."""

from typing import Any

from hondius.native import DiscoveredUrl
from hondius.ports import Catalog
from hondius.use.explain.explanation import Finding

MAX_PATH = 10_000


def trace_to_seed(catalog: Catalog, page: dict[str, Any] | None, found: DiscoveredUrl | None) -> list[Finding]:
    """All URLs on the path but the first are in the catalog: they had ended when they led to the next."""
    path: list[Finding] = []
    source: bytes | None = None
    if page is not None:
        path.append(_make_finding(page))
        source = page["source"]
    elif found is not None:
        path.append(
            Finding(found.href, found.key.hex(), found.via, found.depth, found.discovered_at, found.hops or None)
        )
        source = found.source
    passed = {finding.key for finding in path}
    while source is not None and source.hex() not in passed and len(path) < MAX_PATH:
        before = catalog.page(source)
        if before is None:
            break
        path.append(_make_finding(before))
        passed.add(source.hex())
        source = before["source"]
    return path


def _make_finding(page: dict[str, Any]) -> Finding:
    return Finding(page["url"], page["key"].hex(), page["via"], page["depth"], page["discovered_at"])
