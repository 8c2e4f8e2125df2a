"""From a seed to a web: hosts, their pages, the cards dealt to them. The same seed gives the same plan everywhere."""

from collections import deque
from random import Random

import msgspec

from hondius.testweb.cards import DECK, Card
from hondius.testweb.media import plan_media
from hondius.testweb.model import Host, Link, Resource, RobotsMode, SitemapMode, Web
from hondius.testweb.robots import plan_robots
from hondius.testweb.site import Site
from hondius.testweb.sitemaps import plan_sitemaps
from hondius.testweb.words import LANGUAGES

CARDS_A_HOST = 10
HOSTS_A_PARENT = 4


class Size(msgspec.Struct, frozen=True):
    """All that a plan depends on."""

    hosts: int
    pages_per_host: int
    seed: int
    unreachable_robots_hosts: int = 0
    slowest: float = 1.5
    """Seconds that the slowest answers take."""


def plan_web(size: Size) -> Web:
    random = Random(f"hosts/{size.seed}")
    hosts = [_host(number, random, size) for number in range(1, size.hosts + 1)]
    reachable: list[Site] = []
    sites = [Site(host, Random(f"site/{size.seed}/{host.name}"), reachable, size.slowest) for host in hosts]
    reachable += [site for site in sites if site.host.robots is not RobotsMode.UNREACHABLE]
    for site in sites:
        for _ in range(size.pages_per_host):
            site.add_page()
        plan_media(site)
    _link_hosts(sites)
    _deal(reachable, Random(f"deck/{size.seed}"))
    for site in sites:
        plan_robots(site, plan_sitemaps(site))
    return _freeze(sites, size.seed)


def _host(number: int, random: Random, size: Size) -> Host:
    """The first two differ in all that matters, so that the smallest web has a bit of everything."""
    robots = random.choices(list(RobotsMode)[:3], (70, 20, 10))[0]
    sitemap = random.choice(list(SitemapMode))
    if robots is RobotsMode.ABSENT and sitemap is SitemapMode.NAMED:
        sitemap = SitemapMode.DEFAULT
    scheme = "https" if random.random() < 0.25 else "http"
    if number <= 2:
        scheme, robots, sitemap = (
            ("http", RobotsMode.PLAIN, SitemapMode.NAMED) if number == 1 else ("https", robots, sitemap)
        )
    if number > max(1, size.hosts - size.unreachable_robots_hosts):
        robots, sitemap = RobotsMode.UNREACHABLE, SitemapMode.ABSENT
    language = random.choice(LANGUAGES).code
    return Host(number, f"h{number:04}.test", scheme, address_of(number), language, robots, sitemap)


def address_of(number: int) -> str:
    """127.1.0.1 and on, none ending in 0 or 255."""
    block, last = divmod(number - 1, 254)
    return f"127.{1 + block // 256}.{block % 256}.{last + 1}"


def _link_hosts(sites: list[Site]) -> None:
    """Every root is linked from the root of an earlier host: one seed is enough to find them all."""
    for at, site in enumerate(sites[1:]):
        sites[at // HOSTS_A_PARENT].link(sites[at // HOSTS_A_PARENT].pages[0], site.pages[0])


def _deal(sites: list[Site], random: Random) -> None:
    """Cards are dealt from a deck that is shuffled anew when it is used up: ten hosts or so hold them all."""
    deck: deque[Card] = deque()
    for site in sites:
        held: set[str] = set()
        passed: list[Card] = []
        while len(held) < CARDS_A_HOST and len(passed) < len(DECK):
            if not deck:
                deck.extend(random.sample(DECK, len(DECK)))
            card = deck.popleft()
            if card.name in held or not card.suits(site):
                passed.append(card)
                continue
            card.deal(site)
            held.add(card.name)
        deck.extendleft(reversed(passed))


def _freeze(sites: list[Site], seed: int) -> Web:
    resources: dict[str, Resource] = {}
    targets: dict[str, dict[str, Resource]] = {}
    links: dict[str, list[Link]] = {}
    for site in sites:
        resources |= {resource.id: resource for resource in site.resources}
        targets[site.host.name] = {resource.target: resource for resource in site.resources}
        for source, added in site.links.items():
            links.setdefault(source, []).extend(added)
    return Web(
        seed=seed,
        hosts=tuple(site.host for site in sites),
        pages=tuple(tuple(site.pages) for site in sites),
        resources=resources,
        targets=targets,
        links={source: tuple(added) for source, added in links.items()},
    )
