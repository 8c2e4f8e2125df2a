"""The plot of RESULTS.md: pages a second of each crawler as bars, HTTP above HTTPS, on a logarithmic scale, as SVG."""

import math
from collections.abc import Iterator
from html import escape

from benchmarks.compare.bars import HONDIUS
from benchmarks.compare.rows import Row

WIDTH, LEFT, RIGHT, TOP = 640, 130, 90, 40
BAR, GAP = 14, 10
COLOURS = {"http": "#1b6ca8", "https": "#7fb3d5"}
OTHERS = {"http": "#7f8c8d", "https": "#c3c9ca"}


def svg(rows: list[Row]) -> str:
    crawlers = order_peers(rows)
    tallest = max([1_000.0, *(row.pages_per_second for row in rows)])
    decades = math.ceil(math.log10(tallest))
    parts, y = [], TOP
    for crawler in crawlers:
        own = [row for row in rows if row.crawler == crawler]
        parts.append(
            f'<text x="{LEFT - 8}" y="{y + BAR * len(own) / 2 + 4}" text-anchor="end">{escape(crawler)}</text>'
        )
        for row in sorted(own, key=lambda row: row.scheme):
            parts += bar(row, y, decades)
            y += BAR
        y += GAP
    size = f'viewBox="0 0 {WIDTH} {y}" font-family="sans-serif" font-size="12"'
    head = f'<svg xmlns="http://www.w3.org/2000/svg" {size}>'
    return "\n".join(
        [head, f'<rect width="{WIDTH}" height="{y}" fill="white"/>', *grid(decades, y), *parts, "</svg>", ""]
    )


def order_peers(rows: list[Row]) -> list[str]:
    """Fastest first."""
    best: dict[str, float] = {}
    for row in rows:
        best[row.crawler] = max(best.get(row.crawler, 0.0), row.pages_per_second)
    return sorted(best, key=lambda crawler: -best[crawler])


def length(value: float, decades: int) -> float:
    return round(max(0.0, math.log10(max(1.0, value))) / decades * (WIDTH - LEFT - RIGHT), 1)


def bar(row: Row, y: float, decades: int) -> Iterator[str]:
    colour = (COLOURS if row.crawler == HONDIUS else OTHERS)[row.scheme]
    long = length(row.pages_per_second, decades)
    yield f'<rect x="{LEFT}" y="{y}" width="{long}" height="{BAR - 2}" fill="{colour}"/>'
    text = f"{row.pages_per_second:,.0f} {row.scheme}"
    yield f'<text x="{LEFT + long + 6}" y="{y + BAR - 4}" font-size="11">{text}</text>'


def grid(decades: int, height: float) -> Iterator[str]:
    yield f'<text x="{LEFT}" y="14">pages a second, on a logarithmic scale</text>'
    for decade in range(decades + 1):
        x = LEFT + length(10.0**decade, decades)
        yield f'<line x1="{x}" y1="{TOP - 4}" x2="{x}" y2="{height}" stroke="#ddd"/>'
        yield f'<text x="{x}" y="{TOP - 10}" text-anchor="middle" fill="#777">{10**decade:,}</text>'
