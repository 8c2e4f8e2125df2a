"""Signals, as the commands that tests start inherit them; and a guard around all crawls that tests run themselves.

A run in the background (`nohup`, `&` in a script) ignores SIGHUP or SIGINT, and so would every command that it starts:
a test that interrupts one would wait in vain.
"""

import signal
from collections.abc import Iterator
from importlib.util import find_spec

import pytest

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
if signal.getsignal(signal.SIGHUP) is signal.SIG_IGN:
    signal.signal(signal.SIGHUP, signal.SIG_DFL)


@pytest.fixture(autouse=True, scope="session")
def _views_are_read_off_the_loop() -> Iterator[None]:
    if find_spec("hondius.stores.catalog.tables") is None:  # the earlier build that `make accept` compares with
        yield
        return
    from tests.off_loop import guarded

    with guarded():
        yield
