"""P4: a host that fails again and again is left alone."""

from dataclasses import dataclass

import pytest

from hondius.crawler.politeness.circuit import Circuit
from hondius.crawler.politeness.hosts import Host
from hondius.crawler.politeness.turns import Turns
from hondius.settings import PolitenessSettings
from tests.crawler.virtual_clock import VirtualClock

NOW = 1_000_000.0
ADDRESS = "127.0.0.1:80"


@dataclass
class Ended:
    """The part of an answer that the circuit looks at."""

    ended_at: float
    status: int | None = None


def failing(circuit: Circuit, host: Host, times: int, at: float = NOW) -> list[bool]:
    return [circuit.judge(host, Ended(at), "connect_timeout") for _ in range(times)]  # type: ignore[arg-type]


def test_p4_the_fifth_failure_in_a_row_opens_it_for_a_minute() -> None:
    host, circuit = Host("a.test", 0.0), Circuit(PolitenessSettings())
    assert failing(circuit, host, 5) == [False, False, False, False, True]
    assert host.circuit_until == NOW + 60


def test_p4_an_answer_in_between_starts_the_count_anew() -> None:
    host, circuit = Host("a.test", 0.0), Circuit(PolitenessSettings())
    failing(circuit, host, 4)
    circuit.judge(host, Ended(NOW, status=404), "http_404")  # type: ignore[arg-type]
    assert not any(failing(circuit, host, 4))


def test_p4_a_server_error_that_breaks_off_is_no_good_answer() -> None:
    host, circuit = Host("a.test", 0.0), Circuit(PolitenessSettings())
    failing(circuit, host, 4)
    assert circuit.judge(host, Ended(NOW, status=500), "body_incomplete")  # type: ignore[arg-type]


def test_p4_a_failed_probe_doubles_the_wait_up_to_an_hour_and_a_good_one_closes_it() -> None:
    host, circuit = Host("a.test", 0.0), Circuit(PolitenessSettings())
    failing(circuit, host, 5)
    waits = []
    for _ in range(8):
        at = host.circuit_until
        failing(circuit, host, 1, at)
        waits.append(host.circuit_until - at)
    assert waits == [120, 240, 480, 960, 1920, 3600, 3600, 3600]
    circuit.good(host)
    assert (host.circuit_until, host.consecutive_failures) == (0.0, 0)
    assert not any(failing(circuit, host, 4))


@pytest.mark.parametrize("delay", [0.0, 1.0])
def test_p4_an_open_circuit_holds_with_and_without_delay(delay: float) -> None:
    settings = PolitenessSettings(delay=delay)
    host, circuit, turns = Host("a.test", 0.0), Circuit(settings), Turns(settings, VirtualClock(NOW))
    failing(circuit, host, 5)
    assert turns.ready_at(host, ADDRESS, NOW) == NOW + 60


def test_p4_the_circuit_survives_a_restart() -> None:
    host, circuit = Host("a.test", 0.0), Circuit(PolitenessSettings())
    failing(circuit, host, 6)
    state = host.state(NOW)
    again = Host("a.test", state.not_before, state)
    assert (again.circuit_until, again.circuit_openings) == (host.circuit_until, 2)
