"""The section of search."""

from typing import Annotated

from hondius.settings.option import Option
from hondius.settings.value_types import Section


class SearchSettings(Section, frozen=True):
    """Full-text search (S7): the crawl's own index, and an OpenSearch server of yours."""

    index: Annotated[bool, Option("--search")] = False
    """Build the search index while crawling. Otherwise `hondius search` builds it."""
    opensearch: Annotated[str, Option("--opensearch")] = ""
    """URL of an OpenSearch server that gets every page, like http://127.0.0.1:9200. User and password come from the
    environment: HONDIUS_OPENSEARCH_USER and HONDIUS_OPENSEARCH_PASSWORD."""
    opensearch_index: str = "hondius"
    """The index on that server: lower-case letters, digits, `-`, `_` and `.`."""
