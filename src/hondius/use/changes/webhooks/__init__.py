"""Sends changes to receivers (R6): each by a POST of its own, in order, signed, until the receiver confirms it.

A receiver is a named consumer, `webhook.` and a digest of its URL. So every change comes at least once, also after
`kill -9`, always with the same id.

    signing.py         the signature of a request
    receiver.py        one receiver: the requests to it
    delivery.py        sends the changes of a crawl to one receiver
    while_crawling.py  does so while the crawl runs
"""

from hondius.use.changes.webhooks.delivery import Delivery
from hondius.use.changes.webhooks.receiver import Receiver, ReceiverAway, open_receivers
from hondius.use.changes.webhooks.signing import SECRET, sign
from hondius.use.changes.webhooks.while_crawling import WebhookFollowers

__all__ = ["SECRET", "Delivery", "Receiver", "ReceiverAway", "WebhookFollowers", "open_receivers", "sign"]
