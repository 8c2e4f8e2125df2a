"""A Scrapy spider for the shop of the synthetic web: what `rules.toml` of `extract.py` does, as its documentation would
write it. It runs in Scrapy's own environment."""

import json

import scrapy


class ShopSpider(scrapy.Spider):
    name = "shop"
    custom_settings = {
        "ROBOTSTXT_OBEY": True,
        "DOWNLOAD_DELAY": 0,
        "CONCURRENT_REQUESTS": 16,
        "CONCURRENT_REQUESTS_PER_DOMAIN": 16,
        "LOG_LEVEL": "WARNING",
        "COOKIES_ENABLED": False,
        "DEFAULT_REQUEST_HEADERS": {"Host": "shop.test"},
        "TELNETCONSOLE_ENABLED": False,
    }

    def __init__(self, root, **options):
        super().__init__(**options)
        self.start_urls = [root]

    def parse(self, response):
        for href in response.css("a::attr(href)").getall():
            # The shop names itself; here it is reached by its address.
            yield response.follow(href.replace("http://shop.test/", "/"), self.parse)
        if "/product/" in response.url:
            yield self.read_product(response)

    def read_product(self, response):
        data = json.loads(response.css('script[type="application/ld+json"]::text').get())
        product = next(one for one in data["@graph"] if one["@type"] == "Product")
        return {
            "path": "/product/" + response.url.partition("/product/")[2],
            "title": response.css("main h1::text").get().strip(),
            "price": response.css("main .offer .price::text").get(),
            "ld_title": product["name"],
            "ld_price": float(product["offers"]["price"]),
        }
