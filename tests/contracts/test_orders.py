"""The contract of `Orders`, for every adapter."""

from collections.abc import Callable
from pathlib import Path

import pytest

from hondius.model import FOREVER, Blacklisted, HostOrder, NewSeeds, Order, RecrawlOrder
from hondius.ports import Orders
from hondius.stores.disk.embedded import EmbeddedDisk
from hondius.stores.disk.simulated import SimulatedDisk
from hondius.stores.orders.files import OrderFiles
from hondius.stores.orders.memory import MemoryOrders

PAUSE = HostOrder("a.test", 1.0, FOREVER, None, "they asked")
BAN = Blacklisted("b.test", "for good", 2.0)
AGAIN = RecrawlOrder(("http://a.test/",), 3, "sitemap")
SEEDS = NewSeeds((("http://a.test/", 0.7), ("http://b.test/", None)))


def _files(disk: EmbeddedDisk | SimulatedDisk) -> Callable[[], Orders]:
    return lambda: OrderFiles(disk)


def _in_memory() -> Callable[[], Orders]:
    posted: dict[int, Order] = {}
    return lambda: MemoryOrders(posted)


ADAPTERS: dict[str, Callable[[Path], Callable[[], Orders]]] = {
    "files": lambda root: _files(EmbeddedDisk(root)),
    "files, simulated disk": lambda root: _files(SimulatedDisk()),
    "in memory": lambda root: _in_memory(),
}


@pytest.fixture(params=ADAPTERS)
def open_orders(request: pytest.FixtureRequest, tmp_path: Path) -> Callable[[], Orders]:
    """Each call opens the same mailbox."""
    return ADAPTERS[request.param](tmp_path)


def test_nobody_has_ordered_anything_at_first(open_orders: Callable[[], Orders]) -> None:
    assert not open_orders().has_any()
    assert list(open_orders().orders()) == []


def test_o1_orders_come_as_they_were_given_the_oldest_first(open_orders: Callable[[], Orders]) -> None:
    giver = open_orders()
    giver.post([AGAIN, SEEDS], 20)
    giver.post([PAUSE, BAN], 3)
    assert open_orders().has_any()
    assert [order for order, _ in open_orders().orders()] == [PAUSE, BAN, AGAIN, SEEDS]


def test_o1_an_order_is_there_until_it_is_durable(open_orders: Callable[[], Orders]) -> None:
    open_orders().post([PAUSE, BAN], 1)
    killed = open_orders()
    assert [order for order, _ in killed.orders()] == [PAUSE, BAN]
    for order, done in open_orders().orders():
        if order == PAUSE:
            done()
    assert [order for order, _ in open_orders().orders()] == [BAN]


IMPOSSIBLE: list[Order] = [
    RecrawlOrder(("http://a.test/",), -1),
    RecrawlOrder(("http://a.test/",), 2**40),
    RecrawlOrder(("http://a.test/",), 0, "robots"),
    Blacklisted("", "all", 2.0),
    Blacklisted(".", "all", 2.0),
    Blacklisted("*", "all", 2.0),
    Blacklisted("\0\x1b", "hidden", 2.0),
    Blacklisted("b.test", "never", -1e300),
    HostOrder("a.test", 1.0, 1e308),
    HostOrder("a.test", 1.0, None, -1.0),
    HostOrder("x" * 1_000, 1.0, FOREVER),
    HostOrder("a.test\n", 1.0, FOREVER),
    HostOrder("a.test", float("nan"), FOREVER),
    NewSeeds((("http://a.test/", 0.5), ("http://a.test/2", -5.0))),
    NewSeeds((("http://a.test/", 1e308),)),
]


@pytest.mark.parametrize("order", IMPOSSIBLE, ids=repr)
def test_q2_an_order_that_no_command_can_have_given_is_dropped(open_orders: Callable[[], Orders], order: Order) -> None:
    open_orders().post([order, BAN], 1)
    assert [obeyed for obeyed, _ in open_orders().orders()] == [BAN]
    assert [obeyed for obeyed, _ in open_orders().orders()] == [BAN]


def test_o1_a_run_gets_an_order_once(open_orders: Callable[[], Orders]) -> None:
    open_orders().post([PAUSE], 1)
    running = open_orders()
    assert [order for order, _ in running.orders()] == [PAUSE]
    open_orders().post([BAN], 2)
    assert [order for order, _ in running.orders()] == [BAN]
    assert list(running.orders()) == []
