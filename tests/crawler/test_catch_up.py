"""Views that stand at different frames catch up with the log, each from its own (S4)."""

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from hondius.clock import SystemClock
from hondius.crawler.commit import apply_to_urls, catch_up
from hondius.errors import BrokenLog, BrokenView
from hondius.model import Frame, HostState
from hondius.native import Identity
from hondius.ports import Log, Stores, find_position
from hondius.stores.factory import MemoryPlace


@pytest.fixture
def stores(tmp_path: Path) -> Iterator[Stores]:
    """Three frames, and three views that have applied none."""
    place = MemoryPlace("memory:views", tmp_path)
    with ExitStack() as stack:
        log = place.open_log()
        for number in (1, 2, 3):
            log.append([HostState("a.test", float(number), 0.0, fetched=number)], float(number))
        urls = place.open_urls(capacity=1_000, memory=1 << 24)
        stack.callback(urls.close)
        view, catalog = place.open_views()
        archive = place.open_archive({}, operator="", clock=SystemClock())
        links = place.open_links({}, identity=Identity(), clock=SystemClock())
        yield Stores(place, log, urls, view, catalog, archive, links)


def frames(log: Log, most: int) -> list[Frame]:
    return list(log.read())[:most]


@pytest.mark.parametrize("standing", [(0, 0, 0), (1, 3, 2), (3, 1, 2), (2, 3, 3), (3, 3, 3)])
def test_s4_each_view_applies_what_it_has_not_seen(stores: Stores, standing: tuple[int, int, int]) -> None:
    of_urls, of_view, of_catalog = standing
    for frame in frames(stores.log, of_urls):
        apply_to_urls(stores.urls, frame)
    stores.view.apply(frames(stores.log, of_view))
    stores.catalog.apply(frames(stores.log, of_catalog))
    progress: list[tuple[int, int]] = []
    applied = catch_up(stores.log, stores.urls, stores.views, lambda done, of: progress.append((done, of)))
    assert applied == 3 - min(standing)
    assert progress[-1:] == ([(applied, applied)] if applied else [])
    assert {find_position(stores.urls), *(view.position for view in stores.views)} == {stores.log.end}
    for memory in (stores.view, stores.catalog):
        state = memory.host("a.test")
        assert state is not None
        assert state.fetched == 3


def test_s4_a_view_that_has_seen_more_than_the_log_tells_of_lost_frames(stores: Stores) -> None:
    stores.view.apply([*frames(stores.log, 3), Frame(4, 4.0, (), stores.log.identity)])
    with pytest.raises(BrokenLog, match="the log ends at frame 3, but view has seen frame 4: frames were lost"):
        catch_up(stores.log, stores.urls, stores.views)


def test_s1_a_view_of_another_crawl_is_refused_by_its_name(stores: Stores) -> None:
    stores.catalog.apply([Frame(1, 1.0, (), 7)])
    with pytest.raises(BrokenView, match="catalog is of another crawl"):
        catch_up(stores.log, stores.urls, stores.views)
