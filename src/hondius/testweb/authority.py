"""Loads the certificate authority when a web starts. Only it needs the extra `cryptography`."""

from typing import TYPE_CHECKING

from hondius.errors import WrongUse

if TYPE_CHECKING:
    from hondius.testweb.certificates import Authority


def load_authority() -> "type[Authority]":
    """Call this before anything is written or any port is opened."""
    try:
        from hondius.testweb.certificates import Authority
    except ModuleNotFoundError as error:
        raise WrongUse(
            f"the package {error.name} is missing, which makes the certificates of the test web: "
            "install it with `pip install 'hondius[testweb]'`"
        ) from error
    return Authority
