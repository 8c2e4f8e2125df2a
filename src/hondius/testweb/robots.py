"""Writes the robots.txt of a host: the rules of its scenarios, as untidy as real files are (B1)."""

from hondius.testweb.model import Answer, Content, RobotsMode
from hondius.testweb.site import Site

MOVED_TO = "/policy/robots.txt"


def plan_robots(site: Site, sitemaps: list[str]) -> None:
    """Adds /robots.txt, and the target of its redirect."""
    text = Answer(content=Content.ROBOTS, media_type="text/plain", text=_write_text(site, sitemaps))
    if site.host.robots is RobotsMode.PLAIN:
        site.add("robots", "/robots.txt", text, None)
    elif site.host.robots is RobotsMode.REDIRECTED:
        site.add("robots", "/robots.txt", Answer(status=301, content=Content.NOTICE, location=MOVED_TO), None)
        site.add("robots", MOVED_TO, text, None)
    else:
        status = 404 if site.host.robots is RobotsMode.ABSENT else 503
        site.add("robots", "/robots.txt", Answer(status=status, content=Content.NOTICE), None)


def _write_text(site: Site, sitemaps: list[str]) -> str:
    lines = [
        f"# {site.host.name}: please be gentle",
        *_write_groups(site),
        "",
        *(f"Sitemap: {href}" for href in sitemaps),
    ]
    byte_order_mark = "\ufeff" if site.random.random() < 0.1 else ""
    return byte_order_mark + site.random.choice(("\n", "\n", "\r\n")).join([*lines, ""])


def _write_groups(site: Site) -> list[str]:
    delay = ["Crawl-delay: 0.5"] if site.random.random() < 0.3 else []
    everybody = ["User-agent: *", *(site.rules + site.foreign_rules or ["Disallow:"]), *delay]
    others = ["", "User-agent: ExampleBot", "User-agent: OtherBot", "Disallow: /", "this line means nothing", ""]
    if not site.own_rules:
        return [*others, *everybody]
    first = ["", "user-agent:hondius  # the same rules", *(site.rules or ["Disallow:"]), *delay]
    second = ["", "User-Agent: HONDIUS", *site.own_rules]
    return [*everybody, *first, *others, *second]
