"""What must be true of a crawl when its last life has ended. Each judge yields what is not, a line each.

Judged is what the servers saw and what the log says, never what the crawler believes.

    politeness.py   gaps, by host and by address; operators' orders
    obedience.py    robots.txt
    ends.py         every URL ends, as the web knows it must; none is lost, none fetched without need
    depth.py        with a limit on depth, what is asked for is what breadth-first search finds
    fairness.py     no host starves; the better class goes first
    auditor.py      `hondius audit` agrees
    storage.py      log, views and archive agree; a rebuild gives the same
"""
