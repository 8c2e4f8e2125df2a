"""The one failure table (P5): what is tried again, and what counts against the host."""

from dataclasses import dataclass

from hondius.model import INTERNAL


@dataclass(frozen=True)
class Treatment:
    retried: bool
    against_host: bool
    """Counts towards the host's consecutive failures."""


NOT_SENT = "attempt_not_recorded"
"""The disk is full, so nothing went out: neither a try nor anybody's fault."""

SWALLOWED = "connection_stale"
"""A connection that had served before was closed without an answer. It may have been closed before the request came, so
it says nothing of the host; but the server may have read the request, so the next one waits for its turn (P1). It comes
over a new connection, which is why this does not happen to a URL again and again."""

ENGINE_PANIC = "engine_panic"
"""A bug of ours, raised as `EnginePanic` where it is met: what it ends is `internal`."""

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
    """Statuses that are not named: 5xx speak against the host, 4xx do not; neither is tried again."""
    known = TABLE.get(cause)
    if known is not None:
        return known
    return FINAL_AGAINST_HOST if cause.startswith("http_5") else FINAL
