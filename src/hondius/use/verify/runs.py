"""The URL store's files: every block of every run is as it was written."""

from collections.abc import Callable
from pathlib import Path

from hondius.native import check_url_store
from hondius.use.verify.report import Report


def check_runs(urls: Path, remedy: str, report: Report, progress: Callable[[int, int], None] | None = None) -> bool:
    """True where they are. Nothing is opened for it, so that damage is found wherever it lies, and by who can only
    read. Raises NativeError where not even that is allowed."""
    checked = check_url_store(str(urls), progress)
    for name, count in (("runs of urls/", checked.runs), ("blocks", checked.blocks)):
        report.counts[name] = report.counts.get(name, 0) + count
    for file, what in checked.damages:
        report.problem("urls/ is damaged", remedy, f"runs/{file}: {what}")
    return not checked.damages
