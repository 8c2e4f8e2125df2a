"""Recrawl (R): the worked examples, the freshness that the schedule reaches in 90 days, and what a second crawl of an
unchanged site transfers."""

import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

from hondius.crawler.recrawl.allocation import allocate, optimal, optimal_at_random
from tests.acceptance import commands
from tests.acceptance.content import changing_web
from tests.acceptance.content.freshness_plot import draw
from tests.acceptance.figure import Figure
from tests.acceptance.use.static_site import serve_directory

RATES, BUDGET = [1.0, 2.0, 3.0, 4.0, 5.0], 5
EXAMPLES = {
    "the exact periodic optimum": (optimal, [1.15, 1.36, 1.35, 1.14, 0.0]),
    "the closed formula for Poisson visits": (optimal_at_random, [1.39, 1.37, 1.13, 0.77, 0.34]),
}
PAGES, SEED, DAYS = 10_000, 1, 90
FIRST_DAY = 60
"""Days 61 to 90 are measured."""
LEAST_SHARE = 0.97
RUNS: dict[str, Callable[[changing_web.ChangingWeb, int], object]] = {
    "optimal": lambda web, budget: changing_web.crawl(web, budget, DAYS, "optimal"),
    "harmonic": lambda web, budget: changing_web.crawl(web, budget, DAYS, "harmonic"),
    "plain": lambda web, budget: changing_web.crawl(web, budget, DAYS, None),
    "uniform": lambda web, budget: changing_web.crawl_uniformly(web, budget, DAYS),
}
PLOT = Path("benchmarks/recrawl.svg")
SITE_PAGES, WORDS = 300, 400
MOST_TRANSFERRED = 0.05
ALLOWED = ("--allow-private", "127.0.0.1")


def figures() -> Iterator[Figure]:
    for name, (visits, expected) in EXAMPLES.items():
        found = [round(share, 2) for share in allocate(RATES, [1.0] * 5, BUDGET, visits)]
        near = all(abs(one - other) <= 0.0101 for one, other in zip(found, expected, strict=True))
        yield Figure(name, near, str(found), str(expected))
    yield from _simulate()
    yield _fetch_twice()


def _simulate() -> Iterator[Figure]:
    budget = PAGES // 2
    optimum = changing_web.find_optimum(changing_web.make_web(PAGES, SEED), budget)
    reached: dict[str, float] = {}
    curves: dict[str, list[float]] = {}
    for name, run in RUNS.items():
        web = changing_web.make_web(PAGES, SEED)
        run(web, budget)
        reached[name] = web.measure(FIRST_DAY, DAYS)
        curves[name] = [web.measure(day, day + 1) for day in range(DAYS)]
        share = reached[name] / optimum
        measured = f"{reached[name]:.4f}, {share:.2%} of {optimum:.4f}; {web.visits:,} of {budget * DAYS:,} visits"
        if name == "optimal":
            yield Figure("freshness of days 61-90, schedule `optimal`", share >= LEAST_SHARE, measured, "at least 97 %")
        else:
            within = web.visits <= budget * DAYS + 1
            yield Figure(f"freshness of days 61-90, `{name}`", within, measured, "within the same budget")
    PLOT.write_text(draw(curves, optimum))
    for name in ("uniform", "plain"):
        measured = f"{reached['optimal']:.4f} and {reached['harmonic']:.4f} against {reached[name]:.4f}"
        beaten = min(reached["optimal"], reached["harmonic"]) > reached[name]
        yield Figure(f"`optimal` and `harmonic` beat `{name}`", beaten, measured)


def _fetch_twice() -> Figure:
    """nginx sends an ETag and Last-Modified with each page."""
    with tempfile.TemporaryDirectory(prefix="hondius-recrawl-") as name:
        site, crawl = Path(name) / "site", Path(name) / "crawl"
        _write_site(site)
        with serve_directory(site) as root:
            soon = (*ALLOWED, "--set", "recrawl.wiki=1", "--set", "recrawl.shortest=1", "--set", "scope.sitemaps=false")
            first = commands.run_well("crawl", f"{root}/", "--into", crawl, "--delay", 0, "--json", *soon)
            second = commands.run_well("resume", crawl, "--json")
    before, after = first.summary, second.summary
    share = (after["bytes"] - before["bytes"]) / before["bytes"]
    again = after["pages_this_run"]
    measured = f"{share:.2%} of {before['bytes']:,} bytes, for {again:,} of {before['pages']:,} pages"
    is_met = share < MOST_TRANSFERRED and again == before["pages"] == SITE_PAGES + 1
    return Figure("a second crawl of an unchanged site", is_met, measured, "below 5 %, every page")


def _write_site(site: Path) -> None:
    site.mkdir()
    links = "".join(f'<a href="/{number}.html">page {number}</a>\n' for number in range(SITE_PAGES))
    (site / "index.html").write_text(f"<title>index</title><main>{links}</main>")
    for number in range(SITE_PAGES):
        text = " ".join(f"word{number * word % 7919}" for word in range(WORDS))
        (site / f"{number}.html").write_text(f"<title>page {number}</title><main><p>{text}</p></main>" * 4)
