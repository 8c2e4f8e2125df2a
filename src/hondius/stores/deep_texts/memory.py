"""DeepTexts, in memory."""

from hondius.model import DeepText

Kept = dict[bytes, tuple[bytes, int, DeepText]]
"""By the key of the page: hash of the content, version of the rules, result."""


class MemoryDeepTexts:
    """All objects with the same dictionary share its results."""

    def __init__(self, kept: Kept) -> None:
        self._kept = kept

    def get(self, key: bytes, content_hash: bytes, version: int) -> DeepText | None:
        known_hash, known_version, text = self._kept.get(key, (b"", 0, None))
        return text if (known_hash, known_version) == (content_hash, version) else None

    def put(self, key: bytes, content_hash: bytes, version: int, text: DeepText) -> None:
        self._kept[key] = (content_hash, version, text)

    def close(self) -> None:
        """The dictionary stays."""
