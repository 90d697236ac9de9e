"""The state of a path in the workspace: a file with its bytes, a folder, or nothing; and the same as JSON."""

from __future__ import annotations

import base64
import binascii
import codecs
import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from workbench.files.writing import FileState
from workbench.tools.workspace.paths import Refused

ABSENT = "absent"


@dataclass(frozen=True, slots=True)
class FolderState:
    """A folder, without its content."""

    mode: int | None = None


State = FileState | FolderState | None
"""None: there is nothing."""


def digest_of(state: State) -> str:
    """Returns a digest that is equal for equal states; modification times do not count."""
    if state is None:
        return ABSENT
    if isinstance(state, FolderState):
        return hashlib.sha256(f"folder {state.mode}\n".encode()).hexdigest()
    return hashlib.sha256(f"file {state.mode}\n".encode() + state.content).hexdigest()


def state_to_json(state: State) -> dict[str, Any] | None:
    """Returns a state as JSON values."""
    if state is None:
        return None
    if isinstance(state, FolderState):
        return {"type": "folder", "mode": state.mode}
    content = base64.b64encode(state.content).decode("ascii")
    return {"type": "file", "mode": state.mode, "modified_ns": state.modified_ns, "base64": content}


def state_from_json(written: object) -> State:
    """Reads a state; notes may come from elsewhere, so a malformed one is refused."""
    if written is None:
        return None
    if not isinstance(written, Mapping):
        raise Refused("The note for taking this back is damaged.")
    mode, modified_ns = _number(written.get("mode")), _number(written.get("modified_ns"))
    if mode is not None and not 0 <= mode <= 0o7777:
        raise Refused("The note for taking this back is damaged.")
    if written.get("type") == "folder":
        return FolderState(mode)
    try:
        return FileState(base64.b64decode(str(written["base64"]), validate=True), mode, modified_ns)
    except (KeyError, binascii.Error, ValueError):
        raise Refused("The note for taking this back is damaged.") from None


def _number(written: object) -> int | None:
    return written if isinstance(written, int) and not isinstance(written, bool) else None


# A file's bytes as text and back, with its encoding and its line ends as they were.


_SNIFFED_BYTES = 8192
_UTF16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


def text_of(content: bytes) -> str | None:
    r"""Decodes text for reading and searching, with `\n` line ends; None where the bytes are not text."""
    try:
        decoded = content.decode("utf-16") if content.startswith(_UTF16) else content.decode("utf-8-sig")
    except UnicodeDecodeError:
        return None
    if "\0" in decoded[:_SNIFFED_BYTES]:
        return None
    return decoded.replace("\r\n", "\n")


def utf8_text(content: bytes, name: str) -> str:
    """Decodes UTF-8 for editing, exactly as in the file; anything else is refused."""
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError:
        raise Refused(
            f"{name} is not UTF-8 text, so it is not edited; use write to replace it whole."
        ) from None
    if "\0" in text[:_SNIFFED_BYTES]:
        raise Refused(f"{name} looks like a binary file, so it is not edited.")
    return text


def uses_crlf(text: str) -> bool:
    """Tells whether most lines end with CRLF."""
    return text.count("\r\n") * 2 > text.count("\n")


def encode_like(text: str, old: bytes | None) -> bytes:
    """Encodes new text with the line ends and byte order mark of the file it replaces."""
    try:
        content = text.encode("utf-8")
    except UnicodeEncodeError:
        raise Refused("The text holds half of a surrogate pair, which no file can hold.") from None
    if old is None:
        return content
    if old.count(b"\r\n") * 2 > old.count(b"\n") and b"\r" not in content:
        content = content.replace(b"\n", b"\r\n")
    if old.startswith(codecs.BOM_UTF8) and not content.startswith(codecs.BOM_UTF8):
        content = codecs.BOM_UTF8 + content
    return content
