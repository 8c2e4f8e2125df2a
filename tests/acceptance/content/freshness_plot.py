"""Draws the freshness of each schedule, day by day, as an SVG."""

from collections.abc import Mapping, Sequence

WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 760, 420, 60, 120, 30, 50
COLOURS = {"optimal": "#1f5fa8", "harmonic": "#2b8a3e", "uniform": "#868e96", "plain": "#c2410c"}
LABELS = {"optimal": "optimal", "harmonic": "harmonic", "uniform": "uniform", "plain": "halve and double"}


def draw(curves: Mapping[str, Sequence[float]], optimum: float) -> str:
    days = max(map(len, curves.values()))
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" '
        'font-size="12">',
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#ffffff"/>',
        f'<text x="{LEFT}" y="18" font-weight="bold">Share of the pages that are fresh, by weight, day by day</text>',
    ]
    for tenth in range(0, 11, 2):
        y = _find_y(tenth / 10)
        lines.append(f'<line x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y:.1f}" y2="{y:.1f}" stroke="#e9ecef"/>')
        lines.append(f'<text x="{LEFT - 8}" y="{y + 4:.1f}" text-anchor="end">{tenth * 10} %</text>')
    for day in range(0, days + 1, 15):
        x = _find_x(day, days)
        lines.append(f'<text x="{x:.1f}" y="{HEIGHT - BOTTOM + 18}" text-anchor="middle">{day}</text>')
    lines.append(f'<text x="{_find_x(days / 2, days):.1f}" y="{HEIGHT - 10}" text-anchor="middle">day</text>')
    y = _find_y(optimum)
    lines.append(
        f'<line x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y:.1f}" y2="{y:.1f}" stroke="#212529" stroke-dasharray="5 4"/>'
    )
    lines.append(f'<text x="{WIDTH - RIGHT + 6}" y="{y - 4:.1f}">true optimum</text>')
    for place, (name, curve) in enumerate(curves.items()):
        points = " ".join(f"{_find_x(day + 0.5, days):.1f},{_find_y(fresh):.1f}" for day, fresh in enumerate(curve))
        colour = COLOURS[name]
        lines.append(f'<polyline fill="none" stroke="{colour}" stroke-width="2" points="{points}"/>')
        label_y = HEIGHT - BOTTOM - 20 - 18 * place
        lines.append(f'<text x="{WIDTH - RIGHT - 130}" y="{label_y}" fill="{colour}">{LABELS[name]}</text>')
    return "\n".join([*lines, "</svg>", ""])


def _find_x(day: float, days: int) -> float:
    return LEFT + (WIDTH - LEFT - RIGHT) * day / days


def _find_y(share: float) -> float:
    return HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * share
