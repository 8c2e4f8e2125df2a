"""The plot of RESULTS.md: microseconds of CPU over millions of URLs, as SVG."""

from collections.abc import Iterator

from benchmarks.growth.bars import MILLION, Row

WIDTH, HEIGHT, MARGIN = 640, 320, 48
LINES = (("add", "#1b6ca8", 8.0), ("take", "#c0392b", 20.0), ("known_old", "#7f8c8d", None))
NAMES = {"add": "add (≤ 8)", "take": "take (≤ 20)", "known_old": "known link, cold"}
STEP = 5


def svg(rows: list[Row]) -> str:
    top = max([24.0, *(row[name] for row in rows for name, _, _ in LINES)]) * 1.05
    right = max(row["urls"] for row in rows) / MILLION
    parts = [*_grid(rows, top, right), *_lines(rows, top, right)]
    size = f'viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" font-size="12"'
    head = f'<svg xmlns="http://www.w3.org/2000/svg" {size}>'
    return "\n".join([head, f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>', *parts, "</svg>", ""])


def _x(urls: float, right: float) -> float:
    return round(MARGIN + urls / MILLION / right * (WIDTH - 4 * MARGIN), 1)


def _y(value: float, top: float) -> float:
    return round(HEIGHT - MARGIN - value / top * (HEIGHT - 1.5 * MARGIN), 1)


def _grid(rows: list[Row], top: float, right: float) -> Iterator[str]:
    for value in range(0, int(top) + 1, STEP):
        y = _y(value, top)
        yield f'<line x1="{MARGIN}" y1="{y}" x2="{_x(right * MILLION, right)}" y2="{y}" stroke="#ddd"/>'
        yield f'<text x="{MARGIN - 6}" y="{y + 4}" text-anchor="end">{value}</text>'
    for row in rows:
        x = _x(row["urls"], right)
        yield f'<text x="{x}" y="{HEIGHT - MARGIN + 18}" text-anchor="middle">{row["urls"] // MILLION}</text>'
    yield f'<text x="{WIDTH / 2 - MARGIN}" y="{HEIGHT - 8}" text-anchor="middle">million URLs</text>'
    yield f'<text x="{MARGIN - 36}" y="14">µs of CPU each</text>'


def _lines(rows: list[Row], top: float, right: float) -> Iterator[str]:
    for name, colour, bar in LINES:
        points = [(_x(row["urls"], right), _y(row[name], top)) for row in rows]
        drawn = " ".join(f"{x},{y}" for x, y in points)
        yield f'<polyline points="{drawn}" fill="none" stroke="{colour}" stroke-width="2"/>'
        yield from (f'<circle cx="{x}" cy="{y}" r="3" fill="{colour}"/>' for x, y in points)
        if bar is not None:
            y = _y(bar, top)
            end = _x(right * MILLION, right)
            yield f'<line x1="{MARGIN}" y1="{y}" x2="{end}" y2="{y}" stroke="{colour}" stroke-dasharray="4 4"/>'
        yield f'<text x="{points[-1][0] + 8}" y="{points[-1][1] + 4}" fill="{colour}">{NAMES[name]}</text>'
