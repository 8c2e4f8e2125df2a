"""Rebuilds every view from the log (S10).

New views are built under other names and replace the old ones at the end. An interrupted rebuild has changed nothing,
except for links already restored from the archive, which the log records. Between the two replacements a view may be
missing for a moment; a crawl that starts then rebuilds it from the log.

    rebuild.py    log → views
    links.py      archive → links that are missing or damaged
    salvage.py    damaged log → readable log
"""

from hondius.stores.log.salvage import Gap
from hondius.use.rebuild.links import RestoredLinks
from hondius.use.rebuild.rebuild import VIEWS, rebuild_views
from hondius.use.rebuild.salvage import salvage_log

__all__ = ["VIEWS", "Gap", "RestoredLinks", "rebuild_views", "salvage_log"]
