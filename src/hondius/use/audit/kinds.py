"""The kinds of violations, with the id in the specification and the rule of each."""

from enum import StrEnum


class Kind(StrEnum):
    OVERLAP = "overlap"
    PAUSE = "pause"
    CRAWL_DELAY = "crawl_delay"
    BACK_OFF = "back_off"
    NOT_BEFORE = "not_before"
    CIRCUIT = "circuit"
    ADDRESS_GAP = "address_gap"
    ADDRESS_CROWD = "address_crowd"
    FORBIDDEN = "forbidden"
    ROBOTS_UNKNOWN = "robots_unknown"
    ROBOTS_EXPIRED = "robots_expired"
    ROBOTS_UNREACHABLE = "robots_unreachable"
    PAUSED = "paused"
    ORDERED_DELAY = "ordered_delay"
    BLACKLISTED = "blacklisted"
    UNRECORDED = "unrecorded"
    DAMAGED = "damaged"


MEANING: dict[Kind, tuple[str, str]] = {
    Kind.OVERLAP: ("P1", "one request at a time to a host"),
    Kind.PAUSE: ("P1", "the delay after a request to a host, longer after a slow answer"),
    Kind.CRAWL_DELAY: ("P1, B3", "the Crawl-delay of robots.txt"),
    Kind.BACK_OFF: ("P2", "the longer delay after 429 and 503"),
    Kind.NOT_BEFORE: ("P2", "the time before which a host must not be contacted, including Retry-After"),
    Kind.CIRCUIT: ("P4", "no request to a host whose circuit is open"),
    Kind.ADDRESS_GAP: ("P3", "the gap between two requests to an address"),
    Kind.ADDRESS_CROWD: ("P3", "few concurrent requests to an address"),
    Kind.FORBIDDEN: ("B1, B4", "no request that the robots.txt in force forbids"),
    Kind.ROBOTS_UNKNOWN: ("B4", "no request before robots.txt was requested"),
    Kind.ROBOTS_EXPIRED: ("B2", "no request by an expired robots.txt"),
    Kind.ROBOTS_UNREACHABLE: ("B2", "no request while robots.txt cannot be fetched"),
    Kind.PAUSED: ("O1", "no request to a host that the operator paused"),
    Kind.ORDERED_DELAY: ("O1", "the delay that the operator ordered for a host"),
    Kind.BLACKLISTED: ("O1", "no request to a host on the blacklist"),
    Kind.UNRECORDED: ("P7", "an attempt record for every answer in the log"),
    Kind.DAMAGED: ("P7", "attempt records that are complete"),
}
"""The rule that holds if there is no violation."""
