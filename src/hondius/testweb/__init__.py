"""A web that exists only while it runs, and of which everything is known beforehand (Q3).

A seed becomes a *plan*: hosts, resources, and the links that must exist for each resource to be found.
The plan is frozen; nothing below it decides anything twice. It has two readers that never meet:

- the **server** turns it into bytes, one resource at a time and only when asked. The same seed gives the
  same bytes on every machine, because each body has a random generator of its own, named after the
  resource. Each host listens on its own 127/8 address and logs what it was asked.
- the **manifest** says what a crawl of this web must end with: a row for each URL (by key form), its state
  and how often it may be requested, and the hrefs that nobody may request.

The **judge** compares a manifest with an access log and an export. Key forms come from the plan, which knows
what it wrote, and never from the crawler's own code: a judge that asks the accused is none.

A host has *pages* (`pages_per_host` of them, linked as a tree from its root) and, on top, the resources of a
few *cards*: each card lays out one thing that happens on the web (a redirect loop, a page known only from an
`<area>`, a URL that robots.txt forbids) and writes down how it must end. Cards are dealt from one shuffled
deck, so a web of a few hosts holds every kind. A card may rely on nothing that depends on the order of a crawl:
where the first one to find a URL decides, the card sees to it that there is one way to find it.

    python -m hondius.testweb --hosts 20 --pages-per-host 30 --seed 1 --port 0 --manifest manifest.json

Rooms: `model` (what a plan is made of), `plan` and `site` (how one is made), `cards/` (what may happen),
`words`, `prose`, `variants`, `links`, `pages`, `documents` (bytes), `answers` (what a request gets), `server`,
`listeners`, `certificates` (needs an extra: `authority` loads it), `access_log` (the wire), `manifest` and `judge`,
`command` (a run of it all).
`replay/` serves an archive instead of a plan, over the same wire.
"""
