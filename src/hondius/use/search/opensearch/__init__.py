"""Sends the pages of a crawl to an OpenSearch server of the operator (S7).

The sink is the named consumer `opensearch`. It reads the log in batches, like the crawl's own index: each page that
ended is sent as the catalog has it now, under its key, or deleted. The position is saved only when the server has
confirmed every page of a batch. So no page is lost if the sink or the server is killed; some are sent twice, which
gives the same result.

    server.py     one request: address, credentials, limits
    actions.py    pages as lines of `_bulk`, and what its answer says of each
    sink.py       sends batches, and waits while the server cannot take them

A page that the server rejects, because its values do not fit the mapping, is reported and skipped: it would be
rejected every time. If the server is away, busy (429) or failing (5xx), the batch is sent again after growing pauses.
If the server refuses the request itself, as with wrong credentials, the sink ends with a message and skips nothing.
"""

from hondius.use.search.opensearch.server import Server, open_server
from hondius.use.search.opensearch.sink import OpenSearchSink

__all__ = ["OpenSearchSink", "Server", "open_server"]
