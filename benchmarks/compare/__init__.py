"""Hondius against other crawlers: the same pages, the same server, the same machine, one after the other (Q1).

    make bench                                    # all peers, HTTP and HTTPS; about 25 minutes
    make bench PEERS=scrapy,colly SCHEMES=http    # Hondius and some
    make bench HOSTS=50                           # a quick try on 1,000 pages; it is shown and not recorded

A `peer` is a folder of `benchmarks/peers`: what to install, how to run it, why so, and the few lines of glue that its
documentation asks for. `trial` serves the site to one of them and holds what the `access_log` of the server says
against what there was to fetch; `meter` is the process that starts the crawler and charges it with all that its process
tree used, the server apart. `rows` keeps each figure the moment it is known, so that an interrupted run goes on;
`report` writes them into `benchmarks/RESULTS.md` and `results.json`, `bars` says what they must be.

Scope, seeds, server and requests under way are the same for all. What they keep is not, and is a column.
"""
