"""An archive served as the web it came from (Q3): every host on its own 127/8 address, over HTTP and TLS alike.

At the start, each WARC file is read once from front to back, and the index remembers where each answer is. A request
reads its answer from there, so memory grows with the number of URLs, not with their bodies. If a URL has several
answers, the newest is served. A revisit gets the body of its original. For a 304, the answer that it confirmed is
served. A URL that is not archived gets a 404.

An answer is sent as it was archived, except for what concerned the original connection: hop-by-hop fields, chunks and
lengths are made again. If a body was not archived (`noarchive`), it is empty.

    records.py    the records of a file, gzipped or plain
    index.py      which record answers which URL; hosts, seeds
    answers.py    makes an answer from a record
    server.py     one listener per host, for HTTP and TLS on one port
    command.py    the command `hondius testweb --replay`
"""
