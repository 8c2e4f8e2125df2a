"""What a seed decides: the settings of its crawl, and what happens to the machine and when."""

from dataclasses import dataclass, replace
from random import Random
from typing import Any

import msgspec

from hondius.settings import Settings, make_settings


@dataclass(frozen=True, slots=True)
class Interruption:
    """How a life is interrupted, if it does not end by itself."""

    kind: str
    """none | kill | torn | between | power | stop"""
    after: int
    """Number of events; for `torn`, of write operations; for `between`, of frames that follow one of another
    partition."""
    full_disk: tuple[float, float] | None
    """(seconds after the start, for how long) the disk is full."""
    drive_fails: float
    """The chance that an append or a sync is refused."""
    downtime: float


def settings_of(chance: Random) -> Settings:
    values: dict[str, Any] = {
        "politeness": {"delay": chance.choice((0.0, 1.0, 1.0, 1.0, 2.5))},
        "fetch": {"concurrency": chance.choice((2, 8, 64, 256)), "total_timeout": chance.choice((60.0, 60.0, 900.0))},
        "scope": {"scope": "any"},
        "stores": {
            "commit_interval": chance.choice((0.1, 0.2, 0.2, 0.8)),
            "commit_changes": chance.choice((1, 20, 1_000)),
            "log_bytes": chance.choice((2**12, 2**14, 2**26)),
            "warc_bytes": chance.choice((2**16, 2**17, 2**30)),
            "free_bytes": chance.choice((0, 1_000_000)),
        },
        "rank": {"every": 5, "memory": 2**22},
    }
    return make_settings(values)


def with_depth(settings: Settings, chance: Random) -> Settings:
    """One seed in three has a limit on depth."""
    scope = msgspec.structs.replace(settings.scope, max_depth=chance.choice((None, None, None, None, 1, 2, 3)))
    return msgspec.structs.replace(settings, scope=scope)


def with_scope(settings: Settings, chance: Random) -> Settings:
    """Every host has a seed, so with any scope the whole web is inside once the last seed was read."""
    scope = msgspec.structs.replace(settings.scope, scope=chance.choice(("any", "host", "domain")))
    return msgspec.structs.replace(settings, scope=scope)


def with_requisites(settings: Settings, seed: int) -> Settings:
    """Every fifth seed fetches what pages need to be shown (D7)."""
    scope = msgspec.structs.replace(settings.scope, requisites=seed % 5 == 2)
    return msgspec.structs.replace(settings, scope=scope)


def with_recrawl(settings: Settings, chance: Random) -> Settings:
    """In every second seed, pages are due again within seconds or minutes."""
    if chance.random() < 0.5:
        return settings
    soon = chance.choice((2.0, 20.0, 300.0))
    recrawl = msgspec.structs.replace(
        settings.recrawl, shortest=min(10.0, soon), wiki=soon, blog=soon, news=soon, static=soon, failed=soon
    )
    return msgspec.structs.replace(settings, recrawl=recrawl)


def with_continuous(settings: Settings, interruption: Interruption, chance: Random) -> Settings:
    """Some lives go on until they are killed or stopped. An idle life writes nothing, so it would never be torn."""
    if interruption.kind not in ("kill", "power", "stop") or chance.random() < 0.6:
        return settings
    budget = chance.choice((None, None, 20_000, 1_000_000))
    recrawl = msgspec.structs.replace(settings.recrawl, continuous=True, visits_per_day=budget)
    return msgspec.structs.replace(settings, recrawl=recrawl)


def choose_interruption(chance: Random, sound: bool) -> Interruption:
    """On a sound machine only processes die."""
    kind = chance.choice(("kill", "kill", "kill", "torn", "torn", "stop", "none", *(() if sound else ("power",) * 2)))
    if sound:
        return Interruption(kind, _after(chance, kind), None, 0.0, _downtime(chance, kind))
    return Interruption(
        kind=kind,
        after=_after(chance, kind),
        full_disk=(chance.uniform(0, 20), chance.choice((0.5, 3.0, 30.0))) if chance.random() < 0.2 else None,
        drive_fails=chance.choice((0.0, 0.0, 0.0, 0.002)),
        downtime=_downtime(chance, kind),
    )


def with_partitions(fate: Interruption, chance: Random) -> Interruption:
    """For a log of several partitions: every second life that would be killed ends between frames of two of them."""
    if fate.kind not in ("kill", "torn") or chance.random() < 0.5:
        return fate
    return replace(fate, kind="between", after=int(10 ** chance.uniform(0, 1.5)))


def no_interruption() -> Interruption:
    return Interruption("none", 0, None, 0.0, 1.0)


def _after(chance: Random, kind: str) -> int:
    return int(10 ** chance.uniform(0.3, 2.6)) if kind == "torn" else int(10 ** chance.uniform(1.5, 3.9))


def _downtime(chance: Random, kind: str) -> float:
    """A machine needs a while to come back; a process does not."""
    if chance.random() < 0.1:
        return chance.choice((120.0, 4_000.0, 90_000.0))
    return chance.uniform(20, 60) if kind == "power" else chance.choice((0.2, 1.0, 5.0))
