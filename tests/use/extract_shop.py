"""A small shop for the tests of extraction: two products, a copy, a list, a page that asks not to be indexed."""

from tests.journeys.scripted_site import Answer, Script

HOME, RED, BLUE, COPY, HIDDEN = (f"http://a.test/{path}" for path in ("", "p/red", "p/blue", "p/copy", "p/hidden"))


def make_product(title: str, price: str, amount: str, stock: str = "") -> str:
    data = (
        f'{{"@type": "Product", "name": "{title}", "offers": {{"price": "{amount}", "priceCurrency": "EUR"}},'
        ' "releaseDate": "2026-11-18"}'
    )
    return (
        f'<html lang="en"><script type="application/ld+json">{data}</script><body><h1>{title}</h1>'
        f'<span class="price">{price}</span><a class="more" href="../about">More</a>{stock}<i>a</i><i>b</i></html>'
    )


RED_PAGE = make_product("=Red shoes", "1.299,00 €", "1299.00", '<p class="stock">3 left</p>')
LIST = """<h1>All</h1><ul><li data-id="1"><a href="/p/red">Red</a> <b>1.299,00 €</b></li>
<li data-id="2"><a href="/p/blue">Blue</a> <b>ask</b></li><li><hr></li></ul>"""
SITE: Script = {
    "/": Answer.page("/p/red", "/p/blue", "/p/copy", "/p/hidden", "/list", "/about"),
    "/p/red": Answer(RED_PAGE),
    "/p/blue": Answer(make_product("Blue shoes", "£12.50", "12.50")),
    "/p/copy": Answer(RED_PAGE),
    "/p/hidden": Answer('<meta name="robots" content="noindex">' + make_product("Secret", "1", "1")),
    "/list": Answer(LIST),
    "/about": Answer("<p>Nothing is sold here.</p>"),
}
RULES = {
    "match": "/p/",
    "fields": {
        "title": "h1",
        "price": {"css": ".price", "type": "price"},
        "currency": {"css": ".price", "type": "currency"},
        "offer": {"json_ld": "Product.offers.price", "type": "number"},
        "released": {"json_ld": "Product.releaseDate", "type": "date"},
        "stock": {"css": ".stock", "regex": "([0-9]+) left", "type": "integer"},
        "more": {"css": "a.more", "attr": "href", "type": "url"},
        "letters": {"css": "i", "all": True},
        "has_stock": {"css": ".stock", "type": "exists"},
    },
}
