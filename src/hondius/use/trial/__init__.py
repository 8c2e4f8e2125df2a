"""`explain --try`: does now, for one URL, what the crawl would do, without saving the answer (O1).

A small crawl of that URL runs in a temporary place, with the code and settings of the real crawl. It reads the hosts,
robots.txt copies, orders and blacklist of the real crawl. So it waits for the host's delay as a run does, and fetches
robots.txt if that is missing or expired.

The next run must know of the request, or it could contact the host too soon. So the real crawl records what politeness
and `audit` need: the start of a run, before anything is sent; attempt records at the actual send, which survive
`kill -9`; and at the end the robots.txt and the state of the host. Page, links and body are discarded with the small
crawl. No other process may contact hosts in the meantime: the caller must hold the lock of the crawl.

    place.py    the place of the small crawl, and what it reads of the real one
    trial.py    runs it
"""

from hondius.use.trial.trial import TRIAL_ENDED, try_url

__all__ = ["TRIAL_ENDED", "try_url"]
