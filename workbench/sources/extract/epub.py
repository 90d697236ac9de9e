"""Reads e-books (EPUB): the chapters in reading order, as one text."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator
from typing import Any
from urllib.parse import unquote

from workbench.domain.files.document import Document, ReadAs
from workbench.domain.translation import counted, tr
from workbench.sources.extract.archives import OfficeFile
from workbench.sources.extract.html import read_chapters
from workbench.sources.extract.left_out import left_out
from workbench.sources.extract.refusal import Unreadable, broken, clean
from workbench.sources.extract.text import decode_text

_PAGES = frozenset({"application/xhtml+xml", "text/html", "application/x-dtbook+xml", "text/x-oeb1-document"})
_MEDIA = {"audio": "sound recording", "video": "film"}


def read_epub(content: bytes) -> Document:
    """Returns the book's chapters as one text; a book with copy protection is refused."""
    archive = OfficeFile(content, tr("e-book"))
    package = _package(archive)
    tree = archive.tree(package)
    if tree is None:
        raise broken(tr("e-book"))
    items = {one.get("id", ""): one for one in _elements(tree, "item")}
    folder = posixpath.dirname(package)
    chapters = [_place(folder, items[one]) for one in _spine(tree) if one in items and _is_page(items[one])]
    _refuse_encrypted(archive, chapters)
    text, sections, noted, unread = read_chapters(_texts(archive, chapters))
    notes = list(noted)
    kinds = [one.get("media-type", "") for one in items.values()]
    notes += left_out({words: sum(one.startswith(media) for one in kinds) for media, words in _MEDIA.items()})
    missing = sum(not archive.has(name) for name in chapters)
    if missing:
        notes.append(tr("{counted} missing in the file", counted=counted(missing, "chapter")))
    cut = (
        (tr("{counted} that cannot be read left out", counted=counted(unread, "chapter")),) if unread else ()
    )
    return Document(text, ReadAs("epub", notes=tuple(notes), unread=cut), sections)


def _package(archive: OfficeFile) -> str:
    container = archive.tree("META-INF/container.xml")
    for one in () if container is None else _elements(container, "rootfile"):
        path = one.get("full-path", "")
        if archive.has(path):
            return str(path)
    raise broken(tr("e-book"))


def _elements(tree: Any, name: str) -> Iterator[Any]:
    """Yields elements by their local name, whatever version of the format they are from."""
    return (one for one in tree.iter() if isinstance(one.tag, str) and one.tag.rpartition("}")[2] == name)


def _spine(tree: Any) -> Iterator[str]:
    return (str(one.get("idref", "")) for one in _elements(tree, "itemref"))


def _is_page(item: Any) -> bool:
    # A list of contents says again what the headings say.
    return item.get("media-type", "") in _PAGES and "nav" not in item.get("properties", "").split()


def _place(folder: str, item: Any) -> str:
    return posixpath.normpath(posixpath.join(folder, unquote(item.get("href", "")))).lstrip("/")


def _refuse_encrypted(archive: OfficeFile, chapters: list[str]) -> None:
    """Refuses a book whose chapters are encrypted by its shop; obfuscated fonts do not matter."""
    tree = archive.tree("META-INF/encryption.xml")
    locked = (
        () if tree is None else (unquote(one.get("URI", "")) for one in _elements(tree, "CipherReference"))
    )
    if set(locked) & set(chapters):
        raise Unreadable(
            tr("it is an e-book that is locked by its shop"), tr("Attach a copy without a lock.")
        )


def _texts(archive: OfficeFile, chapters: list[str]) -> Iterator[str]:
    for name in chapters:
        written = archive.bytes_of(name)
        if written.strip():
            try:
                yield clean(decode_text(written, "")[0])
            except Unreadable:
                yield clean(written.decode("utf-8", "replace"))
