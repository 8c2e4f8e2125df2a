"""`explain --try`: does now, for one URL, what the crawl would do, and keeps nothing of the answer (O1).

A small crawl of that one URL runs in a place of its own, by the code and the settings of the real crawl. It looks
at what the real crawl knows of hosts, robots.txt, orders and the blacklist, so it waits for the host's turn as a run
does, and asks for a robots.txt that is missing or too old.

The site must not pay for our curiosity: the next run has to know of the request. So the real crawl keeps what
politeness and `audit` need, and nothing else. Its log tells that a run began before anything is sent. Attempt records
are written there at the actual send, and survive `kill -9`. The robots.txt that was read and the state of the host go
into its log at the end. Page, links and body are thrown away with the small crawl. Nobody else may be contacting hosts
meanwhile: the caller holds the crawl's lock.

    place.py    where the small crawl lies, and what it sees of the real one
    trial.py    runs it
"""

from hondius.use.trial.trial import TRIED, try_url

__all__ = ["TRIED", "try_url"]
