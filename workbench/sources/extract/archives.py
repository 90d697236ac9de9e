"""Office documents, which are zip archives of XML: checked against zip bombs, parsed without entities or network."""

from __future__ import annotations

import posixpath
import zipfile
import zlib
from collections.abc import Callable, Iterable, Mapping
from io import BytesIO
from typing import IO, Any

from lxml import etree

from workbench.domain.files.document import Document
from workbench.domain.translation import tr
from workbench.sources.extract.refusal import Unreadable, broken

MOST_UNPACKED_BYTES = 200 * 1024 * 1024
MOST_RATIO = 120
MOST_MEMBERS = 20_000
# Small members may well be packed a thousand to one: empty rows, blank pictures.
_SMALL_BYTES = 8 * 1024 * 1024
_HEAD_BYTES = 2048
_TO_HARM = Unreadable(
    tr("it would unpack to far more than a document is"),
    tr("Open it in its own program, and save it as PDF."),
)
# The strict form of the format calls the same things by other names.
_STRICT, _USUAL = b"http://purl.oclc.org/ooxml/", b"http://schemas.openxmlformats.org/"
_NAMESPACES = (
    (b"wordprocessingml/main", b"wordprocessingml/2006/main"),
    (b"spreadsheetml/main", b"spreadsheetml/2006/main"),
    (b"presentationml/main", b"presentationml/2006/main"),
    (b"drawingml/main", b"drawingml/2006/main"),
    (b"drawingml/chart", b"drawingml/2006/chart"),
    (b"officeDocument/math", b"officeDocument/2006/math"),
    (b"officeDocument/relationships", b"officeDocument/2006/relationships"),
)
_DAMAGED = (zipfile.BadZipFile, zlib.error, OSError, EOFError, ValueError, NotImplementedError, RuntimeError)


class OfficeFile:
    """The members of a zip archive that passed the safety checks.

    `parsed` are the name endings of members that may be parsed as XML; all may where it is empty.
    """

    def __init__(self, content: bytes, what: str, parsed: tuple[str, ...] = ()) -> None:
        self._what, self._parsed = what, parsed
        try:
            self._archive = zipfile.ZipFile(BytesIO(content))
            self._members = {one.filename.lstrip("/").lower(): one for one in self._archive.infolist()}
        except _DAMAGED:
            raise broken(what) from None
        self._check(self._archive.infolist())

    @property
    def names(self) -> list[str]:
        """Names of the members, in lower case and without a leading slash."""
        return list(self._members)

    def has(self, name: str) -> bool:
        """Tells whether there is such a member."""
        return name.lstrip("/").lower() in self._members

    def count(self, folder: str) -> int:
        """Counts the members in a folder."""
        return sum(name.startswith(folder) and not name.endswith("/") for name in self._members)

    def bytes_of(self, name: str) -> bytes:
        """Returns a member's bytes; empty where there is none."""
        member = self._members.get(name.lstrip("/").lower())
        if member is None:
            return b""
        try:
            return self._archive.read(member)
        except _DAMAGED:
            raise broken(self._what) from None

    def opened(self, name: str) -> IO[bytes]:
        """Opens a member for reading in pieces; damage shows only then, as `BadZipFile`."""
        return self._archive.open(self._members[name.lstrip("/").lower()])

    def tree(self, name: str) -> Any | None:
        """Parses a member as XML; None where there is none."""
        if self._parsed and not name.endswith(self._parsed):
            raise broken(self._what)
        written = self.bytes_of(name)
        if _STRICT in written:
            for strict, usual in _NAMESPACES:
                written = written.replace(_STRICT + strict, _USUAL + usual)
        return parsed(written, self._what) if written.strip() else None

    def main(self, usual: str) -> str:
        """Returns the name of the member that is the document itself, or `usual`."""
        named = (target for kind, target in self.related("").values() if kind == "officeDocument")
        return next((name for name in named if name.lower() in self._members), usual)

    def related(self, name: str) -> Mapping[str, tuple[str, str]]:
        """Returns what a member refers to, by reference id: the last word of the type, and the other member's name."""
        folder, _, own = name.rpartition("/")
        found = self.tree(f"{folder}/_rels/{own}.rels" if folder else f"_rels/{own}.rels")
        if found is None:
            return {}
        return {
            one.get("Id", ""): (
                one.get("Type", "").rpartition("/")[2],
                _join_path(folder, one.get("Target", "")),
            )
            for one in found
            if isinstance(one.tag, str) and one.get("TargetMode") != "External"
        }

    def _check(self, members: list[zipfile.ZipInfo]) -> None:
        if len(members) > MOST_MEMBERS or sum(one.file_size for one in members) > MOST_UNPACKED_BYTES:
            raise _TO_HARM
        for one in members:
            if one.flag_bits & 1:
                raise Unreadable(
                    tr("it is a {what} with a password", what=self._what), tr("Save it without a password.")
                )
            if one.file_size > max(_SMALL_BYTES, MOST_RATIO * one.compress_size):
                raise _TO_HARM
            if one.filename.lower().endswith((".xml", ".rels", ".opf")) and self._is_parsed(one):
                self._check_head(one)

    def _is_parsed(self, member: zipfile.ZipInfo) -> bool:
        return not self._parsed or member.filename.endswith(self._parsed)

    def _check_head(self, member: zipfile.ZipInfo) -> None:
        """Refuses XML with a DOCTYPE or entities; Office writes none, and they can expand it or read other files."""
        try:
            with self._archive.open(member) as opened:
                head = opened.read(_HEAD_BYTES).replace(b"\0", b"")
        except _DAMAGED:
            raise broken(self._what) from None
        if b"<!DOCTYPE" in head or b"<!ENTITY" in head:
            raise Unreadable(
                tr("it holds XML definitions, as no Office program writes them"), tr("Save it as PDF.")
            )


def parsed(written: bytes, what: str) -> Any:
    """Parses XML without entities, network access or huge trees."""
    parser = etree.XMLParser(
        resolve_entities=False,
        no_network=True,
        huge_tree=False,
        remove_comments=True,
        remove_pis=True,
        recover=False,
    )
    try:
        return etree.fromstring(written, parser)
    except (etree.XMLSyntaxError, ValueError):
        raise broken(what) from None


def _join_path(folder: str, target: str) -> str:
    whole = target if target.startswith("/") else posixpath.join(folder, target)
    return posixpath.normpath(whole).lstrip("/")


# Office documents in Office documents: each is read by its own reader.


Reader = Callable[[str, bytes], Document]
"""Reads an embedded file by its name and bytes."""

_MOST = 50


def embedded_texts(
    archive: OfficeFile, related: Iterable[tuple[str, str]], read: Reader | None, cut: list[str]
) -> list[str]:
    """Returns the texts of embedded documents, each under its name; unreadable ones are skipped.

    Notes on what was cut are appended to `cut`.
    """
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
        cut += [tr("{title}: {note}", title=title, note=one) for one in inside.read_as.unread]
        if text := inside.text.strip():
            found.append(f"Embedded {title}:\n\n{text}")
    return found
