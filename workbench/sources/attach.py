"""Reads what a user attaches: files, parts of files, folders, patterns and pages, within size limits."""

from __future__ import annotations

import asyncio
import hashlib
import os
import re
import stat
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import PurePath
from threading import Lock
from typing import ParamSpec, TypeVar

from workbench.domain.files.attached import (
    Attached,
    AttachLimits,
    CannotAttach,
    FileSight,
    FolderFiles,
    FolderList,
    KeptCopy,
    LeftOut,
    ListedFile,
    Locked,
    NamedFile,
)
from workbench.domain.files.document import AS_FOUND, Document, Reading
from workbench.domain.files.document_parts import split_anchor
from workbench.domain.files.file_names import is_rooted
from workbench.domain.files.folder import FileText, FolderEntry, FolderRules
from workbench.domain.files.pictures import LONGEST_SENT_SIDE, MOST_SENT_BYTES, may_be_refused, picture_in
from workbench.domain.secrets import Secret
from workbench.domain.translation import tr
from workbench.files.folder_handles import open_folder
from workbench.files.folders import Barred, Folder
from workbench.files.reading import NotRegular, UserFile, is_below, user_file, user_file_below
from workbench.ports.attaching import Extractor, PageFetcher
from workbench.sources.attached_file import Naming, Scanned, as_attached, read_plain, written_utc
from workbench.sources.folder_walk import OWN_DATA, FolderWalk
from workbench.sources.web.fetching import attached_page, page_name, reading_by_content_type
from workbench.sources.web.targets import is_address

# Files of a folder, for attaching: all that can be made text of, those that a pattern fits, or one that was chosen.


_LONG_TOGETHER_BYTES = 8_000_000
_MAGIC = re.compile(r"[*?\[]")
_PIECES = re.compile(r"\*\*/|\*\*|\*|\?|\[!?[^]/]+\]|.", re.DOTALL)


def open_walk(path: str, rules: FolderRules, limits: AttachLimits, own: str = "") -> FolderWalk | None:
    """Opens a folder for walking, leaving out the program's `own` data; None where the path is no folder."""
    try:
        return FolderWalk(path, rules, limits, own) if stat.S_ISDIR(os.stat(path).st_mode) else None
    except (OSError, ValueError):
        return None


def folder_files(path: str, limits: AttachLimits, own: str = "") -> FolderFiles | None:
    """Returns what can be attached of a folder or of a pattern's matches; None where the path is neither.

    Files come before folders. A .gitignore above the folder is not considered.
    """
    top, fits = _pattern(path)
    walk = open_walk(top, FolderRules(), limits, own)
    if walk is None:
        return None
    with closing(walk):
        entries = [one for one in _all_entries(walk) if fits is None or fits(one.path)]
        left_out = [
            LeftOut(f"{one.path}{'/' * one.folder}", one.reason) for one in entries if one.standing != "open"
        ]
        files = [one for one in entries if not one.folder and one.standing == "open"]
        paths = tuple(one.path for one in files if _is_text(walk, one, left_out))
        return FolderFiles(top, paths, tuple(left_out), fits is not None)


def listed_files(path: str, most: int, limits: AttachLimits, own: str = "") -> FolderList | None:
    """Lists up to `most` files of a folder by name, those nearest the top first; None where it is no folder."""
    walk = open_walk(path, FolderRules(), limits, own)
    if walk is None:
        return None
    with closing(walk):
        files = (one for one in _all_entries(walk) if not one.folder and one.standing == "open")
        found = list(islice(files, most + 1))
    listed = [ListedFile(one.path, one.size_bytes, one.stamp) for one in found[:most]]
    listed.sort(key=lambda one: (one.path.count("/"), one.path.casefold()))
    return FolderList(path, tuple(listed), len(found) > most)


def file_in(folder: str, path: str, limits: AttachLimits) -> NamedFile:
    """Reads a file by its path in a folder, without following links; `CannotAttach` where it is not there."""
    walk = open_walk(folder, FolderRules(), limits)
    if walk is None:
        raise CannotAttach(path, tr("there is no such folder any more"), tr("Choose another one."))
    with closing(walk):
        return _file_of(walk, path)


def files_in(folder: str, paths: Sequence[str], limits: AttachLimits) -> list[NamedFile | CannotAttach]:
    """Reads files of a folder until they are long together, at least the first; links are not followed."""
    found: list[NamedFile | CannotAttach] = []
    walk = open_walk(folder, FolderRules(), limits)
    if walk is None:
        return [
            CannotAttach(path, tr("there is no such folder any more"), tr("Choose another one."))
            for path in paths
        ]
    with closing(walk):
        size = 0
        for path in paths:
            try:
                found.append(file := _file_of(walk, path))
            except CannotAttach as refusal:
                found.append(refusal)
                continue
            size += len(file.content)
            if size >= _LONG_TOGETHER_BYTES:
                break
    return found


def _file_of(walk: FolderWalk, path: str) -> NamedFile:
    try:
        content, status = walk.content(path)
    except ValueError as problem:
        raise CannotAttach(path, str(problem), tr("Attach something else.")) from None
    except OSError:
        raise CannotAttach(path, tr("cannot be read"), tr("Check the file and its permissions.")) from None
    place = os.path.abspath(os.path.join(walk.path, path))
    return NamedFile(PurePath(path).name, place, content, written_utc(status))


def _all_entries(walk: FolderWalk) -> Iterator[FolderEntry]:
    while batch := walk.more():
        yield from batch


def _is_text(walk: FolderWalk, entry: FolderEntry, left_out: list[LeftOut]) -> bool:
    """Tells whether a file's text can be read; documents are accepted unopened. What cannot goes into `left_out`."""
    if entry.kind == "document":
        return True
    (found,) = walk.texts((entry.path,))
    # Text in another encoding is left to who reads it; a picture is attached by itself.
    odd = found.text is None and found.standing == "open" and entry.kind != "picture"
    if found.text is None and not odd:
        left_out.append(LeftOut(entry.path, found.reason if found.standing == "refused" else tr("not text")))
    return found.text is not None or odd


def _pattern(path: str) -> tuple[str, Callable[[str], bool] | None]:
    """Splits a pattern into its folder and a test for the files it matches; the test is None for a plain path."""
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
    """Tells whether a path names a part of an existing file, such as `faq.md#Why?`, and so is no pattern."""
    base, anchor = split_anchor(path)
    return bool(anchor) and os.path.lexists(base) and not os.path.isdir(base)


def _regex(piece: str) -> str:
    """Translates a piece of a pattern to a regular expression: `**` crosses folders, `*` stays within a name."""
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


# Whether an attached file is still as it was kept; only what was written since is read.


def check_file(copy: KeptCopy, last: FileSight | None, limits: AttachLimits) -> FileSight:
    """Returns whether an attached file is unchanged, changed, gone or unreadable; raises nothing."""
    try:
        status = _status(copy)
        if not stat.S_ISREG(status.st_mode):
            return FileSight("unreadable")
        stamp = (status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns)
        if last is not None and last.stamp == stamp:
            return last
        # The times say only that it may differ: what is written anew with the same content is the same.
        bearable = status.st_size <= max(copy.size_bytes, limits.file_bytes)
        digest = _digest(copy, status.st_size) if bearable else ""
    except (FileNotFoundError, NotADirectoryError):
        return FileSight("gone")
    except (OSError, ValueError):
        return FileSight("unreadable")
    if digest == copy.sha256:
        return FileSight("same", "", stamp, digest)
    return FileSight("changed", written_utc(status), stamp, digest)


def _status(copy: KeptCopy) -> os.stat_result:
    """Returns the status of the file; one attached from a folder is reached from there without following links."""
    if not copy.bound:
        return os.stat(copy.key)
    with _open_copy(copy) as opened:
        return opened.status


@contextmanager
def _open_copy(copy: KeptCopy) -> Iterator[UserFile]:
    if not copy.bound:
        with user_file(copy.key) as opened:
            yield opened
        return
    steps = os.path.relpath(copy.key, copy.bound).split(os.sep)
    with closing(open_folder(copy.bound)) as folder, user_file_below(folder, steps) as opened:
        yield opened


def _digest(copy: KeptCopy, size_bytes: int) -> str:
    """Returns the digest of the file; one byte more is read, so that a file that has grown differs."""
    made = hashlib.sha256()
    with _open_copy(copy) as opened:
        for piece in opened.pieces(size_bytes + 1):
            made.update(piece)
    return made.hexdigest()


# A folder scan whose blocking calls run in a thread.


P = ParamSpec("P")
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class ThreadedScan:
    """A folder walk whose blocking calls run in threads, one at a time → FolderScan."""

    walk: FolderWalk
    _in_use: Lock = field(default_factory=Lock, compare=False)

    async def more(self) -> tuple[FolderEntry, ...]:
        """Returns the next entries; none at the end."""
        return await asyncio.to_thread(self._locked, self.walk.more)

    async def texts(self, paths: Sequence[str]) -> tuple[FileText, ...]:
        """Reads files as text."""
        return await asyncio.to_thread(self._locked, self.walk.texts, paths)

    async def close(self) -> None:
        """Closes the folder."""
        await asyncio.to_thread(self._locked, self.walk.close)

    def _locked(self, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        # A thread goes on when nobody waits for it any more: who closes then must not meet it.
        with self._in_use:
            return work(*args, **kwargs)


_OTHER_KINDS = (
    (stat.S_ISDIR, tr("it is a folder"), tr("Attach the files in it.")),
    (stat.S_ISFIFO, tr("it is a pipe, not a file"), tr("Write what comes out of it into a file first.")),
    (stat.S_ISSOCK, tr("it is a socket, not a file"), tr("Attach a file.")),
)


@dataclass(frozen=True, slots=True)
class FileAttachments:
    """Reads attachments by their paths → AttachmentReader.

    Calls run in threads, documents are read in a child process.
    """

    extractor: Extractor
    limits: Callable[[], AttachLimits] = AttachLimits
    naming: Naming = field(default_factory=Naming)
    pages: PageFetcher | None = None

    async def read(self, path: str, reading: Reading = AS_FOUND, password: Secret | None = None) -> Attached:
        """Reads the file or page that a path names, or the part behind its `#`."""
        if is_address(path):
            return await self._page(path, reading)
        file = await asyncio.to_thread(self._file, path)
        document = await self._document_of(file, path, reading, password)
        found = await self._attached(path, file, document)
        names = names_of_part(self.naming.names(file.place), file.anchor)
        return replace(found, names=names, read_as=replace(found.read_as, chosen=reading))

    async def read_again(self, copy: KeptCopy, anchors: Sequence[str]) -> tuple[Attached | CannotAttach, ...]:
        """Reads parts of an attached file again, as it is now; the file is read once for all of them."""
        reading = copy.read_as.chosen
        try:
            if is_address(copy.key):
                page = await self._page(copy.key, reading)
                return tuple(page for _ in anchors)
            file = await asyncio.to_thread(self._reread_file, copy)
            plain = anchors[0] if len(anchors) == 1 else None
            document = await self.document(file.name, file.content, reading, plain)
        except CannotAttach as refusal:
            return tuple(refusal for _ in anchors)
        return tuple([await self._reread_part(file, document, anchor, copy) for anchor in anchors])

    async def _reread_part(
        self, file: NamedFile, document: Document, anchor: str, copy: KeptCopy
    ) -> Attached | CannotAttach:
        key = f"{copy.key}#{anchor}" if anchor else copy.key
        try:
            found = await self._attached(key, replace(file, anchor=anchor), document)
        except CannotAttach as refusal:
            return refusal
        names = names_of_part(self.naming.names(file.place), anchor)
        read_as = replace(found.read_as, chosen=copy.read_as.chosen)
        return replace(found, names=names, read_as=read_as, bound=copy.bound)

    def _reread_file(self, copy: KeptCopy) -> NamedFile:
        place = copy.place or copy.key
        if not copy.bound:
            with _open_user_file(place) as opened:
                content, status = self._read_within_limit(place, opened)
            return NamedFile(os.path.basename(place), os.path.abspath(place), content, written_utc(status))
        steps = os.path.relpath(place, copy.bound).split(os.sep)
        try:
            held = open_folder(copy.bound)
        except (OSError, ValueError):
            raise CannotAttach(
                place, tr("there is no such folder any more"), tr("Attach it again.")
            ) from None
        with closing(held) as folder:
            content, status = self._below(place, folder, steps)
        return NamedFile(steps[-1], place, content, written_utc(status))

    async def check(self, path: str) -> None:
        """Refuses a path that can be seen to be unusable without reading it."""
        if not is_address(path):
            await asyncio.to_thread(self._check, path)

    def _check(self, path: str) -> None:
        with _open_user_file(_split_part(path)[0]) as opened:
            self._check_size(path, opened)

    async def _page(self, url: str, reading: Reading) -> Attached:
        """Fetches a page, or the part of it behind `#`."""
        if self.pages is None:
            raise CannotAttach(url, tr("pages are not fetched here"), tr("Save it, and attach the file."))
        page = await self.pages.fetch(url)
        if len(page.content) > self.limits().file_bytes:
            raise self._too_large(url, len(page.content))
        name = page_name(page.url)
        wanted = reading if reading != AS_FOUND else reading_by_content_type(page)
        document = await self.document(name, page.content, wanted)
        found = await self._with_sendable(attached_page(url, page, document))
        # What its server said is known only now: whoever reads the copy later reads it as it was read here.
        return replace(found, read_as=replace(found.read_as, chosen=wanted))

    async def sendable_picture(self, content: bytes) -> bytes:
        """Returns a picture in a form and size that every provider accepts."""
        picture = picture_in(content)
        if picture is None or not may_be_refused(content, picture):
            return content
        return await self.extractor.smaller_picture(content, MOST_SENT_BYTES, LONGEST_SENT_SIDE)

    async def _attached(self, path: str, file: NamedFile, document: Document) -> Attached:
        # In a thread: its digest of 14 MB would hold the loop for two frames.
        return await self._with_sendable(await asyncio.to_thread(as_attached, path, file, document))

    async def _with_sendable(self, found: Attached) -> Attached:
        """Adds the bytes that are sent for a picture, where they differ from the file's, and its size as sent."""
        if found.picture is None:
            return found
        try:
            sent = await self.sendable_picture(found.content)
        except CannotAttach as refusal:
            raise CannotAttach(found.artifact.key, refusal.reason, refusal.advice) from None
        shown = picture_in(sent)
        if sent == found.content or shown is None:
            return found
        before, after = (f"{one.width} × {one.height}" for one in (found.picture, shown))
        note = tr(
            "sent as {media_type}, {after} pixels, {n:,} bytes; the file has {before} pixels",
            media_type=shown.media_type,
            after=after,
            n=len(sent),
            before=before,
        )
        artifact = replace(found.artifact, text=shown.described)
        read_as = replace(found.read_as, notes=(*found.read_as.notes, note))
        return replace(found, artifact=artifact, picture=shown, sendable=sent, read_as=read_as)

    async def find(self, name: str, folder: str = "", workspace: str = "") -> Attached | None:
        """Returns a file by its path in the workspace or another folder; None where there is none."""
        top = folder or workspace or self.naming.workspace()
        file = await asyncio.to_thread(self._in_folder, name, top)
        if file is None:
            return None
        document = await self.document(file.name, file.content, AS_FOUND, file.anchor)
        # Its path in the folder that was attached, and that folder's own name.
        names = self.naming.names(file.place, least=name.count("/") + 2 if folder else 1)
        key = os.path.join(folder, name) if folder else name
        found = await self._attached(key, file, document)
        bound = _absolute(top)
        return replace(found, names=names_of_part(names, file.anchor), bound=bound)

    async def list_files(self, folder: str, most: int) -> FolderList | None:
        """Lists files of a folder by name."""
        return await asyncio.to_thread(
            lambda: listed_files(folder or self.naming.workspace(), most, self.limits(), self.naming.own)
        )

    def _in_folder(self, name: str, top: str) -> NamedFile | None:
        """Reads a file by its name in a folder, without following links; None where there is none."""
        if is_rooted(name):
            raise CannotAttach(
                name, tr("it lies outside of the workspace folder"), tr("Attach it with the button.")
            )
        base, anchor = split_anchor(name)
        try:
            held = open_folder(top)
        except (OSError, ValueError):
            return None
        with closing(held) as here:
            for path, part in ((name, ""), (base, anchor)) if anchor else ((name, ""),):
                steps = [step for step in path.split("/") if step not in ("", ".")]
                if steps and is_below(here, steps):
                    place = os.path.join(top, *steps)
                    if self.naming.is_own(place):
                        raise CannotAttach(
                            path, tr("it is {own_data}", own_data=OWN_DATA), tr("Attach something else.")
                        )
                    if _is_plain_word(path) and stat.S_ISDIR(os.lstat(place).st_mode):
                        return None
                    content, status = self._below(path, here, steps)
                    return NamedFile(steps[-1], place, content, written_utc(status), part)
        return None

    def _below(self, path: str, folder: Folder, steps: Sequence[str]) -> tuple[bytes, os.stat_result]:
        try:
            with user_file_below(folder, steps) as opened:
                return self._read_within_limit(path, opened)
        except NotRegular as other:
            raise _not_a_file(path, other.mode) from None
        except Barred:
            raise CannotAttach(
                path, tr("it is a link, and links are not followed"), tr("Attach the file itself.")
            ) from None
        except OSError as error:
            reason = str(error.strerror or "it cannot be read").lower()
            raise CannotAttach(path, reason, tr("Check the file and its permissions.")) from None

    async def document(
        self, name: str, content: bytes, reading: Reading = AS_FOUND, anchor: str | None = None
    ) -> Document:
        """Returns the document that a file is read as.

        Plain text without a wanted outline is read here, the rest in a child.
        """
        if anchor is not None and reading == AS_FOUND:
            found = await asyncio.to_thread(read_plain, name, content, anchor)
            if found is not None:
                return found
        return await self.extractor.document(name, content, reading)

    async def _document_of(
        self, file: NamedFile, path: str, reading: Reading, password: Secret | None
    ) -> Document:
        """Reads a file; a refusal names the path that was given, and for a locked file its place."""
        try:
            if password is not None:
                return await self.extractor.document(file.name, file.content, reading, password)
            return await self.document(file.name, file.content, reading, file.anchor)
        except Locked as refusal:
            raise Locked(path, refusal.reason, refusal.advice, file.place) from None
        except CannotAttach as refusal:
            raise CannotAttach(path, refusal.reason, refusal.advice) from None

    async def folder_files(self, path: str) -> FolderFiles | None:
        """Returns what can be attached of a folder or a pattern's matches; None where the path is neither."""
        return (
            None
            if is_address(path)
            else await asyncio.to_thread(folder_files, path, self.limits(), self.naming.own)
        )

    async def read_in(self, folder: str, path: str, password: Secret | None = None) -> Attached:
        """Reads a file by its path in a folder."""
        file = await asyncio.to_thread(file_in, folder, path, self.limits())
        whole = PurePath(folder, path).as_posix()
        document = await self._document_of(file, whole, AS_FOUND, password)
        found = await self._attached(whole, file, document)
        # Its path in the folder that was attached, and that folder's own name.
        names = self.naming.names(whole, least=path.count("/") + 2)
        return replace(found, names=names, bound=_absolute(folder))

    async def documents_in(self, folder: str, paths: Sequence[str]) -> tuple[Document | CannotAttach, ...]:
        """Reads files of a folder as documents."""
        files = await asyncio.to_thread(files_in, folder, paths, self.limits())
        there = [one for one in files if not isinstance(one, CannotAttach)]
        read = iter(await self.extractor.documents([(one.name, one.content) for one in there]))
        found = []
        for file in files:
            document = file if isinstance(file, CannotAttach) else next(read)
            if isinstance(file, NamedFile) and isinstance(document, Document) and document.scanned:
                document = Scanned(file.name, document.read_as.pages, file.place)
            found.append(document)
        return tuple(found)

    async def scan(self, path: str, rules: FolderRules) -> ThreadedScan | None:
        """Opens a folder for walking; None where the path is no folder."""
        walk = await asyncio.to_thread(open_walk, path, rules, self.limits(), self.naming.own)
        return None if walk is None else ThreadedScan(walk)

    async def page_pictures(
        self, path: str, pages: tuple[int, int], password: Secret | None = None
    ) -> tuple[tuple[int, bytes], ...]:
        """Renders pages of a PDF as pictures, each with its number."""
        file = await asyncio.to_thread(self._file, path)
        return await self.extractor.page_pictures(file.name, file.content, pages, password)

    async def close(self) -> None:
        """Ends the processes that read documents."""
        await self.extractor.close()

    async def look(self, copies: Sequence[tuple[KeptCopy, FileSight | None]]) -> tuple[FileSight, ...]:
        """Returns for each attached file whether it has changed since it was stored."""
        limits = self.limits()
        return await asyncio.to_thread(lambda: tuple(check_file(copy, last, limits) for copy, last in copies))

    def _file(self, path: str) -> NamedFile:
        """Reads the file that a path names, with the part behind `#`."""
        place, anchor = _split_part(path)
        with _open_user_file(place) as opened:
            content, status = self._read_within_limit(place, opened)
        return NamedFile(
            os.path.basename(place), os.path.abspath(place), content, written_utc(status), anchor
        )

    def _check_size(self, path: str, opened: UserFile) -> None:
        if opened.status.st_size > self.limits().file_bytes:
            raise self._too_large(path, opened.status.st_size)

    def _read_within_limit(self, path: str, opened: UserFile) -> tuple[bytes, os.stat_result]:
        self._check_size(path, opened)
        most_bytes = self.limits().file_bytes
        content = opened.read(most_bytes + 1)
        if len(content) > most_bytes:
            raise self._too_large(path, len(content))
        return content, opened.status

    def _too_large(self, path: str, size_bytes: int) -> CannotAttach:
        reason = tr(
            "it has {size_bytes:,} bytes, and the limit is {file_bytes:,}",
            size_bytes=size_bytes,
            file_bytes=self.limits().file_bytes,
        )
        return CannotAttach(path, reason, tr("Attach a smaller part of it, or allow more in Settings, Chat."))


def _absolute(folder: str) -> str:
    return os.path.abspath(folder)


def _split_part(path: str) -> tuple[str, str]:
    """Splits a path into file and part; a file whose own name contains the `#` takes precedence."""
    base, anchor = split_anchor(path)
    return (path, "") if not anchor or os.path.lexists(path) else (base, anchor)


@contextmanager
def _open_user_file(path: str) -> Iterator[UserFile]:
    """Opens a file that a user named; errors become `CannotAttach`."""
    try:
        with user_file(path) as opened:
            yield opened
    except FileNotFoundError:
        raise CannotAttach(path, tr("there is no such file"), tr("Check the path.")) from None
    except NotRegular as other:
        raise _not_a_file(path, other.mode) from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or tr("the path cannot be used")
        raise CannotAttach(path, str(reason).lower(), tr("Check the file and its permissions.")) from None


def _is_plain_word(name: str) -> bool:
    """Tells whether a name looks like a word, not a file; a folder of that name is then not what is meant."""
    return "/" not in name and "." not in name


def names_of_part(names: Sequence[str], anchor: str) -> tuple[str, ...]:
    """Appends the part's anchor to each possible name of its file."""
    return tuple(f"{name}#{anchor}" if anchor else name for name in names)


def _not_a_file(path: str, mode: int) -> CannotAttach:
    for is_kind, reason, advice in _OTHER_KINDS:
        if is_kind(mode):
            return CannotAttach(path, reason, advice)
    return CannotAttach(path, tr("it is a device, not a file"), tr("Attach a file."))
