"""The answers of the simulated web, and the end that each must lead to."""

from dataclasses import dataclass, replace
from random import Random

from hondius.native import Url
from tests.simulation.web import DAY, REQUISITES, Host, Page, Web

UNSENT = frozenset({"connect_refused", "connect_timeout"})
"""Failures before a request is sent."""
CAUSES_TAKE = {
    "connect_timeout": 10.0,
    "read_timeout": 30.0,
}
REASONS = {200: "OK", 404: "Not Found"}
COMPLETED = ("completed", "")


@dataclass(frozen=True, slots=True)
class Answer:
    ends: tuple[str, str]
    """How the URL ends if this was the last answer: state and cause."""
    takes: float
    status: int = 0
    headers: tuple[tuple[str, str], ...] = ()
    body: bytes = b""
    failure: str = ""
    retry_after: float | None = None

    @property
    def sent(self) -> bool:
        return self.failure not in UNSENT

    @property
    def is_page(self) -> bool:
        return self.status == 200 and not self.failure

    def head(self) -> bytes:
        if not self.status:
            return b""
        lines = [f"HTTP/1.1 {self.status} {REASONS.get(self.status, 'Status')}"]
        lines += [f"{name}: {value}" for name, value in self.headers]
        return ("\r\n".join([*lines, f"Content-Length: {len(self.body)}"]) + "\r\n\r\n").encode()


class Answers:
    def __init__(self, web: Web, chance: Random, total_timeout: float) -> None:
        self._web = web
        self._chance = chance
        self._total_timeout = total_timeout

    def look_up(self, name: str, at: float) -> str:
        """The failure of a look-up, or nothing."""
        host = self._web.host(name)
        if host.trouble == "nxdomain":
            return "dns_nxdomain"
        return "dns_failure" if _outage(host, at) == "dns_failure" else ""

    def refusal(self, name: str, address: str) -> Answer | None:
        """The failure of a connection to an address that always refuses."""
        host = self._web.host(name)
        cause = host.refusing.get(address, "")
        return self._failing(cause, host.latency, None) if cause else None

    def to(self, url: Url, kind: str, headers: dict[str, str], at: float) -> Answer:
        host = self._web.host(url.host)
        takes = host.latency * self._chance.uniform(0.5, 3.0)
        if (cause := _outage(host, at)) and cause != "dns_failure":
            return self._failing(cause, takes, None)
        if kind == "robots":
            return self._robots(host, url, at, takes)
        page = self._web.find(url)
        if page is None:
            return _plain(404, takes)
        page.requests += 1
        if page.requests <= page.failures:
            return self._failing(page.cause, takes, page.retry_after)
        return self._page(page, url, headers, takes)

    def _page(self, page: Page, url: Url, headers: dict[str, str], takes: float) -> Answer:
        if page.kind == "session" and "?" in url.path_and_query:
            return _redirect(302, page.href, takes)
        if page.target is not None:
            return _redirect(301, page.target.mentioned_as, takes)
        if page.kind in ("missing", "gone"):
            return _plain(404 if page.kind == "missing" else 410, takes)
        if page.kind == "image":
            return Answer(("refused", "type"), takes, 200, (("Content-Type", "image/png"),), b"\x89PNG....")
        if page.kind == "cut" and page.requests <= 2:
            return replace(self._whole(page, takes), failure="body_incomplete", ends=("failed", "body_incomplete"))
        if headers.get("If-None-Match") == _tag(page):
            return Answer(("completed", "unchanged"), takes, 304, (("ETag", _tag(page)),))
        return self._whole(page, takes)

    def _whole(self, page: Page, takes: float) -> Answer:
        media = "application/xml" if page.kind == "sitemap" else "text/html"
        if page.kind in REQUISITES:
            media = REQUISITES[page.kind][1]
        is_dripping = page.host.trouble == "dripping" and self._chance.random() < 0.1
        drips = self._chance.uniform(5, 0.9 * self._total_timeout) if is_dripping else 0.0
        headers = (("Content-Type", media), ("ETag", _tag(page)))
        return Answer(COMPLETED, takes + drips, 200, headers, page.body)

    def _failing(self, cause: str, takes: float, retry_after: float | None) -> Answer:
        takes = self._total_timeout if cause == "total_timeout" else CAUSES_TAKE.get(cause, takes)
        if not cause.startswith("http_") or cause == "http_malformed":
            status = 200 if cause == "body_incomplete" else 0
            return Answer(("failed", cause), takes, status, failure=cause)
        status = int(cause.removeprefix("http_"))
        if status in (429, 503) and retry_after is None and self._chance.random() < 0.3:
            retry_after = self._chance.choice((5.0, 45.0))
        headers = () if retry_after is None else (("Retry-After", f"{retry_after:.0f}"),)
        return Answer(("failed", cause), takes, status, headers, b"sorry", retry_after=retry_after)

    def _robots(self, host: Host, url: Url, at: float, takes: float) -> Answer:
        match host.robots:
            case "absent":
                return _plain(404, takes)
            case "moved" if url.path_and_query == "/robots.txt":
                return _redirect(301, "/rules.txt", takes)
            case "elsewhere" if host.elsewhere is not None:
                return _redirect(302, f"{host.elsewhere.origin}/robots.txt", takes)
            case "late" if at < host.edited_at and at < self._web.dawn + 400:
                return self._failing("http_503", takes, None)
            case "never":
                return self._failing("http_500", takes, None)
        lifetime = (("Cache-Control", "max-age=90"),) if host.robots == "short_lived" else ()
        headers = (("Content-Type", "text/plain"), *lifetime)
        return Answer(COMPLETED, takes, 200, headers, host.rules(at).encode())


def lifetime_of(host: Host) -> float:
    """How long its robots.txt may be cached: at least a minute longer than the pause after its request, or nothing else
    could ever be requested."""
    return max(90.0, host.crawl_delay + 60.0) if host.robots == "short_lived" else DAY


def _outage(host: Host, at: float) -> str:
    return next((cause for starts, ends, cause in host.down if starts <= at < ends), "")


def _plain(status: int, takes: float) -> Answer:
    return Answer(("failed", f"http_{status}"), takes, status, (("Content-Type", "text/html"),), b"nothing here")


def _redirect(status: int, target: str, takes: float) -> Answer:
    return Answer(("redirected", f"http_{status}"), takes, status, (("Location", target),))


def _tag(page: Page) -> str:
    return f'"{page.url.key.hex()[:8]}"'
