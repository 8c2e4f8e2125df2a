"""Makes a plan from a seed: hosts, their pages and scenarios. The same seed gives the same plan on every machine."""

from collections import deque
from random import Random

import msgspec

from hondius.testweb.media import plan_media
from hondius.testweb.model import Host, Labelled, Link, Product, Resource, RobotsMode, SitemapMode, Web
from hondius.testweb.robots import plan_robots
from hondius.testweb.scenarios import ALL_SCENARIOS, Scenario
from hondius.testweb.shop import make_shop_host, plan_shop
from hondius.testweb.site import Site
from hondius.testweb.sitemaps import plan_sitemaps
from hondius.testweb.topics import HOSTS, make_topic_host, plan_topics
from hondius.testweb.words import LANGUAGES

SCENARIOS_PER_HOST = 10
HOSTS_PER_PARENT = 4


class Size(msgspec.Struct, frozen=True):
    """Everything that determines a plan."""

    hosts: int
    pages_per_host: int
    seed: int
    unreachable_robots_hosts: int = 0
    slowest: float = 1.5
    """Seconds that the slowest answers take."""
    products: int = 0
    """Products of a shop on a host of its own; 0: there is no shop."""
    topic_pages: int = 0
    """Pages with topics, on hosts of their own."""


def plan_web(size: Size) -> Web:
    random = Random(f"hosts/{size.seed}")
    hosts = [_make_host(number, random, size) for number in range(1, size.hosts + 1)]
    reachable: list[Site] = []
    sites = [Site(host, Random(f"site/{size.seed}/{host.name}"), reachable, size.slowest) for host in hosts]
    reachable += [site for site in sites if site.host.robots is not RobotsMode.UNREACHABLE]
    for site in sites:
        for _ in range(size.pages_per_host):
            site.add_page()
        plan_media(site)
    _link_hosts(sites)
    _assign_scenarios(reachable, Random(f"deck/{size.seed}"))
    pages = tuple(tuple(site.pages) for site in sites)
    products: list[Product] = []
    if size.products:
        shop = make_shop_host(size.hosts + 1, make_address(size.hosts + 1))
        sites.append(Site(shop, Random(f"shop/{size.seed}"), [], size.slowest))
        products = plan_shop(sites[-1], size.products)
    labelled: list[Labelled] = []
    if size.topic_pages:
        libraries = _make_topic_sites(len(sites), size)
        labelled = plan_topics(libraries, size.topic_pages)
        sites += libraries
    for site in sites:
        plan_robots(site, plan_sitemaps(site))
    return _freeze(sites, pages, products, labelled, size.seed)


def _make_host(number: int, random: Random, size: Size) -> Host:
    """The first two hosts differ in everything that matters, so that even a small web covers it all."""
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
    return Host(number, f"h{number:04}.test", scheme, make_address(number), language, robots, sitemap)


def _make_topic_sites(before: int, size: Size) -> list[Site]:
    numbers = range(before + 1, before + 1 + min(HOSTS, size.topic_pages))
    hosts = [make_topic_host(number, make_address(number), count) for count, number in enumerate(numbers, start=1)]
    return [Site(host, Random(f"topics/{size.seed}/{host.name}"), [], size.slowest) for host in hosts]


def make_address(number: int) -> str:
    """127.1.0.1 and following, without those that end in 0 or 255."""
    block, last = divmod(number - 1, 254)
    return f"127.{1 + block // 256}.{block % 256}.{last + 1}"


def _link_hosts(sites: list[Site]) -> None:
    """Links every root from the root of an earlier host, so that one seed is enough to find all hosts."""
    for at, site in enumerate(sites[1:]):
        sites[at // HOSTS_PER_PARENT].link(sites[at // HOSTS_PER_PARENT].pages[0], site.pages[0])


def _assign_scenarios(sites: list[Site], random: Random) -> None:
    """Draws scenarios from a list that is shuffled again when it is used up, so that about ten hosts have them all."""
    remaining: deque[Scenario] = deque()
    for site in sites:
        held: set[str] = set()
        passed: list[Scenario] = []
        while len(held) < SCENARIOS_PER_HOST and len(passed) < len(ALL_SCENARIOS):
            if not remaining:
                remaining.extend(random.sample(ALL_SCENARIOS, len(ALL_SCENARIOS)))
            scenario = remaining.popleft()
            if scenario.name in held or not scenario.suits(site):
                passed.append(scenario)
                continue
            scenario.apply(site)
            held.add(scenario.name)
        remaining.extendleft(reversed(passed))


def _freeze(
    sites: list[Site],
    pages: tuple[tuple[Resource, ...], ...],
    products: list[Product],
    labelled: list[Labelled],
    seed: int,
) -> Web:
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
        pages=pages,
        resources=resources,
        targets=targets,
        links={source: tuple(added) for source, added in links.items()},
        products=tuple(products),
        labelled=tuple(labelled),
    )
