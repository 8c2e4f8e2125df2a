"""The circuit breaker of a host (P4): one that fails again and again is left alone for a while."""

from hondius.crawler.politeness.failures import treatment_of
from hondius.crawler.politeness.hosts import Host
from hondius.native import Fetched
from hondius.settings import PolitenessSettings


class Circuit:
    """Closed: requests pass. Five failures in a row open it; it is half-open once its time has come, and since a host
    is asked one thing at a time, exactly one request passes then: a good answer closes the circuit, another failure
    opens it for twice as long. It holds also where the crawl has no delay."""

    def __init__(self, settings: PolitenessSettings) -> None:
        self._settings = settings

    def judge(self, host: Host, fetched: Fetched, cause: str) -> bool:
        """Counts an answer, whatever it was. True: the circuit has just opened."""
        if treatment_of(cause).against_host or (fetched.status or 0) >= 500:
            return self._failed(host, fetched.ended_at)
        if fetched.status is not None:
            self.good(host)
        return False

    def good(self, host: Host) -> None:
        """The host answers: also a 404 says that it is alive."""
        host.consecutive_failures = 0
        host.circuit_until = 0.0
        host.circuit_openings = 0

    def _failed(self, host: Host, ended_at: float) -> bool:
        host.consecutive_failures += 1
        if host.consecutive_failures < self._settings.circuit_failures:
            return False
        wait = self._settings.circuit_wait * 2.0 ** min(host.circuit_openings, 32)
        host.circuit_openings += 1
        host.circuit_until = ended_at + min(wait, self._settings.circuit_cap)
        return True
