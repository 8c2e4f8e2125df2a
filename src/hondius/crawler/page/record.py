"""Creates the event that records how a URL ended."""

from collections.abc import Mapping, Sequence
from typing import Any

from hondius.crawler.page.previous_visits import PreviousVisit
from hondius.crawler.page.reading import Reading
from hondius.model import INTERNAL, Finished, RefusedMore, State
from hondius.native import TEXT_VERSION, Discoveries, Fetched, Identity, QueuedUrl, Url
from hondius.ports import UrlStore
from hondius.usage import drop_origin_signals, join_signals

COMPLETED = State.COMPLETED
"""A constant because every page needs it."""
LONGEST_TEXT = 1_000
"""Characters that are kept of a title or a description. The archive has all of it."""

KEPT = (  # fields that a 304 leaves as they were; a new field of `Finished` about the content belongs here
    "copy_of type charset length truncated title description canonical language content_hash simhash http_date "
    "last_modified etag noindex links text_hash unread_links text_version links_file links_offset links_index "
    "change_hash near_of focus unfollowed quality"
).split()


class Recorder:
    def __init__(self, identity: Identity, urls: UrlStore, limits: Mapping[str, str]) -> None:
        self._identity = identity
        self._urls = urls
        self._limits = limits
        """Descriptions, by the cause of a refusal."""

    def record_unfetched(self, url: QueuedUrl, state: State, cause: str, **more: Any) -> Finished:
        """A URL that ends without an answer: it is blocked, or its host cannot be found."""
        return Finished(**self._describe_url(self._urls.closest(url)), state=state, cause=cause, **more)

    def record_no_longer_wanted(self, url: QueuedUrl, cause: str) -> Finished:
        """A queued URL that is not requested any more."""
        return self.record_unfetched(url, State.REFUSED, cause, detail=self._limits.get(cause, ""))

    def record_refused(
        self, href: str, key: bytes, reason: str, source: bytes | None, depth: int, via: str, now: float
    ) -> Finished:
        """A link or redirect target that is not followed, and why (F6)."""
        parsed = self._identity.parse(href)
        return Finished(
            key=key,
            url=href,
            key_form=parsed.key_form,
            host=parsed.host,
            state=State.REFUSED,
            cause=reason,
            kind="sitemap" if reason == "too_many_sitemaps" else "page",
            depth=depth,
            via=via,
            source=source,
            discovered_at=now,
            detail=self._limits.get(reason, ""),
        )

    def record_refusals(
        self, found: Sequence[Discoveries], source: bytes | None, depth: int, via: str, now: float
    ) -> tuple[list[Finished], list[RefusedMore]]:
        """The URLs that were refused at `depth`: the first of a host as events, the others as a number."""
        kept = [
            self.record_refused(href, key, reason, source, depth, via, now)
            for some in found
            for href, key, reason in some.refused
        ]
        return kept, [RefusedMore(host, reason, count, now) for some in found for host, reason, count in some.counted]

    def compute_depth(self, source: QueuedUrl, *, is_target: bool) -> int:
        """The depth of what it leads to, as `Links` admits it."""
        if is_target:
            return source.depth
        return 1 if source.kind == "sitemap" else source.depth + 1

    def record_fetched(
        self,
        url: QueuedUrl,
        fetched: Fetched,
        state: State,
        cause: str,
        reading: Reading | None = None,
        *,
        copy_of: str | None = None,
        redirect_to: str | None = None,
        new_links: int = 0,
        detail: str = "",
        usage: str | None = None,
        near_of: bytes | None = None,
        focus: float | None = None,
        unfollowed: int = 0,
    ) -> Finished:
        """`url`: with the depth and source of the shortest path known so far; a later frame may record a shorter one.
        `reading`: how its answer was classified, if it was. `focus`: its score by a hook; None: by the keywords.

        Called for every page, so each field is named: merging dictionaries takes several times as long."""
        page = reading.page if reading is not None else fetched.page
        parsed = self._identity.parse(url.href)
        return Finished(
            key=url.key,
            url=url.href,
            key_form=parsed.key_form,
            host=parsed.host,
            state=state,
            cause=cause,
            kind=reading.kind if reading is not None else url.kind,
            depth=url.depth,
            via=url.via,
            source=url.source,
            discovered_at=url.discovered_at,
            priority=url.priority,
            started_at=fetched.started_at,
            fetched_at=fetched.ended_at,
            status=fetched.status,
            address=fetched.address,
            type=fetched.content_type[:128],
            charset=page.charset if page is not None else "",
            length=fetched.decoded_length,
            wire_length=fetched.wire_bytes,
            truncated=fetched.truncated,
            title=page.title[:LONGEST_TEXT] if page is not None else "",
            description=page.description[:LONGEST_TEXT] if page is not None else "",
            canonical=page.canonical if page is not None else None,
            language=(page.language or page.language_detected)[:64] if page is not None else "",
            content_hash=fetched.content_hash,
            simhash=page.simhash if page is not None else None,
            http_date=fetched.http_date,
            last_modified=fetched.last_modified,
            etag=fetched.etag,
            redirect_to=redirect_to,
            copy_of=copy_of,
            noindex=page is not None and page.noindex,
            links=page.links_found if page is not None else 0,
            new_links=new_links,
            detail=detail,
            text_hash=page.text_hash if page is not None and not fetched.truncated else None,
            text_version=TEXT_VERSION if page is not None and page.text_hash is not None else 0,
            unread_links=fetched.links_cut,
            usage=usage,
            imported=fetched.imported,
            sketch=page.sketch if page is not None and state is COMPLETED and not fetched.truncated else None,
            change_hash=page.change_hash if page is not None and not fetched.truncated else None,
            near_of=near_of,
            focus=page.focus if focus is None and page is not None else focus,
            unfollowed=unfollowed,
            quality=page.quality if page is not None else None,
        )

    def record_lost_seed(self, url: Url, now: float, detail: str) -> Finished:
        return Finished(
            key=url.key,
            url=url.href,
            key_form=url.key_form,
            host=url.host,
            state=State.FAILED,
            cause=INTERNAL,
            via="seed",
            discovered_at=now,
            detail=detail,
        )

    def record_unchanged(
        self, url: QueuedUrl, fetched: Fetched, previous: PreviousVisit, usage: str | None = None
    ) -> Finished:
        """An unchanged page (H4): everything known about it stays, except when and where it was requested. A copy stays
        a copy. Of its usage preferences, those of robots.txt are the current ones, `usage`. A 304 need not repeat the
        headers of the page, so those stay, and any that it has are added (W2)."""
        known = {name: previous[name] for name in KEPT if name in previous}
        state = State(previous["state"])
        return Finished(
            **self._describe_url(url),
            state=state,
            cause=previous["cause"] if state is State.DUPLICATE else "unchanged",
            started_at=fetched.started_at,
            fetched_at=fetched.ended_at,
            status=fetched.status,
            address=fetched.address,
            wire_length=fetched.wire_bytes,
            usage=join_signals(usage, drop_origin_signals(previous.get("usage")), fetched.usage),
            imported=fetched.imported,
            **known,
        )

    def _describe_url(self, url: QueuedUrl) -> dict[str, Any]:
        parsed = self._identity.parse(url.href)
        return {
            "key": url.key,
            "url": url.href,
            "key_form": parsed.key_form,
            "host": parsed.host,
            "kind": url.kind,
            "depth": url.depth,
            "via": url.via,
            "source": url.source,
            "discovered_at": url.discovered_at,
            "priority": url.priority,
        }
