"""Tables, colours and panels: `rich`, to which text of strangers is harmless."""

from collections.abc import Iterable

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment

from hondius.operate.cli.harmless import harmless
from hondius.operate.cli.streams import ours


class SafeConsole(Console):
    """rich keeps colours and cursor movements in styles and control segments, so the text itself needs none."""

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        for segment in super().render(renderable, options):
            yield segment if segment.control else Segment(harmless(segment.text), segment.style)


def make_console(*, of_errors: bool = False) -> Console:
    return SafeConsole(file=ours(of_errors=of_errors), stderr=of_errors, highlight=False)
