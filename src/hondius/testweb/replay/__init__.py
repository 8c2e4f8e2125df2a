"""An archive served as the web it came from (Q3): every host on its own 127/8 address, over HTTP and TLS alike.

A WARC file is read once from front to back, record by record, and only the places of its answers are kept. What is
asked for is read again from its place, so memory grows with the number of URLs and not with their bodies. Of several
answers to one URL the newest is served; a revisit is given the body of its original; a 304 stands for the answer that
it left unchanged. What is not archived is 404.

An answer goes out as it was archived, but for what only its first connection could mean: hop-by-hop fields, chunks,
lengths. A body that was not kept (a page that said `noarchive`) is empty here too.

    records.py    the records of a file, packed or plain
    index.py      which record answers which URL; hosts, seeds
    answers.py    a record as an answer
    server.py     one listener a host, which hears whether it is spoken to in TLS
    command.py    a run of it all
"""
