"""Formats an explanation as text (O5)."""

from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from itertools import zip_longest

from hondius.model import FOREVER, SAME_IDENTITY, State
from hondius.quantities import format_bytes, format_count, format_seconds
from hondius.use.explain.explanation import (
    EXCLUDED_BY,
    BudgetFacts,
    EndingFacts,
    Explanation,
    Finding,
    HostFacts,
    IdentityFacts,
    LinkFacts,
    QueueFacts,
    Request,
    RobotsFacts,
    ScopeFacts,
    Sent,
    Tried,
    UsageFacts,
)

WIDTH = 13
SHOWN_LINKS = 10
REFUSALS = {
    "scope": "outside the scope",
    "excluded": "kept out by --include or --exclude",
    "extension": "files with this extension are skipped",
    "too_long": "a trap: too long",
    "too_many_segments": "a trap: too many path segments",
    "repeated_segments": "a trap: path segments repeat",
    "too_many_parameters": "a trap: too many query parameters",
    "future_date": "a trap: a date too far ahead",
    "blacklisted": "on the blacklist",
}
WAYS = {
    "seed": "a seed",
    "link": "by a link",
    "redirect": "by a redirect",
    "sitemap": "by a sitemap",
    "robots": "by robots.txt",
    "recrawl": "by recrawl",
    "requisite": "a page needs it",
}
Row = tuple[str, str]
LONGEST_EXTRACTED = 500


def format_explanation(explanation: Explanation, url: str) -> Iterator[str]:
    as_of = "" if explanation.at is None else f"as of {_format_time(explanation.at)}: "
    yield url
    yield f"{as_of}{explanation.summary}"
    for title, rows in _list_sections(explanation):
        yield ""
        yield title
        yield from (f"  {name:<{WIDTH}}  {value}" for name, value in rows)


def _list_sections(explanation: Explanation) -> Iterator[tuple[str, list[Row]]]:
    """The sections that are not empty."""
    facts = explanation
    sections: list[tuple[str, Iterable[Row]]] = [
        ("Identity", _list_identity_rows(facts.identity)),
        ("Found", _list_discovery_rows(facts.discovery)),
        ("Scope", _list_scope_rows(facts.scope) if facts.scope else ()),
        ("robots.txt", _list_robots_rows(facts.robots) if facts.robots else ()),
        ("Queue", _list_queue_rows(facts.queue) if facts.queue else ()),
        ("Budget", _list_budget_rows(facts.budget) if facts.budget else ()),
        ("Host", _list_host_rows(facts.host) if facts.host else ()),
        ("Requests", _list_request_rows(facts.requests, facts.sent)),
        ("Links", _list_link_rows(facts.links) if facts.links else ()),
        ("End", _list_ending_rows(facts.ending) if facts.ending else ()),
        ("Try", _list_tried_rows(facts.tried) if facts.tried else ()),
        ("Notes", (("", note) for note in facts.notes)),
    ]
    for title, rows in sections:
        if listed := list(rows):
            yield title, listed


def _list_identity_rows(facts: IdentityFacts) -> Iterator[Row]:
    yield "href", facts.href or ""
    yield "key form", facts.key_form or ""
    yield "key", facts.key or ""
    for step in facts.steps:
        yield "step", f"{step.name}: {step.before} → {step.after}"


def _list_discovery_rows(path: list[Finding]) -> Iterator[Row]:
    for finding, before in zip_longest(path, path[1:]):
        hops = f", {format_count(finding.hops, 'redirect')}" if finding.hops else ""
        when = f"{_format_time(finding.discovered_at)}, depth {finding.depth}{hops}"
        where = finding.url if before is None else f"from {before.url}"
        yield WAYS.get(finding.via, f"by {finding.via}"), f"{where} ({when})"


def _list_scope_rows(facts: ScopeFacts) -> Iterator[Row]:
    yield facts.scope, _describe_verdict(facts)
    if facts.blacklisted is not None:
        yield "blacklist", f"{facts.blacklisted}: {facts.blacklisted_because}"


def _describe_verdict(facts: ScopeFacts) -> str:
    if facts.refused is None:
        return "inside, and no trap"
    return (
        f"{facts.refused} ({EXCLUDED_BY[facts.excluded_by]})" if facts.excluded_by else _describe_reason(facts.refused)
    )


def _list_robots_rows(facts: RobotsFacts) -> Iterator[Row]:
    if facts.outcome is None:
        yield "verdict", f"{facts.origin}/robots.txt was not requested yet"
        return
    yield "verdict", {True: "allowed", False: "forbidden", None: "unknown: it cannot be reached"}[facts.allowed]
    if facts.line is not None:
        yield "rule", f"line {facts.line}: {facts.rule} (for {facts.agent})"
    status = f", status {facts.status}" if facts.status is not None else ""
    if facts.imported is None:
        until = f"in force until {_format_time(facts.expires_at)}"
    else:
        until = f"imported from {facts.imported}: it permits no request"
    yield "copy", f"{facts.outcome}{status}, {_format_time(facts.fetched_at)}, {until}"
    if facts.crawl_delay:
        yield "crawl-delay", format_seconds(facts.crawl_delay)
    for number, line in enumerate(facts.usage):
        yield "usage" if number == 0 else "", line
    if facts.detail:
        yield "detail", facts.detail


def _list_queue_rows(facts: QueueFacts) -> Iterator[Row]:
    yield "state", f"{facts.state or 'not seen'} (by the {facts.told_by})"
    if facts.priority is not None:
        yield "priority", f"{facts.priority:.3f}, class {facts.priority_class}"
    if facts.rank is not None:
        yield "page rank", f"{facts.rank:.3g}, above {facts.rank_percentile:.1%} of all pages"
    if facts.waiting_in_origin is not None:
        yield (
            "origin",
            f"{format_count(facts.waiting_in_origin, 'URL')} wait{'s' if facts.waiting_in_origin == 1 else ''}",
        )
    if facts.before is not None:
        yield "position", f"{facts.before:,} of them {'is' if facts.before == 1 else 'are'} handed out before it"
    if facts.tries:
        yield "tries", f"{facts.tries} failed so far"
    for reason in facts.waits:
        yield "waits", reason
    if facts.not_before is not None:
        yield "not before", "it is unpaused" if facts.not_before >= FOREVER else _format_time(facts.not_before)


def _list_budget_rows(facts: BudgetFacts) -> Iterator[Row]:
    yield "shape", facts.shape
    yield "its URLs", _format_at_least(facts.urls_of_shape)
    stale, most_stale = facts.stale_fetches
    yield "novelty", f"fetches in a row without new content: {stale:,} ({most_stale:,} end the shape)"
    if facts.stale_fetches_of_parts[0]:
        yield (
            "one part",
            f"fetches in a row without new content that differ in it alone: {facts.stale_fetches_of_parts[0]:,} "
            f"({facts.stale_fetches_of_parts[1]:,} end it)",
        )
    found, most = facts.pages_of_host
    yield "host", f"{format_count(found, 'page')} found, up to {most:,} are fetched"
    yield "", f"sitemap files: {_format_ratio(facts.sitemaps_of_host)}"
    names, kept = facts.hosts_of_domain
    contacted = f"up to {facts.max_hosts_of_domain:,} are contacted"
    yield "domain", f"host names found: {names:,} (up to {kept:,} are kept, {contacted})"
    yield "", f"answers: {_format_ratio(facts.fetched_of_domain)}"
    for cause, count in facts.refused_more.items():
        yield "refused", f"{count:,} more links of this host: {cause}; they were only counted, not stored"


def _format_at_least(count: tuple[int, int]) -> str:
    """A lower bound: only the most frequent shapes of a host are counted, and not all of their URLs."""
    return f"at least {_format_ratio(count)}" if count[0] else f"too few to be counted, of {count[1]:,} allowed"


def _format_ratio(count: tuple[int, int | None]) -> str:
    return f"{count[0]:,}" if count[1] is None else f"{count[0]:,} of {count[1]:,}"


def _list_host_rows(facts: HostFacts) -> Iterator[Row]:
    average = f", {format_seconds(facts.average_response)} on average" if facts.average_response is not None else ""
    yield facts.host, f"{format_count(facts.fetched, 'answer')}, {format_count(facts.failed, 'failure')}{average}"
    yield "not before", _format_time(facts.not_before)
    back_off = f", back-off {format_seconds(facts.back_off)}" if facts.back_off else ""
    yield "delay", f"{format_seconds(facts.delay)}{back_off}"
    if facts.address:
        yield "address", facts.address
    if facts.consecutive_failures:
        yield "failures", f"{facts.consecutive_failures} in a row"
    if facts.circuit_until is not None:
        yield "circuit", f"open until {_format_time(facts.circuit_until)}"
    if facts.paused_until is not None:
        until = "another order" if facts.paused_until >= FOREVER else _format_time(facts.paused_until)
        yield "paused", f"until {until}: {facts.order_reason}"
    if facts.ordered_delay is not None:
        yield "ordered", f"{format_seconds(facts.ordered_delay)} between two requests: {facts.order_reason}"


def _list_link_rows(facts: LinkFacts) -> Iterator[Row]:
    if facts.found_on is not None:
        yield "found on", facts.found_on
    if facts.new:
        yield "led to", f"{format_count(facts.new, 'new URL')}"
    for href in facts.examples[:SHOWN_LINKS]:
        yield "", href


def _list_request_rows(requests: list[Request], sent: list[Sent]) -> Iterator[Row]:
    for request in requests:
        cause = "to the same URL by another name" if request.cause == SAME_IDENTITY else request.cause
        what = [request.outcome, cause, f"status {request.status}" if request.status else ""]
        what += [f"from {request.address}" if request.address else ""]
        what += [format_bytes(request.wire_length) if request.wire_length is not None else ""]
        yield "request", f"{_format_time(request.ended_at)} {', '.join(word for word in what if word)}"
    if sent and not sent[-1].ended:
        yield "under way", f"sent to {sent[-1].address} at {_format_time(sent[-1].at)}, no end recorded"


def _list_ending_rows(facts: EndingFacts) -> Iterator[Row]:
    cause = _describe_reason(facts.cause) if facts.state == State.REFUSED else facts.cause
    detail, *traceback = facts.detail.splitlines() or [""]
    yield "state", ", ".join(word for word in (facts.state, cause, detail) if word)
    yield from (("", line) for line in traceback)
    if facts.rule_line is not None:
        yield "rule", f"line {facts.rule_line} of the robots.txt then in force"
    if facts.type:
        size = format_bytes(facts.length) if facts.length or facts.state != State.FAILED else ""
        cut = "cut off at fetch.page_cap" if facts.truncated else ""
        words = (facts.type, facts.charset, facts.language, size, cut)
        yield "content", ", ".join(word for word in words if word)
    copies = (("copy of", facts.copy_of), ("near copy of", facts.near_copy_of))
    shown = (("title", facts.title), ("canonical", facts.canonical), *copies)
    for name, value in (*shown, ("redirect to", facts.redirect_to), ("sha-256", facts.content_hash)):
        if value:
            yield name, value
    if facts.fetched_at is not None:
        yield "links", f"{facts.links:,}, of which {facts.new_links:,} {'was' if facts.new_links == 1 else 'were'} new"
    if facts.unread_links:
        yield "", f"the last {facts.unread_links:,} of them were only counted, not read: fetch.page_cap limits them"
    if facts.quality is not None:
        yield "quality", f"{facts.quality:.3f}"
    if facts.focus is not None:
        yield "focus", f"{facts.focus:.3f}{_describe_unfollowed(facts.unfollowed)}"
    if facts.warc is not None:
        yield "archive", f"{facts.warc.file}, {facts.warc.length:,} bytes at {facts.warc.offset:,}"
    if facts.body_removed_at is not None:
        yield "body", f"removed on {_format_time(facts.body_removed_at)}, by retention.body_days"
    if facts.extracted:
        yield "extracted", facts.extracted[:LONGEST_EXTRACTED]
    for line in (facts.hook_failures or "").splitlines():
        yield "hook failed", line
    if facts.next_fetch_at is not None:
        expected = ""
        if facts.change_interval is not None:
            kind = f", {facts.page_class}" if facts.page_class else ""
            expected = f" (expected to change every {format_seconds(facts.change_interval)}{kind})"
        yield "next", f"{_format_time(facts.next_fetch_at)}{expected}"
    if facts.usage is not None:
        yield from _usage_rows(facts.usage)


def _describe_unfollowed(links: int) -> str:
    if not links:
        return ""
    are = "link is" if links == 1 else "links are"
    return (
        f", below focus.threshold: {links:,} {are} not followed, because neither the page nor the link fits the topic"
    )


def _usage_rows(facts: UsageFacts) -> Iterator[Row]:
    for number, signal in enumerate(facts.signals):
        yield "usage" if number == 0 else "", signal
    for use, stance in facts.uses.items():
        yield f"for {use}", f"{stance} by {', '.join(facts.because[use])}" if facts.because[use] else stance


def _list_tried_rows(facts: Tried) -> Iterator[Row]:
    yield "now", facts.summary
    if facts.robots is not None:
        yield from (
            ("robots.txt" if name == "verdict" else name, value) for name, value in _list_robots_rows(facts.robots)
        )
    yield from _list_request_rows(facts.requests, [])
    if facts.ending is not None:
        yield from _list_ending_rows(facts.ending)


def _describe_reason(reason: str) -> str:
    """The name of the reason, followed by its meaning in parentheses."""
    said = REFUSALS.get(reason, reason.replace("_", " "))
    return reason if said == reason else f"{reason} ({said})"


def _format_time(at: float | None) -> str:
    if at is None:
        return "at an unknown time"
    if not 0 < at < 253_402_300_800:
        return "any time"
    return datetime.fromtimestamp(at, UTC).isoformat(sep=" ", timespec="seconds").replace("+00:00", "Z")
