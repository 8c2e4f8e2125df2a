"""The only importer of the native module: everything native that Hondius uses is named here."""

import warnings

from hondius import _native
from hondius._native import NativeError

if _native.DEBUG_BUILD:
    warnings.warn("hondius._native is a debug build and several times slower: run `make setup`", RuntimeWarning, stacklevel=2)

__all__ = ["NativeError"]
