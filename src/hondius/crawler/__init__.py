"""The crawl itself.

`journey.py` is the path of one URL; `run/` keeps many of them going; `assemble/` alone wires the stages, and
`opening.py` opens the stores of a `Place` (`stores/factory.py` says which these are). Each stage is a room of its own
and knows only the floor (`model errors settings clock ports native`), never another stage:

    seeds       reads what to start from
    frontier    chooses which URL is next
    politeness  permits: turns of hosts and addresses, robots.txt, what a failure costs
    fetch       downloads, and says what kind of answer came
    page        understands: which links lead on, what is written down
    dedup       recognises copies
    commit      keeps: archive, then log, then views; and catches up after a crash
"""
