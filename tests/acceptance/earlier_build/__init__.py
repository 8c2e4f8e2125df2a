"""The earlier build that today's is compared with: the commit named in `COMMIT`, in an environment of its own.

`python -m tests.acceptance.earlier_build` makes it once, in `.venv/base`: the sources as that commit has them,
a wheel, and a virtual environment with the wheel and the test tools. The tests of today run in that environment
unchanged.
"""

from tests.acceptance.earlier_build.build import EarlierBuild, make_earlier_build

__all__ = ["EarlierBuild", "make_earlier_build"]
