"""Several nodes on one partitioned log, before any broker exists (C1, C2).

Each node is a process with its own loop; all share one virtual time. The nodes run the real URL store, frontier, turns,
batches, fence and outbox; the rest is as simple as possible. Nodes are killed, or freeze and wake up after they lost
their partitions. Acknowledgements are lost, the broker is away for a while, partitions move.

    processes.py   loops side by side
    broker.py      partitions, producers, the consumer group
    node.py        one node: heartbeat, assignment, journeys
    owned.py       one partition and its owner
    simulation.py  one seed
    judge.py       what must be true at the end
"""
