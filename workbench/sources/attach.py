"""Reading what a user attaches: any path, but only a regular file of a bearable size that is text or a picture."""

from __future__ import annotations

import asyncio
import codecs
import hashlib
import os
import stat
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import PurePath

from workbench.domain.attached import Attached, AttachedPicture, CannotAttach
from workbench.domain.attachment import Artifact
from workbench.domain.pictures import picture_in

MOST_BYTES = 8 * 1024 * 1024
_PIECE_BYTES = 1024 * 1024
# A pipe must not hold the program up: it is opened without waiting, and refused afterwards.
_FLAGS = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
_UTF16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_OTHER_KINDS = (
    (stat.S_ISDIR, "it is a folder", "Attach the files in it."),
    (stat.S_ISFIFO, "it is a pipe, not a file", "Write what comes out of it into a file first."),
    (stat.S_ISSOCK, "it is a socket, not a file", "Attach a file."),
)


@dataclass(frozen=True, slots=True)
class FileAttachments:
    """Files by their paths → AttachmentReader."""

    most_bytes: int = MOST_BYTES

    async def read(self, path: str) -> Attached:
        """The file as it is now; it is read in a thread."""
        return await asyncio.to_thread(self._read, path)

    def _read(self, path: str) -> Attached:
        content, status = self._content(path)
        key = PurePath(path).as_posix()
        picture = picture_in(content)
        if picture:
            artifact = Artifact(key, "image", _described(picture))
        else:
            artifact = Artifact(key, "file", _text(path, content))
        modified = datetime.fromtimestamp(status.st_mtime_ns // 1_000_000_000, UTC)
        written = modified.isoformat(timespec="seconds").replace("+00:00", "Z")
        return Attached(artifact, content, hashlib.sha256(content).hexdigest(), written, picture)

    def _content(self, path: str) -> tuple[bytes, os.stat_result]:
        try:
            # Looked at before it is opened: opening a device may already do something.
            _check_kind(path, os.stat(path))
            descriptor = os.open(path, _FLAGS)
            try:
                status = os.fstat(descriptor)
                _check_kind(path, status)
                return self._all_of(descriptor, path, status), status
            finally:
                os.close(descriptor)
        except FileNotFoundError:
            raise CannotAttach(path, "there is no such file", "Check the path.") from None
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or "the path cannot be used"
            raise CannotAttach(path, str(reason).lower(), "Check the file and its permissions.") from None

    def _all_of(self, descriptor: int, path: str, status: os.stat_result) -> bytes:
        too_large = CannotAttach(
            path,
            f"it has {status.st_size:,} bytes, and the limit is {self.most_bytes:,}",
            "Attach a smaller part of it.",
        )
        if status.st_size > self.most_bytes:
            raise too_large
        content = b""
        while piece := os.read(descriptor, _PIECE_BYTES):
            content += piece
            if len(content) > self.most_bytes:
                raise too_large
        return content


def _check_kind(path: str, status: os.stat_result) -> None:
    if stat.S_ISREG(status.st_mode):
        return
    for is_kind, reason, advice in _OTHER_KINDS:
        if is_kind(status.st_mode):
            raise CannotAttach(path, reason, advice)
    raise CannotAttach(path, "it is a device, not a file", "Attach a file.")


def _text(path: str, content: bytes) -> str:
    try:
        text = content.decode("utf-16") if content.startswith(_UTF16) else content.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = "\0"
    if "\0" in text:
        raise CannotAttach(
            path, "it is neither text (UTF-8 or UTF-16) nor a picture that is known",
            "Save it as UTF-8 text, or attach a PNG, JPEG, GIF or WebP.",
        )  # fmt: skip
    return text


def _described(picture: AttachedPicture) -> str:
    return f"A picture: {picture.media_type}, {picture.width} × {picture.height} pixels."
