"""No copy of the memory on the disk when the program crashes: keys and messages are in it."""

from __future__ import annotations

import sys

_SET_DUMPABLE = 4  # PR_SET_DUMPABLE of prctl(2)


def forbid_core_dumps() -> None:
    """Leave no core file, here and in every process started from here; nor let others of this user look inside.

    The limit alone does not hold where the system hands core dumps to a program, as most desktops do.
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
