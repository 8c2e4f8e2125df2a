"""Extraction (O1): titles and prices of a shop, by CSS and by JSON-LD, equal those that the shop was made of."""

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from benchmarks.compare.peer import NotInstalled, install, peer

from hondius.testweb.model import Product
from tests.acceptance import commands
from tests.acceptance.figure import Figure
from tests.acceptance.synthetic_web import SyntheticWeb, serving

PRODUCTS, SEED = 2_000, 5
PATIENCE = 900.0
MOST_MEMORY = 400 * 2**20
BY_CSS = """
match = "/product/"
[fields]
title = "main h1"
price = { css = "main .offer > .price", type = "price" }
currency = { css = "main .offer > .price", type = "currency" }
sku = { css = "main", attr = "data-sku" }
available = { css = "p.stock:has-text('in stock')", type = "exists" }
"""
BY_JSON_LD = """
match = "/product/"
[fields]
title = { json_ld = "Product.name" }
price = { json_ld = "Product.offers.price", type = "price" }
currency = { json_ld = "Product.offers.priceCurrency" }
sku = { json_ld = "Product.sku" }
stock = { json_ld = "Product.offers.availability", regex = "/InStock$" }
"""
BY_ITEM = """
items = "ul.shelf > li.product"
columns = []
[fields]
url = { css = "a", attr = "href", type = "url" }
title = "a"
price = { css = ".price", type = "price" }
currency = { css = ".price", type = "currency" }
sku = { css = ":scope", attr = "data-sku" }
"""
BROKEN = 'match = "/product/"\n[fields]\ntitle = "main h1"\nweight = "main .weight"\n'
SPIDER = Path(__file__).with_name("shop_spider.py")


def figures() -> Iterator[Figure]:
    with tempfile.TemporaryDirectory(prefix="hondius-extract-") as name:
        scratch = Path(name)
        with serving(scratch, hosts=1, pages_per_host=1, seed=SEED, products=PRODUCTS) as web:
            crawl = scratch / "crawl"
            seed = "http://shop.test/"
            known = ("--resolve", web.resolve, "--ca-file", web.ca_file)
            crawled = commands.run_well("crawl", seed, "--into", crawl, "--delay", 0, "--json", *known)
            yield from _compare(crawl, scratch, web.manifest.products)
            yield from _time_scrapy(crawled, crawl, scratch, web)


def _compare(crawl: Path, scratch: Path, products: list[Product]) -> Iterator[Figure]:
    expected = {product.url: product for product in products}
    for name, text in (("CSS", BY_CSS), ("JSON-LD", BY_JSON_LD), ("CSS in the items of a list", BY_ITEM)):
        rows, ended = _extract(crawl, scratch, text)
        right = sum(_is_right(row, expected.get(row["url"])) for row in rows)
        measured = f"{right:,} of {len(expected):,}; {len(rows):,} rows in {ended.seconds:.1f} s"
        is_met = right == len(expected) == len(rows) == len({row["url"] for row in rows})
        yield Figure(f"products extracted by {name} that equal the manifest", is_met, measured, "all")
        memory = f"{ended.peak_bytes / 2**20:.0f} MB"
        yield Figure(f"memory of that, by {name}", ended.peak_bytes < MOST_MEMORY, memory, "at most 400 MB")
    rules = scratch / "broken.toml"
    rules.write_text(BROKEN)
    ended = commands.run("extract", crawl, "--rules", rules, "--try", products[0].url)
    is_named = ended.output.rstrip().endswith("found nothing: weight")
    yield Figure("a rule that finds nothing is named by --try", is_named, ended.output.splitlines()[-1][:60], "weight")


def _extract(crawl: Path, scratch: Path, text: str) -> tuple[list[dict[str, Any]], commands.Ended]:
    rules, output = scratch / "rules.toml", scratch / "rows.jsonl"
    rules.write_text(text)
    ended = commands.run_well("extract", crawl, "--rules", rules, "-o", output)
    return commands.rows(output.read_bytes()), ended


def _is_right(row: Mapping[str, Any], product: Product | None) -> bool:
    if product is None:
        return False
    stock = row.get("available", product.available)
    if "stock" in row:
        stock = row["stock"] is not None
    found = (row["title"], row["price"], row["currency"], row["sku"], stock)
    return found == (product.title, product.price, product.currency, product.sku, product.available)


def _time_scrapy(crawled: commands.Ended, crawl: Path, scratch: Path, web: SyntheticWeb) -> Iterator[Figure]:
    """The ratio is printed, not judged."""
    scrapy = peer("scrapy")
    try:
        install(scrapy)
    except (NotInstalled, OSError) as error:
        print(f"  Scrapy cannot be installed here, so it was not timed: {error}")
        return
    _, extracted = _extract(crawl, scratch, BY_CSS)
    output = scratch / "items.jsonl"
    python = scrapy.home / "venv" / "bin" / "python"
    root = f"http://{_find_address(web)}/"
    began = time.monotonic()
    subprocess.run(
        [python, "-m", "scrapy", "runspider", SPIDER, "-a", f"root={root}", "-O", output],
        check=True,
        timeout=PATIENCE,
        stdout=sys.stderr,
    )
    seconds = time.monotonic() - began
    items = [json.loads(line) for line in output.read_text().splitlines()]
    titles = {product.url.removeprefix("http://shop.test"): product.title for product in web.manifest.products}
    right = sum(titles.get(item["path"]) == item["title"] == item["ld_title"] for item in items)
    both = crawled.seconds + extracted.seconds
    measured = (
        f"Hondius {crawled.seconds:.1f} s to crawl, {extracted.seconds:.1f} s to extract; Scrapy {seconds:.1f} s for "
        f"both; {seconds / both:.1f} times as long"
    )
    yield Figure(f"the same by a Scrapy spider ({right:,} of {len(titles):,} right), timed", True, measured)


def _find_address(web: SyntheticWeb) -> str:
    """The shop by its address: Scrapy has no option for names."""
    lines = Path(web.resolve.removeprefix("@")).read_text().splitlines()
    return next(line.partition("=")[2] for line in lines if line.startswith("shop.test="))
