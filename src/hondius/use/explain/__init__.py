"""Explains everything known about one URL, and what would happen to it (O5).

The catalog says how it ended, and the log how it was found. The URL store, unless a running crawl has it open, says
whether it is queued. Verdicts on identity, scope, traps, robots.txt and delay are computed again by the code of the
crawler. So the explanation shows both what the crawl did and what it would do now.

    explanation.py    the result: everything that is explained
    identity.py       from the text to the key, step by step
    discovery.py      from the URL back to its seed
    verdicts.py       scope, traps, blacklist, robots.txt
    budget.py         counts and limits of its host and domain
    trace.py          what the log knows of a key
    waiting.py        URL store, delay of the host, requests in progress
    links.py          where it was found, and what was found on it
    past_state.py     the state of the crawl at an earlier time
    ending.py         how it ended, and its requests
    explain.py        combines all of these
"""

from hondius.use.explain.explain import explain_url
from hondius.use.explain.explanation import Explanation

__all__ = ["Explanation", "explain_url"]
