"""What a polite crawler should be told before it starts (P6)."""

import sys
from collections.abc import Sequence

from hondius.crawler.seeds import Seed
from hondius.settings import Settings

NOT_PUBLIC = (".test", ".localhost", ".local", ".internal", ".invalid", ".example", ".onion")


def warn_without_contact(settings: Settings, seeds: Sequence[Seed]) -> None:
    if settings.fetch.contact or settings.fetch.user_agent:
        return
    public = next((seed.url.host for seed in seeds if _is_public(seed.url.host)), None)
    if public is not None:
        print(
            f"hondius: warning: {public} will not know whom to write to; "
            "set --contact to an address or a page of yours",
            file=sys.stderr,
        )


def _is_public(host: str) -> bool:
    if host.startswith("[") or host.replace(".", "").isdigit():
        return not host.startswith(("127.", "10.", "192.168.", "[::1]", "[f"))
    return "." in host and not host.endswith(NOT_PUBLIC)
