"""Sends the pages of a crawl to an OpenSearch server of the operator (S7).

The sink is the named consumer `opensearch`. It reads the log in batches, like the crawl's own index: each page that
ended is sent as the catalog has it now, under its key, or deleted. Sending a page twice gives the same result, and the
position is saved only when the server has confirmed every page of a batch. So no page is lost, whoever is killed.

    server.py     one request: address, credentials, limits
    actions.py    pages as lines of `_bulk`, and what its answer says of each
    sink.py       sends batches, and waits while the server cannot take them

A page that the server refuses for itself (a mapping that does not fit) is reported and passed over: it would be refused
forever. A server that is away, busy (429) or failing (5xx) is asked again, with growing pauses. Refused credentials, or
a missing right, end the sink with a message; nothing is passed over.
"""

from hondius.use.search.opensearch.server import Server, open_server
from hondius.use.search.opensearch.sink import OpenSearchSink

__all__ = ["OpenSearchSink", "Server", "open_server"]
