"""All against all."""

import os
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path

from hondius import native
from hondius.advice import command, to_salvage
from hondius.crawler.commit import ANOTHER_CRAWLS, catch_up_urls, refuse_another_crawls
from hondius.crawler.translation import make_identity
from hondius.errors import BrokenLog, BrokenView, DiskFull, HaltedView, HondiusError
from hondius.native import NativeError
from hondius.ports import Log, UrlStore
from hondius.settings import Settings
from hondius.stores.catalog.embedded import EmbeddedCatalog
from hondius.stores.disk.embedded import EmbeddedDisk
from hondius.stores.disk.lock import is_writable
from hondius.stores.log.opening import open_log
from hondius.stores.urls.embedded import is_shut
from hondius.stores.urls.opening import store_paths
from hondius.stores.urls.partitioned import PartitionedUrlStore
from hondius.use.verify.archive import check_archive
from hondius.use.verify.attempts import check_attempts
from hondius.use.verify.catalog import check_catalog
from hondius.use.verify.links import check_links
from hondius.use.verify.report import Report
from hondius.use.verify.runs import check_runs
from hondius.use.verify.twin import Twin, open_twin
from hondius.use.verify.urls import check_urls

PERMIT = "Change its permissions"
Progress = Callable[[int, int], None]
"""Bytes of the URL store that were read, of how many."""


def verify_crawl(directory: Path, settings: Settings, progress: Progress | None = None) -> Report:
    """The caller holds the directory's lock."""
    report = Report()
    remedy = f"Run {command('rebuild', directory)}"
    disk = EmbeddedDisk(directory)
    try:
        log = open_log(disk, read_only=True)
        with open_twin(log, directory) as twin:
            _check_catalog(directory, log, twin, remedy, report)
            twin.advance(log.end.frames)
            report.counts["frames"] = log.end.frames
            _check_urls(directory, settings, log, twin, remedy, report, progress)
            _check_archive(disk, twin, report)
            _check_links(disk, twin, settings, report)
            check_attempts(log, disk, report)
    except BrokenLog as broken:
        report.problem(
            "the log cannot be read, and nothing can be held against it", "Nothing else was checked", str(broken)
        )
    return report


def _check_catalog(directory: Path, log: Log, twin: Twin, remedy: str, report: Report) -> None:
    if log.end.frames == 0 and not (directory / "crawl.db").exists():
        return  # killed before it was made
    try:
        with closing(EmbeddedCatalog.open(directory / "crawl.db", read_only=True)) as catalog:
            if catalog.applied and log.identity not in (0, catalog.log):
                report.problem(f"crawl.db {ANOTHER_CRAWLS}", remedy)
            elif _is_comparable("crawl.db", catalog.applied, log, report):
                twin.advance(catalog.applied)
                check_catalog(catalog, twin.catalog, remedy, report)
    except (BrokenLog, DiskFull):
        raise
    except BrokenView as broken:
        report.problem("crawl.db cannot be read", remedy, f"it {broken.reason}")
    except HondiusError as error:
        is_open = os.access(directory / "crawl.db", os.R_OK)
        report.problem("crawl.db cannot be read", remedy if is_open else PERMIT, str(error))


def _check_archive(disk: EmbeddedDisk, twin: Twin, report: Report) -> None:
    try:
        check_archive(disk, twin.catalog, report)
    except PermissionError as error:
        report.problem("warc/ cannot be read", PERMIT, f"{error.filename}: {error.strerror}")


def _check_links(disk: EmbeddedDisk, twin: Twin, settings: Settings, report: Report) -> None:
    try:
        check_links(disk, twin.catalog, make_identity(settings), report)
    except PermissionError as error:
        report.problem("links/ cannot be read", PERMIT, f"{error.filename}: {error.strerror}")


def _check_urls(
    directory: Path,
    settings: Settings,
    log: Log,
    twin: Twin,
    remedy: str,
    report: Report,
    progress: Progress | None,
) -> None:
    path = directory / "urls"
    if not path.is_dir():
        if log.end.frames:
            report.problem("urls/ is missing", remedy)
        return
    either = f"{remedy}, or go on with the crawl: it does the same once it finds out"
    try:
        places = store_paths(path, log.partitions)
        if [place for place in places if not check_runs(place, either, report, progress)]:
            report.unchecked.append("whether urls/ knows what the log knows: it is damaged")
        elif not is_writable(directory):
            report.unchecked.append(
                "whether urls/ knows what the log knows: it can be asked only where files can be written. "
                "Copy the crawl there, and verify the copy"
            )
        else:
            _ask_urls(path, settings, log, twin, remedy, report)
    except NativeError as error:
        report.problem("urls/ cannot be read", PERMIT if is_shut(error) else remedy, str(error))


def _ask_urls(path: Path, settings: Settings, log: Log, twin: Twin, remedy: str, report: Report) -> None:
    urls = _open_urls(path, settings, log.partitions)
    try:
        refuse_another_crawls(log, urls)
        if _is_comparable("urls/", urls.applied, log, report):
            catch_up_urls(log, urls)
            check_urls(log, urls, twin.catalog, remedy, report)
    except HaltedView as halted:
        report.unchecked.append(f"whether urls/ knows what the log knows: it {halted.reason}")
    except BrokenView as broken:
        report.problem(f"urls/ {broken.reason}", remedy)
    finally:
        with suppress(NativeError):  # what it had to apply first need not be kept: the next start does that again
            urls.close()


def _open_urls(path: Path, settings: Settings, partitions: int) -> UrlStore:
    """NativeError: one of them cannot be opened."""
    capacity = settings.stores.expected_urls
    if partitions == 1:
        return native.UrlStore(str(path), capacity=capacity)
    shares = enumerate(store_paths(path, partitions))
    return PartitionedUrlStore(
        [native.UrlStore(str(place), capacity=capacity, share=(part, partitions)) for part, place in shares]
    )


def _is_comparable(name: str, applied: int, log: Log, report: Report) -> bool:
    """A view that has seen more than the log holds tells of frames that were lost: `rebuild` alone would refuse."""
    if applied > log.end.frames:
        example = f"at frame {applied:,} of {log.end.frames:,}"
        report.frames_lost = True
        report.problem(f"{name} is ahead of the log: frames were lost", _sentence(to_salvage(log.place)), example)
    elif applied < log.end.frames:
        behind = log.end.frames - applied
        report.notes.append(
            f"{name} is {behind:,} frame{'' if behind == 1 else 's'} behind the log; the next start catches up"
        )
    return applied <= log.end.frames


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:]
