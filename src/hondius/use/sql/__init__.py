"""SQL over a crawl: one SELECT, answered by DuckDB, which sees copies of the tables that the query names.

A query may come from a stranger, or from an assistant that has read strangers' pages. So it is parsed first, by
DuckDB's own parser, and refused unless it is a single SELECT over known tables. Then it runs in a process of its own,
which has no crawl: it gets the tables as Arrow through a pipe, and returns rows the same way. That process has caps of
memory, time and result size, and its DuckDB can open no file (decision 0030).

    tables.py       the tables and their columns, one list
    links.py        the rows of `links`
    loading.py      rows of the crawl as Arrow batches
    limits.py       the caps, with their defaults
    engine.py       a DuckDB connection that can open no file
    statement.py    checks a query: which tables and columns it reads, or why it is refused
    syntax.py       walks the tree that DuckDB's parser makes
    worker.py       the process that runs a query
    running.py      starts that process, sends tables, reads rows
    explaining.py   what a message of DuckDB means for the user
    result.py       the rows of a query, for programs
    writing.py      writes them as JSON lines, CSV or Parquet
"""
