"""The public Python interface (O2): what `import hondius` offers. Like the command line, it uses `session/`, `use/` and
`opening/`. `hondius crawl` runs its crawls with `hooked_session.py`, too.

Pages:

    page.py             a page: the values of its row, and everything else on demand
    parts.py            what a page consists of: links, headers and fetches
    elements.py         elements of a page, by a CSS selector
    archived.py         where the parts of a stored page come from
    fetched_page.py     where the parts of a page come from that was just fetched

An open crawl:

    opened.py           `hondius.open`: a crawl, open for reading
    off_loop.py         `hondius.open_async`: the same for programs with an event loop
    selected.py         `crawl.pages(...)`: the pages that a filter selects
    filters.py          the filters of `crawl.pages(...)` and `crawl.search(...)`
    extracted.py        `crawl.extract(...)`: rows that rules extract
    consumers.py        named consumers: pages in commit order, from where the consumer stopped
    summary.py          what a crawl has done so far, and its hosts

A crawl inside a program:

    call.py             the arguments of a crawl
    options.py          its options, for editors and type checkers
    crawling.py         `hondius.crawl`: gives pages as they become durable
    synchronous.py      `hondius.crawl_sync`: the same without an event loop
    delivery.py         pages on their way from the commit to the program

Hooks:

    crawler.py          `hondius.Crawler`: a crawl with hooks
    hook_set.py         the hooks of a crawl, and what they may return
    installed_hooks.py  hooks of installed packages, by name
    hook_calls.py       calls hooks for one page after the other
    hook_threads.py     the threads on which they run
    hooked_session.py   a session with hooks and sinks

A `Page` is made of a row and a `PageSource`, which reads everything that is not in the row. The source of a stored page
is the archive (`archived.py`). The source of the page that a hook gets is the answer itself (`fetched_page.py`).
"""
