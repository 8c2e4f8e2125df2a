"""Everything that is known of one URL, and what would become of it (O5).

The catalog tells how it ended and the log how it was found; the URL store, where no running crawl has it open, tells
whether it waits. Verdicts are not remembered but asked for again, of the code that a crawl asks: identity, scope,
traps, robots.txt, delay. So what is told here is what the crawl would do now, beside what it did then.

    explanation.py    what is told
    identity.py       from the text to the key, step by step
    discovery.py      from the URL back to its seed
    verdicts.py       scope, traps, blacklist, robots.txt
    budget.py         what its host and domain have brought, and may
    trace.py          what the log has of a key
    waiting.py        the URL store, the host's clock, requests under way
    links.py          where it was found, what was found on it
    past.py           the same questions, asked of the log as it was at a time
    ending.py         how it ended, and what was requested
    explain.py        puts them together
"""

from hondius.use.explain.explain import explain_url
from hondius.use.explain.explanation import Explanation

__all__ = ["Explanation", "explain_url"]
