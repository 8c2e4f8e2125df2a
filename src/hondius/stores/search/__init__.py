"""The search index of a crawl (S7): a view of the log that is made of the words of pages, by tantivy.

The index is written by one process at a time and read by any number. A commit makes pages and a *mark* visible
together: the mark is a document of its own that says how far the log was read, and by which version of the rules. So
pages and position cannot disagree, wherever a kill comes. An index without a mark, of another version, or that cannot
be opened is none: the writer begins again with the first page. Pages are replaced by key.

tantivy gets words that are split already (`native.split_words`), so that index and query agree in every script. The
page itself is stored beside them: results need no other store.

    schema.py       the fields, and the weight of each
    documents.py    pages and marks as documents
    queries.py      a query for tantivy
    opened.py       reads and writes one index
    embedded.py     the index in `search/`
    memory.py       for a crawl in memory

tantivy is imported when an index is opened. It is an optional package: `use/search` says so if it is missing.
"""
