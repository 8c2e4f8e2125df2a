"""The records of what was sent: each is whole, each run has a file, and the log has no more answers than there are."""

from hondius.model import Finished, RunStarted
from hondius.ports import Disk, Log
from hondius.use.audit.records import Records
from hondius.use.verify.report import Report

REMEDY = "Put it back from a copy; the crawl goes on without it, but `audit` can prove nothing of that time"


def check_attempts(log: Log, disk: Disk, report: Report) -> None:
    """Records are not synced, for they are written before each request: where the power failed, the last may be gone
    though the log has their answers. That is worth knowing, and no damage."""
    records = Records(disk)
    sent = sum(attempt.sent and not attempt.ended and attempt.kind != "robots" for _, _, attempt in records)
    runs = answers = 0
    for frame in log.read():
        for event in frame.events:
            runs += isinstance(event, RunStarted)
            answers += isinstance(event, Finished) and event.status is not None
    report.counts["attempt records"] = records.count
    damaged = records.wrong(runs)
    for place in damaged:
        report.problem("the record of requests is not whole", REMEDY, place)
    if answers > sent and not damaged:
        report.notes.append(
            f"log/attempts-* tell of {sent:,} requests, the log of {answers:,} answers: the last records before a "
            "power failure may be gone, or somebody took them; `audit` tells which"
        )
