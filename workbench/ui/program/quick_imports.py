"""Prevents PySide from reading the source of every module imported after it."""

from __future__ import annotations

import sys

import PySide6.QtCore  # noqa: F401 - what is changed here is loaded with it

# WORKAROUND(PySide6 6.8): after every import, its bindings look through the module's source for their name, to know
# whether it may have switched one of their features on. Nobody does here. It took a tenth of the time that loading
# takes, and `linecache` kept the text of all of it: 27 MB.
_WATCHER = "shibokensupport.feature"


def leave_sources_alone() -> bool:
    """Switch off the reading of sources; return whether it was on."""
    watcher = sys.modules.get(_WATCHER)
    if watcher is None or not hasattr(watcher, "_mod_uses_pyside"):
        return False
    watcher.__dict__["_mod_uses_pyside"] = _no_feature
    return True


def _no_feature(_module: object) -> bool:
    return False
