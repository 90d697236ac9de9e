"""What a disk may hold after a power cut: images built from recorded writes and syncs.

A write is safe once its file was synced. Of those that were not, any may have reached the disk and any may not;
each image takes none, all, or a random choice of them, in 512-byte sectors. Creating, renaming and removing files
count as done in order.
"""

from __future__ import annotations

import random
import struct
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

HERE = Path(__file__).parent
ACKNOWLEDGED = "acknowledged"
_HEAD = struct.Struct("<BIQQ")
_SECTOR = 512


@dataclass(frozen=True)
class Event:
    kind: str
    path: str
    offset: int
    data: bytes


@dataclass
class File:
    durable: bytearray = field(default_factory=bytearray)
    pending: list[Event] = field(default_factory=list)

    def sync(self) -> None:
        for event in self.pending:
            apply(self.durable, event)
        self.pending = []


def compile_recorder(folder: Path) -> Path:
    library = folder / "recorder.so"
    command = [
        "cc",
        "-shared",
        "-fPIC",
        "-O1",
        "-o",
        str(library),
        str(HERE / "recorder.c"),
        "-ldl",
        "-lpthread",
    ]
    subprocess.run(command, check=True, capture_output=True, text=True)
    return library


def read_journal(journal: Path) -> Iterator[Event]:
    raw = journal.read_bytes()
    position = 0
    while position < len(raw):
        kind, path_length, offset, length = _HEAD.unpack_from(raw, position)
        position += _HEAD.size
        path = raw[position : position + path_length].decode()
        position += path_length
        carries = chr(kind) in "wr"
        data = raw[position : position + length] if carries else b""
        position += length if carries else 0
        yield Event(chr(kind), path, offset, data)


def apply(content: bytearray, event: Event) -> None:
    if event.kind == "t":
        if event.offset <= len(content):
            del content[event.offset :]
        else:
            content.extend(bytes(event.offset - len(content)))
        return
    end = event.offset + len(event.data)
    if len(content) < end:
        content.extend(bytes(end - len(content)))
    content[event.offset : end] = event.data


class Disk:
    """The files as they are on the disk while events pass."""

    def __init__(self, start: dict[str, bytes]) -> None:
        self.files = {path: File(bytearray(content)) for path, content in start.items()}
        self.acknowledged = 0

    def see(self, event: Event) -> None:
        if event.path.endswith(ACKNOWLEDGED):
            self.acknowledged += event.kind == "w"
        elif event.kind == "u":
            self.files.pop(event.path, None)
        elif event.kind == "r":
            if event.path in self.files:
                self.files[event.data.decode()] = self.files.pop(event.path)
        elif event.kind == "s":
            if event.path in self.files:
                self.files[event.path].sync()
        else:
            self.files.setdefault(event.path, File()).pending.append(event)

    def image(self, mode: str, choice: random.Random) -> dict[str, bytes]:
        """What is found after the cut; shared memory is never on a disk."""
        found = {}
        for path, file in self.files.items():
            if path.endswith("-shm"):
                continue
            content = bytearray(file.durable)
            for event in file.pending:
                for sector in _sectors(event):
                    if mode == "all" or (mode == "some" and choice.random() < 0.5):
                        apply(content, sector)
            found[path] = bytes(content)
        return found


def _sectors(event: Event) -> Iterator[Event]:
    if event.kind == "t":
        yield event
        return
    for start in range(0, len(event.data), _SECTOR):
        yield Event("w", event.path, event.offset + start, event.data[start : start + _SECTOR])
