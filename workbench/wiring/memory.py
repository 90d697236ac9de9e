"""How memory is given back to the system: at once, where a long answer or a large file was in it."""

from __future__ import annotations

import sys

_MMAP_THRESHOLD = -3  # M_MMAP_THRESHOLD of mallopt(3)
_LARGE_BYTES = 4 * 1024 * 1024


def give_back_large_blocks() -> bool:
    """Let large blocks be apart from the others; whether that could be said.

    Left alone, the C library learns from the first large block it gets back to keep all later ones, up to 32 MB, among
    the small ones. Versions of a growing answer then leave holes, which nothing fills: 30 MB for one of 16 MB.
    """
    if sys.platform != "linux":
        return False
    import ctypes

    try:
        return bool(ctypes.CDLL(None).mallopt(_MMAP_THRESHOLD, _LARGE_BYTES))
    except (OSError, AttributeError):  # another C library, which does not learn that
        return False
