"""Seen and queued URLs: a view of the log, written in Rust (`native/src/url_store`).

embedded.py    opens the one in the crawl directory, and says what an error means for the crawl
opening.py     the same, however many partitions the log has
partitioned.py several of them as one: one for each partition of the log
"""
