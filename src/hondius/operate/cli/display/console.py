"""A `rich` console for tables, colours and panels that escapes text of strangers."""

from collections.abc import Iterable

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment

from hondius.operate.cli.streams import get_trusted_stream
from hondius.sanitise import escape_controls


class SafeConsole(Console):
    """rich keeps colours and cursor movements in styles and control segments, so all text can be escaped."""

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        for segment in super().render(renderable, options):
            yield segment if segment.control else Segment(escape_controls(segment.text), segment.style)


def make_console(*, of_errors: bool = False) -> Console:
    return SafeConsole(file=get_trusted_stream(of_errors=of_errors), stderr=of_errors, highlight=False)
