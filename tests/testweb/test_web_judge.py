"""The judge finds every kind of fault, and none where there is none (Q3)."""

import msgspec
import pytest

from hondius.testweb.access_log import Access
from hondius.testweb.judge import judge
from hondius.testweb.manifest import Manifest, make_manifest
from hondius.testweb.plan import Size, plan_web

Export = list[dict[str, object]]


@pytest.fixture(scope="module")
def manifest() -> Manifest:
    return make_manifest(plan_web(Size(12, 3, 1)))


def access(resource: str, url: str) -> Access:
    return Access(1.0, 0.5, "127.1.0.1", "h0001.test", url, "test", 200, resource)


@pytest.fixture
def log(manifest: Manifest) -> list[Access]:
    """Of a crawl without fault."""
    pages = [access(row.resource, row.key_form) for row in manifest.resources for _ in range(row.max_requests)]
    return pages + [access(row.resource, row.url) for row in manifest.robots]


@pytest.fixture
def export(manifest: Manifest) -> Export:
    return [{"key_form": row.key_form, "state": row.state, "cause": row.cause, "url": ""} for row in manifest.resources]


def test_a_crawl_without_fault_passes(manifest: Manifest, log: list[Access], export: Export) -> None:
    assert judge(manifest, log, export).passed


def test_the_manifest_means_the_same_after_a_trip_through_json(
    manifest: Manifest, log: list[Access], export: Export
) -> None:
    again = msgspec.json.decode(msgspec.json.encode(manifest), type=Manifest)
    assert again == manifest
    assert judge(again, log, export).passed


def test_a_row_that_is_not_exported_is_missing(manifest: Manifest, log: list[Access], export: Export) -> None:
    lost = export.pop(7)
    assert judge(manifest, log, export).faults == {"missing": [lost["key_form"]]}


def test_rows_that_nobody_planned_are_extra(manifest: Manifest, log: list[Access], export: Export) -> None:
    unknown = {"key_form": "http://h0001.test/unknown", "state": "completed", "cause": ""}
    assert list(judge(manifest, log, [*export, unknown]).faults) == ["extra"]


def test_rows_that_are_exported_twice_are_extra(manifest: Manifest, log: list[Access], export: Export) -> None:
    assert list(judge(manifest, log, [*export, export[0]]).faults) == ["extra"]


def test_requests_that_nobody_planned_are_extra(manifest: Manifest, log: list[Access], export: Export) -> None:
    log.append(access("", "http://h0001.test/unknown"))
    assert list(judge(manifest, log, export).faults) == ["extra"]


def test_requests_for_forbidden_hrefs_are_found(manifest: Manifest, log: list[Access], export: Export) -> None:
    log.append(access("", manifest.forbidden[0]))
    assert judge(manifest, log, export).faults == {"forbidden": [manifest.forbidden[0]]}


def test_forbidden_resources_are_found_under_any_url(manifest: Manifest, log: list[Access], export: Export) -> None:
    blocked = next(row for row in manifest.resources if row.cause == "robots")
    log.append(access(blocked.resource, blocked.key_form + "?gclid=1"))
    assert list(judge(manifest, log, export).faults) == ["forbidden"]


def test_a_request_too_many_is_found(manifest: Manifest, log: list[Access], export: Export) -> None:
    log.append(log[0])
    assert list(judge(manifest, log, export).faults) == ["too_often"]


def test_a_request_too_few_is_found(manifest: Manifest, log: list[Access], export: Export) -> None:
    always_failing = next(row for row in manifest.resources if row.cause == "http_500")
    log.remove(next(found for found in log if found.resource == always_failing.resource))
    assert list(judge(manifest, log, export).faults) == ["too_seldom"]


def test_robots_txt_may_be_asked_for_twice_but_not_more(manifest: Manifest, log: list[Access], export: Export) -> None:
    """B2."""
    assert judge(manifest, [*log, log[-1]], export).passed
    assert list(judge(manifest, [*log, log[-1], log[-1]], export).faults) == ["too_often"]
    assert list(judge(manifest, log[:-1], export).faults) == ["too_seldom"]


@pytest.mark.parametrize(("field", "wrong"), [("state", "gone"), ("cause", "somehow")])
def test_a_wrong_end_is_found(manifest: Manifest, log: list[Access], export: Export, field: str, wrong: str) -> None:
    """F7."""
    export[3] |= {field: wrong}
    assert list(judge(manifest, log, export).faults) == ["wrong_state"]


def test_a_url_that_a_bug_of_the_crawler_ended_is_found(manifest: Manifest, log: list[Access], export: Export) -> None:
    """Also one that the manifest does not know."""
    export[3] |= {"state": "failed", "cause": "internal"}
    unknown = {"key_form": "http://h0001.test/unknown", "state": "failed", "cause": "internal"}
    assert judge(manifest, log, [*export, unknown]).internal == [export[3]["key_form"], unknown["key_form"]]
