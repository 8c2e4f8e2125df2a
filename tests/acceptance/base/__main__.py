"""`python -m tests.acceptance.base`: builds the base and says where its Python is."""

from tests.acceptance.base import build_base

print(build_base().python)
