"""Describes why a URL was refused, with the limit that was in force."""

from collections.abc import Mapping

from hondius.settings import KNOWN_HOSTS, Settings


def describe_limits(settings: Settings) -> Mapping[str, str]:
    """By cause. Stored with each refusal, because the limit may change later."""
    scope, traps = settings.scope, settings.traps
    return {
        "too_long": f"more than {traps.max_url_length:,} characters",
        "too_many_segments": f"more than {traps.max_segments:,} path segments",
        "repeated_segments": f"the same path segments {traps.max_repeats:,} times in a row",
        "too_many_parameters": f"more than {traps.max_parameters:,} query parameters",
        "future_date": f"a date more than {traps.max_years_ahead:,} years ahead",
        "shape": f"its host has {traps.max_urls_per_shape:,} URLs of this shape already "
        f"({scope.max_pages_per_host:,} of a sitemap)",
        "discovery_rate": f"its host brought more than {traps.max_new_per_minute:,} new URLs in a minute, and "
        f"{scope.max_pages_per_host:,} in all",
        "no_novelty": f"the last {traps.stale_fetches:,} fetches of this shape, or of URLs that differ "
        "in only one part, brought nothing new",
        "hosts_per_domain": f"{KNOWN_HOSTS * scope.max_hosts_per_domain:,} host names of its domain are known already",
        "too_many_sitemaps": f"its host has {traps.max_sitemaps_per_host:,} sitemap files already",
        "foreign_sitemaps": "it named sitemaps of other registrable domains: ten of a file are read, and "
        f"{traps.max_foreign_sitemaps_per_host:,} of a host",
    }
