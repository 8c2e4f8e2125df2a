"""Makes every view anew from the log (S10).

The new ones grow beside the old under other names and take their places at the end, so a rebuild that is
cut short has changed nothing, but for links that it has read again from the archive by then: frames tell of them.
Between the two exchanges a view may be missing for a moment: a crawl that
starts then finds it so, and makes it from the log by itself.

    rebuild.py    log → views
    links.py      archive → links that are not kept, or cannot be read any more
    salvage.py    a damaged log → one that can be read
"""

from hondius.stores.log.salvage import Gap
from hondius.use.rebuild.links import Restored
from hondius.use.rebuild.rebuild import VIEWS, rebuild_views
from hondius.use.rebuild.salvage import salvage_log

__all__ = ["VIEWS", "Gap", "Restored", "rebuild_views", "salvage_log"]
