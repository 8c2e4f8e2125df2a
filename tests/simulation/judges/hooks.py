"""O2: whatever the hooks extracted from a page is stored with the page, and no analysed page is without it."""

import json
from collections.abc import Iterator
from typing import Any

from hondius.model import State


def check_hooks(pages: dict[bytes, dict[str, Any]], *, has_hooks: bool) -> Iterator[str]:
    for page in pages.values():
        is_analysed = page["kind"] == "page" and page["links_file"] is not None
        is_wanted = has_hooks and is_analysed and page["state"] in (State.COMPLETED, State.DUPLICATE)
        extracted = json.loads(page["extracted"]) if page["extracted"] else None
        if is_wanted and extracted != {"url": page["url"]}:
            yield f"{page['url']} has {extracted}, and not what its hook extracted"
        if not has_hooks and extracted is not None:
            yield f"{page['url']} has {extracted}, and there is no hook"
