"""Memory that holds a key: kept out of the swap file, and overwritten when the key is no longer needed.

Locking all of the program's memory (`mlockall`) is no way: a window needs some hundred megabytes, and systems allow a
user eight. Letting SQLCipher lock and wipe all of SQLite's memory (`cipher_memory_security`) takes twice the time for
reading, searching and writing messages; the memory of its own keys it locks and wipes anyway.
"""

from __future__ import annotations

import sys
from contextlib import suppress

from workbench.domain.secrets import Secret, WipedBytes


def secret_of(made: bytes) -> Secret:
    """A secret of a key that was just made, in memory that the system does not write to its swap file.

    The bytes are overwritten. Where the system refuses to lock memory, it is memory as any other.
    """
    memory = WipedBytes(len(made))
    if sys.platform != "win32":
        import ctypes

        with suppress(OSError, AttributeError):  # another C library
            ctypes.CDLL(None).mlock(
                (ctypes.c_char * len(made)).from_buffer(memory), ctypes.c_size_t(len(made))
            )
    memory[:] = made
    overwrite(made)
    return Secret(memory)


def overwrite(*made: str | bytes) -> None:
    """Overwrite values that were made for one call, and that nothing else refers to or ever will.

    Some libraries take and return only such values, and Python leaves what they held in the memory it frees. A text
    must be ASCII, so that its letters are the bytes at its end.
    """
    if sys.implementation.name != "cpython":
        return
    import ctypes

    for value in made:
        ctypes.memset(id(value) + sys.getsizeof(value) - len(value) - 1, 0, len(value))
