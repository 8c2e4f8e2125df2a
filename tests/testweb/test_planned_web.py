"""The plan, the manifest and the bytes that come of them (Q3)."""

import hashlib
import inspect
import os
import re
import subprocess
import sys
from collections import Counter
from random import Random
from urllib.parse import urljoin

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hondius.testweb.documents import Library
from hondius.testweb.links import make_relative
from hondius.testweb.manifest import make_manifest
from hondius.testweb.model import Content, Web
from hondius.testweb.paths import PagePaths
from hondius.testweb.plan import Size, make_address, plan_web
from hondius.testweb.scenarios import ALL_SCENARIOS
from hondius.testweb.scenarios.scenario import MAX_SERVER_ERRORS
from hondius.testweb.variants import recognise, write_variant

ALL_CARDS = Size(hosts=16, pages_per_host=8, seed=3)


@pytest.fixture(scope="module")
def web() -> Web:
    return plan_web(ALL_CARDS)


def fingerprint(size: Size) -> str:
    """Of the manifest and of every body."""
    web = plan_web(size)
    library, digest = Library(web), hashlib.sha256(msgspec.json.encode(make_manifest(web)))
    for resource in web.resources.values():
        digest.update(library.document(resource, compressed=False).body)
    return digest.hexdigest()


IMPORTS = """
import hashlib
import msgspec
from hondius.testweb.documents import Library
from hondius.testweb.manifest import make_manifest
from hondius.testweb.plan import Size, plan_web
"""


def test_the_same_seed_gives_the_same_bytes_in_every_process() -> None:
    code = f"{IMPORTS}{inspect.getsource(fingerprint)}print(fingerprint(Size(4, 5, 7)))"
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    prints = {fingerprint(Size(4, 5, 7))}
    for hash_seed in ("1", "2"):
        command, variables = [sys.executable, "-c", code], {**environment, "PYTHONHASHSEED": hash_seed}
        prints.add(subprocess.run(command, env=variables, capture_output=True, check=True, text=True).stdout.strip())
    assert len(prints) == 1


def test_another_seed_gives_another_web() -> None:
    assert fingerprint(Size(2, 2, 1)) != fingerprint(Size(2, 2, 2))


def test_a_body_does_not_depend_on_what_was_asked_before(web: Web) -> None:
    asked_alone = Library(web).document(web.pages[3][2], compressed=False)
    library = Library(web, cached_octets=100_000)
    for resource in web.resources.values():
        library.document(resource, compressed=False)
    assert library.document(web.pages[3][2], compressed=False) == asked_alone


def test_key_forms_and_resource_ids_are_unique(web: Web) -> None:
    rows = make_manifest(web).resources
    assert len({row.key_form for row in rows}) == len({row.resource for row in rows}) == len(rows)


def test_nothing_forbidden_may_be_requested(web: Web) -> None:
    manifest = make_manifest(web)
    requestable = {row.resource for row in manifest.resources if row.max_requests > 0}
    for href in manifest.forbidden:
        scheme_and_host, slash, target = href.partition(".test/")
        resource = web.targets[scheme_and_host.partition("://")[2] + ".test"][recognise(slash[-1] + target)[0]]
        assert resource.id not in requestable


def test_what_redirects_and_copies_point_at_is_in_the_manifest(web: Web) -> None:
    rows = make_manifest(web).resources
    key_forms = {row.key_form for row in rows}
    assert {row.redirect_to for row in rows if row.state == "redirected"} <= key_forms
    assert {row.copy_of for row in rows if row.state == "duplicate"} <= key_forms


def test_a_copy_has_the_octets_and_the_type_of_its_original(web: Web) -> None:
    library = Library(web)
    copies = [resource for resource in web.resources.values() if resource.answer.same_as]
    assert copies
    for copy in copies:
        original = web.resources[str(copy.answer.same_as)]
        assert library.document(copy, compressed=False) == library.document(original, compressed=False)


def test_no_two_bodies_are_equal_by_chance(web: Web) -> None:
    library = Library(web)
    bodies = Counter(
        library.document(resource, compressed=False).body
        for resource in web.resources.values()
        if resource.answer.status == 200
        and not resource.answer.same_as
        and resource.answer.content is not Content.ROBOTS
    )
    assert max(bodies.values()) == 1


def test_sixteen_hosts_hold_every_card(web: Web) -> None:
    kinds = {resource.kind for resource in web.resources.values()}
    assert [
        scenario.name for scenario in ALL_SCENARIOS if not any(kind.startswith(scenario.name) for kind in kinds)
    ] == []


def test_no_host_fails_often_enough_to_open_a_circuit() -> None:
    """P4."""
    failures: Counter[str] = Counter()
    for resource in plan_web(Size(200, 1, 1)).resources.values():
        always = resource.expected.requests if resource.expected and resource.answer.status >= 500 else 0
        failures[resource.host.name] += always + resource.answer.failures
    assert max(failures.values()) == MAX_SERVER_ERRORS


@pytest.mark.parametrize(("hosts", "pages"), [(1, 1), (1, 40), (3, 1), (1_000, 3)])
def test_every_host_has_as_many_pages_as_asked_for(hosts: int, pages: int) -> None:
    manifest = make_manifest(plan_web(Size(hosts, pages, 9)))
    assert len([row for row in manifest.resources if row.kind == "page"]) == hosts * pages
    assert len(manifest.seeds) == hosts


def test_addresses_are_loopback_and_different() -> None:
    addresses = [make_address(number) for number in range(1, 10_001)]
    assert len(set(addresses)) == 10_000
    assert addresses[0] == "127.1.0.1"
    assert all(address.startswith("127.") and not address.endswith((".0", ".255")) for address in addresses)


def test_pages_are_of_10_to_100_kilobytes_with_20_to_150_links_or_a_few_more(web: Web) -> None:
    library = Library(web)
    for pages in web.pages:
        for page in pages:
            body = library.document(page, compressed=False).body
            anchors = len(re.findall(rb"<a[ ]", body.replace(b"\0", b"")))
            assert 10_000 <= len(body) <= 100_000
            assert 20 <= anchors <= 170


def test_most_links_stay_on_their_host_and_the_rest_follow_a_power_law() -> None:
    web = plan_web(Size(60, 6, 4))
    library, inside, outside = Library(web), 0, Counter[str]()
    for page in (page for pages in web.pages for page in pages):
        body = library.document(page, compressed=False).body.replace(b"\0", b"")
        for scheme_and_host in re.findall(rb"<a[^>]+href=[\"']?([^\"'> ]+)", body):
            found = re.match(r"(?:https?:)?//(h\d+\.test)", scheme_and_host.decode("latin-1").lower())
            if found and found[1] != page.host.name:
                outside[found[1]] += 1
            else:
                inside += 1
    ranked = [count for _, count in outside.most_common()]
    assert 0.6 <= inside / (inside + sum(ranked)) <= 0.75
    assert sum(ranked[:6]) > 0.4 * sum(ranked)
    assert len(ranked) > 50


def test_hosts_whose_robots_txt_is_unreachable_end_nothing() -> None:
    """F7, B2."""
    web = plan_web(Size(4, 3, 1, unreachable_robots_hosts=1))
    manifest, last = make_manifest(web), web.hosts[-1].origin
    assert not any(row.key_form.startswith(last) for row in manifest.resources)
    assert f"{last}/" in manifest.forbidden
    assert [row.max_requests for row in manifest.robots if row.origin == last] == [None]


@given(st.integers(0, 2**32))
def test_a_dressed_url_is_recognised(seed: int) -> None:
    """U2."""
    random = Random(seed)
    paths = PagePaths(random)
    for target in (paths.next() for _ in range(20)):
        request = write_variant(target, random).partition("#")[0]
        quoted = "".join(c if c.isascii() and c != " " else "".join(f"%{o:02X}" for o in c.encode()) for c in request)
        assert recognise(quoted)[0] == target


@given(st.integers(0, 2**32))
def test_a_relative_link_means_what_the_absolute_one_means(seed: int) -> None:
    """U1."""
    random = Random(seed)
    paths = PagePaths(random)
    for base, target in ((paths.next(), paths.next()) for _ in range(10)):
        assert urljoin(f"http://h.test{base}", make_relative(base, target)) == f"http://h.test{target}"


def test_session_ids_are_told_from_numbers_that_mean_something() -> None:
    """U2."""
    assert recognise("/list?sid=7&page=2") == ("/list?page=2&sid=7", False)
    assert recognise("/list?page=2&sid=0123456789ABCDEF0123456789ABCDEF") == ("/list?page=2", True)
    assert recognise("/a;jsessionid=0AF1?") == ("/a", True)
    assert recognise("/%7euser/%c3%bc?utm_source=x") == ("/~user/%C3%BC", False)
