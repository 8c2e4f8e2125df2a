"""Compares the result of a crawl with the expected one. Uses only the manifest, the access log and the export."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from hondius.testweb.access_log import Access
from hondius.testweb.manifest import Manifest, ResourceRow, RobotsRow


@dataclass(frozen=True)
class Verdict:
    """Lists of faults, each described in one line."""

    missing: list[str] = field(default_factory=list)
    """Key forms missing from the export."""
    extra: list[str] = field(default_factory=list)
    """Requests and rows that are not in the manifest."""
    forbidden: list[str] = field(default_factory=list)
    too_often: list[str] = field(default_factory=list)
    too_seldom: list[str] = field(default_factory=list)
    wrong_state: list[str] = field(default_factory=list)
    internal: list[str] = field(default_factory=list)
    """URLs that failed because of a bug in the crawler."""

    @property
    def passed(self) -> bool:
        return not self.faults

    @property
    def faults(self) -> dict[str, list[str]]:
        """The lists that are not empty."""
        return {name: lines for name, lines in vars(self).items() if lines}


def judge(manifest: Manifest, access_log: Iterable[Access], export: Iterable[Mapping[str, object]]) -> Verdict:
    """Rows of the export need `key_form`, `state` and `cause`. A crawl that was killed may have repeated the requests
    in progress: then the caller decides what `too_often` means."""
    verdict = Verdict()
    _judge_requests(manifest, access_log, verdict)
    _judge_export(manifest, export, verdict)
    return verdict


def _judge_requests(manifest: Manifest, access_log: Iterable[Access], verdict: Verdict) -> None:
    rows: dict[str, ResourceRow | RobotsRow] = {row.resource: row for row in manifest.resources}
    rows |= {row.resource: row for row in manifest.robots}
    forbidden = frozenset(manifest.forbidden)
    counts: Counter[str] = Counter()
    for access in access_log:
        row = rows.get(access.resource)
        if access.url in forbidden or (row is not None and row.max_requests == 0):
            verdict.forbidden.append(access.url)
        elif row is None:
            verdict.extra.append(f"requested: {access.url}")
        else:
            counts[access.resource] += 1
    for resource, row in rows.items():
        count = counts[resource]
        if count < row.min_requests:
            verdict.too_seldom.append(f"{resource}: {count} requests, not {row.min_requests}")
        if row.max_requests is not None and count > row.max_requests:
            verdict.too_often.append(f"{resource}: {count} requests, not {row.max_requests}")


def _judge_export(manifest: Manifest, export: Iterable[Mapping[str, object]], verdict: Verdict) -> None:
    rows = {row.key_form: row for row in manifest.resources}
    seen: set[str] = set()
    for exported in export:
        key_form = str(exported["key_form"])
        if exported["cause"] == "internal":
            verdict.internal.append(key_form)
        row = rows.get(key_form)
        if row is None or key_form in seen:
            verdict.extra.append(f"exported{' twice' if row else ''}: {key_form}")
            continue
        seen.add(key_form)
        found, wanted = f"{exported['state']}/{exported['cause']}", f"{row.state}/{row.cause}"
        if found != wanted:
            verdict.wrong_state.append(f"{key_form} ({row.kind}): {found}, not {wanted}")
    verdict.missing.extend(key_form for key_form in rows if key_form not in seen)
