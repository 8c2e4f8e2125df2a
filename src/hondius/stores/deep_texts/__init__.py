"""Results of the deep pass over pages: a cache, which may be lost or deleted at any time.

A result is stored under the key of its page, with the hash of the content and the version of the rules that it was made
by. If either differs, it is made again and replaced.

    embedded.py    an SQLite file, `deep-texts.db`
    memory.py      for a crawl in memory
    packing.py     a result as compressed bytes
"""
