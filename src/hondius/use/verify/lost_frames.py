"""A view that is ahead of the log: frames were lost."""

from hondius.hints import suggest_salvage
from hondius.ports import Log
from hondius.use.verify.report import Report


def report_lost_frames(name: str, applied: int, log: Log, report: Report) -> None:
    """`rebuild` without --salvage refuses then."""
    example, remedy = f"at frame {applied:,} of {log.end.frames:,}", suggest_salvage(log.place)
    report.frames_lost = True
    report.add_problem(f"{name} is ahead of the log: frames were lost", remedy[:1].upper() + remedy[1:], example)
