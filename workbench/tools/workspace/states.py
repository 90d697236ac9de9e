"""What is at a place of the workspace: a file with its bytes, a folder, or nothing; and the same as JSON."""

from __future__ import annotations

import base64
import binascii
import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from workbench.files.writing import FileState
from workbench.tools.workspace.refusals import Refused

ABSENT = "absent"


@dataclass(frozen=True, slots=True)
class FolderState:
    """A folder, without what is in it."""

    mode: int | None = None


State = FileState | FolderState | None
"""None: there is nothing."""


def digest_of(state: State) -> str:
    """By which equal states are recognised; when a file was written does not matter."""
    if state is None:
        return ABSENT
    if isinstance(state, FolderState):
        return hashlib.sha256(f"folder {state.mode}\n".encode()).hexdigest()
    return hashlib.sha256(f"file {state.mode}\n".encode() + state.content).hexdigest()


def state_to_json(state: State) -> dict[str, Any] | None:
    """A state as JSON values."""
    if state is None:
        return None
    if isinstance(state, FolderState):
        return {"type": "folder", "mode": state.mode}
    content = base64.b64encode(state.content).decode("ascii")
    return {"type": "file", "mode": state.mode, "modified_ns": state.modified_ns, "base64": content}


def state_from_json(written: object) -> State:
    """The state that was written; a note that somebody else wrote may hold anything, and is refused."""
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
