"""The only importer of the native module: everything native that Hondius uses is named here."""

import warnings

from hondius import _native
from hondius._native import (
    Attempt,
    DiscoveredUrl,
    Discoveries,
    Engine,
    Fetched,
    HostLimits,
    Identity,
    Link,
    LinkPolicy,
    MemoryTree,
    NativeError,
    Page,
    QueuedUrl,
    Reader,
    Rehearsal,
    Resolved,
    Robots,
    SitemapEntry,
    Url,
    UrlStore,
    WarcBlock,
    WarcEntry,
    WarcSettings,
    decode_discoveries,
    host_hash,
    read_attempts,
    read_sitemap,
    registrable_domain,
    warc_block,
    warc_information,
    warc_read,
    warc_scan,
)

if _native.DEBUG_BUILD:
    warnings.warn(
        "hondius._native is a debug build and several times slower: run `make setup`", RuntimeWarning, stacklevel=2
    )

__all__ = [
    "Attempt",
    "DiscoveredUrl",
    "Discoveries",
    "Engine",
    "Fetched",
    "HostLimits",
    "Identity",
    "Link",
    "LinkPolicy",
    "MemoryTree",
    "NativeError",
    "Page",
    "QueuedUrl",
    "Reader",
    "Rehearsal",
    "Resolved",
    "Robots",
    "SitemapEntry",
    "Url",
    "UrlStore",
    "WarcBlock",
    "WarcEntry",
    "WarcSettings",
    "decode_discoveries",
    "host_hash",
    "read_attempts",
    "read_sitemap",
    "registrable_domain",
    "warc_block",
    "warc_information",
    "warc_read",
    "warc_scan",
]
