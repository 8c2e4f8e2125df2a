"""The page: which of its links lead on, and what is written down of it.

The bytes were read on the engine's threads; here it is decided what follows from them. A `Finished`
event is born here for every URL that ends, whatever its end.
"""

from hondius.crawler.page.links import Links
from hondius.crawler.page.policies import Policies
from hondius.crawler.page.previous_visits import PreviousVisit, PreviousVisits
from hondius.crawler.page.reading import Reading, Readings
from hondius.crawler.page.record import Recorder
from hondius.crawler.page.refusals import describe_limits

__all__ = ["Links", "Policies", "PreviousVisit", "PreviousVisits", "Reading", "Readings", "Recorder", "describe_limits"]
