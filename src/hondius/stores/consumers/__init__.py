"""How far named consumers have read the log.

A consumer is created by its first `save`, moves on with each later one, and ends when it is removed. The log knows
nothing of it.

    files.py     one file each, in `consumers/`
    memory.py    for a crawl in memory
"""
