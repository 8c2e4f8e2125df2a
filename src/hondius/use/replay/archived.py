"""Archived answers: the page in the frame, frames within it, and everything that it needs."""

from dataclasses import dataclass
from email.utils import formatdate

from hondius.native import rewrite_archived
from hondius.use.replay.policies import make_archived_headers
from hondius.use.replay.requests import Request, knows
from hondius.use.replay.responses import Response, cut_range, redirect
from hondius.use.replay.visits import Visit, Visits

HTML_TYPE = "text/html;"
"""The type of documents that begin with the guard. Scripts of other documents, such as XHTML, never run."""
PAGE, FRAME, ASSET, VIEW = "page", "frame", "asset", "view"


@dataclass(frozen=True)
class Archived:
    """`secret`: of this server (`requests.py`). `scripts`: whether scripts of archived pages run."""

    visits: Visits
    secret: str
    scripts: bool

    def answer(self, request: Request, role: str, origin: str, visit: Visit) -> Response:
        """`role`: what the browser uses it for. `origin`: of this server, by the name that the browser uses."""
        if visit.is_redirect and visit.redirect_to is not None:
            return redirect(f"{self._make_prefix(role, visit)}{visit.redirect_to}")
        content = self.visits.read(visit)
        content_type, body = rewrite_archived(
            content.head,
            content.body,
            url=visit.url,
            page=self._make_prefix(FRAME, visit) if role == FRAME else f"/{VIEW}/{visit.stamp}/",
            frame=self._make_prefix(FRAME, visit),
            asset=self._make_prefix(ASSET, visit),
            guarded=self.scripts,
        )
        headers = [
            ("Content-Type", content_type),
            ("Memento-Datetime", formatdate(visit.at, usegmt=True)),
            ("Accept-Ranges", "bytes"),
            *make_archived_headers(origin, scripts=self.scripts and content_type.startswith(HTML_TYPE)),
            *self._make_sharing(request),
        ]
        response = Response(_make_status(visit), tuple(headers), body)
        return cut_range(response, request.headers["range"]) if "range" in request.headers else response

    def _make_prefix(self, role: str, visit: Visit) -> str:
        return f"/{role}/{self.secret}/{visit.stamp}/"

    def _make_sharing(self, request: Request) -> list[tuple[str, str]]:
        """Browsers load fonts and modules only if their server shares them with the origin of the page, and an archived
        page has none. Other sites do not know the secret."""
        if request.headers.get("origin") != "null" or not knows(request, self.secret):
            return []
        return [("Access-Control-Allow-Origin", "null")]


def _make_status(visit: Visit) -> int:
    """A 304 stands for the answer that it left unchanged. A redirect without a target is shown like a page."""
    if visit.status == 304 or visit.is_redirect or not 200 <= visit.status < 600:
        return 200
    return visit.status if visit.status not in (204, 205, 206) else 200
