"""How much of a host, a domain and an address is asked for (D5)."""

from hondius.crawler import budgets
from hondius.crawler.budgets import HostBudgets
from hondius.crawler.politeness import Host
from hondius.settings import ScopeSettings

ADDRESS = "127.0.0.1:80"


def host(name: str, fetched: int = 0) -> Host:
    made = Host(name, 0.0)
    made.fetched = fetched
    return made


def made(settings: ScopeSettings, fetched: int = 0, hosts: int = 0) -> HostBudgets:
    return HostBudgets(settings, lambda name: fetched, lambda address, most: min(hosts, most))


def test_pages_a_host_are_those_of_all_runs() -> None:
    limited = made(ScopeSettings(max_pages_per_host=5))
    assert limited.spent(host("a.test", 4)) == ""
    assert limited.spent(host("a.test", 5)) == "max_pages_per_host"


def test_pages_a_domain_are_those_of_all_its_hosts_and_runs() -> None:
    limited = made(ScopeSettings(max_pages_per_domain=12), fetched=10)
    limited.asked(host("a.shop.test"), is_recrawl=False)
    limited.asked(host("a.shop.test"), is_recrawl=True)
    assert limited.spent(host("b.shop.test")) == ""
    limited.asked(host("b.shop.test"), is_recrawl=False)
    assert limited.spent(host("shop.test")) == "max_pages_per_domain"
    assert limited.spent(host("other.test")) == ""


def test_hosts_that_were_asked_before_are_never_crowded_out() -> None:
    limited = made(ScopeSettings(max_hosts_per_address=3), hosts=1)
    assert [limited.is_crowded(host(f"h{n}.test"), ADDRESS) for n in range(4)] == [False, False, True, True]
    assert not limited.is_crowded(host("h0.test"), ADDRESS)
    assert not limited.is_crowded(host("old.test", fetched=1), ADDRESS)


def test_what_is_remembered_is_bounded() -> None:
    limited = made(ScopeSettings())
    for number in range(budgets.MOST_REMEMBERED + 10):
        limited.is_crowded(host(f"h{number}.test"), ADDRESS)
    assert len(limited._counted) <= budgets.MOST_REMEMBERED + 1
