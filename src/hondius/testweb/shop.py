"""A shop on a host of its own: shelves that list products, and a page for each product (`--products N`).

Each page says the same twice: in markup for people, with prices as people of several countries write them, and as
JSON-LD. The manifest has what both must yield.
"""

from html import escape
from random import Random
from typing import Final

import msgspec

from hondius.testweb.model import Answer, Content, Host, Product, RobotsMode, SitemapMode
from hondius.testweb.site import Site
from hondius.testweb.words import make_slug

NAME = "shop.test"
PRODUCTS_PER_SHELF = 20
_TITLES: Final = ("{}", "{} & sons", "“{}”", "{} <new>", "=1+1 {}", "{}, größer", "{} — 50 % off", "'{}'")
"""Titles that a careless reader or writer gets wrong."""
_PRICES: Final = (
    ("EUR", "{whole},{cents} €", "."),
    ("USD", "${whole}.{cents}", ","),
    ("CHF", "CHF {whole}.{cents}", "’"),
    ("GBP", "£{whole}.{cents}", ","),
    ("EUR", "€ {whole},{cents}", "\u202f"),
)
"""Currency, form, and what separates thousands."""


def plan_shop(site: Site, count: int) -> list[Product]:
    """Adds the resources of the shop; the first is its root."""
    products = [_make_product(site, number) for number in range(count)]
    shelves = [products[at : at + PRODUCTS_PER_SHELF] for at in range(0, count, PRODUCTS_PER_SHELF)]
    targets = ["/", *(f"/shelf/{number}" for number in range(2, len(shelves) + 1))]
    for number, (target, shelf) in enumerate(zip(targets, shelves, strict=True)):
        following = targets[number + 1] if number + 1 < len(targets) else ""
        site.add("shelf", target, _make_answer(_write_shelf(shelf, following)))
    for product in products:
        target = product.url.removeprefix(site.host.origin)
        site.add("product", target, _make_answer(_write_product(product)))
    return products


def make_shop_host(number: int, address: str) -> Host:
    return Host(number, NAME, "http", address, "en", RobotsMode.PLAIN, SitemapMode.ABSENT)


def _make_answer(text: str) -> Answer:
    return Answer(content=Content.READY, media_type="text/html; charset=utf-8", text=text)


def _make_product(site: Site, number: int) -> Product:
    random = site.random
    slug = make_slug(random, 3)
    cents = random.choice((random.randint(100, 9_999), random.randint(100_000, 999_999_99)))
    return Product(
        url=site.href(f"/product/{slug}-{number}"),
        title=random.choice(_TITLES).format(slug.replace("-", " ").title()),
        price=cents / 100,
        currency=random.choice(_PRICES)[0],
        sku=f"SKU-{number:05}",
        available=random.random() < 0.8,
    )


def write_price(product: Product) -> str:
    """The price as a person would write it; the form depends on the product alone."""
    random = Random(product.sku)
    _, form, separator = random.choice([some for some in _PRICES if some[0] == product.currency])
    whole, cents = divmod(round(product.price * 100), 100)
    return form.format(whole=f"{whole:,}".replace(",", separator), cents=f"{cents:02}")


def _write_product(product: Product) -> str:
    data = {
        "@context": "https://schema.org/",
        "@type": "Product",
        "name": product.title,
        "sku": product.sku,
        "offers": {
            "@type": "Offer",
            "price": f"{product.price:.2f}",
            "priceCurrency": product.currency,
            "availability": f"https://schema.org/{'InStock' if product.available else 'OutOfStock'}",
        },
    }
    json_ld = msgspec.json.encode({"@graph": [{"@type": "WebSite", "name": "Shop"}, data]}).decode()
    json_ld = json_ld.replace("<", "\\u003c")
    stock = '<p class="stock">In stock</p>' if product.available else ""
    return (
        f'<!doctype html>\n<html lang="en"><head><title>{escape(product.title)} | Shop</title>\n'
        f'<script type="application/ld+json">{json_ld}</script></head>\n'
        f'<body><nav><a href="/">Shop</a> <span class="price">Free shipping over 50</span></nav>\n'
        f'<main data-sku="{product.sku}"><h1 class="title">\n  {escape(product.title)}\n</h1>\n'
        f'<div class="offer"><span class="price">{escape(write_price(product))}</span>{stock}</div>\n'
        f"{_write_prose(product)}</main></body></html>\n"
    )


def _write_shelf(products: list[Product], following: str) -> str:
    items = "".join(
        f'<li class="product" data-sku="{product.sku}"><a href="{escape(product.url)}">{escape(product.title)}</a>'
        f'<span class="price">{escape(write_price(product))}</span></li>\n'
        for product in products
    )
    next_page = f'<a rel="next" href="{following}">more</a>' if following else ""
    return (
        '<!doctype html>\n<html lang="en"><head><title>Shop</title></head><body><h1>All products</h1>\n'
        f'<ul class="shelf">\n{items}</ul>{next_page}</body></html>\n'
    )


def _write_prose(product: Product) -> str:
    """Some text, so that a page is as long as that of a small shop."""
    random = Random(f"prose/{product.sku}")
    return "".join(f"<p>{' '.join(make_slug(random, 12).split('-'))}.</p>\n" for _ in range(60))
