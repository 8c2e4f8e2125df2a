"""Loads the certificate authority when a web starts. It needs `cryptography`, an extra; no other part does."""

from typing import TYPE_CHECKING

from hondius.errors import WrongUse

if TYPE_CHECKING:
    from hondius.testweb.certificates import Authority


def load_authority() -> "type[Authority]":
    """Called before anything is written or any port is opened."""
    try:
        from hondius.testweb.certificates import Authority
    except ModuleNotFoundError as error:
        raise WrongUse(
            f"the package {error.name} is missing, which makes the certificates of the test web: "
            "install it with `pip install 'hondius[testweb]'`"
        ) from error
    return Authority
