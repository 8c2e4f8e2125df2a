"""Link segments that are lost, damaged, or missing because an earlier version wrote none."""

import struct
from contextlib import ExitStack
from pathlib import Path
from shutil import rmtree
from zlib import crc32

import msgspec
import pytest

from hondius.crawler.store_opening import open_stores
from hondius.model import Finished, Frame, LinksKept
from hondius.native import Identity
from hondius.opening import open_settings, place_of
from hondius.stores.disk.embedded import EmbeddedDisk
from hondius.stores.links.reading import KeptLink, read_links_at
from hondius.stores.log.embedded import EmbeddedLog
from tests.journeys.scripted_site import Answer, Script, crawl, hondius, scripted_site

PAGES = 12
LINKS: Script = {f"/{n}": Answer.page(f"/{n + 1}", "http://elsewhere.test/") for n in range(PAGES)}
SITE: Script = {**LINKS, "/": Answer.page("/0")}
KEPT = 1 + 2 * PAGES
"""Number of links of all pages; the last one is dead."""


@pytest.fixture
async def directory(tmp_path: Path) -> Path:
    """Each page is linked only from the one before it, so each is in a separate frame."""
    async with scripted_site(SITE) as site:
        ended = await crawl(site, tmp_path / "c", "http://a.test/", "--set", "stores.commit_changes=1")
    assert ended.status == 0, ended.error
    return tmp_path / "c"


def kept_links(directory: Path) -> list[KeptLink]:
    with ExitStack() as stack:
        stores = open_stores(stack, place_of(directory), open_settings(directory))
        files = stores.catalog.link_segments()
        places = [
            (file, offset, index) for file in files for offset, index, *_ in stores.catalog.list_link_locations(file)
        ]
        return sorted(read_links_at(stores.place.disk, places, Identity()))


def segment(directory: Path) -> Path:
    (found,) = (directory / "links").glob("*.links")
    return found


async def test_a_crawl_keeps_the_links_of_its_pages_also_those_out_of_scope(directory: Path) -> None:
    """S4"""
    links = kept_links(directory)
    assert len(links) == KEPT
    assert sum(link.href == "http://elsewhere.test/" for link in links) == PAGES
    checked = await hondius("verify", directory)
    assert checked.status == 0, checked.out
    assert f"1 link segment, {PAGES + 1} pages with links" in checked.out


async def test_a_segment_that_is_gone_is_made_again_from_the_archive(directory: Path) -> None:
    """S10"""
    before = kept_links(directory)
    segment(directory).unlink()
    checked = await hondius("verify", directory)
    assert checked.status == 1
    assert "a link segment is missing" in checked.out
    rebuilt = await hondius("rebuild", directory)
    assert rebuilt.status == 0, rebuilt.error
    assert f"links: those of {PAGES + 1} pages were restored from the archive" in rebuilt.out
    assert kept_links(directory) == before
    checked = await hondius("verify", directory)
    assert checked.status == 0, checked.out


@pytest.mark.parametrize("where", [0.0, 0.3, 0.7, 0.99])
async def test_a_flipped_byte_costs_no_link(directory: Path, where: float) -> None:
    """S10"""
    before = kept_links(directory)
    path = segment(directory)
    data = bytearray(path.read_bytes())
    data[int(len(data) * where)] ^= 1
    path.write_bytes(data)
    checked = await hondius("verify", directory)
    assert checked.status == 1
    assert "a link segment is damaged" in checked.out
    assert (await hondius("rebuild", directory)).status == 0
    assert not path.exists(), "the damaged segment is given up"
    assert kept_links(directory) == before
    checked = await hondius("verify", directory)
    assert checked.status == 0, checked.out


async def test_a_segment_that_lost_its_end_stops_the_crawl_until_it_is_rebuilt(directory: Path) -> None:
    before = kept_links(directory)
    path = segment(directory)
    path.write_bytes(path.read_bytes()[:-5])
    refused = await hondius("resume", directory)
    assert refused.status == 1
    assert "rebuild" in refused.error
    assert "too short" in (await hondius("verify", directory)).out
    assert (await hondius("rebuild", directory)).status == 0
    assert kept_links(directory) == before
    assert (await hondius("verify", directory)).status == 0


async def test_links_whose_body_is_not_archived_are_lost_and_counted(tmp_path: Path) -> None:
    """D4, S10"""
    unarchived = Answer("<meta name=robots content=noarchive><a href=/2>on</a>")
    async with scripted_site({"/": Answer.page("/1"), "/1": unarchived, "/2": Answer.page()}) as site:
        assert (await crawl(site, tmp_path / "c", "http://a.test/")).status == 0
    assert len(kept_links(tmp_path / "c")) == 2
    segment(tmp_path / "c").unlink()
    rebuilt = await hondius("rebuild", tmp_path / "c")
    assert rebuilt.status == 0, rebuilt.error
    assert "links: those of 1 page are lost: the bodies are not in the archive" in rebuilt.out
    assert len(kept_links(tmp_path / "c")) == 1
    checked = await hondius("verify", tmp_path / "c")
    assert checked.status == 0, checked.out
    assert "the links of 1 page are not stored" in checked.out


async def test_links_of_a_sound_block_move_also_if_the_body_is_gone(directory: Path) -> None:
    """S10: the archive is read only for links that cannot be read otherwise."""
    before = kept_links(directory)
    path = segment(directory)
    path.write_bytes(path.read_bytes()[:-5])
    for warc in (directory / "warc").iterdir():
        warc.unlink()
    rebuilt = await hondius("rebuild", directory)
    assert rebuilt.status == 0, rebuilt.error
    assert "links: those of 1 page are lost" in rebuilt.out
    assert set(kept_links(directory)) < set(before)


async def test_a_salvaged_log_keeps_its_segments(directory: Path) -> None:
    (log,) = (directory / "log").glob("*.log")
    log.write_bytes(log.read_bytes()[: log.stat().st_size // 2])
    size = segment(directory).stat().st_size
    saved = await hondius("rebuild", directory, "--salvage")
    assert saved.status == 0, saved.error
    assert segment(directory).stat().st_size == size
    async with scripted_site(SITE) as site:
        resolve = f"*.test=127.0.0.1:{site.port}"
        ended = await hondius("resume", directory, "http://a.test/", "--resolve", resolve, "--json")
    assert ended.status == 0, ended.error
    checked = await hondius("verify", directory)
    assert checked.status == 0, checked.out
    assert len(kept_links(directory)) == KEPT


async def test_a_crawl_of_format_1_goes_on_and_its_links_can_be_made(directory: Path) -> None:
    """S10: nothing fails, and one line says so."""
    before = kept_links(directory)
    make_format_1(directory)
    checked = await hondius("verify", directory)
    assert f"the links of {PAGES + 1} pages are not stored: an earlier version fetched them" in checked.out
    async with scripted_site({**SITE, "/more": Answer.page("/1")}) as site:
        resolve = f"*.test=127.0.0.1:{site.port}"
        ended = await hondius("resume", directory, "http://a.test/more", "--resolve", resolve, "--json")
    assert ended.status == 0, ended.error
    assert len(kept_links(directory)) == 1, "that of the new page"
    checked = await hondius("verify", directory)
    assert checked.status == 0, checked.out
    rebuilt = await hondius("rebuild", directory)
    assert rebuilt.status == 0, rebuilt.error
    assert set(kept_links(directory)) > set(before)
    checked = await hondius("verify", directory)
    assert checked.status == 0, checked.out
    assert "not kept" not in checked.out


def make_format_1(directory: Path) -> None:
    """Converts the crawl to format 1, as an earlier version left it: without links and views."""
    rmtree(directory / "links")
    rmtree(directory / "urls")
    for part in directory.glob("crawl.db*"):
        part.unlink()
    frames = list(EmbeddedLog(EmbeddedDisk(directory), read_only=True).read())
    (log,) = (directory / "log").glob("*.log")
    log.write_bytes(struct.pack("<8sI", b"HONDLOG\n", 1) + b"".join(map(_of_format_1, frames)))
    settings = directory / "hondius.toml"
    settings.write_text(settings.read_text().replace("format = 2", "format = 1"))


def _of_format_1(frame: Frame) -> bytes:
    events = [_old(event) for event in frame.events if not isinstance(event, LinksKept)]
    content = struct.pack("<BQd", 1, frame.sequence, frame.at) + msgspec.msgpack.encode(events)
    return struct.pack("<II", len(content), crc32(content)) + content


def _old(event: msgspec.Struct) -> object:
    if not isinstance(event, Finished):
        return event
    values = msgspec.to_builtins(event, builtin_types=(bytes,))
    names = ("event", *Finished.__struct_fields__)
    for name in ("etag", "last_modified"):
        values[names.index(name)] = values[names.index(name)].decode("latin-1")
    return values[: names.index("text_version")]
