"""Office documents in Office documents: each is read by its own reader."""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Iterable

from workbench.domain.files.document import Document
from workbench.sources.extract.archives import OfficeFile
from workbench.sources.extract.refusal import Unreadable

Reader = Callable[[str, bytes], Document]
"""Reads what lies in a file, by its name and bytes."""

_MOST = 50


def embedded_texts(
    archive: OfficeFile, related: Iterable[tuple[str, str]], read: Reader | None, cut: list[str]
) -> list[str]:
    """The texts of what is embedded, each under its name; what cannot be read has none. `cut` gets what is not all."""
    names = dict.fromkeys(target for kind, target in related if kind == "package")
    found: list[str] = []
    if read is None:
        return []
    for name in list(names)[:_MOST]:
        title = posixpath.basename(name)
        try:
            inside = read(title, archive.bytes_of(name))
        except Unreadable:
            continue
        cut += [f"{title}: {one}" for one in inside.read_as.unread]
        if text := inside.text.strip():
            found.append(f"Embedded {title}:\n\n{text}")
    return found
