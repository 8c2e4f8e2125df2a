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

STALE_CONNECTION = "connection_stale"
"""A reused connection was closed without an answer. It may have been closed before the request
arrived, so this says nothing about the host. But the server may have read the request, so the next one waits for its
turn (P1). The retry uses a new connection; therefore this does not happen to the same URL again and again."""

ENGINE_PANIC = "engine_panic"
"""A bug of ours, raised as `EnginePanic` where it is found. What it ends is `internal`."""

RETRY = Treatment(retried=True, against_host=True)
RETRY_BLAMELESS = Treatment(retried=True, against_host=False)
FINAL = Treatment(retried=False, against_host=False)
FINAL_AGAINST_HOST = Treatment(retried=False, against_host=True)

TABLE: dict[str, Treatment] = {
    # names
    "dns_nxdomain": FINAL_AGAINST_HOST,
    "dns_failure": RETRY,
    "dns_impossible": FINAL,
    "address_refused": FINAL,
    # connections
    "connect_refused": RETRY,
    "connect_failed": RETRY,
    "connect_timeout": RETRY,
    "tls_failed": FINAL_AGAINST_HOST,
    "proxy_failed": RETRY_BLAMELESS,
    # answers
    "read_timeout": RETRY,
    "total_timeout": RETRY,
    "connection_reset": RETRY,
    STALE_CONNECTION: RETRY_BLAMELESS,
    "body_incomplete": RETRY_BLAMELESS,
    "http_malformed": FINAL,
    "headers_too_large": FINAL,
    "decode_failed": FINAL,
    # statuses
    "http_408": RETRY,
    "http_425": RETRY_BLAMELESS,
    "http_429": RETRY_BLAMELESS,
    "http_500": RETRY,
    "http_502": RETRY,
    "http_503": RETRY,
    "http_504": RETRY,
    # our own side
    NOT_SENT: RETRY_BLAMELESS,
    "unsendable": FINAL,
    "lease_ended": RETRY_BLAMELESS,
    "cancelled": RETRY_BLAMELESS,
    ENGINE_PANIC: FINAL,
    INTERNAL: FINAL,
    "redirect_loop": FINAL,
    "too_many_redirects": FINAL,
    "bad_redirect": FINAL,
    "same_identity_elsewhere": FINAL,
}


def find_treatment(cause: str) -> Treatment:
    """Statuses that the table does not list are not retried: 5xx counts against the host, 4xx does not."""
    known = TABLE.get(cause)
    if known is not None:
        return known
    return FINAL_AGAINST_HOST if cause.startswith("http_5") else FINAL
