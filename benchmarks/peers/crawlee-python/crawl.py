"""Follows every link to the hosts of the site, and keeps what a page is called and links to."""

import asyncio
import logging
import sys
from pathlib import Path

from crawlee import ConcurrencySettings, service_locator
from crawlee.configuration import Configuration
from crawlee.crawlers import ParselCrawler, ParselCrawlingContext
from crawlee.http_clients import ImpitHttpClient
from crawlee.storage_clients import MemoryStorageClient


async def main(seeds: list[str], concurrency: int, output: Path) -> None:
    service_locator.set_configuration(Configuration(log_level="WARNING"))
    crawler = ParselCrawler(
        concurrency_settings=ConcurrencySettings(
            min_concurrency=concurrency, max_concurrency=concurrency, desired_concurrency=concurrency
        ),
        http_client=ImpitHttpClient(persist_cookies_per_session=False, verify=False),
        respect_robots_txt_file=True,
        storage_client=MemoryStorageClient(),
        use_session_pool=False,
        max_request_retries=0,
    )

    @crawler.router.default_handler
    async def keep(context: ParselCrawlingContext) -> None:
        """The links are found once, for the item and to be followed; `enqueue_links` would find them again."""
        links = {request.url for request in await context.extract_links(strategy="all")}
        title = context.selector.css("title::text").get()
        await context.push_data({"url": context.request.url, "title": title, "links": list(links)})
        await context.add_requests([link for link in links if "://127.20." in link])

    await crawler.run(seeds)
    await crawler.export_data(output)


if __name__ == "__main__":
    logging.getLogger().setLevel(logging.WARNING)
    asyncio.run(main(Path(sys.argv[1]).read_text().split(), int(sys.argv[2]), Path(sys.argv[3])))
