"""Warnings before a crawl starts."""

from collections.abc import Callable, Sequence

import msgspec

from hondius.crawler.seeds import Seed
from hondius.crawler.translation import count_descriptors, fit_to_system, make_policy
from hondius.errors import BadSeed
from hondius.hints import MEDIA_HELP
from hondius.settings import Settings

Say = Callable[[str], None]
"""Tells the user one message."""
SHOWN = 5
REASONS = {
    "excluded": "--exclude matches it",
    "extension": "files of this kind are not crawled",
    "too_long": "the URL is too long",
}
NOT_PUBLIC = (".test", ".localhost", ".local", ".internal", ".invalid", ".example", ".onion")


def warn_without_contact(settings: Settings, seeds: Sequence[Seed], say: Say) -> None:
    if settings.fetch.contact or settings.fetch.user_agent:
        return
    public = next((seed.url.host for seed in seeds if _is_public(seed.url.host)), None)
    if public is not None:
        say(f"warning: the owner of {public} cannot contact you; set --contact to your mail address or web page")


def warn_of_few_descriptors(settings: Settings, say: Say) -> None:
    wanted, fewer = settings.fetch.concurrency, fit_to_system(settings).fetch.concurrency
    if fewer < wanted:
        say(
            f"warning: the open-file limit of this system allows {fewer:,} requests at once, not {wanted:,}: "
            f"`ulimit -n {count_descriptors(wanted)}` raises it"
        )


def check_seeds(settings: Settings, seeds: Sequence[Seed], say: Say, *, are_all: bool) -> None:
    """Reports seeds that the settings refuse: otherwise they would be skipped silently."""
    policy = make_policy(settings)
    for seed in seeds:
        policy.extend(seed.url.href)
    refused = [(seed.url.href, reason) for seed in seeds if (reason := policy.judge(seed.url.href, is_seed=True))]
    if refused and are_all and len(refused) == len(seeds):
        href, reason = refused[0]
        remedy = "change the seed or the option"
        if reason == "extension" and _is_media(href, settings):
            remedy = MEDIA_HELP
        raise BadSeed(f"{href} would be refused ({REASONS.get(reason, reason)}): {remedy}")
    for href, reason in refused[:SHOWN]:
        say(f"warning: seed {href} is skipped ({REASONS.get(reason, reason)})")


def _is_public(host: str) -> bool:
    if host.startswith("[") or host.replace(".", "").isdigit():
        return not host.startswith(("127.", "10.", "192.168.", "[::1]", "[f"))
    return "." in host and not host.endswith(NOT_PUBLIC)


def _is_media(href: str, settings: Settings) -> bool:
    """True if `scope.media` or `scope.scripts` would admit it."""
    scope = msgspec.structs.replace(settings.scope, media=True, scripts=True)
    policy = make_policy(msgspec.structs.replace(settings, scope=scope))
    policy.extend(href)
    return policy.judge(href, is_seed=True) != "extension"
