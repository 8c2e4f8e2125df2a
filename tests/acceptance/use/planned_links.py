"""Which pages of the synthetic web link to which URL, according to its plan.

Pages also have random links, but only to ordinary pages and roots. So the pages that link to any other resource are
exactly those that the plan names.
"""

from collections import defaultdict

from hondius.native import Identity, NativeError
from hondius.testweb.model import Content, Kind, Resource, Web

KINDS = tuple(Kind)
FOLLOWED = frozenset(KINDS[: KINDS.index(Kind.COMMENT)])
READ = ("completed", "duplicate")


def list_sources(web: Web) -> dict[str, set[str]]:
    """The keys of the pages that link to each planned target, by the key of the target."""
    identity = Identity()
    ordinary = {identity.parse(page.key_form).key.hex() for pages in web.pages for page in pages}
    sources: dict[str, set[str]] = defaultdict(set)
    for resource in web.resources.values():
        if not _is_read(resource):
            continue
        key = identity.parse(resource.key_form).key.hex()
        for link in web.links.get(resource.answer.same_as or resource.id, ()):
            if link.kind in FOLLOWED:
                written = link.href if link.href is not None else web.resources[link.to].key_form
                try:
                    sources[identity.parse(written, resource.key_form).key.hex()].add(key)
                except NativeError:
                    continue
    return {target: found for target, found in sources.items() if target not in ordinary}


def _is_read(resource: Resource) -> bool:
    expected = resource.expected
    content = resource.answer.content
    return expected is not None and expected.state in READ and content in (Content.PAGE, Content.FRAMESET)
