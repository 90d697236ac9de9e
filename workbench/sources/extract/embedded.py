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


def embedded_texts(archive: OfficeFile, related: Iterable[tuple[str, str]], read: Reader | None) -> list[str]:
    """The texts of what is embedded, each under its name; what cannot be read has none."""
    names = dict.fromkeys(target for kind, target in related if kind == "package")
    found: list[str] = []
    if read is None:
        return []
    for name in list(names)[:_MOST]:
        title = posixpath.basename(name)
        try:
            text = read(title, archive.bytes_of(name)).text.strip()
        except Unreadable:
            continue
        if text:
            found.append(f"Embedded {title}:\n\n{text}")
    return found
