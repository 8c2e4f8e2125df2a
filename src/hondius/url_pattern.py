"""Regular expressions for URLs, in time that is linear in the URL: a pattern cannot hang a command.

The syntax is that of `--include`, and so is the engine: that of the native link policy. Python's `re` takes exponential
time for some patterns, and URLs come from strangers.
"""

from hondius.errors import BadSetting
from hondius.native import LinkPolicy, NativeError

_NO_LIMIT = 2**31 - 1


class UrlPattern:
    """Matches anywhere in a URL. Raises BadSetting if it is no regular expression."""

    def __init__(self, pattern: str) -> None:
        try:
            self._policy = LinkPolicy(
                scope="any",
                exclude=[pattern],
                max_url_length=_NO_LIMIT,
                max_segments=_NO_LIMIT,
                max_repeats=_NO_LIMIT,
                max_parameters=_NO_LIMIT,
                max_years_ahead=_NO_LIMIT,
            )
        except NativeError as error:
            reason = str(error).splitlines()[-1].removeprefix("error: ")
            raise BadSetting(f"{pattern!r} is no regular expression: {reason}") from None

    def matches(self, href: str) -> bool:
        """False for a text that is no URL."""
        try:
            return self._policy.judge(href, 0.0) == "excluded"
        except NativeError:
            return False
