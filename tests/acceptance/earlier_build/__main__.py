"""`python -m tests.acceptance.earlier_build`: makes the earlier build and says where its Python is."""

from tests.acceptance.earlier_build import make_earlier_build

print(make_earlier_build().python)
