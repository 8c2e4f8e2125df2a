"""Checks the licences of the installed Python packages, as their own metadata states them, against two lists.

What a user installs with Hondius must be permissive. What only the tests import may also be MPL-2.0. A licence that is
not understood is not allowed. Tools that run as other processes in environments of their own
(`requirements-judges.lock`, `benchmarks/peers`) are not part of the product and are not checked.
"""

import hashlib
import sys
from importlib import metadata

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

PRODUCT = "hondius"
EXTRAS = ("", "testweb", "parquet", "pandas", "polars", "s3")
PERMISSIVE = frozenset(
    {
        "any-OSI",  # apsw: whichever licence of the OSI's list one likes
        "0BSD",
        "Apache-2.0",
        "BSD-2-Clause",
        "BSD-3-Clause",
        "CC0-1.0",
        "ISC",
        "MIT",
        "MIT-0",
        "PSF-2.0",
        "Zlib",
    }
)
MIT_TEXT = "fe2a9817987f862eaced948f0468c7f51d2fedfc48c5c505b246a49a3870e9a5"
"""The SHA-256 of its words, with single spaces between them."""
FOR_TESTS = PERMISSIVE | {"MPL-2.0"}
OLDER_NAMES = {
    "Apache 2.0": "Apache-2.0",
    "Apache Software License": "Apache-2.0",
    "BSD 2-Clause License": "BSD-2-Clause",
    "ISC License": "ISC",
    "ISC License (ISCL)": "ISC",
    "MIT License": "MIT",
    "Mozilla Public License 2.0 (MPL 2.0)": "MPL-2.0",
}
"""What packages wrote before metadata had a field for SPDX expressions."""


def main() -> int:
    shipped = find_shipped()
    installed = {canonicalize_name(package.name): package for package in metadata.distributions()}
    problems = []
    for name, package in sorted(installed.items()):
        licence = find_licence(package)
        if not is_allowed(licence, PERMISSIVE if name in shipped else FOR_TESTS):
            role = "installed with Hondius" if name in shipped else "used by the tests"
            problems.append(f"{package.name} {package.version} ({role}): {licence or 'no licence stated'}")
    for problem in problems:
        print(f"licence not allowed: {problem}", file=sys.stderr)
    if problems:
        print(f"choose another package, or extend the lists in {sys.argv[0]}", file=sys.stderr)
        return 1
    print(f"licences of {len(installed)} Python packages are allowed, {len(shipped)} of them installed with Hondius")
    return 0


def find_shipped() -> set[str]:
    """The product, and all that it needs on this platform, extras included."""
    shipped: set[str] = set()
    waiting: list[tuple[str, tuple[str, ...]]] = [(PRODUCT, EXTRAS)]
    while waiting:
        name, extras = waiting.pop()
        if name in shipped:
            continue
        shipped.add(name)
        for line in metadata.requires(name) or ():
            needed = Requirement(line)
            if needed.marker is None or any(needed.marker.evaluate({"extra": extra}) for extra in extras):
                waiting.append((canonicalize_name(needed.name), ("", *needed.extras)))
    return shipped


def find_licence(package: metadata.Distribution) -> str:
    """An SPDX expression, or whatever the package says instead."""
    if expression := get_field(package, "License-Expression"):
        return expression
    stated = get_field(package, "License")
    if is_mit_text(stated):
        return "MIT"
    if stated in FOR_TESTS or stated in OLDER_NAMES or " AND " in stated:
        return OLDER_NAMES.get(stated, stated)
    prefix = "License :: OSI Approved :: "
    classifiers = package.metadata.get_all("Classifier", [])
    names = [line.removeprefix(prefix) for line in classifiers if line.startswith(prefix)]
    return " AND ".join(OLDER_NAMES.get(name, name) for name in names) or stated


def is_mit_text(text: str) -> bool:
    """Whether this is the MIT licence word for word, below any copyright lines: some packages state the whole text."""
    lines = [line for line in text.splitlines() if not line.startswith("Copyright (c)")]
    return hashlib.sha256(" ".join(" ".join(lines).split()).encode()).hexdigest() == MIT_TEXT


def get_field(package: metadata.Distribution, name: str) -> str:
    return "\n".join(package.metadata.get_all(name, []))


def is_allowed(expression: str, allowed: frozenset[str]) -> bool:
    """Expressions with brackets are not understood, and so not allowed."""
    return any(
        all(licence in allowed for licence in alternative.split(" AND ")) for alternative in expression.split(" OR ")
    )


if __name__ == "__main__":
    sys.exit(main())
