"""The section of quality."""

from hondius.settings.value_types import Section, Weight


class QualitySettings(Section, frozen=True):
    """The quality of pages (A4): a score from 0 to 1, from their text, markup, links and language."""

    store_above: Weight = 0.0
    """Bodies of pages with a lower quality are not archived, only their heads. Their links are followed."""
    index_above: Weight = 0.0
    """Pages with a lower quality are not in the search index, and are not exported unless `--least-quality` says
    otherwise. A change applies to an index that is built from then on."""
