"""The manifest: the expected result of a crawl of this web."""

from pathlib import Path

import msgspec

from hondius.testweb.model import Expected, Labelled, Product, Resource, RobotsMode, Web

FORMAT = 1


class ResourceRow(msgspec.Struct, frozen=True):
    """One row for each key form, independent of the order of a crawl."""

    key_form: str
    resource: str
    """Its name in the access log."""
    kind: str
    state: str
    cause: str
    min_requests: int
    max_requests: int
    redirect_to: str | None
    copy_of: str | None


class RobotsRow(msgspec.Struct, frozen=True):
    """A URL that is requested for the rules of an origin, not as a resource of the crawl."""

    origin: str
    url: str
    resource: str
    min_requests: int = 1
    max_requests: int | None = 2


class Manifest(msgspec.Struct, frozen=True):
    format: int
    seed: int
    hosts: int
    pages_per_host: int
    seeds: list[str]
    resources: list[ResourceRow]
    robots: list[RobotsRow]
    forbidden: list[str]
    products: list[Product] = []
    """What the pages of the shop say, if there is one."""
    labelled: list[Labelled] = []
    """The topics of pages that have one."""


def make_manifest(web: Web) -> Manifest:
    resources = web.resources.values()
    return Manifest(
        format=FORMAT,
        seed=web.seed,
        hosts=len(web.pages),
        pages_per_host=len(web.pages[0]),
        seeds=web.seeds,
        resources=[_make_row(resource, expected) for resource in resources if (expected := _find_expected(resource))],
        robots=[_make_robots_row(resource) for resource in resources if resource.kind == "robots"],
        forbidden=[
            href for resource in resources if _is_forbidden(resource) for href in resource.hrefs or (resource.key_form,)
        ],
        products=list(web.products),
        labelled=list(web.labelled),
    )


def write_manifest(manifest: Manifest, path: Path) -> None:
    path.write_bytes(msgspec.json.format(msgspec.json.encode(manifest), indent=1))


def read_manifest(path: Path) -> Manifest:
    return msgspec.json.decode(path.read_bytes(), type=Manifest)


def _find_expected(resource: Resource) -> Expected | None:
    """None for URLs whose robots.txt cannot be fetched: they wait forever and never end (F7)."""
    return None if resource.host.robots is RobotsMode.UNREACHABLE else resource.expected


def _is_forbidden(resource: Resource) -> bool:
    expected = _find_expected(resource)
    return resource.kind != "robots" and (expected is None or expected.requests == 0)


def _make_row(resource: Resource, expected: Expected) -> ResourceRow:
    return ResourceRow(
        key_form=resource.key_form,
        resource=resource.id,
        kind=resource.kind,
        state=expected.state,
        cause=expected.cause,
        min_requests=expected.requests,
        max_requests=expected.requests,
        redirect_to=expected.redirect_to,
        copy_of=expected.copy_of,
    )


def _make_robots_row(resource: Resource) -> RobotsRow:
    patience = None if resource.host.robots is RobotsMode.UNREACHABLE else 2
    return RobotsRow(resource.host.origin, resource.key_form, resource.id, max_requests=patience)
