"""The public Python interface (O2): what `import hondius` offers. It stands beside the command line, on the same rooms.

    page.py         a page: the values of its row, and everything else on demand
    parts.py        what a page consists of: links, headers and fetches
    archived.py     where the parts of a page of a crawl come from
    call.py         the arguments of a crawl
    opened.py       `hondius.open`: a crawl, open for reading
    selected.py     `crawl.pages(...)`: the pages that a filter selects
    consumers.py    named consumers: pages in commit order, from where the consumer stopped
    off_loop.py     `hondius.open_async`: the same for programs with an event loop

A page is made of a row and a source (`PageSource`). Here the source is the archive; a hook gives a page whose source is
the answer that was just fetched.
"""
