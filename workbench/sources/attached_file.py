"""Turns a file's bytes into an attachment: its text or a part of it, or a picture."""

from __future__ import annotations

import codecs
import hashlib
import os
import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import PurePath

from workbench.domain.files.attached import Attached, CannotAttach, NamedFile
from workbench.domain.files.attachment import Artifact, ArtifactKind
from workbench.domain.files.document import PLAIN_KINDS, Document, ReadAs, Section
from workbench.domain.files.document_parts import find_section, part_text
from workbench.domain.files.file_names import candidate_names, shareable_parts
from workbench.domain.files.pictures import picture_in
from workbench.domain.translation import tr
from workbench.sources.extract.kinds import binary_kind, text_kind
from workbench.sources.extract.refusal import Unreadable

UTF16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_ENCODINGS = {"utf-16": "utf-16", "utf-8-sig": "utf-8"}
_LINES = re.compile(r"L\d+(?:-L?\d+)?")


def read_plain(name: str, content: bytes, anchor: str = "") -> Document | None:
    """Reads a file that needs no child process; None where it is not plain text or a picture.

    That is text in a usual encoding, whole or by lines, or a picture; no outline is made.
    """
    if anchor and not _LINES.fullmatch(anchor):
        return None
    picture = picture_in(content)
    if picture is not None:
        return Document(picture.described, ReadAs("image"))
    encoding = "utf-16" if content.startswith(UTF16) else "utf-8-sig"
    try:
        if binary_kind(content) is not None:
            return None
        text = content.decode(encoding)
    except (Unreadable, UnicodeDecodeError):
        return None
    kind = text_kind(name, text)
    return (
        Document(text, ReadAs(kind, _ENCODINGS[encoding]))
        if kind in PLAIN_KINDS and "\0" not in text
        else None
    )


def as_attached(path: str, file: NamedFile, document: Document) -> Attached:
    """Returns a file as an attachment under the path that was given; where that names a part, only the part."""
    picture = picture_in(file.content) if document.read_as.kind == "image" else None
    if picture is not None and file.anchor:
        raise CannotAttach(
            path, tr("it is a picture, it has no parts"), tr("Leave out “#{anchor}”.", anchor=file.anchor)
        )
    part = _part(path, file.anchor, document) if file.anchor else None
    if document.scanned:
        raise Scanned(path, document.read_as.pages, file.place)
    text = document.text if part is None else part_text(document, part)
    kind: ArtifactKind = "image" if picture else "pdf" if document.read_as.kind == "pdf" else "file"
    artifact = Artifact(PurePath(path).as_posix(), kind, text, unread=document.read_as.unread)
    digest = hashlib.sha256(file.content).hexdigest()
    return Attached(
        artifact, file.content, digest, file.modified_utc, picture, file.place,
        read_as=document.read_as, document=document,
    )  # fmt: skip


def attached_file(path: str, content: bytes, status: os.stat_result) -> Attached:
    """Returns plain text or a picture as an attachment; anything else is refused."""
    name = PurePath(path).name
    document = read_plain(name, content)
    if document is None:
        raise CannotAttach(
            path, tr("it is neither text (UTF-8 or UTF-16) nor a picture that is known"),
            tr("Save it as UTF-8 text, or attach a PNG, JPEG, GIF or WebP."),
        )  # fmt: skip
    return as_attached(path, NamedFile(name, os.path.abspath(path), content, written_utc(status)), document)


def _part(path: str, anchor: str, document: Document) -> Section:
    found = find_section(document, anchor)
    if found is not None:
        return found
    some = ", ".join(f"#{section.anchor}" for section in (*document.sections, *document.pages)[:4])
    advice = (
        tr("It has {some} and lines such as #L1-40.", some=some)
        if some
        else tr("Name lines of it, such as #L1-40.")
    )
    raise CannotAttach(path, tr("there is no part “{anchor}” in the file", anchor=anchor), advice)


class Scanned(CannotAttach):
    """A document whose pages are pictures without text; they can be attached as pictures."""

    def __init__(self, path: str, pages: int, place: str) -> None:
        what = (
            tr("its only page is a picture")
            if pages == 1
            else tr("its {pages:,} pages are pictures", pages=pages)
        )
        super().__init__(
            path,
            tr("{what} without text", what=what),
            tr("Attach its pages as pictures, for a model that sees them."),
        )
        self.left_out = tuple(one.as_pages(pages, place) for one in self.left_out)


def written_utc(status: os.stat_result) -> str:
    """Returns when a file was last modified, in UTC."""
    moment = datetime.fromtimestamp(status.st_mtime_ns // 1_000_000_000, UTC)
    return moment.isoformat(timespec="seconds").replace("+00:00", "Z")


# What a file may be called before a model: its path inside the workspace or the attached folder, else its name.


@dataclass(frozen=True, slots=True)
class Naming:
    """Chooses the names under which a model sees files: paths inside a workspace or folder, never of the home.

    `own` is the folder of the program's data, which is never attached with what is around it; `others` are the folders
    of named workspaces.
    """

    home: str = ""
    workspace: Callable[[], str] = lambda: ""
    own: str = ""
    others: Callable[[], tuple[str, ...]] = lambda: ()

    def names(self, path: str, least: int = 1) -> tuple[str, ...]:
        """Returns possible names of a file, shortest first; each contains at least `least` steps of its path."""
        try:
            # A link is called as it is called; the folders before it are those it really lies in.
            folder = os.path.realpath(os.path.dirname(os.path.abspath(path)))
        except (OSError, ValueError):
            return ()
        whole = os.path.join(folder, os.path.basename(path))
        least = self._inside_workspace(whole) or least
        return candidate_names(shareable_parts(whole, self.home, least), least)

    def is_own(self, path: str) -> bool:
        """Tells whether a path lies in the folder of the program's own data."""
        if not self.own:
            return False
        try:
            own, found = (os.path.normcase(os.path.realpath(one)) for one in (self.own, path))
        except (OSError, ValueError):
            return False
        return found == own or found.startswith(own.rstrip(os.sep) + os.sep)

    def _inside_workspace(self, path: str) -> int:
        """Returns how many steps a path lies below the innermost workspace; 0 where it is in none."""
        tops = [
            os.path.normcase(os.path.realpath(one)).rstrip(os.sep)
            for one in (self.workspace(), *self.others())
            if one
        ]
        around = [top for top in tops if os.path.normcase(path).startswith(f"{top}{os.sep}")]
        if not around:
            return 0
        return len([step for step in path[len(max(around, key=len)) :].split(os.sep) if step])
