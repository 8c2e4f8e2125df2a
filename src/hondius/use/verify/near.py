"""Compares the index of near copies with the log: each page that is no near copy is in it."""

from contextlib import closing
from pathlib import Path

from hondius.errors import BrokenView, DiskFull
from hondius.native import NativeError
from hondius.ports import Log
from hondius.settings import Settings
from hondius.stores.disk.lock import is_writable
from hondius.stores.near.index import NearCopyIndex, list_canonical, open_index
from hondius.stores.view_files import NEAR
from hondius.use.verify.lost_frames import report_lost_frames
from hondius.use.verify.report import Report


def check_near(directory: Path, settings: Settings, log: Log, remedy: str, report: Report) -> None:
    """The index is opened for writing: that removes what a crash left behind."""
    if not (directory / NEAR).is_dir():
        return  # the next start builds it
    if not is_writable(directory):
        report.unchecked.append("whether near/ agrees with the log: that needs a writable directory")
        return
    try:
        with closing(open_index(directory / NEAR, settings.near.similarity)) as index:
            for damage in index.find_damages():
                report.add_problem("a file of near/ is damaged", remedy, damage)
            _compare(index, log, remedy, report)
    except BrokenView as broken:
        report.add_problem("near/ cannot be read", remedy, f"it {broken.reason}")
    except (DiskFull, NativeError) as error:
        report.unchecked.append(f"whether near/ agrees with the log: {error}")


def _compare(index: NearCopyIndex, log: Log, remedy: str, report: Report) -> None:
    applied = index.position
    if not log.end.covers(applied):
        report_lost_frames("near/", applied.frames, log, report)
        return
    if applied.frames and log.identity not in (0, index.log):
        report.add_problem("near/ is of another crawl", remedy)
        return
    checked = 0
    for frame in log.read():
        if not applied.covers(frame.position):
            continue
        for page in list_canonical(frame):
            assert page.sketch is not None
            checked += 1
            if index.find(page.key, page.sketch) == (True, None):
                report.add_problem("a page is missing in near/", remedy, page.url)
    report.counts["pages that others are compared with"] = checked
