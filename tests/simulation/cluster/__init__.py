"""Several nodes on one partitioned log, before any broker exists (C1, C2).

Each node is a process with a loop of its own; all share one virtual time. The nodes run the real URL store, frontier,
turns, fold, fence and outbox; what drives them is as lean as can be. Nodes are killed, and freeze to wake up as
owners that are none any more; acknowledgements are lost, the broker goes away, partitions move.

    processes.py   loops side by side
    broker.py      partitions, producers, the consumer group
    node.py        one node: heartbeat, assignment, journeys
    owned.py       one partition in the hands of its owner
    simulation.py  one seed
    judge.py       what must be true in the end
"""
