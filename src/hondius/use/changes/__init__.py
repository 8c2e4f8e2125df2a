"""What has changed in a crawl (R6): pages that are new, have changed, or are gone.

A change is an end of a page in the log, so changes come in the order of the log, each with an id of its own. Whoever
reads them under a name is a named consumer: every change comes at least once, also after `kill -9`.

    change.py      one change
    judging.py     decides whether the end of a page is a change
    reading.py     the changes of a crawl, in order
    feed.py        changes as an Atom feed
    difference.py  what changed in the text of a page between two visits
    webhooks/      sends changes to receivers
"""

from hondius.use.changes.change import Change, ChangeKind
from hondius.use.changes.difference import Difference, compare_visits
from hondius.use.changes.feed import MOST_ENTRIES, render_feed
from hondius.use.changes.reading import ConsumedChanges, list_changes

__all__ = [
    "MOST_ENTRIES",
    "Change",
    "ChangeKind",
    "ConsumedChanges",
    "Difference",
    "compare_visits",
    "list_changes",
    "render_feed",
]
