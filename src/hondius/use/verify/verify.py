"""Runs all checks."""

import os
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path

from hondius import native
from hondius.crawler.commit import OF_ANOTHER_CRAWL, catch_up_urls, refuse_view_of_other_crawl
from hondius.crawler.translation import make_identity
from hondius.errors import BrokenLog, BrokenView, DiskFull, HaltedView, HondiusError
from hondius.hints import quote_command
from hondius.native import NativeError
from hondius.plausible import is_plausible
from hondius.ports import Log, UrlStore
from hondius.settings import Settings
from hondius.stores.catalog.embedded import EmbeddedCatalog
from hondius.stores.disk.embedded import EmbeddedDisk
from hondius.stores.disk.lock import is_writable
from hondius.stores.log.opening import open_log
from hondius.stores.urls.embedded import is_access_denied
from hondius.stores.urls.opening import list_store_paths
from hondius.stores.urls.partitioned import PartitionedUrlStore
from hondius.use.verify.archive import check_archive
from hondius.use.verify.attempts import check_attempts
from hondius.use.verify.catalog import check_catalog
from hondius.use.verify.links import check_links
from hondius.use.verify.lost_frames import report_lost_frames
from hondius.use.verify.near import check_near
from hondius.use.verify.reference import Reference, open_reference
from hondius.use.verify.report import Report
from hondius.use.verify.run_files import check_run_files
from hondius.use.verify.urls import check_urls

FIX_PERMISSIONS = "Change its permissions"
Progress = Callable[[int, int], None]
"""Called with the bytes of the URL store read so far, and their total."""


def verify_crawl(directory: Path, settings: Settings, progress: Progress | None = None) -> Report:
    """The caller must hold the lock of the directory."""
    report = Report()
    remedy = f"Run {quote_command('rebuild', directory)}"
    disk = EmbeddedDisk(directory)
    try:
        log = open_log(disk, read_only=True)
        with open_reference(log, directory) as reference:
            _check_catalog(directory, log, reference, remedy, report)
            reference.advance(log.end.frames)
            _check_values(log, directory, report)
            report.counts["frames"] = log.end.frames
            _check_urls(directory, settings, log, reference, remedy, report, progress)
            check_near(directory, settings, log, remedy, report)
            _check_archive(disk, reference, report)
            _check_links(disk, reference, settings, report)
            check_attempts(log, disk, report)
    except BrokenLog as broken:
        report.add_problem(
            "the log cannot be read, so nothing can be compared with it", "Nothing else was checked", str(broken)
        )
    return report


def _check_values(log: Log, directory: Path, report: Report) -> None:
    """Whether every event has values that Hondius can have written."""
    for frame in log.read():
        if not is_plausible(frame):
            remedy = f"Run {quote_command('rebuild', directory)} --salvage"
            report.add_problem("a frame of the log has impossible values", remedy, f"frame {frame.number:,}")


def _check_catalog(directory: Path, log: Log, reference: Reference, remedy: str, report: Report) -> None:
    if log.end.frames == 0 and not (directory / "crawl.db").exists():
        return  # killed before it was created
    try:
        with closing(EmbeddedCatalog.open(directory / "crawl.db", read_only=True)) as catalog:
            if catalog.applied and log.identity not in (0, catalog.log):
                report.add_problem(f"crawl.db {OF_ANOTHER_CRAWL}", remedy)
            elif _is_comparable("crawl.db", catalog.applied, log, report):
                reference.advance(catalog.applied)
                check_catalog(catalog, reference.catalog, remedy, report)
    except (BrokenLog, DiskFull):
        raise
    except BrokenView as broken:
        report.add_problem("crawl.db cannot be read", remedy, f"it {broken.reason}")
    except HondiusError as error:
        is_open = os.access(directory / "crawl.db", os.R_OK)
        report.add_problem("crawl.db cannot be read", remedy if is_open else FIX_PERMISSIONS, str(error))


def _check_archive(disk: EmbeddedDisk, reference: Reference, report: Report) -> None:
    try:
        check_archive(disk, reference.catalog, report)
    except PermissionError as error:
        report.add_problem("warc/ cannot be read", FIX_PERMISSIONS, f"{error.filename}: {error.strerror}")


def _check_links(disk: EmbeddedDisk, reference: Reference, settings: Settings, report: Report) -> None:
    try:
        check_links(disk, reference.catalog, make_identity(settings), report)
    except PermissionError as error:
        report.add_problem("links/ cannot be read", FIX_PERMISSIONS, f"{error.filename}: {error.strerror}")


def _check_urls(
    directory: Path,
    settings: Settings,
    log: Log,
    reference: Reference,
    remedy: str,
    report: Report,
    progress: Progress | None,
) -> None:
    path = directory / "urls"
    if not path.is_dir():
        if log.end.frames:
            report.add_problem("urls/ is missing", remedy)
        return
    either = f"{remedy}, or continue the crawl, which does the same when it meets the damage"
    try:
        places = list_store_paths(path, log.partitions)
        if [place for place in places if not check_run_files(place, either, report, progress)]:
            report.unchecked.append("whether urls/ agrees with the log: it is damaged")
        elif not is_writable(directory):
            report.unchecked.append(
                "whether urls/ agrees with the log: that needs a writable directory. "
                "Copy the crawl to one, and verify the copy"
            )
        else:
            _compare_urls(path, settings, log, reference, remedy, report)
    except NativeError as error:
        report.add_problem("urls/ cannot be read", FIX_PERMISSIONS if is_access_denied(error) else remedy, str(error))


def _compare_urls(path: Path, settings: Settings, log: Log, reference: Reference, remedy: str, report: Report) -> None:
    urls = _open_urls(path, settings, log.partitions)
    try:
        refuse_view_of_other_crawl(log, urls)
        if _is_comparable("urls/", urls.applied, log, report):
            catch_up_urls(log, urls)
            check_urls(log, urls, reference.catalog, remedy, report)
    except HaltedView as halted:
        report.unchecked.append(f"whether urls/ agrees with the log: it {halted.reason}")
    except BrokenView as broken:
        report.add_problem(f"urls/ {broken.reason}", remedy)
    finally:
        with suppress(NativeError):  # frames it applied need not be saved: the next start applies them again
            urls.close()


def _open_urls(path: Path, settings: Settings, partitions: int) -> UrlStore:
    """NativeError: one of them cannot be opened."""
    capacity = settings.stores.expected_urls
    if partitions == 1:
        return native.UrlStore(str(path), capacity=capacity)
    shares = enumerate(list_store_paths(path, partitions))
    return PartitionedUrlStore(
        [native.UrlStore(str(place), capacity=capacity, share=(part, partitions)) for part, place in shares]
    )


def _is_comparable(name: str, applied: int, log: Log, report: Report) -> bool:
    """If a view has more frames than the log, frames were lost."""
    if applied > log.end.frames:
        report_lost_frames(name, applied, log, report)
    elif applied < log.end.frames:
        behind = log.end.frames - applied
        report.notes.append(
            f"{name} is {behind:,} frame{'' if behind == 1 else 's'} behind the log; the next start catches up"
        )
    return applied <= log.end.frames
