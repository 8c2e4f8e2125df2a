"""Checks the files of the URL store: every block of every sorted run is as it was written."""

from collections.abc import Callable
from pathlib import Path

from hondius.native import check_url_store
from hondius.use.verify.report import Report


def check_run_files(
    urls: Path, remedy: str, report: Report, progress: Callable[[int, int], None] | None = None
) -> bool:
    """True if all are intact. Does not open the store, so it finds all damage and needs only read access. Raises
    NativeError without read access."""
    checked = check_url_store(str(urls), progress)
    for name, count in (("runs of urls/", checked.runs), ("blocks", checked.blocks)):
        report.counts[name] = report.counts.get(name, 0) + count
    for file, what in checked.damages:
        report.add_problem("urls/ is damaged", remedy, f"runs/{file}: {what}")
    return not checked.damages
