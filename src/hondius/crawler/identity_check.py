"""Checks the identity settings of a file that lacks their frozen copy: somebody else than Hondius wrote it.

The log has keys of URLs. If the settings give them other keys, every known URL would be fetched once more (U3).
"""

from collections.abc import Iterator, Sequence
from contextlib import closing, suppress
from itertools import islice

import msgspec

from hondius.crawler.translation import make_identity
from hondius.errors import BadSetting, HondiusError
from hondius.model import Finished
from hondius.native import Identity, NativeError
from hondius.ports import Log, Place
from hondius.settings import IdentitySettings, Settings

MOST_COMPARED = 10_000
"""URLs whose keys are computed again; it takes a tenth of a second."""
VERSIONS = (2, 1)


def check_identity(place: Place, settings: Settings) -> None:
    """Raises BadSetting. A log that cannot be read is reported by those who need it."""
    ends: Sequence[Finished] = ()
    with suppress(HondiusError), closing(place.open_log(read_only=True)) as log:
        ends = list(islice(_read_ends(log), MOST_COMPARED))
    wrong = _find_other_key(make_identity(settings), ends)
    if wrong is None:
        return
    advice = "restore the file"
    for number in VERSIONS:
        usual = msgspec.structs.replace(settings, identity=IdentitySettings(version=number))
        if _find_other_key(make_identity(usual), ends) is None:
            advice += f", or give it the lines `[identity]` and `version = {number}`"
            break
    raise BadSetting(
        f"{place.name}/hondius.toml: [identity] is not as it was when the crawl was created, {wrong.url} would get "
        f"another key: {advice}"
    )


def _read_ends(log: Log) -> Iterator[Finished]:
    return (event for frame in log.read() for event in frame.events if isinstance(event, Finished))


def _find_other_key(identity: Identity, ends: Sequence[Finished]) -> Finished | None:
    return next((end for end in ends if not _has_same_key(identity, end)), None)


def _has_same_key(identity: Identity, end: Finished) -> bool:
    try:
        return identity.parse(end.url).key == end.key
    except NativeError:
        return True  # a log of a stranger; verify finds it
