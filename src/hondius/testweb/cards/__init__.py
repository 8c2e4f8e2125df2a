"""What may happen on a host, a card for each thing.

A card is dealt to a host once at most. It adds resources, sees to it that they are found (or that they are not),
and states how each must end. The rules of the game: no more than four 5xx a host, so that no circuit opens (P4);
and never two ways to find something whose end depends on which of them came first.
"""

from hondius.testweb.cards.card import Card
from hondius.testweb.cards.copies import COPIES
from hondius.testweb.cards.directives import DIRECTIVES
from hondius.testweb.cards.discovery import DISCOVERY
from hondius.testweb.cards.failures import FAILURES
from hondius.testweb.cards.redirects import REDIRECTS
from hondius.testweb.cards.refusals import REFUSALS
from hondius.testweb.cards.rules import RULES

DECK: tuple[Card, ...] = (*COPIES, *DIRECTIVES, *DISCOVERY, *FAILURES, *REDIRECTS, *REFUSALS, *RULES)

__all__ = ["DECK", "Card"]
