"""The build that today's is held against: the commit named in `COMMIT`, in an environment of its own.

`python -m tests.acceptance.base` builds it once, into `.venv/base`: the sources as that commit has them, a wheel, and a
virtual environment with the wheel and the test tools. The tests of today run in that environment unchanged.
"""

from tests.acceptance.base.build import Base, build_base

__all__ = ["Base", "build_base"]
