"""Parses paths as a model writes them: relative to the workspace, and nothing that could lead elsewhere."""

from __future__ import annotations

import errno
import re
import unicodedata
from dataclasses import dataclass

# Why a tool does not do what it was asked, in words the model can act on.


_KNOWN = {
    errno.EACCES: "the system does not allow it",
    errno.EPERM: "the system does not allow it",
    errno.EROFS: "the folder can only be read",
    errno.ENOSPC: "the disk is full",
    errno.EDQUOT: "the disk quota is used up",
    errno.ENAMETOOLONG: "the name is too long",
    errno.EMFILE: "too many files are open",
}


class Refused(Exception):
    """A tool did nothing; the text says why and what would work."""


def refusal_of(error: OSError) -> Refused:
    """Converts a system error to a refusal, without paths of this computer."""
    reason = _KNOWN.get(error.errno or 0, (error.strerror or "an input or output error").lower())
    return Refused(f"It did not work: {reason}. Nothing was changed.")


MOST_PARTS = 64
_LONGEST_NAME_BYTES = 255
_LONGEST_PATH_CHARS = 4096
_DRIVE = re.compile(r"[A-Za-z]:")
_DEVICE = re.compile(r"(?:con|prn|aux|nul|conin\$|conout\$|com[0-9¹²³]|lpt[0-9¹²³])(?:\..*)?", re.IGNORECASE)
_BIDI = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
_UNSHOWN = frozenset({"Cc", "Cs", "Zl", "Zp"})
_GUARDED = frozenset({".git", "git~1"})


@dataclass(frozen=True, slots=True)
class WorkspacePath:
    """A path in the workspace as its parts; no parts mean the workspace itself."""

    parts: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        return self.parts[-1]

    @property
    def parent(self) -> WorkspacePath:
        """The folder it is in."""
        return WorkspacePath(self.parts[:-1])

    @property
    def parents(self) -> tuple[WorkspacePath, ...]:
        """The folders above it, outermost first, without the workspace itself."""
        return tuple(WorkspacePath(self.parts[:count]) for count in range(1, len(self.parts)))

    def child(self, name: str) -> WorkspacePath:
        """Returns the path of an entry of this folder."""
        return WorkspacePath((*self.parts, name))

    def __str__(self) -> str:
        return "/".join(self.parts) or "."


def parse_path(text: str) -> WorkspacePath:
    """Parses a path; `./a`, `a//b` and `a/` are normalised, anything suspicious is refused."""
    if len(text) > _LONGEST_PATH_CHARS:
        raise Refused("The path is too long.")
    if text.startswith("/") or _DRIVE.match(text):
        raise Refused(f'{shown(text)} is absolute; paths are relative to the workspace, whose top is ".".')
    if "\\" in text:
        raise Refused(f"{shown(text)} holds a backslash; write / between folders.")
    parts = tuple(part for part in text.split("/") if part not in ("", "."))
    if len(parts) > MOST_PARTS:
        raise Refused("The path has too many folders.")
    for part in parts:
        _check_name(part)
    return WorkspacePath(parts)


def parse_changeable(text: str) -> WorkspacePath:
    """Parses a path at which tools may change things."""
    path = parse_path(text)
    if not path.parts:
        raise Refused("That is the workspace itself; name something in it.")
    if any(part.casefold() in _GUARDED for part in path.parts):
        # What lies there is run by git itself: a changed hook or setting is a program started later, unseen.
        raise Refused(f"{path} belongs to git; tools change nothing there.")
    return path


def shown(name: str) -> str:
    """Returns a name for display on one line; invisible and direction-changing characters are escaped."""
    return "".join(f"\\u{ord(each):04x}" if _misleads(each) else each for each in name)


def _check_name(name: str) -> None:
    if name == "..":
        raise Refused("The path holds ..; name the place from the workspace's top.")
    if any(_misleads(each) for each in name):
        raise Refused(f"{shown(name)} holds a character that cannot be seen; such names are not used.")
    if name[-1] in ". ":
        raise Refused('"{name}" ends in a dot or a space, which not every system keeps.')
    if _DEVICE.fullmatch(name):
        raise Refused(f"{name} is the name of a device on some systems.")
    if len(name.encode()) > _LONGEST_NAME_BYTES:
        raise Refused("A name in the path is too long.")


def _misleads(character: str) -> bool:
    return character in _BIDI or unicodedata.category(character) in _UNSHOWN
