"""Fetching: a request goes to the engine's threads, and its answer comes back to the caller.

A ticket is created by `fetch` or `resolve`. It ends with its answer, or when the engine has confirmed the cancellation.
Answers come in batches, and bodies stay in native memory. `answers.py` classifies the answer.
"""

from hondius.crawler.fetch.answers import PAGE, Answer, classify_answer, make_conditions
from hondius.crawler.fetch.fetcher import AnyEngine, Fetcher, Submission

__all__ = ["PAGE", "Answer", "AnyEngine", "Fetcher", "Submission", "classify_answer", "make_conditions"]
