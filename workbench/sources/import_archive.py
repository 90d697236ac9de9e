"""Archives that are to be imported: looked through before anything is unpacked, and unpacked into memory only."""

from __future__ import annotations

import stat
import struct
import zipfile
import zlib
from collections.abc import Collection
from contextlib import ExitStack
from functools import partial
from pathlib import PurePosixPath
from typing import BinaryIO

from workbench.domain.errors import InvalidInput
from workbench.files.reading import user_file
from workbench.ports.exchange_files import LARGEST_FILE_BYTES, FileGroup, FoundFile

MOST_ENTRIES = 100_000
MOST_UNPACKED_BYTES = 8 * LARGEST_FILE_BYTES
_MIB = 1024 * 1024
_ENCRYPTED = 0x1
_PIECE = 1024 * 1024
_LONGEST_END = 65_557 + 76
_IN_LARGE_END = 0xFFFFFFFF
_SHORTEST_ENTRY = 47
_BROKEN = (
    zipfile.BadZipFile,
    zlib.error,
    EOFError,
    NotImplementedError,
    RuntimeError,
    ValueError,
    OSError,
    struct.error,
)
_NOTHING_KEPT = "Nothing of it was imported"


def is_archive(head: bytes) -> bool:
    """Whether a file that begins so is an archive."""
    return head in (b"PK\x03\x04", b"PK\x05\x06", b"PK\x07\x08")


def open_archive(path: str, held: ExitStack, endings: Collection[str]) -> FileGroup:
    """The files of an archive; `InvalidInput` where it is not to be trusted."""
    opened = held.enter_context(user_file(path))
    try:
        # The number of entries stands at the end of the file: looked at before a list of them is made.
        _check_number(opened.seekable())
        archive = held.enter_context(zipfile.ZipFile(opened.seekable()))
        entries = [one for one in archive.infolist() if not one.is_dir()]
    except _BROKEN as problem:
        raise InvalidInput("", f"the archive cannot be read ({problem}). {_NOTHING_KEPT}") from None
    for one in entries:
        _check(one)
    unpacked = sum(one.file_size for one in entries)
    if unpacked > MOST_UNPACKED_BYTES:
        size = f"{unpacked // _MIB:,} MiB"
        raise InvalidInput(
            "", f"unpacked it would have {size}. {_NOTHING_KEPT}; unpack it, and import the folder"
        )
    found = {
        one.filename: FoundFile(one.filename, partial(_unpacked, archive, one), one.file_size)
        for one in entries
    }
    wanted = {name for name in found if PurePosixPath(name).suffix.lower() in endings and _is_own(name)}
    if not wanted:
        kinds = sorted({PurePosixPath(name).suffix.lower() or "no ending" for name in found})[:8]
        raise InvalidInput("", f"there is no file in it to import; found: {', '.join(kinds) or 'nothing'}")
    # What holds chats is JSON, as a rule; other text may be what was attached to them.
    files = tuple(
        found[name] for name in sorted(wanted, key=lambda name: (".json" not in name.lower(), name))
    )
    return FileGroup(files, found, archive=True)


def _check_number(file: BinaryIO) -> None:
    """How long the list of entries is, by which there cannot be more of them; their number may be a lie."""
    file.seek(0, 2)
    file.seek(-min(file.tell(), _LONGEST_END), 2)
    tail = file.read()
    end, large = tail.rfind(b"PK\x05\x06"), tail.rfind(b"PK\x06\x06")
    length = struct.unpack_from("<I", tail, end + 12)[0] if 0 <= end <= len(tail) - 22 else 0
    if length == _IN_LARGE_END and 0 <= large <= len(tail) - 56:
        length = struct.unpack_from("<Q", tail, large + 40)[0]
    if length // _SHORTEST_ENTRY > MOST_ENTRIES:
        raise InvalidInput("", f"there are more than {MOST_ENTRIES:,} files in it. {_NOTHING_KEPT}")


def _check(one: zipfile.ZipInfo) -> None:
    """Whatever an archive of chats never has, and one that means harm may."""
    name = one.filename
    steps = name.replace("\\", "/").split("/")
    if name.startswith(("/", "\\")) or ".." in steps or ":" in steps[0] or "\0" in one.orig_filename:
        raise InvalidInput("", f"a name in it leads out of it ({name[:80]!r}). {_NOTHING_KEPT}")
    if stat.S_ISLNK(one.external_attr >> 16):
        raise InvalidInput("", f"there is a link in it ({name[:80]!r}). {_NOTHING_KEPT}")
    if one.flag_bits & _ENCRYPTED:
        raise InvalidInput(
            "", f"it is encrypted ({name[:80]!r}). {_NOTHING_KEPT}; unpack it, and import the folder"
        )


def _is_own(name: str) -> bool:
    """Not what a system puts beside the files of an archive."""
    return not name.startswith("__MACOSX/") and not PurePosixPath(name).name.startswith("._")


def _unpacked(archive: zipfile.ZipFile, one: zipfile.ZipInfo) -> bytes:
    """A file of it; never more than it says it has, whatever comes out."""
    if one.file_size > LARGEST_FILE_BYTES:
        raise InvalidInput(
            "", f"larger than {LARGEST_FILE_BYTES // _MIB} MiB; unpack it, and import it in parts"
        )
    content = bytearray()
    try:
        with archive.open(one) as member:
            while piece := member.read(_PIECE):
                content += piece
                if len(content) > one.file_size:
                    raise InvalidInput("", "it is longer than the archive says")
    except _BROKEN as problem:
        raise InvalidInput("", f"it cannot be unpacked ({problem})") from None
    return bytes(content)
