"""The problems found, and what to do about them."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

MAX_EXAMPLES = 5
MAX_URLS = 1_000


@dataclass(slots=True)
class Report:
    counts: dict[str, int] = field(default_factory=dict)
    """What was checked."""
    notes: list[str] = field(default_factory=list)
    """Observations that are not problems."""
    unchecked: list[str] = field(default_factory=list)
    """What could not be checked, and why."""
    frames_lost: bool = False
    """A view has more frames than the log."""
    unreadable: dict[str, None] = field(default_factory=dict)
    """URLs whose archived body cannot be read, in the order of the archive."""
    _examples: dict[tuple[str, str], list[str]] = field(default_factory=dict)
    _problems: Counter[tuple[str, str]] = field(default_factory=Counter)

    def add_problem(self, what: str, remedy: str, example: str = "") -> None:
        """Problems of one kind are counted; the first few are shown."""
        kind = (what, remedy)
        self._problems[kind] += 1
        examples = self._examples.setdefault(kind, [])
        if example and len(examples) < MAX_EXAMPLES:
            examples.append(example)

    @property
    def clean(self) -> bool:
        return not self._problems

    @property
    def problems(self) -> int:
        return self._problems.total()

    def format_lines(self) -> Iterator[str]:
        yield "checked: " + ", ".join(f"{count:,} {_pluralise(name, count)}" for name, count in self.counts.items())
        yield from self.notes
        for (what, remedy), count in self._problems.items():
            examples = "; ".join(self._examples[what, remedy])
            times = f" ({count:,} times)" if count > 1 else ""
            yield f"problem: {what}{times}{': ' if examples else ''}{examples}. {remedy}"
        yield from self._list_unreadable()
        yield from (f"not checked: {what}" for what in self.unchecked)
        yield self._verdict()

    def add_unreadable(self, url: str | None) -> None:
        """None: a later fetch of the page was stored elsewhere."""
        if url is not None and len(self.unreadable) < MAX_URLS:
            self.unreadable[url] = None

    def _list_unreadable(self) -> Iterator[str]:
        if self.unreadable:
            yield "pages whose archived body cannot be read:"
            yield from (f"  {url}" for url in self.unreadable)
        if len(self.unreadable) == MAX_URLS:
            yield "  and perhaps more"

    def _verdict(self) -> str:
        if not self.clean:
            return f"{self.problems:,} problem{'s' if self.problems > 1 else ''}"
        return "what was checked agrees" if self.unchecked else "everything agrees"


def _pluralise(name: str, count: int) -> str:
    """Makes the name singular if the count is 1: `runs of urls/` becomes `run of urls/`."""
    thing, of, rest = name.partition(" of ")
    return f"{thing.removesuffix('s')}{of}{rest}" if count == 1 else name
