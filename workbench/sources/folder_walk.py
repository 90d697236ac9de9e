"""Walks through a folder entry by entry without following links; what cannot be attached is listed with the reason."""

from __future__ import annotations

import os
import re
import stat
import time
from collections.abc import Iterator, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass

from workbench.domain.files.attached import AttachLimits
from workbench.domain.files.folder import FileText, FolderEntry, FolderRules, file_kind
from workbench.domain.files.pictures import picture_in
from workbench.domain.translation import tr
from workbench.files.folder_handles import open_folder
from workbench.files.folders import Barred, Folder
from workbench.files.reading import user_file, user_file_below
from workbench.sources.attached_file import UTF16

# What a folder's .gitignore files leave out: every line means what it means to git, and the last that fits decides.
#
# A walk goes from the top down and never enters a folder that is left out, so nothing below it can be brought back.


Steps = tuple[str, ...]

RULES = ".gitignore"
_BYTE_ORDER_MARK = "\ufeff"
# pathspec answers for files only, so a pattern for everything fits also what lies deeper, and a folder counts as what
# is inside it. Written like this, the same patterns fit one name, and `x/**` only what is in x.
_ANY_NAME = re.compile(r"^(!?)(?:\*|/?(?:\*\*/)*\*\*|/?(?:\*\*/)+\*)(/?)$")
_ALL_INSIDE = re.compile(r"(?:/\*\*)+(/?)$")


@dataclass(frozen=True, slots=True)
class _Rule:
    """One line of a .gitignore; `base` is its folder.

    It is matched against whole paths below that, folders with a trailing `/`.
    """

    base: Steps
    form: re.Pattern[str]
    leaves_out: bool
    line: int

    def __str__(self) -> str:
        return tr("{file} line {line}", file="/".join((*self.base, RULES)), line=self.line)

    def fits(self, path: Steps, folder: bool) -> bool:
        below = "/".join(path[len(self.base) :])
        return path[: len(self.base)] == self.base and bool(self.form.fullmatch(below + "/" * folder))


@dataclass(frozen=True, slots=True)
class Ignored:
    """The .gitignore rules that apply in a folder; those of deeper folders come last, and so win."""

    rules: tuple[_Rule, ...] = ()

    def with_file(self, base: Steps, text: str) -> Ignored:
        """Returns the rules extended by those of a .gitignore in this folder."""
        lines = text.removeprefix(_BYTE_ORDER_MARK).split("\n")
        found = (_rule(base, line.removesuffix("\r"), number) for number, line in enumerate(lines, 1))
        return Ignored((*self.rules, *(rule for rule in found if rule is not None)))

    def covers(self, path: Steps, folder: bool) -> bool:
        """Tells whether a file or folder is ignored; its parent folders must not be."""
        return bool(self.line_for(path, folder))

    def line_for(self, path: Steps, folder: bool) -> str:
        """Returns the .gitignore line that ignores a path; empty where none does.

        Its parent folders must not be ignored.
        """
        for rule in reversed(self.rules):
            if rule.fits(path, folder):
                return str(rule) if rule.leaves_out else ""
        return ""


def _rule(base: Steps, line: str, number: int) -> _Rule | None:
    """Parses a line; None for one without a pattern: empty, or a comment."""
    # Slow to import: most commands walk no folder.
    from pathspec.patterns.gitignore import GitIgnorePatternError
    from pathspec.patterns.gitignore.spec import GitIgnoreSpecPattern

    plain = _ALL_INSIDE.sub(r"/**/?*\1", _ANY_NAME.sub(r"\1?*\2", line.rstrip(" ")))
    try:
        pattern = GitIgnoreSpecPattern(plain if plain != line.rstrip(" ") else line)
    except GitIgnorePatternError:
        return None
    if pattern.regex is None or pattern.include is None:
        return None
    return _Rule(base, pattern.regex, pattern.include, number)


MOST_ENTRIES = 500_000
DEEPEST = 40
OWN_DATA = tr("the program's own data")
BATCH_S = 0.04
_MOST_RULES_BYTES = 256 * 1024
_HEAD_BYTES = 8 * 1024
_MADE_BY_PROGRAMS = frozenset({"__pycache__", "node_modules", "venv"})
# Many a source folder is called so, too: where there is a .gitignore, that says which is which.
_PERHAPS_MADE = frozenset({"build", "dist"})
_OTHER_KINDS = (
    (stat.S_ISFIFO, tr("a pipe, not a file")),
    (stat.S_ISSOCK, tr("a socket, not a file")),
    (stat.S_ISBLK, tr("a device, not a file")),
    (stat.S_ISCHR, tr("a device, not a file")),
)


class FolderWalk:
    """Walks a folder in short steps, and reads files of it; used in threads, one call at a time."""

    def __init__(self, path: str, rules: FolderRules, limits: AttachLimits, own: str = "") -> None:
        self.path, self._rules, self.limits = path, rules, limits
        self._own = _identity(own)
        self._top = open_folder(path)
        self._entries = 0
        self._going: Iterator[FolderEntry] = self._walk_folder(self._top, (), Ignored())

    def more(self, seconds: float = BATCH_S) -> tuple[FolderEntry, ...]:
        """Returns the entries found in the next `seconds`, each folder before its content; none at the end."""
        found: list[FolderEntry] = []
        until = time.monotonic() + seconds
        for entry in self._going:
            found.append(entry)
            if time.monotonic() >= until:
                break
        return tuple(found)

    def texts(self, paths: Sequence[str], seconds: float = BATCH_S) -> tuple[FileText, ...]:
        """Reads files in order for up to `seconds`, at least the first."""
        found: list[FileText] = []
        until = time.monotonic() + seconds
        for path in paths:
            found.append(self._text(path))
            if time.monotonic() >= until:
                break
        return tuple(found)

    def content(self, path: str) -> tuple[bytes, os.stat_result]:
        """Returns a file's bytes without following links; `OSError` or `ValueError` where it cannot be read."""
        steps = path.split("/")
        if any(step in ("", ".", "..") for step in steps):
            raise ValueError("it is not in the folder")
        with user_file_below(self._top, steps) as opened:
            content, status = opened.read(self.limits.file_bytes + 1), opened.status
        if len(content) > self.limits.file_bytes:
            raise ValueError(_too_large(status.st_size, self.limits))
        return content, status

    def close(self) -> None:
        """Closes the folder."""
        closing_walk = getattr(self._going, "close", None)
        if closing_walk is not None:
            closing_walk()
        self._top.close()

    def _walk_folder(self, here: Folder, steps: Steps, above: Ignored) -> Iterator[FolderEntry]:
        """Yields everything in a folder, files first, then its subfolders."""
        names = here.names()
        rules, problem = above, ""
        if self._rules.gitignore and RULES in names:
            text, problem = _read_gitignore(here)
            rules = above.with_file(steps, text)
        if problem:
            names = [name for name in names if name != RULES]
            yield _refused((*steps, RULES), problem)
        folders: list[Steps] = []
        for name in names:
            at = (*steps, name)
            status = _stat_of(here, name)
            self._entries += status is not None
            if self._entries > MOST_ENTRIES:
                yield _refused(
                    at, tr("{most_entries:,} entries are the limit", most_entries=MOST_ENTRIES), folder=True
                )
                return
            if status is not None and (status.st_dev, status.st_ino) == self._own:
                yield _refused(at, OWN_DATA, folder=True)
            elif status is not None and stat.S_ISDIR(status.st_mode):
                folders.append(at)
            elif status is not None:
                yield self._file(at, status, rules)
        for at in folders:
            yield from self._folder(here, at, rules)

    def _folder(self, here: Folder, at: Steps, rules: Ignored) -> Iterator[FolderEntry]:
        path = "/".join(at)
        left_out = self._left_out(at, rules, folder=True)
        if left_out is not None:
            yield left_out
        elif len(at) > DEEPEST:
            yield _refused(at, tr("too deep, not scanned"), folder=True)
        else:
            try:
                below = here.enter(at[-1])
            except OSError as problem:
                reason = tr("became a link") if isinstance(problem, Barred) else tr("cannot be read")
                yield _refused(at, reason, folder=True)
                return
            with closing(below):
                yield FolderEntry(path, folder=True)
                try:
                    yield from self._walk_folder(below, at, rules)
                except OSError:
                    yield _refused(at, tr("cannot be read"), folder=True)

    def _file(self, at: Steps, status: os.stat_result, rules: Ignored) -> FolderEntry:
        left_out = self._left_out(at, rules, folder=False)
        if left_out is not None:
            return left_out
        if stat.S_ISLNK(status.st_mode):
            return _refused(at, self._link_target(at))
        if not stat.S_ISREG(status.st_mode):
            return _refused(
                at, next((why for is_kind, why in _OTHER_KINDS if is_kind(status.st_mode)), tr("no file"))
            )
        path, kind, size = "/".join(at), file_kind(at[-1]), status.st_size
        if size > self.limits.file_bytes:
            return FolderEntry(
                path, kind, size_bytes=size, standing="large", reason=_too_large(size, self.limits)
            )
        return FolderEntry(path, kind, size_bytes=size, stamp=status.st_mtime_ns)

    def _left_out(self, at: Steps, rules: Ignored, *, folder: bool) -> FolderEntry | None:
        """Returns an entry for something ignored or hidden, with the rule that says so; None where it is wanted."""
        path, name, behind = "/".join(at), at[-1], tr(", not scanned") if folder else ""
        kind = None if folder else file_kind(name)
        if line := rules.line_for(at, folder):
            return FolderEntry(
                path, kind, folder, standing="ignored", reason=tr("{line}{behind}", line=line, behind=behind)
            )
        if name.startswith(".") and not self._rules.hidden:
            return FolderEntry(
                path, kind, folder, standing="hidden", reason=tr("hidden{behind}", behind=behind)
            )
        made = name in _MADE_BY_PROGRAMS or (name in _PERHAPS_MADE and not rules.rules)
        if folder and made and self._rules.gitignore:
            return FolderEntry(
                path, None, True, standing="ignored", reason=tr("made by programs{behind}", behind=behind)
            )
        return None

    def _link_target(self, at: Steps) -> str:
        """Says where a link leads; nothing is read there."""
        try:
            top, target = os.path.realpath(self.path), os.path.realpath(os.path.join(self.path, *at))
        except (OSError, ValueError):
            return "a link"
        if target == top or target.startswith(top.rstrip(os.sep) + os.sep):
            return tr("a link within the folder")
        return tr("leads out of the folder")

    def _text(self, path: str) -> FileText:
        try:
            head, content = self._read(path)
        except (OSError, ValueError) as problem:
            missing = isinstance(problem, FileNotFoundError)
            reason = tr("gone since") if missing else _reason_text(problem)
            return FileText(path, standing="refused", reason=reason)
        if content is None:
            if picture_in(head) is not None or file_kind(path) in ("document", "picture"):
                return FileText(path)
            return FileText(path, standing="binary", reason="binary")
        with suppress(UnicodeDecodeError):
            text = content.decode("utf-16") if content.startswith(UTF16) else content.decode("utf-8-sig")
            if "\0" not in text:
                return FileText(path, text)
            return FileText(path, standing="binary", reason="binary")
        return FileText(path)  # text in another encoding, perhaps

    def _read(self, path: str) -> tuple[bytes, bytes | None]:
        """Returns the first bytes, and the whole content where it may be text."""
        with user_file_below(self._top, path.split("/")) as opened:
            head = opened.read(_HEAD_BYTES)
            if picture_in(head) is not None or (b"\0" in head and not head.startswith(UTF16)):
                return head, None
            content = head + opened.read(self.limits.file_bytes + 1 - len(head))
        if len(content) > self.limits.file_bytes:
            raise ValueError(_too_large(len(content), self.limits))
        return head, content


def _identity(folder: str) -> tuple[int, int] | None:
    """Returns device and inode of a folder, which identify it however its path is written; None where there is none."""
    try:
        status = os.stat(folder) if folder else None
    except (OSError, ValueError):
        return None
    return None if status is None else (status.st_dev, status.st_ino)


def _stat_of(here: Folder, name: str) -> os.stat_result | None:
    try:
        return here.look(name)
    except OSError:
        return None


def _refused(at: Steps, reason: str, *, folder: bool = False) -> FolderEntry:
    return FolderEntry("/".join(at), None, folder, standing="refused", reason=reason)


def _too_large(size_bytes: int, limits: AttachLimits) -> str:
    return tr(
        "{size_bytes:,.1f} MB, over the limit of {file_mb:,} MB",
        size_bytes=size_bytes / 1000000,
        file_mb=limits.file_mb,
    )


def _reason_text(problem: OSError | ValueError) -> str:
    return str(problem) if isinstance(problem, ValueError) else tr("cannot be read")


def _read_gitignore(here: Folder) -> tuple[str, str]:
    """Returns the text of a folder's .gitignore, and a note where not all of it could be used."""
    try:
        with user_file(RULES, here) as opened:
            content = opened.read(_MOST_RULES_BYTES + 1)
    except (OSError, ValueError):
        return "", tr("cannot be read: nothing is left out by it")
    if len(content) <= _MOST_RULES_BYTES:
        return content.decode("utf-8", "replace"), ""
    followed = content[:_MOST_RULES_BYTES].rpartition(b"\n")[0]
    lines = followed.count(b"\n") + 1
    return followed.decode("utf-8", "replace"), tr(
        "only its first {lines:,} lines (256 KiB) are followed", lines=lines
    )
