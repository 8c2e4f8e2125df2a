"""Which request is answered by what."""

import secrets
from collections.abc import Callable
from urllib.parse import parse_qs

from hondius.errors import HondiusError
from hondius.native import NativeError, Url
from hondius.opening import Crawl
from hondius.use.replay.archived import ASSET, FRAME, PAGE, VIEW, Archived
from hondius.use.replay.listing import list_pages
from hondius.use.replay.own_pages import (
    describe_missing,
    render_bounce,
    render_calendar,
    render_note,
    render_start,
    render_view,
)
from hondius.use.replay.policies import (
    make_bounce_policy,
    make_frame_policy,
    make_note_policy,
    make_own_headers,
    make_own_policy,
)
from hondius.use.replay.requests import NAMES, Request, find_refusal
from hondius.use.replay.responses import HTML, Response, redirect
from hondius.use.replay.timestamps import parse_stamp
from hondius.use.replay.visits import Visit, Visits, find_nearest

LISTED = 100
"""Pages on the start page."""
IN_FRAMES = ("iframe", "frame", "embed", "object")
ROLES = (PAGE, FRAME, ASSET)


class ReplaySite:
    """Answers requests for one crawl. Any thread may call it."""

    def __init__(self, crawl: Crawl, *, port: int, scripts: bool = False) -> None:
        self._crawl = crawl
        self._port = port
        self._visits = Visits(crawl)
        self._secret = f"key-{secrets.token_urlsafe(18)}"
        self._archived = Archived(self._visits, self._secret, scripts)

    def answer(self, request: Request) -> Response:
        """Never raises because of what the archive holds: a damaged record is the answer of its page alone."""
        if (refusal := find_refusal(request, self._port, self._secret)) is not None:
            status, reason = refusal
            extra = (("Allow", "GET, HEAD"),) if status == 405 else ()
            return Response(status, (("Content-Type", "text/plain; charset=utf-8"), *extra), reason.encode())
        try:
            return self._route(request)
        except (HondiusError, NativeError) as error:
            return self._make_note(502, "This part of the archive cannot be read", str(error))

    def _route(self, request: Request) -> Response:
        path, _, query = request.target.partition("?")
        if path == "/":
            return self._answer_start(request, query)
        role, _, rest = request.target[1:].partition("/")
        if role == "calendar":
            return self._find_visits(request, rest, self._answer_calendar)
        stamp, _, address = rest.removeprefix(f"{self._secret}/").partition("/")
        at = parse_stamp(stamp)
        if role == VIEW and request.destination in IN_FRAMES:
            return self._answer_bounce(request)
        if role in (*ROLES, VIEW) and at is not None:
            answer = self._answer_view if role == VIEW else self._answer_archived
            return self._find_visits(request, address, lambda *found: answer(role, at, *found))
        return self._make_note(404, "Not found", "This address is neither a page of the archive nor ours.")

    def _find_visits(
        self, request: Request, address: str, answer: Callable[[Request, Url, list[Visit]], Response]
    ) -> Response:
        url = self._visits.parse(address)
        if url is None:
            return self._make_note(400, "This is no address", f"{address!r} is no URL of the web.")
        visits = self._visits.list(url)
        if not visits:
            reason = describe_missing(url, self._visits.find_row(url))
            return self._make_note(404, "Not in the archive", reason)
        return answer(request, url, visits)

    def _answer_start(self, request: Request, query: str) -> Response:
        values = parse_qs(query, errors="replace")
        prefix, after = values.get("prefix", [""])[0], values.get("after", [""])[0]
        pages, count = list_pages(self._crawl, prefix, after, LISTED + 1)
        text = render_start(self._crawl.name, prefix, pages[:LISTED], count, more=len(pages) > LISTED)
        return self._make_own(request, text)

    def _answer_calendar(self, request: Request, url: Url, visits: list[Visit]) -> Response:
        return self._make_own(request, render_calendar(visits[-1].url, visits))

    def _answer_bounce(self, request: Request) -> Response:
        nonce = _make_nonce()
        return _make_html(200, render_bounce(request.target, nonce), make_own_headers(make_bounce_policy(nonce)))

    def _answer_view(self, role: str, at: float, request: Request, url: Url, visits: list[Visit]) -> Response:
        visit = find_nearest(visits, at)
        assert visit is not None
        if visit.is_redirect and visit.redirect_to is not None:
            return redirect(f"/{VIEW}/{visit.stamp}/{visit.redirect_to}")
        if parse_stamp(visit.stamp) != at:
            return redirect(f"/{VIEW}/{visit.stamp}/{visit.url}")
        row, nonce = self._visits.find_row(url), _make_nonce()
        source = f"/{PAGE}/{self._secret}/{visit.stamp}/{visit.url}"
        text = render_view(visit, row["title"] if row is not None else "", visits, source, nonce)
        policy = make_frame_policy(self._find_origin(request), nonce)
        return _make_html(200, text, make_own_headers(policy))

    def _answer_archived(self, role: str, at: float, request: Request, url: Url, visits: list[Visit]) -> Response:
        visit = find_nearest(visits, at)
        assert visit is not None
        if request.destination == "document" and role != ASSET:
            return redirect(f"/{VIEW}/{visit.stamp}/{visit.url}")  # opened without the page around it
        return self._archived.answer(request, role, self._find_origin(request), visit)

    def _make_note(self, status: int, title: str, text: str) -> Response:
        """It may stand in the place of an archived page, or of what that needs."""
        return _make_html(status, render_note(title, text), make_own_headers(make_note_policy()))

    def _make_own(self, request: Request, text: str) -> Response:
        return _make_html(200, text, make_own_headers(make_own_policy(self._find_origin(request))))

    def _find_origin(self, request: Request) -> str:
        """By the name that the browser uses; `find_refusal` has checked it."""
        return f"http://{request.headers.get('host', f'{NAMES[0]}:{self._port}').lower()}"


def _make_nonce() -> str:
    return secrets.token_urlsafe(18)


def _make_html(status: int, text: str, headers: tuple[tuple[str, str], ...]) -> Response:
    return Response(status, (("Content-Type", HTML), *headers), text.encode())
