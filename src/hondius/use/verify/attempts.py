"""Checks the attempt records: each is complete, each run has a file, and the log has no more answers than requests."""

from hondius.model import Finished, RunStarted
from hondius.ports import Disk, Log
from hondius.use.audit.records import Records
from hondius.use.verify.report import Report

REMEDY = "Restore it from a copy; the crawl works without it, but `audit` can prove nothing about that time"


def check_attempts(log: Log, disk: Disk, report: Report) -> None:
    """Attempt records are not synced, as they are written before each request. After a power failure the last ones may
    be missing although the log has their answers. That is a note, not a problem."""
    records = Records(disk)
    sent = sum(attempt.sent and not attempt.ended and attempt.kind != "robots" for _, _, attempt in records)
    runs = answers = 0
    for frame in log.read():
        for event in frame.events:
            runs += isinstance(event, RunStarted)
            answers += isinstance(event, Finished) and event.status is not None and event.imported is None
    report.counts["attempt records"] = records.count
    damaged = records.list_damage(runs)
    for place in damaged:
        report.add_problem("the record of requests is incomplete", REMEDY, place)
    if answers > sent and not damaged:
        report.notes.append(
            f"log/attempts-* have {sent:,} requests, the log has {answers:,} answers: the last records before a "
            "power failure may be missing, or were removed; `audit` lists them"
        )
