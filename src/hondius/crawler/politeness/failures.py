"""The failure table (P5): which failures are retried, and which count against the host."""

from dataclasses import dataclass

from hondius.model import INTERNAL


@dataclass(frozen=True)
class Treatment:
    retried: bool
    against_host: bool
    """Counts towards the host's consecutive failures."""


NOT_SENT = "attempt_not_recorded"
"""The disk is full, so nothing was sent. It is not counted as a try, nor against the host."""

SWALLOWED = "connection_stale"
"""A connection that had been used before was closed without an answer. It may have been closed before the request
arrived, so this says nothing about the host. But the server may have read the request, so the next one waits for its
turn (P1). The retry uses a new connection; therefore this does not happen to the same URL again and again."""

ENGINE_PANIC = "engine_panic"
"""A bug of ours, raised as `EnginePanic` where it is found. What it ends is `internal`."""

AGAIN = Treatment(retried=True, against_host=True)
AGAIN_FAULTLESS = Treatment(retried=True, against_host=False)
FINAL = Treatment(retried=False, against_host=False)
FINAL_AGAINST_HOST = Treatment(retried=False, against_host=True)

TABLE: dict[str, Treatment] = {
    # names
    "dns_nxdomain": FINAL_AGAINST_HOST,
    "dns_failure": AGAIN,
    "dns_impossible": FINAL,
    "address_refused": FINAL,
    # connections
    "connect_refused": AGAIN,
    "connect_failed": AGAIN,
    "connect_timeout": AGAIN,
    "tls_failed": FINAL_AGAINST_HOST,
    "proxy_failed": AGAIN_FAULTLESS,
    # answers
    "read_timeout": AGAIN,
    "total_timeout": AGAIN,
    "connection_reset": AGAIN,
    SWALLOWED: AGAIN_FAULTLESS,
    "body_incomplete": AGAIN_FAULTLESS,
    "http_malformed": FINAL,
    "headers_too_large": FINAL,
    "decode_failed": FINAL,
    # statuses
    "http_408": AGAIN,
    "http_425": AGAIN_FAULTLESS,
    "http_429": AGAIN_FAULTLESS,
    "http_500": AGAIN,
    "http_502": AGAIN,
    "http_503": AGAIN,
    "http_504": AGAIN,
    # our own side
    NOT_SENT: AGAIN_FAULTLESS,
    "unsendable": FINAL,
    "lease_ended": AGAIN_FAULTLESS,
    "cancelled": AGAIN_FAULTLESS,
    ENGINE_PANIC: FINAL,
    INTERNAL: FINAL,
    "redirect_loop": FINAL,
    "too_many_redirects": FINAL,
    "bad_redirect": FINAL,
}


def find_treatment(cause: str) -> Treatment:
    """Statuses that the table does not list are not retried: 5xx counts against the host, 4xx does not."""
    known = TABLE.get(cause)
    if known is not None:
        return known
    return FINAL_AGAINST_HOST if cause.startswith("http_5") else FINAL
