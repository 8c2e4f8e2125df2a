"""Plots all requests to a site: each is a dot, with the pause before it and the shortest pause allowed."""

from collections.abc import Iterable, Iterator, Sequence
from math import ceil, floor, log10

from hondius.use.audit.site import ShownCopy, Visit
from hondius.use.html_page import show
from hondius.use.time_axis import choose_ticks, format_tick

WIDTH, HEIGHT = 960, 320
LEFT, RIGHT, TOP, BOTTOM = 64, 16, 16, 48
MAX_DOTS = 4_000
"""If there are more requests, the shortest pause of each group is drawn: those left out are never worse."""


class Scale:
    """Time on the horizontal axis, seconds on a logarithmic vertical axis."""

    def __init__(self, visits: Sequence[Visit], first: float) -> None:
        self.first, self.last = first, max(visits[-1].at, first + 1.0)
        seconds = [value for visit in visits for value in (visit.pause, visit.needed) if value and value > 0]
        self.low = floor(log10(max(0.001, min(seconds, default=0.1) / 2)))
        self.high = max(self.low + 1, ceil(log10(max(seconds, default=1.0))))

    def x(self, at: float) -> float:
        return LEFT + (at - self.first) / (self.last - self.first) * (WIDTH - LEFT - RIGHT)

    def y(self, seconds: float) -> float:
        share = (log10(max(seconds, 10.0**self.low)) - self.low) / (self.high - self.low)
        return HEIGHT - BOTTOM - share * (HEIGHT - TOP - BOTTOM)


def render_plot(visits: Sequence[Visit], copies: Iterable[ShownCopy]) -> str:
    """An SVG element; empty if there is nothing to plot."""
    timed = [visit for visit in visits if visit.pause is not None]
    if len(timed) < 2:
        return ""
    scale = Scale(timed, visits[0].at)
    parts = [*_render_axes(scale), *_render_copies(scale, copies), *_render_dots(scale, _thin_out(timed))]
    label = "Every request: seconds since the one before it ended, and the least that was allowed"
    return (
        f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{label}"><title>{label}</title>'
        + "".join(parts)
        + "</svg>"
    )


def _render_axes(scale: Scale) -> Iterator[str]:
    for power in range(scale.low, scale.high + 1):
        y = scale.y(10.0**power)
        yield f'<line class="grid" x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y:.1f}" y2="{y:.1f}"/>'
        yield f'<text x="{LEFT - 8}" y="{y + 4:.1f}" text-anchor="end">{_format_seconds(10.0**power)}</text>'
    for at in choose_ticks(scale.first, scale.last):
        x, tick = scale.x(at), format_tick(at, scale.last - scale.first)
        yield f'<line class="grid" x1="{x:.1f}" x2="{x:.1f}" y1="{TOP}" y2="{HEIGHT - BOTTOM}"/>'
        yield f'<text x="{x:.1f}" y="{HEIGHT - BOTTOM + 18}" text-anchor="middle">{tick}</text>'
    yield f'<text x="{LEFT}" y="{HEIGHT - 8}">pause before each request, UTC</text>'


def _render_copies(scale: Scale, copies: Iterable[ShownCopy]) -> Iterator[str]:
    for copy in copies:
        if scale.first <= copy.at <= scale.last:
            x = scale.x(copy.at)
            title = f"<title>robots.txt read: {show(copy.outcome)}</title>"
            yield f'<line class="robots" x1="{x:.1f}" x2="{x:.1f}" y1="{TOP}" y2="{HEIGHT - BOTTOM}">{title}</line>'


def _render_dots(scale: Scale, visits: Iterable[Visit]) -> Iterator[str]:
    for visit in visits:
        assert visit.pause is not None
        x, y = scale.x(visit.at), scale.y(visit.pause)
        if visit.needed is not None:
            floor_y = scale.y(visit.needed)
            yield f'<line class="needed" x1="{x - 3:.1f}" x2="{x + 3:.1f}" y1="{floor_y:.1f}" y2="{floor_y:.1f}"/>'
        early = visit.needed is not None and visit.pause < visit.needed - 0.001
        status = visit.status or "no answer"
        title = f"<title>{_format_seconds(visit.pause)} pause, {show(visit.kind)}, {status}</title>"
        look = "early" if early else _choose_class(visit)
        yield f'<circle class="{look}" cx="{x:.1f}" cy="{y:.1f}" r="2.5">{title}</circle>'


def _choose_class(visit: Visit) -> str:
    return "good" if visit.status is not None and visit.status < 400 else "bad"


def _thin_out(visits: Sequence[Visit]) -> Iterator[Visit]:
    size = ceil(len(visits) / MAX_DOTS)
    for start in range(0, len(visits), size):
        yield min(visits[start : start + size], key=lambda visit: visit.pause or 0.0)


def _format_seconds(seconds: float) -> str:
    return f"{seconds * 1000:g} ms" if seconds < 1 else f"{seconds:.4g} s"
