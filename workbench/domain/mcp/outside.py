"""Paths in a call that lie outside the workspace's folder: only the names are read, no disk is asked."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from workbench.domain.approval import PATH_NAMES, TEXT_NAMES, texts_in

_MOST = 5
_DRIVE = re.compile(r"[A-Za-z]:(?=/|$)")


def paths_outside(arguments: Mapping[str, Any], folder: str) -> tuple[str, ...]:
    """What the arguments name that lies elsewhere, in their order, each once; nothing without a folder."""
    found: dict[str, None] = {}
    if folder:
        for path in _named(arguments):
            if _is_outside(path, folder):
                found.setdefault(path)
    return tuple(found)[:_MOST]


def _named(arguments: Mapping[str, Any]) -> Iterator[str]:
    """Whatever may be a path; under a name that isn't known for paths, each word of a text may be."""
    for name, value in texts_in(arguments):
        if not isinstance(value, str) or name in TEXT_NAMES:
            continue
        if name in PATH_NAMES:
            yield value.strip()
        else:
            words = re.split(r"[\s\"'`=;,|&<>()]+", value)
            yield from (word for word in words if word in ("~", "..") or re.search(r"[/\\]", word))


def _is_outside(path: str, folder: str) -> bool:
    if path.startswith("file://"):
        path = path.removeprefix("file://")
    elif "://" in path:
        return False
    if path.startswith(("~", "$", "%")):
        return True
    plain = path.replace("\\", "/")
    rooted = plain.startswith("/") or _DRIVE.match(plain) is not None
    where = _steps(plain if rooted else f"{folder}/{plain}")
    home = _steps(folder)
    return where[: len(home)] != home


def _steps(path: str) -> list[str]:
    """The folders on the way, without those that are left again; on a drive, upper and lower case are the same."""
    plain = path.replace("\\", "/")
    steps: list[str] = []
    for step in (plain.casefold() if _DRIVE.match(plain) else plain).split("/"):
        if step == "..":
            steps = steps[:-1]
        elif step not in ("", "."):
            steps.append(step)
    return steps
