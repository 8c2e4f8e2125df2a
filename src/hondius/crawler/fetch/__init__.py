"""Fetching: a request goes to the engine's threads, an answer comes back to the one who asked.

A ticket is born at `fetch` or `resolve` and dies with its answer, or when the engine has confirmed that it is called
off; answers come in batches, and bodies stay in native memory. `answers.py` says what kind of answer it is.
"""

from hondius.crawler.fetch.answers import PAGE, Answer, classify_answer, make_conditions
from hondius.crawler.fetch.fetcher import AnyEngine, Fetcher, Submission

__all__ = ["PAGE", "Answer", "AnyEngine", "Fetcher", "Submission", "classify_answer", "make_conditions"]
