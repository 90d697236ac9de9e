"""Keeps Qt's bindings from reading the source of every module that is imported after them."""

from __future__ import annotations

import sys

import PySide6.QtCore  # noqa: F401 - what is changed here is loaded with it

# WORKAROUND(PySide6 6.8): after every import, its bindings look through the module's source for their name, to know
# whether it may have switched one of their features on. Nobody does here. It took a tenth of the time that loading
# takes, and `linecache` kept the text of all of it: 27 MB.
_WATCHER = "shibokensupport.feature"


def leave_sources_alone() -> bool:
    """Take modules for what they are; return whether there was anything to switch off."""
    watcher = sys.modules.get(_WATCHER)
    if watcher is None or not hasattr(watcher, "_mod_uses_pyside"):
        return False
    watcher.__dict__["_mod_uses_pyside"] = _no_feature
    return True


def _no_feature(_module: object) -> bool:
    return False
