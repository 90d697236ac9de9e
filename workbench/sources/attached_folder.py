"""Files of a folder, for attaching: those that were chosen in it, or all that are text; the rest is only named."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import PurePath

from workbench.domain.attached import Attached, AttachLimits, CannotAttach, FolderRead, LeftOut
from workbench.domain.folder import FolderEntry, FolderRules
from workbench.sources.attached_file import attached_file
from workbench.sources.folder_walk import FolderWalk
from workbench.sources.naming import Naming


def open_walk(path: str, rules: FolderRules, limits: AttachLimits) -> FolderWalk | None:
    """A way through a folder; None where it is no folder."""
    try:
        return FolderWalk(path, rules, limits) if stat.S_ISDIR(os.stat(path).st_mode) else None
    except (OSError, ValueError):
        return None


def read_folder(path: str, limits: AttachLimits, naming: Naming) -> FolderRead | None:
    """Every text in the folder and below that can be attached, files before folders; None where it is no folder.

    What a .gitignore above the folder says is not known here.
    """
    walk = open_walk(path, FolderRules(), limits)
    if walk is None:
        return None
    with closing(walk):
        entries = tuple(_all(walk))
        left_out = [
            LeftOut(f"{one.path}{'/' * one.folder}", one.reason) for one in entries if one.standing != "open"
        ]
        files = [one.path for one in entries if not one.folder and one.standing == "open"]
        texts = [path for path in files if not _is_no_text(walk, path, left_out)]
        return _read(walk, texts, naming, left_out)


def read_chosen(folder: str, paths: Sequence[str], limits: AttachLimits, naming: Naming) -> FolderRead:
    """Files that were chosen in a folder, by their paths in it; what cannot be read any more is named."""
    walk = open_walk(folder, FolderRules(), limits)
    if walk is None:
        raise CannotAttach(folder, "there is no such folder any more", "Choose another one.")
    with closing(walk):
        return _read(walk, paths, naming, [])


def _all(walk: FolderWalk) -> Iterator[FolderEntry]:
    while batch := walk.more():
        yield from batch


def _is_no_text(walk: FolderWalk, path: str, left_out: list[LeftOut]) -> bool:
    (found,) = walk.texts((path,))
    if found.text is None:
        left_out.append(LeftOut(path, found.reason if found.standing == "refused" else "not text"))
    return found.text is None


def _read(walk: FolderWalk, paths: Sequence[str], naming: Naming, left_out: list[LeftOut]) -> FolderRead:
    files: list[Attached] = []
    size_bytes = 0
    for path in paths:
        try:
            content, status = walk.content(path)
            size_bytes += len(content)
            if size_bytes > walk.limits.total_bytes:
                size_bytes -= len(content)
                raise ValueError(f"more than {walk.limits.total_mb:,} MB in all")
            whole = PurePath(walk.path, path).as_posix()
            # Its path in the folder that was attached, and that folder's own name.
            names = naming.names(whole, least=path.count("/") + 2)
            files.append(replace(attached_file(whole, content, status), names=names))
        except CannotAttach as refusal:
            left_out.extend(replace(one, path=path) for one in refusal.left_out)
        except ValueError as problem:
            left_out.append(LeftOut(path, str(problem)))
        except OSError:
            left_out.append(LeftOut(path, "cannot be read"))
    return FolderRead(tuple(files), tuple(left_out))
