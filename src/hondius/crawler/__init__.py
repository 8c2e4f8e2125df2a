"""The crawl itself.

`journey.py` is the path of one URL, and `run/` runs many of them. Only `assemble/` connects the stages.
`store_opening.py` opens the stores of a `Place` (`stores/factory.py` chooses them). `idle_crawl.py` writes to a crawl
that is not running. Each stage has its own folder and imports only the floor (`model errors settings clock ports
native`), never another stage:

    seeds       reads the seeds
    frontier    chooses which URL is next
    politeness  permits requests: turns of hosts and addresses, robots.txt, the cost of a failure
    fetch       downloads, and classifies the answer
    page        decides which links are followed, and records how a URL ended
    dedup       recognises copies
    recrawl     decides when to return to a page
    commit      makes outcomes durable: archive, then log, then views; and catches up after a crash
"""
