"""What a file becomes when it is attached: text, or a picture; anything else is refused."""

from __future__ import annotations

import codecs
import hashlib
import os
from datetime import UTC, datetime
from pathlib import PurePath

from workbench.domain.attached import Attached, CannotAttach
from workbench.domain.attachment import Artifact
from workbench.domain.pictures import picture_in

UTF16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


def attached_file(path: str, content: bytes, status: os.stat_result) -> Attached:
    """The file under its path as it was given."""
    key = PurePath(path).as_posix()
    picture = picture_in(content)
    text = _text(path, content) if picture is None else picture.described
    artifact = Artifact(key, "file" if picture is None else "image", text)
    digest, place = hashlib.sha256(content).hexdigest(), os.path.abspath(path)
    return Attached(artifact, content, digest, written_utc(status), picture, place)


def written_utc(status: os.stat_result) -> str:
    """When a file was last written, as it says itself."""
    moment = datetime.fromtimestamp(status.st_mtime_ns // 1_000_000_000, UTC)
    return moment.isoformat(timespec="seconds").replace("+00:00", "Z")


def _text(path: str, content: bytes) -> str:
    try:
        text = content.decode("utf-16") if content.startswith(UTF16) else content.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = "\0"
    if "\0" in text:
        raise CannotAttach(
            path, "it is neither text (UTF-8 or UTF-16) nor a picture that is known",
            "Save it as UTF-8 text, or attach a PNG, JPEG, GIF or WebP.",
        )  # fmt: skip
    return text
