"""Checks a crawl after its last life. Each judge yields one line for each violation.

Judges compare what the servers saw with what the log says. They never ask the crawler.

    politeness.py   gaps, by host and by address; operators' orders
    obedience.py    robots.txt
    ends.py         every URL ends in the expected state; none is lost, none fetched needlessly
    depth.py        with a depth limit, the requested pages are those of a breadth-first search
    fairness.py     no host starves; the better class goes first
    auditor.py      `hondius audit` agrees
    storage.py      log, views and archive agree; a rebuild gives the same
"""
