"""A small crawl directory, made through the real stores: pages, a copy, a refusal, a failure, URLs still queued."""

import shutil
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import msgspec
import pytest

from hondius.clock import SystemClock
from hondius.crawler.commit import Outcome, append_outcome, apply_to_urls
from hondius.crawler.crawl_settings import write_settings
from hondius.model import AnyEvent, Archived, Finished, Frame, HostState, RunStarted, State
from hondius.native import Discoveries, Fetched, Identity
from hondius.opening import place_of
from hondius.ports import Archive, Stores, UrlStore
from hondius.settings import Settings
from hondius.stores.catalog.embedded import EmbeddedCatalog
from hondius.stores.disk.embedded import EmbeddedDisk
from tests.native.exchanges import fetch_all
from tests.native.loopback import response
from tests.stores.kept import Kept
from tests.use.planted_crawl import record

SETTINGS = Settings()
HTML = "Content-Type: text/html; charset=windows-1252"
PAGE = b"<html><title>Caf\xe9</title><body><p>Words on a page.</p>" + b"<!-- filler -->" * 30
ANSWERS = {
    "/": response(PAGE, HTML),
    "/copy": response(PAGE, HTML),
    "/image": response(bytes(range(256)), "Content-Type: image/png"),
    "/hidden": response(b"<meta name=robots content=noindex>secret", HTML),
    "/missing": response(b"not here", HTML, status="404 Not Found"),
}
QUEUED = ("/later", "/much-later")


@dataclass(frozen=True)
class SmallCrawl:
    directory: Path
    page: str
    """A URL that completed."""


@pytest.fixture(scope="module")
def small_crawl(tmp_path_factory: pytest.TempPathFactory) -> SmallCrawl:
    """Shared by the tests of a module, which leave it as it is; what a test may change is `crawl`."""
    directory = tmp_path_factory.mktemp("crawl")
    return SmallCrawl(directory, make_crawl(directory)["/"].href)


@pytest.fixture
def crawl(small_crawl: SmallCrawl, tmp_path: Path) -> Path:
    """The test's own copy of `small_crawl`."""
    return Path(shutil.copytree(small_crawl.directory, tmp_path / "a crawl"))


def copy_as_killed(crawl: Path, copy: Path) -> None:
    """A copy with changes that are only in the write-ahead log of its catalog, as `kill -9` leaves them. The original
    has them in the catalog."""
    with closing(EmbeddedCatalog.open(crawl / "crawl.db")) as catalog:
        catalog.apply([Frame(catalog.applied + 1, 5.0, (HostState("killed.test", 5.0, 6.0),))])
        shutil.copytree(crawl, copy)
    assert (copy / "crawl.db-wal").stat().st_size


def make_crawl(name: Path, blocked: Sequence[str] = ()) -> dict[str, Fetched]:
    """Two frames, or a few in a log of several partitions; the fetches by path. Everything is closed again. `blocked`:
    those of the queued paths that end without a fetch."""
    fetched = fetch_all(ANSWERS)
    place = place_of(name)
    write_settings(place, SETTINGS)
    log, urls = place.open_log(), place.open_urls(capacity=10_000, memory=1 << 28)
    view, catalog = place.open_views()
    archive = place.open_archive({}, operator="", clock=SystemClock())
    links = place.open_links({}, identity=Identity(), clock=SystemClock())
    near = place.open_near(similarity=SETTINGS.near.similarity)
    stores = Stores(place, log, urls, view, catalog, archive, links, near)
    found = _discoveries(urls, fetched)
    _apply(append_outcome(log, urls, Outcome([RunStarted(1.0, "0")], discoveries=[found]), 1.0), stores)
    _apply(append_outcome(log, urls, Outcome(_outcomes(archive, fetched)), 2.0), stores)
    for path in blocked:
        url = Identity().parse(fetched["/"].href.removesuffix("/") + path)
        ended = Finished(url.key, url.href, url.key_form, url.host, State.BLOCKED, "robots", started_at=2.0)
        _apply(append_outcome(log, urls, Outcome([ended]), 3.0), stores)
    with closing(EmbeddedDisk(place.directory)) as disk:
        disk.replace("log/attempts-00000001", b"".join(_attempts(fetch) for fetch in fetched.values()))
    for view_or_catalog in stores.views:
        view_or_catalog.close()
    for store in (archive, urls, place.disk):
        store.close()
    return fetched


def _attempts(fetch: Fetched) -> bytes:
    begun = record(fetch.started_at, fetch.href, ended=False)
    return begun + record(fetch.ended_at, fetch.href, ended=True, status=fetch.status or 0)


def _discoveries(urls: UrlStore, fetched: dict[str, Fetched]) -> Discoveries:
    identity = Identity()
    origin = fetched["/"].href.removesuffix("/")
    found = [identity.parse(f"{origin}{path}") for path in (*ANSWERS, *QUEUED)]
    rows = [(url.href, url.key) for url in found]
    return urls.admit(rows, None, depth=0, priority=0.5, discovered_at=1.0, max_depth=None, via="seed")


def _outcomes(archive: Archive, fetched: dict[str, Fetched]) -> list[AnyEvent]:
    first = archive.append([Kept(fetched["/"])])
    date = archive.read(*first.locations[0])[0]["warc-date"]
    rest = archive.append(
        [
            Kept(fetch, *((fetched["/"].href, date) if path == "/copy" else ()))
            for path, fetch in fetched.items()
            if path != "/"
        ]
    )
    places = first.locations + rest.locations
    events = [_finished(path, fetch, place) for (path, fetch), place in zip(fetched.items(), places, strict=True)]
    file, length = rest.durable[0]
    return [Archived(file, length), *events, HostState("a.test", 2.0, 3.0, fetched=len(events))]


def _finished(path: str, fetch: Fetched, place: tuple[str, int, int]) -> Finished:
    url = Identity().parse(fetch.href)
    states = {
        "/copy": (State.DUPLICATE, "copy"),
        "/missing": (State.FAILED, "http_404"),
        "/image": (State.REFUSED, "type"),
    }
    state, cause = states.get(path, (State.COMPLETED, ""))
    page = fetch.page
    event = Finished(url.key, url.href, url.key_form, url.host, state, cause, started_at=fetch.started_at)
    return msgspec.structs.replace(
        event,
        fetched_at=1_794_717_278.5,
        status=fetch.status,
        type=fetch.content_type,
        charset=page.charset if page else "",
        title=page.title if page else "",
        noindex=page.noindex if page else False,
        content_hash=fetch.content_hash,
        copy_of=url.href.removesuffix("copy") if state is State.DUPLICATE else None,
        simhash=page.simhash if page else None,
        warc_file=place[0],
        warc_offset=place[1],
        warc_length=place[2],
    )


def _apply(frames: Sequence[Frame], stores: Stores) -> None:
    for frame in frames:
        apply_to_urls(stores.urls, frame)
        for view in stores.views:
            view.apply([frame])
