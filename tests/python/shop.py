"""A small crawl of a shop, in every world, for the tests of this room."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.journeys.scripted_site import Answer, Script
from tests.use.worlds import WORLDS, crawl_in_process, new_place

PRODUCT = """<html lang="en-GB"><head><title>Red shoes</title><meta name="description" content="Shoes that are red.">
<meta property="og:title" content="Red"><script type="application/ld+json">
{"@graph": [{"@type": "Organization", "name": "Shop"}, {"@type": ["Product", "Thing"], "name": "Red shoes"}]}</script>
</head><body><nav><a href="/">Home</a></nav><main><h1>Red shoes</h1>
<p>These shoes are red, and they are made of leather that was tanned with great care in a small town.</p>
<p>They come in all sizes, and they last for many years if they are cleaned and polished every week.</p>
<ul><li>leather</li><li>red</li></ul><a href="http://elsewhere.test/" rel="nofollow">the maker</a></main></body>
</html>"""
GERMAN = '<html lang="de"><title>Schuhe</title><p>Diese Schuhe sind blau und aus Leder, sehr gut und billig.</html>'
HIDDEN = '<meta name="robots" content="noindex"><title>Secret</title>nothing to see'
SITE: Script = {
    "/": Answer.page("/red", "/red-copy", "/blue", "/hidden", "/moved", "/gone"),
    "/red": Answer(PRODUCT, headers=(("Content-Type", "text/html; charset=utf-8"), ("X-Shop", "yes"), ("X-Shop", "2"))),
    "/red-copy": Answer(PRODUCT),
    "/blue": Answer(GERMAN),
    "/hidden": Answer(HIDDEN),
    "/moved": Answer.redirect("/blue"),
}
HOME, RED, COPY, BLUE = (f"http://a.test{path}" for path in ("/", "/red", "/red-copy", "/blue"))
HIDDEN_URL, MOVED, GONE = (f"http://a.test{path}" for path in ("/hidden", "/moved", "/gone"))


@pytest.fixture(scope="module", params=WORLDS)
def shop(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Shared by the tests of a module, which leave it as it is."""
    with new_place(request.param, tmp_path_factory.mktemp("shop")) as name:
        crawl_in_process(name, SITE)
        yield name
