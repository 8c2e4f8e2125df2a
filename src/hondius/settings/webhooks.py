"""The section of webhooks."""

from typing import Annotated

from msgspec import Meta

from hondius.settings.option import Option
from hondius.settings.value_types import Section

MOST_RECEIVERS = 16


class WebhookSettings(Section, frozen=True):
    """Receivers of changes (R6). Requests are signed with HONDIUS_WEBHOOK_SECRET, which is read from the
    environment."""

    urls: Annotated[tuple[str, ...], Meta(max_length=MOST_RECEIVERS), Option("--webhook")] = ()
    """URLs that get each change of the crawl by POST: pages that are new, have changed, or are gone. A change is sent
    again until its receiver answers with a status from 200 to 299. Addresses in private networks need
    `fetch.allow_private`."""
