"""How many requisites a crawl still admits (D7).

A style sheet may name a thousand others, and each of them a thousand more. So only pages make room: each for a fixed
number, which collects over some pages. What they need takes it, however far away it was named. A page that was itself
fetched as a requisite makes none.
"""

import logging

AT_START = 2
"""Pages whose room there is before the first page."""
MOST_COLLECTED = 20
"""Pages whose room is kept for a later page."""

_log = logging.getLogger(__name__)


class RequisiteRoom:
    def __init__(self, per_page: int) -> None:
        self._per_page = per_page
        self._left = AT_START * per_page
        self._has_warned = False

    def add_page(self) -> None:
        self._left = min(MOST_COLLECTED * self._per_page, self._left + self._per_page)

    def take(self, count: int) -> None:
        """The requisites of one document are admitted together, so that the room may be exceeded by those of one."""
        self._left -= count

    def is_left(self, href: str) -> bool:
        if self._left <= 0 and not self._has_warned:
            self._has_warned = True
            _log.warning(
                "pages need more than %d requisites each: some are not fetched, first those of %s"
                " (scope.requisites_per_page)",
                self._per_page,
                href,
            )
        return self._left > 0
