"""Chooses the pages that a page links to, and writes the links (U1, D3)."""

import re
from html import escape
from random import Random

from hondius.testweb.model import Link, Resource, Web
from hondius.testweb.variants import write_variant

SHARE_INSIDE = 0.65
"""The share of links that stay on their host."""

_SAFE_WITHOUT_QUOTES = re.compile(r"[A-Za-z0-9/:._~%-]*[A-Za-z0-9]")


class LinkWriter:
    def __init__(self, web: Web) -> None:
        self._web = web

    def choose_page(self, random: Random, host_number: int) -> Resource:
        """A page of the same or another host. A few pages are linked often, most rarely."""
        if random.random() >= SHARE_INSIDE:
            host_number = 1 + int(len(self._web.hosts) * random.random() ** 3)
        pages = self._web.pages[host_number - 1]
        return pages[int(len(pages) * random.random() ** 2)]

    def write_planned(self, link: Link, base: Resource, random: Random, *, absolute: bool) -> str:
        if link.href is not None:
            return link.href
        return self.write(self._web.resources[link.to], base, random, absolute=absolute)

    def write(self, to: Resource, base: Resource, random: Random, *, absolute: bool) -> str:
        """A random spelling of `to` in a page with that base URL, always with the same meaning."""
        dressed = write_variant(to.target, random)
        choice = random.random()
        if absolute or (to.host is not base.host and (choice < 0.75 or to.host.scheme != base.host.scheme)):
            return to.host.origin + dressed
        if to.host is not base.host:
            return _spell_differently(to, dressed, choice)
        if choice < 0.45:
            return dressed
        if choice < 0.70:
            return make_relative(base.target, dressed)
        if choice < 0.90:
            return to.host.origin + dressed
        return _spell_differently(to, dressed, choice)


def _spell_differently(to: Resource, dressed: str, choice: float) -> str:
    """An unusual absolute spelling. The last kind omits the scheme, so the base must have the same."""
    spelling = int(choice * 1000) % 4
    if spelling == 0:
        return f"{to.host.scheme.upper()}://{to.host.name.upper()}{dressed}"
    if spelling == 1:
        return f"{to.host.origin}:{443 if to.host.scheme == 'https' else 80}{dressed}"
    if spelling == 2:
        return f"{to.host.origin}/detour/..{dressed}"
    return f"//{to.host.name}{dressed}"


def make_relative(base: str, target: str) -> str:
    """`target` as seen from `base`; both are paths, with or without a query."""
    here = base.partition("?")[0].split("/")[1:-1]
    path, mark, rest = _split_tail(target)
    there = path.split("/")[1:]
    same = 0
    while same < min(len(here), len(there) - 1) and here[same] == there[same]:
        same += 1
    steps = "../" * (len(here) - same) + "/".join(there[same:])
    return ("./" if not steps or ":" in steps or steps[0] == "/" else "") + steps + mark + rest


def _split_tail(target: str) -> tuple[str, str, str]:
    for at, letter in enumerate(target):
        if letter in "?#":
            return target[:at], letter, target[at + 1 :]
    return target, "", ""


def write_attribute(name: str, value: str, random: Random) -> str:
    """` name="value"`, in any form that browsers accept: quotes of either kind or none, white space, capitals."""
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
