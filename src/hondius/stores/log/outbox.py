"""Sends the records of an owner to the partitions, in an order that loses nothing (C2).

The end of a page is sent only after the partitions of all its links have acknowledged them. If a send fails before
that, the page is unfinished and is refetched. If the last send fails, nobody knows whether it arrived. Then the owner
must begin a new epoch, after which a late record is ignored.
"""

import asyncio
from collections.abc import Mapping, Sequence
from enum import Enum
from typing import Protocol

from hondius.model import AnyEvent, Discovered


class NotDelivered(Exception):
    """No acknowledgement came in time. The record may or may not arrive, even later."""


class Producer(Protocol):
    async def send(self, partition: int, event: AnyEvent, epoch: int) -> int:
        """Returns its offset once it is durable. Raises NotDelivered."""


class Sent(Enum):
    ENDED = "ended"
    NOT_ENDED = "not ended"
    """A discovery was not acknowledged: the page must be refetched."""
    UNKNOWN = "unknown"
    """The end itself was not acknowledged: a new epoch must begin."""


async def send_page(
    producer: Producer, partition: int, epoch: int, found: Mapping[int, Discovered], last: Sequence[AnyEvent]
) -> Sent:
    """`found`: discoveries by partition. `last` (the end, the host's state) goes to the partition of the page."""
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
