"""Which pages a page links to, and how the links are written (U1, D3)."""

import re
from html import escape
from random import Random

from hondius.testweb.model import Link, Resource, Web
from hondius.testweb.variants import dress

INSIDE = 0.65
"""The share of links that stay on their host."""

_SAFE_WITHOUT_QUOTES = re.compile(r"[A-Za-z0-9/:._~%-]*[A-Za-z0-9]")


class LinkWriter:
    def __init__(self, web: Web) -> None:
        self._web = web

    def some_page(self, random: Random, host_number: int) -> Resource:
        """A page of the same host, or of another one: a few are linked by all, most by hardly anyone."""
        if random.random() >= INSIDE:
            host_number = 1 + int(len(self._web.hosts) * random.random() ** 3)
        pages = self._web.pages[host_number - 1]
        return pages[int(len(pages) * random.random() ** 2)]

    def planned(self, link: Link, base: Resource, random: Random, *, absolute: bool) -> str:
        if link.href is not None:
            return link.href
        return self.written(self._web.resources[link.to], base, random, absolute=absolute)

    def written(self, to: Resource, base: Resource, random: Random, *, absolute: bool) -> str:
        """What a page with that base URL says to mean `to`: free of any choice that changes the meaning."""
        dressed = dress(to.target, random)
        choice = random.random()
        if absolute or (to.host is not base.host and (choice < 0.75 or to.host.scheme != base.host.scheme)):
            return to.host.origin + dressed
        if to.host is not base.host:
            return _spelled_otherwise(to, dressed, choice)
        if choice < 0.45:
            return dressed
        if choice < 0.70:
            return relative(base.target, dressed)
        if choice < 0.90:
            return to.host.origin + dressed
        return _spelled_otherwise(to, dressed, choice)


def _spelled_otherwise(to: Resource, dressed: str, choice: float) -> str:
    """In full, but not as usual. The last way borrows the scheme of the base, which must be the same."""
    spelling = int(choice * 1000) % 4
    if spelling == 0:
        return f"{to.host.scheme.upper()}://{to.host.name.upper()}{dressed}"
    if spelling == 1:
        return f"{to.host.origin}:{443 if to.host.scheme == 'https' else 80}{dressed}"
    if spelling == 2:
        return f"{to.host.origin}/detour/..{dressed}"
    return f"//{to.host.name}{dressed}"


def relative(base: str, target: str) -> str:
    """`target` as seen from `base`; both are paths, with or without a query."""
    here = base.partition("?")[0].split("/")[1:-1]
    path, mark, rest = _without_tail(target)
    there = path.split("/")[1:]
    same = 0
    while same < min(len(here), len(there) - 1) and here[same] == there[same]:
        same += 1
    steps = "../" * (len(here) - same) + "/".join(there[same:])
    return ("./" if not steps or ":" in steps or steps[0] == "/" else "") + steps + mark + rest


def _without_tail(target: str) -> tuple[str, str, str]:
    for at, letter in enumerate(target):
        if letter in "?#":
            return target[:at], letter, target[at + 1 :]
    return target, "", ""


def attribute(name: str, value: str, random: Random) -> str:
    """` name="value"`, as browsers put up with it: quotes of either kind or none, white space, capitals."""
    choice = random.random()
    if choice < 0.80:
        return f' {name}="{escape(value)}"'
    if choice < 0.88:
        return f" {name}='{escape(value)}'"
    if choice < 0.92:
        return f' {name.upper()} = "{escape(value)}"'
    if choice < 0.96:
        return f' {name}="\n  {escape(value)} "'
    return f" {name}={value}" if _SAFE_WITHOUT_QUOTES.fullmatch(value) else f' {name}="{escape(value)}"'
