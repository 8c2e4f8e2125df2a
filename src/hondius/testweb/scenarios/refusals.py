"""URLs that a crawl refuses, by their form (F6, D5) or by their type (H5). Each breaks one rule only."""

from functools import partial

from hondius.testweb.model import Answer, Content, Expected
from hondius.testweb.scenarios.scenario import Scenario
from hondius.testweb.site import Site
from hondius.testweb.words import SLUGS


def _wrong_type(media_type: str, site: Site, kind: str) -> None:
    answer = Answer(content=Content.BINARY, media_type=media_type)
    site.link_from_some_page(site.add(kind, site.make_target("/download/"), answer, Expected("refused", "type")))


def _unseen(site: Site, kind: str, target: str, cause: str) -> None:
    expected = Expected("refused", cause, requests=0)
    site.link_from_some_page(site.add(kind, target, Answer(), expected, (site.href(target),)))


def _extension(extension: str, site: Site, kind: str) -> None:
    _unseen(site, kind, site.make_target("/files/", extension), "extension")


def _long(site: Site, kind: str) -> None:
    letters = "".join(site.random.choices("bcdfghklmnprstvwz", k=2_200))
    _unseen(site, kind, site.make_target("/endless/", letters), "too_long")


def _deep(site: Site, kind: str) -> None:
    _unseen(site, kind, site.make_target("/" + "/".join(site.random.sample(SLUGS, 20)) + "/"), "too_many_segments")


def _repeated(length: int, site: Site, kind: str) -> None:
    group = "/" + "/".join(site.random.sample(SLUGS, length))
    _unseen(site, kind, site.make_target(f"/again{group * 4}/"), "repeated_segments")


def _parameters(site: Site, kind: str) -> None:
    query = "&".join(f"{name}={site.random.randint(1, 99)}" for name in sorted(site.random.sample(SLUGS, 25)))
    _unseen(site, kind, site.make_target("/form/", f"?{query}"), "too_many_parameters")


REFUSALS = (
    Scenario("type_image", partial(_wrong_type, "image/png")),
    Scenario("type_document", partial(_wrong_type, "application/pdf")),
    Scenario("type_octets", partial(_wrong_type, "application/octet-stream")),
    Scenario("type_video", partial(_wrong_type, "video/mp4")),
    *(Scenario(f"extension_{name}", partial(_extension, f".{name}")) for name in ("zip", "exe", "mp4", "jpg")),
    Scenario("too_long", _long),
    Scenario("too_many_segments", _deep),
    Scenario("repeated_segment", partial(_repeated, 1)),
    Scenario("repeated_group", partial(_repeated, 2)),
    Scenario("too_many_parameters", _parameters),
)
