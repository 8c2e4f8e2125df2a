"""A synthetic web for tests, whose expected crawl result is known beforehand (Q3).

A seed determines a *plan*: hosts, resources, and the links that must exist for each resource to be found. The plan is
immutable. Two independent parts read it:

- The **server** turns it into bytes, one resource at a time and on request. The same seed gives the same bytes on every
  machine, because each body has its own random generator, seeded by the name of the resource. Each host listens on its
  own 127/8 address and logs its requests.
- The **manifest** says what a crawl of this web must end with: a row for each URL (by key form) with its state and how
  often it may be requested, and the hrefs that must not be requested.

The **judge** compares a manifest with an access log and an export. Key forms come from the plan and never from the code
of the crawler, so that the judge is independent of what it judges.

A host has *pages* (`pages_per_host`, linked as a tree from its root) and the resources of a few *scenarios*. Each
scenario sets up one thing that happens on the web (a redirect loop, a page linked only by an `<area>`, a URL that
robots.txt forbids) and records how it must end. Scenarios are drawn from one shuffled list, so that a web of a few
hosts has every kind. A scenario must not depend on the order of a crawl: if the first link to a URL decides its end,
there is only one link.

    python -m hondius.testweb --hosts 20 --pages-per-host 30 --seed 1 --port 0 --manifest manifest.json

    model                                               the parts of a plan
    plan, site, scenarios/                              make a plan
    words, prose, variants, links, pages, documents     make bodies
    shop                                                a shop with prices in HTML and JSON-LD
    topics                                              pages with labelled topics
    answers                                             chooses the answer to a request
    server, listeners, certificates, access_log         serve and log; certificates need an extra (`authority` loads it)
    manifest, judge                                     the expected result, and the comparison with it
    command                                             runs all of this
    replay/                                             serves an archive instead of a plan
"""
