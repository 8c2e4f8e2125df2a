"""What owners allow: from the signals of a page to the uses of its content (W1-W3).

A page has signals if its owner stated usage preferences: in robots.txt, in tdmrep.json, in headers, or in the page
itself. Native code reads them (`native/src/usage/`), and the log keeps them for each page as they stood when it was
fetched: one line for each, `where name value`, such as `robots content-signal ai-train=no`. This module is the only
place that says what a signal means (docs/guide/usage.md, decision 0026).

The strictest signal wins: a use is reserved if any signal reserves it. Signals never allow a request that robots.txt
forbids: they are read only after it was allowed.
"""

from collections.abc import Iterable, Mapping
from enum import StrEnum
from functools import lru_cache
from typing import NamedTuple


class Use(StrEnum):
    """What content may be used for. The words are those of Content Signals."""

    SEARCH = "search"
    """To index it and show links and short excerpts."""
    AI_INPUT = "ai-input"
    """To give it to a model as input, as in retrieval-augmented generation."""
    AI_TRAIN = "ai-train"
    """To train or fine-tune a model."""


class Stance(StrEnum):
    ALLOWED = "allowed"
    RESERVED = "reserved"
    UNSTATED = "unstated"
    """No signal says anything about the use, or only a value that no standard knows."""


_AI = (Use.AI_INPUT, Use.AI_TRAIN)

STATEMENT_KEYS: dict[str, tuple[Use, ...]] = {
    "search": (Use.SEARCH,),
    "ai-input": (Use.AI_INPUT,),
    "ai-use": (Use.AI_INPUT,),
    "ai-train": (Use.AI_TRAIN,),
    "train-ai": (Use.AI_TRAIN,),
    "train-genai": (Use.AI_TRAIN,),
    "genai": _AI,
    "ai": _AI,
    "tdm": _AI,
    "bots": tuple(Use),
    "all": tuple(Use),
}
"""Keys of Content-Signal and Content-Usage: those of Content Signals, of the AIPREF vocabulary, and of its earlier
drafts. Owners mix them up, so both fields know all of them."""

REFUSALS = frozenset({"no", "n", "false", "?0", "0", "deny", "disallow", "disallowed"})
"""A refusal counts in any spelling that is plain enough."""
GRANTS = {"content-signal": "yes", "content-usage": "y"}
"""A grant counts only as its standard spells it."""

OTHER_SIGNALS: dict[str, dict[str | None, tuple[Stance, tuple[Use, ...]]]] = {
    "tdm-reservation": {"1": (Stance.RESERVED, _AI), "0": (Stance.ALLOWED, _AI)},
    "noai": {None: (Stance.RESERVED, _AI)},
    "noimageai": {None: (Stance.RESERVED, _AI)},
    "rsl": {None: (Stance.RESERVED, _AI)},
    "tdm-policy": {},
    "license": {},
}
"""Signals with a value of their own; None stands for any value. RSL terms are not read, so what they govern is
reserved. A policy or a licence alone says nothing: it tells where terms are, and most licences grant rights."""


LONGEST_CACHED = 1_000
"""Characters. Judgements of longer texts are not kept: a page may have many signals, and each may be long."""


class Signal(NamedTuple):
    where: str
    """robots, tdmrep, header, meta or link."""
    name: str
    value: str

    @property
    def source(self) -> str:
        """What exports count by, such as `robots content-signal`."""
        return f"{self.where} {self.name}"

    def __str__(self) -> str:
        return f"{self.source} {self.value}".rstrip()


class Judgement(NamedTuple):
    """What the signals of a page say about one use."""

    stance: Stance
    because: tuple[Signal, ...] = ()
    """The signals that decided: all of those that reserve the use, or else all that allow it."""


def parse_signals(usage: str | None) -> list[Signal]:
    """The signals of a page, as the log and the catalog hold them."""
    return [_parse_line(line) for line in usage.split("\n")] if usage else []


def _parse_line(line: str) -> Signal:
    where, _, rest = line.partition(" ")
    name, _, value = rest.partition(" ")
    return Signal(where, name, value)


def join_signals(*groups: str | None) -> str | None:
    """Lines of several origins, each once; None if there is none. Most pages have none at all."""
    stated = [group for group in groups if group]
    if len(stated) < 2:
        return stated[0] if stated else None
    return "\n".join(dict.fromkeys(line for group in stated for line in group.split("\n")))


OF_ORIGIN = frozenset({"robots", "tdmrep"})
"""Where signals stand that concern many pages of an origin."""


def drop_origin_signals(usage: str | None) -> str | None:
    """The signals that came with the page itself."""
    return "\n".join(str(signal) for signal in parse_signals(usage) if signal.where not in OF_ORIGIN) or None


def find_stances(signal: Signal) -> Mapping[Use, Stance]:
    """What one signal says. Unknown names and values say nothing."""
    if signal.name in GRANTS:
        key, _, value = signal.value.partition("=")
        stance = _find_stance(signal.name, value)
        return dict.fromkeys(STATEMENT_KEYS.get(key, ()), stance) if stance is not None else {}
    values = OTHER_SIGNALS.get(signal.name, {})
    stance, uses = values.get(signal.value) or values.get(None) or (Stance.UNSTATED, ())
    return dict.fromkeys(uses, stance)


def _find_stance(name: str, value: str) -> Stance | None:
    if value in REFUSALS:
        return Stance.RESERVED
    return Stance.ALLOWED if value == GRANTS[name] else None


def judge_usage(usage: str | None) -> Mapping[Use, Judgement]:
    """What all signals of a page say about each use: the strictest wins. Most pages of a host have the same signals."""
    is_short = usage is None or len(usage) <= LONGEST_CACHED
    return _judge_short(usage) if is_short else _judge_all(usage)


def _judge_all(usage: str | None) -> Mapping[Use, Judgement]:
    return {use: _judge_use(use, parse_signals(usage)) for use in Use}


_judge_short = lru_cache(maxsize=1_024)(_judge_all)


def is_reserved(usage: str | None, use: str) -> bool:
    return usage is not None and judge_usage(usage)[Use(use)].stance is Stance.RESERVED


def _judge_use(use: Use, signals: Iterable[Signal]) -> Judgement:
    stated = [(find_stances(signal).get(use, Stance.UNSTATED), signal) for signal in signals]
    for stance in (Stance.RESERVED, Stance.ALLOWED):
        if because := tuple(signal for found, signal in stated if found is stance):
            return Judgement(stance, because)
    return Judgement(Stance.UNSTATED)
