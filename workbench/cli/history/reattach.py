"""Finds files by the names an imported chat gives them, below one folder and nowhere else."""

from __future__ import annotations

import os
import stat
from contextlib import ExitStack
from datetime import UTC, datetime
from pathlib import Path

from workbench.domain.attachment import Artifact
from workbench.domain.record import Snapshot
from workbench.engine.exchange.imported import Wanted

LARGEST_ATTACHMENT_BYTES = 16 * 1024 * 1024
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
    descriptor = _open_plainly(folder, steps) if os.name == "nt" else _open_stepwise(folder, steps)
    with open(descriptor, "rb") as stream:
        facts = os.fstat(stream.fileno())
        if not stat.S_ISREG(facts.st_mode):
            raise ValueError("it is not a regular file")
        content = stream.read(LARGEST_ATTACHMENT_BYTES + 1)
    if len(content) > LARGEST_ATTACHMENT_BYTES:
        raise ValueError(f"it is larger than {LARGEST_ATTACHMENT_BYTES // 1024 // 1024} MiB")
    moment = datetime.fromtimestamp(facts.st_mtime, UTC)
    return content, moment.isoformat(timespec="seconds").replace("+00:00", "Z")


def _open_stepwise(folder: Path, steps: list[str]) -> int:
    """Folder by folder without following a link, so that nobody can swap one in between a check and the reading."""
    with ExitStack() as opened:
        here = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        opened.callback(os.close, here)
        for step in steps[:-1]:
            here = os.open(step, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=here)
            opened.callback(os.close, here)
        return os.open(steps[-1], os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=here)


def _open_plainly(folder: Path, steps: list[str]) -> int:
    target = folder.joinpath(*steps).resolve(strict=True)
    if not target.is_relative_to(folder.resolve()):
        raise ValueError("its name leads out of the folder")
    return os.open(target, os.O_RDONLY | getattr(os, "O_BINARY", 0))
