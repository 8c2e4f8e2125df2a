"""What a program adds to a crawl. The command adds nothing unless a setting names hooks."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from hondius.crawler.hooks import PageHooks
from hondius.model import Frame


class Delivery(Protocol):
    """Takes pages as they become durable, and slows the crawl down if it does not keep up."""

    def has_room(self, under_way: int) -> bool:
        """Whether one more page may be requested. `under_way`: URLs that are requested, or not durable yet."""
        ...

    def deliver(self, frame: Frame) -> None:
        """Called on the event loop, once for each durable frame, in the order of the log."""
        ...


@dataclass(frozen=True, slots=True)
class Extensions:
    deliveries: tuple[Delivery, ...] = ()
    hooks: PageHooks | None = None
    program_hooks: tuple[str, ...] = ()
    """Kind and name of each hook that is no installed one: a run by anything but this program does not have it."""

    @property
    def deliver(self) -> Callable[[Frame], None] | None:
        return self._deliver if self.deliveries else None

    @property
    def has_room(self) -> Callable[[int], bool] | None:
        return self._has_room if self.deliveries else None

    def _deliver(self, frame: Frame) -> None:
        for delivery in self.deliveries:
            delivery.deliver(frame)

    def _has_room(self, under_way: int) -> bool:
        return all(delivery.has_room(under_way) for delivery in self.deliveries)


NO_EXTENSIONS = Extensions()
