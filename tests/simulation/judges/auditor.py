"""P7: `hondius audit`, on the simulated machine. If the servers saw no violation, it must report none.

Attempt records are not synced: after a power cut or a failed write it cannot know what was sent.
"""

from collections.abc import Iterator

import apsw

from hondius.ports import Disk, Log
from hondius.use.audit.audit import Audit
from hondius.use.audit.records import Records
from hondius.use.audit.report import Tally


def check_audit(disk: Disk, log: Log) -> Iterator[str]:
    database = apsw.Connection(":memory:")
    try:
        report = Audit(Records(disk), log, database, None).run()
    finally:
        database.close()
    for tally in report.tallies:
        if tally.violations:
            yield f"the audit finds {tally.violations} of {tally.checked} against {tally.requirement}: {_worst(tally)}"


def _worst(tally: Tally) -> str:
    case = tally.worst[0]
    return f"{case.host} {case.url} at {case.at:.3f}, {case.found} instead of {case.needed} {case.detail}"
