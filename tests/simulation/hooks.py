"""Hooks of the simulated crawl. They take virtual time: kills and cancels meet journeys that wait for them."""

import asyncio
import json
from collections.abc import Callable
from random import Random

from hondius.crawler.page import Judgement
from hondius.model import Finished
from hondius.native import Fetched

EVERY = 3
"""Every third seed has hooks."""


class SlowHooks:
    """They refuse nothing: the judges expect the same pages. Every link takes the path of judged links."""

    def __init__(self, seed: int) -> None:
        self._chance = Random(f"hooks {seed}")

    async def judge(self, end: Finished, fetched: Fetched, is_known: Callable[[bytes], bool]) -> Judgement:
        await asyncio.sleep(self._chance.expovariate(2))
        links = fetched.page.links if fetched.page is not None else []
        priorities = {link.key: self._chance.random() for link in links if self._chance.random() < 0.3}
        return Judgement(priorities=priorities, score=0.5, extracted=json.dumps({"url": end.url}))


def make_hooks(seed: int) -> SlowHooks | None:
    return SlowHooks(seed) if seed % EVERY == 0 else None
