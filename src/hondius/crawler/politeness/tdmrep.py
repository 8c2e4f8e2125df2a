"""`/.well-known/tdmrep.json`: what an answer to its request means (W1).

The file belongs to the copy of robots.txt: it is requested after it, by its rules, and stored with it.
"""

import msgspec

from hondius.model import RobotsCopy
from hondius.native import Fetched

TDMREP_PATH = "/.well-known/tdmrep.json"
MOST_BYTES = 128 * 1024
"""A longer file is not read (`native/src/usage/tdmrep.rs`)."""
FORBIDDEN = "robots"
TOO_LONG = "too_long"


def judge_tdmrep(copy: RobotsCopy, fetched: Fetched | None, now: float, cause: str) -> RobotsCopy:
    """The copy with the result of a request. Only a good answer states something. If there was none, or the server
    failed, an earlier file stays in force: a failure makes nothing reserved, and frees nothing either."""
    failure = (fetched.failure if fetched is not None else None) or cause
    status = fetched.status if fetched is not None and not failure else None
    body = b"" if status is not None and status < 500 and status != 429 else copy.tdmrep
    if fetched is not None and status is not None and 200 <= status < 300:
        body = fetched.robots_txt or b""
        if len(body) > MOST_BYTES:
            body, failure = b"", TOO_LONG
    return msgspec.structs.replace(copy, tdmrep=body, tdmrep_at=now, tdmrep_status=status, tdmrep_cause=failure)


def carry_tdmrep(copy: RobotsCopy, before: RobotsCopy) -> RobotsCopy:
    """A newer copy of robots.txt does not change what tdmrep.json said."""
    return msgspec.structs.replace(
        copy,
        tdmrep=before.tdmrep,
        tdmrep_at=before.tdmrep_at,
        tdmrep_status=before.tdmrep_status,
        tdmrep_cause=before.tdmrep_cause,
    )
