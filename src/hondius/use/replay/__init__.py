"""Serves a crawl to a browser, from its archive (O1, decision 0033).

A request for `/view/TIME/URL` becomes one of our own pages: a banner, and a frame with the archived page, which comes
from `/page/TIME/URL`. Its links lead to `/view/…` again, its frames to `/frame/…`, and everything else that it needs
to `/asset/…`; native code has rewritten them (`native/src/rewriting/`). The page of a URL is that of its visit nearest
to TIME. Nothing is stored: an answer is made of the catalog and the archive when it is asked for.

An archived page may be hostile. Three things confine it without the rewriting: the policy sent with each archived
answer (a sandbox without an origin of its own, and sources that are all here), the policy of the page around it (its
frame can lead nowhere but here), and the checks of each request (our own host name, and nobody from other sites: only
archived pages know the secret part of the addresses that they request). Only two things are stopped by the rewriting
itself, because browsers have no policy against them: connections ahead of time (preconnect) and WebRTC.

    timestamps.py    times in URLs
    visits.py        the archived visits of a URL
    requests.py      a request, and what is wrong with it
    responses.py     an answer, and ranges of it
    policies.py      what an answer allows a browser to do
    archived.py      archived answers: page, frame, asset
    listing.py       the pages of a crawl, by the start of their URLs
    own_pages.py     our own pages: start, calendar, view, notes; look.py has their look
    site.py          which request is answered by what
    server.py        a small HTTP server on loopback
    response_memory.py  limits the memory of responses, however slowly clients read them
"""

from hondius.use.replay.server import ReplayServer, serve_until_stopped
from hondius.use.replay.site import ReplaySite

__all__ = ["ReplayServer", "ReplaySite", "serve_until_stopped"]
