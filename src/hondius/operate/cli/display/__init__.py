"""Output for people: progress while a crawl runs, the summary at its end, explanations.

`use/causes.py` has the words for causes.
"""
