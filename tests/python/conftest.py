"""Fixtures that several modules of this room share."""

from tests.python.shop import shop

__all__ = ["shop"]
