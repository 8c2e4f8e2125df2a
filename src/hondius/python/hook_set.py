"""The hooks of a crawl, and what they may return."""

import inspect
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from math import isfinite
from typing import Any

from hondius.errors import WrongUse
from hondius.python.page import Page
from hondius.python.parts import Link
from hondius.sanitise import replace_surrogates

Scored = tuple[Link, float]
Follow = Callable[[Page, list[Link]], Iterable[Link | Scored] | Mapping[Link, float]]
"""Called with a page and its links that the crawl does not know yet. Returns the links to follow, or a score from 0 to
1 for each, which becomes its priority."""
Extract = Callable[[Page], Mapping[str, Any] | None]
"""Returns values of the page, which JSON can represent."""
Classify = Callable[[Page], Any]
"""Returns a score from 0 to 1, a label, several labels, or a pair of label or labels and score."""
Sink = Callable[[Page], object]
"""Called with each page when it is durable."""


@dataclass
class HookSet:
    follow: list[Follow] = field(default_factory=list)
    extract: list[Extract] = field(default_factory=list)
    classify: list[Classify] = field(default_factory=list)
    sink: list[Sink] = field(default_factory=list)

    @property
    def judges(self) -> bool:
        """Whether anything is called before a page is recorded."""
        return bool(self.follow or self.extract or self.classify)

    def list_names(self) -> tuple[str, ...]:
        """Kind and name of each, like `extract price`."""
        return tuple(f"{kind} {name_hook(hook)}" for kind in ARGUMENTS for hook in getattr(self, kind))

    def join(self, others: "HookSet") -> "HookSet":
        return HookSet(
            self.follow + others.follow,
            self.extract + others.extract,
            self.classify + others.classify,
            self.sink + others.sink,
        )


ARGUMENTS = {"follow": ("page", "links"), "extract": ("page",), "classify": ("page",), "sink": ("page",)}
"""What a hook of each kind is called with."""


def check_hook(kind: str, hook: Any) -> None:
    """Raises WrongUse for a function that no call could succeed with: it would fail for every page."""
    if hook is None:
        raise WrongUse(f"write @crawler.{kind} without parentheses, above a function")
    if not callable(hook):
        raise WrongUse(f"a {kind} hook is a function, not {hook!r}")
    name, arguments = name_hook(hook), ARGUMENTS[kind]
    if any(map(inspect.iscoroutinefunction, (hook, type(hook).__call__))):
        raise WrongUse(f"the {kind} hook {name} is called on a worker thread: write `def` instead of `async def`")
    try:
        signature = inspect.signature(hook)
    except (TypeError, ValueError):  # of some built-in functions it is unknown
        return
    try:
        signature.bind(*arguments)
    except TypeError:
        raise WrongUse(
            f"the {kind} hook {name} takes {signature}, and is called with ({', '.join(arguments)})"
        ) from None


def name_hook(hook: Callable[..., Any]) -> str:
    """Without lone surrogates: it is written to the log."""
    return replace_surrogates(str(getattr(hook, "__name__", type(hook).__name__)))


def parse_followed(returned: Any, offered: Mapping[str, bytes]) -> dict[bytes, float | None]:
    """The keys of the links to follow, each with its score or None. Raises ValueError or TypeError."""
    if returned is None:
        raise TypeError("it returned None: a follow hook returns the links to follow")
    if isinstance(returned, str | bytes) or not isinstance(returned, Iterable):
        raise TypeError(f"a follow hook returns a list of links, not {describe_kind(returned)}")
    followed: dict[bytes, float | None] = {}
    for item in returned.items() if isinstance(returned, Mapping) else returned:
        link, score = item if isinstance(item, tuple) else (item, None)
        url = link.url if isinstance(link, Link) else str(link)
        if url not in offered:
            raise ValueError(f"it returned {url}, which is not among the links that it was given")
        followed[offered[url]] = None if score is None else check_score(score)
    return followed


def parse_extracted(returned: Any) -> dict[str, Any]:
    """Raises TypeError."""
    if not returned:
        return {}
    if not isinstance(returned, Mapping):
        raise TypeError(f"an extract hook returns a dictionary, not {describe_kind(returned)}")
    return dict(returned)


def describe_kind(value: object) -> str:
    name = "string" if isinstance(value, str) else type(value).__name__
    return f"an {name}" if name[:1] in "aeiou" else f"a {name}"


def parse_classified(returned: Any) -> tuple[list[str], float | None]:
    """Labels and score. Raises ValueError or TypeError."""
    if returned is None:
        return [], None
    if isinstance(returned, int | float):
        return [], check_score(returned)
    if isinstance(returned, tuple) and len(returned) == 2 and isinstance(returned[1], int | float):
        return parse_classified(returned[0])[0], check_score(returned[1])
    labels = [returned] if isinstance(returned, str) else list(returned)
    if not all(isinstance(label, str) for label in labels):
        raise TypeError("a classify hook returns a score, a label, several labels, or a pair of label and score")
    return labels, None


def check_score(score: float) -> float:
    value = float(score)
    if not isfinite(value) or not 0 <= value <= 1:
        raise ValueError(f"it returned the score {score}: a number from 0 to 1 is expected")
    return value
