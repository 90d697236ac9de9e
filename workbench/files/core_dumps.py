"""Prevents core dumps, which would write keys and messages to disk."""

from __future__ import annotations

import sys

_SET_DUMPABLE = 4  # PR_SET_DUMPABLE of prctl(2)


def forbid_core_dumps() -> None:
    """Disables core files for this and all child processes, and keeps other processes of the user from reading memory.

    The limit alone does not help where the system pipes core dumps to a program, as most desktops do.
    """
    if sys.platform == "win32":
        return
    import resource

    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if sys.platform != "linux":
        return
    import ctypes

    try:
        ctypes.CDLL(None).prctl(_SET_DUMPABLE, 0, 0, 0, 0)
    except (OSError, AttributeError):  # another C library
        return
