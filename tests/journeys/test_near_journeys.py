"""Near copies are kept, and joined to the first page of their cluster (X2, X3)."""

import json
from contextlib import closing
from pathlib import Path
from random import Random
from typing import Any

from hondius.crawler.translation import make_identity
from hondius.opening import place_of
from hondius.settings import Settings
from tests.journeys.scripted_site import Answer, Script, crawl, export_rows, hondius, scripted_site

WORDS = [
    f"{first}{second}" for first in ("ka", "lo", "mi", "ru", "ten", "sal") for second in ("dor", "bin", "gam", "nu")
]


def make_text(topic: int, changed: int = 0) -> str:
    random = Random(topic)
    words = [f"{random.choice(WORDS)}{random.choice(WORDS)}" for _ in range(200)]
    words[:changed] = [f"other{number}x" for number in range(changed)]
    return "".join(f"<p>{' '.join(words[begin : begin + 40])}.</p>" for begin in range(0, 200, 40))


def make_page(topic: int, changed: int = 0, *, links: str = "", head: str = "") -> Answer:
    anchors = "".join(f'<a href="{link}">{link}</a> ' for link in links.split())
    return Answer(f"<html><head><title>t</title>{head}</head><body>{make_text(topic, changed)}{anchors}</body></html>")


SITE: Script = {
    "/": Answer.page("/first"),
    "/first": make_page(1, links="/second /other"),
    "/second": make_page(1, 3, links="/behind"),
    "/other": make_page(2, links="/exact"),
    "/exact": make_page(2, links="/exact"),
    "/behind": make_page(3),
}
URL = "http://a.test/"


def key_of(path: str) -> str:
    return make_identity(Settings()).parse(f"http://a.test{path}").key.hex()


async def read_rows(directory: Path) -> dict[str, dict[str, Any]]:
    columns = ("--columns", "url,state,near_copy_of,change_hash", "--copies")
    rows = await export_rows(directory, *columns)
    return {url.removeprefix("http://a.test"): row for url, row in rows.items()}


async def read_clusters(directory: Path) -> dict[str, str | None]:
    return {path: row["near_copy_of"] for path, row in (await read_rows(directory)).items()}


async def test_x3_a_near_copy_is_kept_and_joined_to_the_first_page(tmp_path: Path) -> None:
    async with scripted_site(SITE) as site:
        await crawl(site, tmp_path / "c", URL)
    rows = await read_rows(tmp_path / "c")
    near = {path: row["near_copy_of"] for path, row in rows.items() if row["near_copy_of"]}
    assert near == {"/second": key_of("/first")}
    assert {path: row["state"] for path, row in rows.items()} == {
        **dict.fromkeys(rows, "completed"),
        "/exact": "duplicate",
    }
    with closing(place_of(tmp_path / "c").open_catalog()) as catalog:
        priorities = {page["url"].removeprefix("http://a.test"): page["priority"] for page in catalog.pages()}
    assert priorities["/behind"] <= 0.2 < priorities["/exact"], "only the links of near copies have a low priority"


async def test_x3_explain_and_report_show_a_near_copy(tmp_path: Path) -> None:
    async with scripted_site(SITE) as site:
        await crawl(site, tmp_path / "c", URL)
    explained = await hondius("explain", tmp_path / "c", f"{URL}second", "--json")
    assert json.loads(explained.out)["ending"]["near_copy_of"] == f"{URL}first"
    assert f"{URL}first" in (await hondius("explain", tmp_path / "c", f"{URL}second")).out
    report = await hondius("report", tmp_path / "c", "--json")
    assert json.loads(report.out)["near_copies"] == {
        "pages": 1,
        "listed": [{"url": f"{URL}first", "copies": 1, "examples": [f"{URL}second"]}],
    }
    await hondius("report", tmp_path / "c", "-o", tmp_path / "report.html")
    assert "Near copies" in (tmp_path / "report.html").read_text()


async def test_x3_near_copies_are_found_across_restarts_and_after_a_rebuild(tmp_path: Path) -> None:
    script: Script = {**SITE, "/late": make_page(1, 5), "/later": make_page(3, 5)}
    async with scripted_site(script) as site:
        await crawl(site, tmp_path / "c", URL)
        assert (await hondius("verify", tmp_path / "c")).status == 0
        (tmp_path / "c" / "near" / "manifest").unlink()
        assert (await hondius("resume", tmp_path / "c", f"{URL}late")).status == 0
        assert (await hondius("rebuild", tmp_path / "c")).status == 0
        assert (await hondius("resume", tmp_path / "c", f"{URL}later")).status == 0
        ended = await hondius("verify", tmp_path / "c")
        assert ended.status == 0, ended.out + ended.error
    clusters = await read_clusters(tmp_path / "c")
    assert (clusters["/late"], clusters["/later"]) == (key_of("/first"), key_of("/behind"))


async def test_x4_a_damaged_index_is_rebuilt_from_the_log(tmp_path: Path) -> None:
    script: Script = {**SITE, "/late": make_page(1, 5)}
    async with scripted_site(script) as site:
        await crawl(site, tmp_path / "c", URL)
        (tmp_path / "c" / "near" / "manifest").write_bytes(b"damaged")
        ended = await hondius("verify", tmp_path / "c")
        assert ended.status == 1
        assert "near/ cannot be read" in ended.out + ended.error
        ended = await hondius("resume", tmp_path / "c", f"{URL}late")
        assert ended.status == 0
        assert "is rebuilt from the log" in ended.out + ended.error
    assert (await read_clusters(tmp_path / "c"))["/late"] == key_of("/first")


async def test_x3_near_copies_are_not_looked_for_if_they_are_not_wanted(tmp_path: Path) -> None:
    async with scripted_site(SITE) as site:
        await crawl(site, tmp_path / "c", URL, "--set", "near.enabled=false")
    assert set((await read_clusters(tmp_path / "c")).values()) == {None}
    assert not (tmp_path / "c" / "near").exists()


async def test_r3_the_change_hash_of_a_page_stays_the_same_if_only_dates_and_counters_change(tmp_path: Path) -> None:
    heads = iter(
        [
            "<p>Updated 3 May 2026 · 1,234 views</p><p>12.99 €</p>",
            "<p>Updated 4 May 2026 · 1,240 views</p><p>12.99 €</p>",
            "<p>Updated 5 May 2026 · 1,250 views</p><p>13.99 €</p>",
        ]
    )

    def answer(_: object) -> Answer:
        return Answer(f"<html><title>t</title><body>{next(heads)}{make_text(1)}</body></html>")

    hashes = []
    async with scripted_site({"/": answer}) as site:
        await crawl(site, tmp_path / "c", URL)
        hashes.append((await read_rows(tmp_path / "c"))["/"]["change_hash"])
        for _ in range(2):
            await hondius("recrawl", tmp_path / "c", URL)
            assert (await hondius("resume", tmp_path / "c")).status == 0
            hashes.append((await read_rows(tmp_path / "c"))["/"]["change_hash"])
    assert hashes[0] is not None
    assert hashes[0] == hashes[1] != hashes[2]
