"""Finds secrets in the settings (values of headers, credentials of proxies), and removes them from texts."""

from collections.abc import Sequence

from hondius.settings import FetchSettings

HIDDEN = "[secret]"
SHORTEST = 4
"""A shorter value is not a secret, and hiding it would hide half of every line."""


def find_secrets(settings: FetchSettings) -> tuple[str, ...]:
    """Longest first: a secret may contain another."""
    values = [header.partition("|")[2].partition(":")[2] or header.partition(":")[2] for header in settings.headers]
    for proxy in settings.proxies:
        user = proxy.rpartition("@")[0].rpartition("//")[2]
        values += [user, user.partition(":")[2]]
    found = {part for value in values for part in (value.strip(), *value.split())}
    return tuple(sorted((part for part in found if len(part) >= SHORTEST), key=len, reverse=True))


def hide_secrets(text: str, secrets: Sequence[str]) -> str:
    for secret in secrets:
        text = text.replace(secret, HIDDEN)
    return text
