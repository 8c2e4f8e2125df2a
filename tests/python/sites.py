"""Sites for crawls that run inside the test."""

from pathlib import Path
from typing import Any

from tests.journeys.scripted_site import Answer, Script, ScriptedSite

HOST = "http://shop.test"


def make_chain(pages: int) -> Script:
    """A site of `pages` pages with different texts: the first links to all others."""
    script: Script = {f"/{number}": make_page(f"item number {number}", "/") for number in range(1, pages)}
    script["/"] = make_page("all items", *script)
    return script


def make_page(text: str, *links: str) -> Answer:
    anchors = "".join(f'<a href="{link}">{link}</a> ' for link in links)
    return Answer(f"<html><head><title>{text}</title></head><body><p>{text}</p>{anchors}</body></html>")


def make_options(site: ScriptedSite, into: Path, **more: Any) -> dict[str, Any]:
    return {"into": into, "delay": 0, "resolve": f"*.test=127.0.0.1:{site.port}"} | more
