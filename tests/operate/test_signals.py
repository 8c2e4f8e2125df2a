"""A signal reaches whatever runs, also when it comes while the stores are opened again."""

import asyncio
import os
import signal

from hondius.operate.cli.signals import Signals
from tests.journeys.scripted_site import until


async def test_f9_who_asks_for_an_end_while_a_view_is_made_anew_gets_it() -> None:
    stopped: list[str] = []
    signals = Signals()
    signals.listen(lambda reason: stopped.append(f"first: {reason}"), lambda: "nothing")
    os.kill(os.getpid(), signal.SIGTERM)
    await until(lambda: stopped == ["first: interrupted"])
    signals.listen(lambda reason: stopped.append(f"second: {reason}"), lambda: "nothing")
    assert stopped[1:] == ["second: interrupted"]
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        asyncio.get_running_loop().remove_signal_handler(number)
