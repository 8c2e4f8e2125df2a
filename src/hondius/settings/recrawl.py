"""The section of recrawls: when pages are fetched again."""

from typing import Annotated, Literal

from msgspec import Meta

from hondius.settings.option import Option
from hondius.settings.value_types import Positive, Section

Interval = Annotated[float, Meta(ge=1, le=10 * 365 * 86_400)]
"""Seconds between two visits."""


class RecrawlSettings(Section, frozen=True):
    """When pages are fetched again (R1, R2). Without a budget, the time until the next visit is halved when a page has
    changed, and doubled when it has not. With a budget, the schedule keeps as many pages fresh as possible."""

    continuous: Annotated[bool, Option("--continuous")] = False
    """Keep running, and fetch pages again when they are due. Without it, `resume` fetches what is due when it starts.
    Not saved."""
    visits_per_day: Annotated[Positive | None, Option("--visits-per-day")] = None
    """The budget: how many pages may be fetched again in a day."""
    schedule: Literal["harmonic", "optimal"] = "harmonic"
    """How a budget is shared: `optimal` keeps most pages fresh, and gives up pages that change too fast; `harmonic`
    starves no page."""
    shortest: Interval = 3_600.0
    """Seconds; no page is due again earlier."""
    longest: Interval = 60 * 86_400.0
    """Seconds; every page is due again by then, as is one that failed."""
    failed: Interval = 86_400.0
    """Seconds until a page is due again that failed for a temporary cause; doubled with each failure."""
    top_pages: Annotated[int, Meta(ge=0, le=2**53)] = 10_000_000
    """With a budget: how many pages of the highest priority must never be older than `top_age`. They come first. At
    most `top_share` of the pages count."""
    top_age: Interval = 86_400.0
    """Seconds; see `top_pages`."""
    top_share: Annotated[float, Meta(ge=0, le=1)] = 0.01
    """The share of all pages that may be top pages. In a small crawl, `top_pages` would be all of them."""
    news: Interval = 6 * 3_600.0
    """Seconds until the second visit of a news article or front page."""
    blog: Interval = 86_400.0
    """The same for a post of a blog, and for a sitemap or feed."""
    wiki: Interval = 7 * 86_400.0
    """The same for a page of a wiki, and for pages of no known class."""
    static: Interval = 28 * 86_400.0
    """The same for a page that hardly changes, such as documentation of an old version."""
    classes: Annotated[tuple[str, ...], Option("--page-class")] = ()
    """Rules that decide the class of a page before all else: `news|blog|wiki|static`, a space, and a regular expression
    that is found in its URL. The first that matches counts."""
