"""What an owner sends to the partitions, in the order that loses nothing (C2).

A page is told to have ended only once every URL that it led to is acknowledged by its own partition. Whatever fails on
the way leaves the page unfinished: it is fetched again. Where the last step itself fails nobody knows whether it took
place; then the owner must begin a new epoch, behind which a straggler counts for nothing.
"""

import asyncio
from collections.abc import Mapping, Sequence
from enum import Enum
from typing import Protocol

from hondius.model import AnyEvent, Discovered


class NotDelivered(Exception):
    """No acknowledgement came in time. The record may be there or not, now or later."""


class Producer(Protocol):
    async def send(self, partition: int, event: AnyEvent, epoch: int) -> int:
        """Its offset, once it is durable. Raises NotDelivered."""


class Sent(Enum):
    ENDED = "ended"
    NOT_ENDED = "not ended"
    """Something it led to was not acknowledged: the page is to be fetched again."""
    UNKNOWN = "unknown"
    """The end itself was not acknowledged: a new epoch has to begin."""


async def send_page(
    producer: Producer, partition: int, epoch: int, found: Mapping[int, Discovered], last: Sequence[AnyEvent]
) -> Sent:
    """`found` by the partition of what was found; `last` (the end, the host's state) goes to the page's own."""
    sending = [producer.send(to, discovered, epoch) for to, discovered in found.items()]
    outcomes = await asyncio.gather(*sending, return_exceptions=True)
    for outcome in outcomes:
        if isinstance(outcome, NotDelivered):
            return Sent.NOT_ENDED
        if isinstance(outcome, BaseException):
            raise outcome
    try:
        for event in last:
            await producer.send(partition, event, epoch)
    except NotDelivered:
        return Sent.UNKNOWN
    return Sent.ENDED
