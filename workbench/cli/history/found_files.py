"""Finds files by the names that an imported chat gives them, below one folder and nowhere else."""

from __future__ import annotations

from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from workbench.domain.files.attached import MOST_ATTACHED_BYTES
from workbench.domain.files.attachment import Artifact
from workbench.domain.record import Snapshot
from workbench.engine.exchange.imported import Wanted
from workbench.files.folder_handles import open_folder
from workbench.files.reading import user_file_below

if TYPE_CHECKING:  # it loads what `--help` does not need
    pass


_READABLE = frozenset({"file", "note"})
_NEVER_FETCHED = frozenset({"url", "web_tab", "youtube"})


class FoundFiles:
    """The folder that may be looked into."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def take(self, wanted: Wanted, when_utc: str) -> Snapshot | str:
        """The file as it is now, or why there is none."""
        if wanted.kind in _NEVER_FETCHED:
            return "pages are never fetched again"
        if wanted.kind not in _READABLE:
            return f"a {wanted.kind.replace('_', ' ')} cannot be read from a folder"
        try:
            content, modified = _read_below(self._folder, wanted.key)
            text = content.decode("utf-8")
        except UnicodeDecodeError:
            return "it is not text in UTF-8"
        except (OSError, ValueError) as problem:
            return getattr(problem, "strerror", None) or str(problem) or type(problem).__name__
        artifact = Artifact(wanted.key, wanted.kind, text)
        return Snapshot(wanted.chat, artifact, when_utc, content, modified)


def _read_below(folder: Path, name: str) -> tuple[bytes, str]:
    steps = name.replace("\\", "/").removeprefix("./").split("/")
    if any(step in ("", ".", "..") or ":" in step or "\0" in step for step in steps):
        raise ValueError("its name leads out of the folder")
    with closing(open_folder(str(folder))) as held, user_file_below(held, steps) as opened:
        content, status = opened.read(MOST_ATTACHED_BYTES + 1), opened.status
    if len(content) > MOST_ATTACHED_BYTES:
        raise ValueError(f"it is larger than {MOST_ATTACHED_BYTES // 1_000_000} MB")
    moment = datetime.fromtimestamp(status.st_mtime, UTC)
    return content, moment.isoformat(timespec="seconds").replace("+00:00", "Z")
