"""The name that a model is given for a file: as little of its path as needed, and never the user's folders.

Works on paths of any system as texts, since a chat may come from another computer.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

_HOMES = frozenset({"home", "users", "documents and settings"})
_ALONE = frozenset({"root"})


def is_rooted(path: str) -> bool:
    """Whether a path is absolute or goes up out of its folder, and so says more than a name should."""
    plain = path.replace("\\", "/") if _is_windows(path) else path
    return plain.startswith(("/", "~")) or _has_drive(plain) or ".." in plain.split("/")


def short_path(path: str) -> str:
    """A path for little space: of an absolute one, the last folder and the file."""
    return "/".join(_parts(path)[-2:]) if is_rooted(path) else path


def shareable_parts(path: str, home: str = "", least: int = 1) -> tuple[str, ...]:
    """The parts of a path that may be shown to a model, without those that lead to a home folder.

    Among the last `least` parts, a folder called "users" is an ordinary one, since those were chosen to be shown.
    """
    parts = _parts(path)
    own = _parts(home) if home else []
    if own and [part.lower() for part in parts[: len(own)]] == [part.lower() for part in own]:
        return tuple(parts[len(own) :]) or tuple(parts[-1:])
    return tuple(parts[_home_length(parts, least) :])


def candidate_names(steps: Sequence[str], least: int = 1) -> tuple[str, ...]:
    """Candidate names for a file, the shortest first: its last `least` parts, then one folder more each."""
    shortest = min(max(1, least), len(steps))
    return tuple("/".join(steps[len(steps) - length :]) for length in range(shortest, len(steps) + 1))


def free_name(names: Sequence[str], taken: Collection[str]) -> str:
    """The first name that is not taken; the shortest with a number where all are."""
    for name in names:
        if name not in taken:
            return name
    number = 2
    while f"{names[0]} ({number})" in taken:
        number += 1
    return f"{names[0]} ({number})"


def _parts(path: str) -> list[str]:
    plain = path.replace("\\", "/") if _is_windows(path) else path
    if _has_drive(plain):
        plain = plain[2:]
    parts = [part for part in plain.split("/") if part not in ("", ".", "~")]
    if plain.startswith("//"):
        parts = parts[2:] or parts[-1:]  # //server/share is where it lies, as a drive is
    while ".." in parts:
        parts = parts[parts.index("..") + 1 :]
    return parts


def _home_length(parts: Sequence[str], least: int) -> int:
    """How many of the parts lead to a home folder; a file directly in it keeps its name."""
    above = [
        place for place, part in enumerate(parts[: max(0, len(parts) - least)]) if part.lower() in _HOMES
    ]
    if above:
        return min(above[-1] + 2, len(parts) - 1)
    return 1 if len(parts) > 1 and parts[0] in _ALONE else 0


def _is_windows(path: str) -> bool:
    return _has_drive(path) or path.startswith("\\\\") or ("\\" in path and "/" not in path)


def _has_drive(path: str) -> bool:
    return len(path) > 2 and path[0].isascii() and path[0].isalpha() and path[1] == ":" and path[2] in "/\\"
