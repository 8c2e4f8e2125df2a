"""The page: decides which of its links are followed, and what is recorded of it.

The engine's threads have analysed the body. Here a `Finished` event is created for every URL that ends, however it
ends.
"""

from hondius.crawler.page.focus import Focus, Following
from hondius.crawler.page.judgement import HookFailure, Judgement
from hondius.crawler.page.links import Links
from hondius.crawler.page.policies import Policies
from hondius.crawler.page.previous_visits import PreviousVisit, PreviousVisits
from hondius.crawler.page.ratings import Ratings
from hondius.crawler.page.reading import Reading, Readings
from hondius.crawler.page.record import Recorder
from hondius.crawler.page.refusals import describe_limits

__all__ = [
    "Focus",
    "Following",
    "HookFailure",
    "Judgement",
    "Links",
    "Policies",
    "PreviousVisit",
    "PreviousVisits",
    "Ratings",
    "Reading",
    "Readings",
    "Recorder",
    "describe_limits",
]
