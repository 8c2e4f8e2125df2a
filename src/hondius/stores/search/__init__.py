"""The search index of a crawl (S7): a view of the log that is made of the words of pages, by tantivy.

The index is written by one process at a time and read by any number. It has one document per page, and a *mark*: a
document that says how far the log was read, and by which version of the rules. One commit makes pages and mark visible
together, so they agree even after a kill. If an index has no mark, is of another version, or cannot be opened, the
writer removes it and begins with the first page of the log. A new version of a page replaces the old one, by key.

Hondius splits texts into words itself (`native.split_words`), so that index and query agree in every script. The title
and text of a page are stored in the index, too: results need no other store.

    schema.py       the fields, and the weight of each
    documents.py    pages and marks as documents
    queries.py      a query for tantivy
    opened.py       reads and writes one index
    embedded.py     the index in `search/`
    memory.py       for a crawl in memory

tantivy is imported when an index is opened. It is an optional package: `use/search` says so if it is missing.
"""
