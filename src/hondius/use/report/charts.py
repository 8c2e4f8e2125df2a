"""Charts of the report, as SVG and HTML without scripts."""

from collections.abc import Callable, Iterator, Sequence
from math import floor, log10

from hondius.quantities import format_bytes
from hondius.use.html_page import show
from hondius.use.report.facts import Bucket, Count, Timeline
from hondius.use.time_axis import choose_ticks, format_tick

WIDTH = 960
LEFT, RIGHT, TOP, BOTTOM = 72, 8, 36, 26
PANEL = 110
"""Height of one panel, without its title and axis."""
GAP = 0.15
"""Share of a bar's width that is left free."""


def render_timeline(timeline: Timeline) -> str:
    """Two panels above one time axis: pages and bytes. Empty if nothing was fetched."""
    if not timeline.buckets:
        return ""
    axis = _TimeAxis(timeline)
    width = format_width(timeline.width)
    panels = (
        _Panel(axis, 0, f"pages fetched in {width}", lambda bucket: bucket.pages, _format_number, "bar"),
        _Panel(axis, 1, f"received in {width}", lambda bucket: bucket.wire_bytes, format_bytes, "bar second"),
    )
    height = len(panels) * (TOP + PANEL) + BOTTOM
    label = f"Pages and bytes over time, in steps of {width}"
    parts = [part for panel in panels for part in panel.render(timeline.buckets)]
    return (
        f'<div class="chart"><svg viewBox="0 0 {WIDTH} {height}" role="img" aria-label="{label}"><title>{label}</title>'
        + "".join([*parts, *axis.render(height)])
        + "</svg></div>"
    )


def render_bars(counts: Sequence[Count], heading: str, unit: str = "pages") -> str:
    """A table with a bar for each row."""
    largest = max((count.pages for count in counts), default=0)
    total = sum(count.pages for count in counts)
    rows = "".join(
        f"<tr><td>{show(count.name)}</td>{render_bar(count.pages, largest)}"
        f'<td class="n">{count.pages:,}</td><td class="n soft">{format_share(count.pages, total)}</td></tr>'
        for count in counts
    )
    if not rows:
        return ""
    head = f'<tr><th>{show(heading)}</th><th></th><th class="n">{show(unit)}</th><th class="n">share</th></tr>'
    return f'<table class="bars">{head}{rows}</table>'


def render_bar(value: int, largest: int, look: str = "") -> str:
    """A cell. A bar that is not empty can be seen."""
    bar = f'<i class="{look}" style="width:{100 * value / largest:.1f}%"></i>' if value and largest else ""
    return f'<td class="track">{bar}</td>'


def render_parts(parts: Sequence[tuple[int, str, str]]) -> str:
    """One bar, divided: (size, class, what it is) of each part."""
    total = sum(size for size, _, _ in parts) or 1
    shown = "".join(
        f'<i class="{look}" style="flex-grow:{size / total:.4f}" title="{show(words)}: {size:,}"></i>'
        for size, look, words in parts
        if size
    )
    return f'<div class="parts">{shown}</div>'


def format_share(part: int, whole: int) -> str:
    if not whole:
        return ""
    share = 100 * part / whole
    return "< 0.1 %" if 0 < share < 0.1 else f"{share:.1f} %"


class _TimeAxis:
    def __init__(self, timeline: Timeline) -> None:
        self.width = timeline.width
        self.first = timeline.buckets[0].at
        self.last = timeline.buckets[-1].at + timeline.width

    def x(self, at: float) -> float:
        return LEFT + (at - self.first) / (self.last - self.first) * (WIDTH - LEFT - RIGHT)

    def render(self, height: int) -> Iterator[str]:
        for at in choose_ticks(self.first, self.last):
            x, tick = self.x(at), format_tick(at, self.last - self.first)
            anchor = "start" if x < LEFT + 24 else "end" if x > WIDTH - 40 else "middle"
            yield f'<text x="{x:.1f}" y="{height - 6}" text-anchor="{anchor}">{tick}</text>'


class _Panel:
    def __init__(
        self,
        axis: _TimeAxis,
        number: int,
        title: str,
        measure: Callable[[Bucket], int],
        form: Callable[[int], str],
        look: str,
    ) -> None:
        self._axis = axis
        self._base = (number + 1) * (TOP + PANEL)
        self._title, self._measure, self._format, self._look = title, measure, form, look

    def render(self, buckets: Sequence[Bucket]) -> Iterator[str]:
        top = find_round_top(max(map(self._measure, buckets)))
        yield f'<text class="name" x="{LEFT}" y="{self._base - PANEL - 12}">{show(self._title)}</text>'
        for share in (0.0, 0.5, 1.0):
            y = self._base - share * PANEL
            yield f'<line class="grid" x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y:.1f}" y2="{y:.1f}"/>'
            if (value := top * share) == int(value):
                text = self._format(int(value)) if value else "0"
                yield f'<text x="{LEFT - 10}" y="{y + 4:.1f}" text-anchor="end">{text}</text>'
        for bucket in buckets:
            yield self._render_bucket(bucket, top)

    def _render_bucket(self, bucket: Bucket, top: int) -> str:
        left, right = self._axis.x(bucket.at), self._axis.x(bucket.at + self._axis.width)
        gap = min(2.0, (right - left) * GAP)
        value = self._measure(bucket)
        height = value / top * PANEL
        when = format_tick(bucket.at, 0)
        return (
            f'<rect class="{self._look}" x="{left:.2f}" width="{max(0.5, right - left - gap):.2f}" '
            f'y="{self._base - height:.2f}" height="{height:.2f}"><title>{when}: {self._format(value)}</title></rect>'
        )


def find_round_top(largest: int) -> int:
    """The end of an axis: 1, 2 or 5 times a power of ten, with a round middle."""
    if largest <= 2:
        return 2
    power = int(10 ** floor(log10(largest)))
    return next(step * power for step in (1, 2, 4, 6, 8, 10) if step * power >= largest)


def format_width(seconds: float) -> str:
    names = {60: "a minute", 3_600: "an hour", 86_400: "a day", 1: "a second"}
    if seconds in names:
        return names[int(seconds)]
    for size, name in ((86_400, "days"), (3_600, "hours"), (60, "minutes")):
        if seconds % size == 0:
            return f"{seconds / size:g} {name}"
    return f"{seconds:g} seconds"


def _format_number(value: int) -> str:
    return f"{value:,}"
