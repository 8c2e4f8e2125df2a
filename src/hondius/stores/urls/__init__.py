"""Seen and queued URLs: a view of the log, written in Rust (`native/src/url_store`).

embedded.py    opens the store of a crawl directory, and translates its errors
opening.py     the same, for any number of partitions
partitioned.py combines several stores, one for each partition of the log
"""
