"""Files of a folder, for attaching: all that can be made text of, those that a pattern fits, or one that was chosen."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Callable, Iterator
from contextlib import closing
from itertools import islice
from pathlib import PurePath

from workbench.domain.files.attached import (
    AttachLimits,
    CannotAttach,
    FolderFiles,
    FolderList,
    LeftOut,
    ListedFile,
    NamedFile,
)
from workbench.domain.files.document_parts import split_anchor
from workbench.domain.files.folder import FolderEntry, FolderRules
from workbench.sources.attached_file import written_utc
from workbench.sources.folder_walk import FolderWalk

_MAGIC = re.compile(r"[*?\[]")
_PIECES = re.compile(r"\*\*/|\*\*|\*|\?|\[!?[^]/]+\]|.", re.DOTALL)


def open_walk(path: str, rules: FolderRules, limits: AttachLimits, own: str = "") -> FolderWalk | None:
    """A way through a folder, but not into the program's `own`; None where it is no folder."""
    try:
        return FolderWalk(path, rules, limits, own) if stat.S_ISDIR(os.stat(path).st_mode) else None
    except (OSError, ValueError):
        return None


def folder_files(path: str, limits: AttachLimits, own: str = "") -> FolderFiles | None:
    """What can be attached of a folder and below, or of what a pattern fits; None where it is neither.

    Files come before folders. What a .gitignore above the folder says is not known here.
    """
    top, fits = _pattern(path)
    walk = open_walk(top, FolderRules(), limits, own)
    if walk is None:
        return None
    with closing(walk):
        entries = [one for one in _all(walk) if fits is None or fits(one.path)]
        left_out = [
            LeftOut(f"{one.path}{'/' * one.folder}", one.reason) for one in entries if one.standing != "open"
        ]
        files = [one for one in entries if not one.folder and one.standing == "open"]
        paths = tuple(one.path for one in files if _is_text(walk, one, left_out))
        return FolderFiles(top, paths, tuple(left_out), fits is not None)


def listed_files(path: str, most: int, limits: AttachLimits, own: str = "") -> FolderList | None:
    """At most so many files of a folder and below by their names, those high up first; None where it is no folder."""
    walk = open_walk(path, FolderRules(), limits, own)
    if walk is None:
        return None
    with closing(walk):
        files = (one for one in _all(walk) if not one.folder and one.standing == "open")
        found = list(islice(files, most + 1))
    listed = [ListedFile(one.path, one.size_bytes, one.stamp) for one in found[:most]]
    listed.sort(key=lambda one: (one.path.count("/"), one.path.casefold()))
    return FolderList(path, tuple(listed), len(found) > most)


def file_in(folder: str, path: str, limits: AttachLimits) -> NamedFile:
    """A file by its path in a folder, reached without following a link; `CannotAttach` where it is not there."""
    walk = open_walk(folder, FolderRules(), limits)
    if walk is None:
        raise CannotAttach(path, "there is no such folder any more", "Choose another one.")
    with closing(walk):
        try:
            content, status = walk.content(path)
        except ValueError as problem:
            raise CannotAttach(path, str(problem), "Attach something else.") from None
        except OSError:
            raise CannotAttach(path, "cannot be read", "Check the file and its permissions.") from None
    place = os.path.abspath(os.path.join(folder, path))
    return NamedFile(PurePath(path).name, place, content, written_utc(status))


def _all(walk: FolderWalk) -> Iterator[FolderEntry]:
    while batch := walk.more():
        yield from batch


def _is_text(walk: FolderWalk, entry: FolderEntry, left_out: list[LeftOut]) -> bool:
    """Whether text can be made of a file; documents are only opened when they are read."""
    if entry.kind == "document":
        return True
    (found,) = walk.texts((entry.path,))
    # Text in another encoding is left to who reads it; a picture is attached by itself.
    odd = found.text is None and found.standing == "open" and entry.kind != "picture"
    if found.text is None and not odd:
        left_out.append(LeftOut(entry.path, found.reason if found.standing == "refused" else "not text"))
    return found.text is not None or odd


def _pattern(path: str) -> tuple[str, Callable[[str], bool] | None]:
    """The folder that a path is about, and which of its files it means; all of them where it is no pattern."""
    if not _MAGIC.search(path) or os.path.lexists(path) or _is_part(path):
        return path, None
    steps = path.split("/")
    plain = next(place for place, step in enumerate(steps) if _MAGIC.search(step))
    top = "/".join(steps[:plain]) or ("/" if path.startswith("/") else ".")
    try:
        form = re.compile("".join(map(_regex, _PIECES.findall("/".join(steps[plain:])))))
    except re.error:
        return top, lambda one: False  # a range from the back to the front, such as [z-a], has nothing in it
    return top, lambda one: bool(form.fullmatch(one))


def _is_part(path: str) -> bool:
    """Whether a part of a file is named, whatever its heading is called: `faq.md#Why?`."""
    base, anchor = split_anchor(path)
    return bool(anchor) and os.path.lexists(base) and not os.path.isdir(base)


def _regex(piece: str) -> str:
    """A piece of a pattern as a regular expression; ** goes through folders, a * stays within a name."""
    match piece:
        case "**/":
            return "(?:.*/)?"
        case "**":
            return ".*"
        case "*":
            return "[^/]*"
        case "?":
            return "[^/]"
    if len(piece) == 1:
        return re.escape(piece)
    inside = piece[1:-1].replace("\\", "\\\\")
    return f"[^/{inside[1:]}]" if inside.startswith("!") else f"[{inside}]"
