"""Shows which step from the text to the key changed what, by switching the steps on one after the other."""

import msgspec

from hondius.crawler.translation import make_identity
from hondius.native import NativeError, Url
from hondius.settings import IdentitySettings, Settings
from hondius.use.explain.explanation import IdentityFacts, Step

SWITCHES = tuple(name for name in IdentitySettings.__struct_fields__ if name != "version")


def identify(text: str, settings: Settings) -> tuple[IdentityFacts, Url | None]:
    try:
        url = make_identity(settings).parse(text)
    except NativeError as error:
        return IdentityFacts(None, None, None, str(error), []), None
    return IdentityFacts(url.href, url.key_form, url.key.hex(), None, _list_steps(text, url, settings)), url


def _list_steps(text: str, url: Url, settings: Settings) -> list[Step]:
    """The steps that changed something."""
    switched = msgspec.structs.replace(settings.identity, **dict.fromkeys(SWITCHES, False))
    forms = [("href", url.href), ("rfc3986", _compute_key_form(url.href, settings, switched))]
    for name in SWITCHES:
        if getattr(settings.identity, name):
            switched = msgspec.structs.replace(switched, **{name: True})
            forms.append((name, _compute_key_form(url.href, settings, switched)))
    steps = []
    for name, form in forms:
        if form != text:
            steps.append(Step(name, text, form))
        text = form
    return steps


def _compute_key_form(href: str, settings: Settings, switches: IdentitySettings) -> str:
    return make_identity(msgspec.structs.replace(settings, identity=switches)).parse(href).key_form
