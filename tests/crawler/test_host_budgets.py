"""How much of a host, a domain and an address is asked for (D5)."""

import pytest

from hondius.crawler import budgets
from hondius.crawler.budgets import HostBudgets
from hondius.crawler.politeness import Host
from hondius.model import HostState
from hondius.settings import PolitenessSettings, ScopeSettings

ADDRESS = "127.0.0.1:80"


def host(name: str, fetched: int = 0, contacted_at: float = 0.0) -> Host:
    return Host(name, PolitenessSettings(), HostState(name, contacted_at, 0.0, fetched=fetched))


def made(
    settings: ScopeSettings, fetched: int = 0, hosts: int = 0, wanted: str = "", strange: str = "strange"
) -> HostBudgets:
    return HostBudgets(
        settings,
        fetched_of_domain=lambda name: fetched,
        hosts_at=lambda address, most: min(hosts, most),
        list_hosts_of_domain=lambda domain, most: [f"old{number}.{domain}" for number in range(hosts)][:most],
        is_own=lambda name: not name.startswith(strange),
        is_wanted=lambda name: name == wanted,
    )


def test_pages_a_host_are_those_of_all_runs() -> None:
    limited = made(ScopeSettings(max_pages_per_host=5))
    assert limited.find_spent_limit(host("a.test", 4)) == ""
    assert limited.find_spent_limit(host("a.test", 5)) == "max_pages_per_host"


def test_pages_a_domain_are_those_of_all_its_hosts_and_runs() -> None:
    limited = made(ScopeSettings(max_pages_per_domain=12), fetched=10)
    limited.count_request(host("a.shop.test"), is_recrawl=False)
    limited.count_request(host("a.shop.test"), is_recrawl=True)
    assert limited.find_spent_limit(host("b.shop.test")) == ""
    limited.count_request(host("b.shop.test"), is_recrawl=False)
    assert limited.find_spent_limit(host("shop.test")) == "max_pages_per_domain"
    assert limited.find_spent_limit(host("other.test")) == ""


async def test_hosts_that_were_asked_before_are_never_crowded_out() -> None:
    limited = made(ScopeSettings(max_hosts_per_address=3), hosts=1)
    full = "max_hosts_per_address"
    assert [await limited.find_crowded_limit(host(f"h{n}.test"), ADDRESS) for n in range(4)] == ["", "", full, full]
    assert not await limited.find_crowded_limit(host("h0.test"), ADDRESS)
    assert not await limited.find_crowded_limit(host("old.test", fetched=1), ADDRESS)


async def test_d5_hosts_of_a_domain_count_when_they_have_an_address_and_those_of_seeds_are_always_asked() -> None:
    limited = made(ScopeSettings(max_hosts_per_domain=3), hosts=1, wanted="seed.farm.test")
    full = "max_hosts_per_domain"
    told = [await limited.find_crowded_limit(host(f"h{n}.farm.test"), f"127.0.0.{n}:80") for n in range(4)]
    assert told == ["", "", full, full]
    assert not await limited.find_crowded_limit(host("h0.farm.test"), ADDRESS)
    assert not await limited.find_crowded_limit(host("seed.farm.test"), ADDRESS)
    assert not await limited.find_crowded_limit(host("h0.other.test"), ADDRESS)
    assert not await limited.find_crowded_limit(host("old.farm.test", contacted_at=5.0), ADDRESS)


@pytest.mark.defect("hosts that only strangers name used up the hosts that a domain may have")
async def test_d5_hosts_that_only_strangers_name_are_counted_separately() -> None:
    limited, full = made(ScopeSettings(max_hosts_per_domain=3), hosts=1), "max_hosts_per_domain"
    strange = [await limited.find_crowded_limit(host(f"strange{n}.shop.test"), f"127.0.0.{n}:80") for n in range(5)]
    assert strange == ["", "", "", full, full]
    own = [await limited.find_crowded_limit(host(f"h{n}.shop.test"), f"127.0.1.{n}:80") for n in range(4)]
    assert own == ["", "", full, full]


async def test_what_is_remembered_is_bounded() -> None:
    limited = made(ScopeSettings())
    for number in range(budgets.MOST_REMEMBERED + 10):
        await limited.find_crowded_limit(host(f"h{number}.test"), ADDRESS)
    assert len(limited._counted) <= budgets.MOST_REMEMBERED + 1
