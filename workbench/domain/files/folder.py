"""A folder scanned before some of it is attached: its entries, and which of them are wanted."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass, field
from fnmatch import translate
from functools import cached_property
from typing import Literal, get_args

from workbench.domain.files.attachment import PRIORITY_MEDIUM

FileKind = Literal["code", "text", "data", "log", "document", "picture", "other"]
FILE_KINDS: tuple[FileKind, ...] = get_args(FileKind)
Standing = Literal["open", "ignored", "hidden", "binary", "large", "refused"]
"""Whether an entry can be attached, and what keeps it from that where it cannot."""


@dataclass(frozen=True, slots=True)
class FolderRules:
    """Which entries of a folder are included: those ignored by .gitignore, and hidden ones."""

    gitignore: bool = True
    hidden: bool = False


@dataclass(frozen=True, slots=True)
class FolderEntry:
    """A file or folder by its /-separated path relative to the scanned folder.

    Attributes:
        kind: of a file; None for a folder, and for what is neither.
        folder: whether there may be entries below it.
        reason: why it cannot be attached, in words.
        stamp: when a file was last written, as the system counts it.
    """

    path: str
    kind: FileKind | None = None
    folder: bool = False
    size_bytes: int = 0
    standing: Standing = "open"
    reason: str = ""
    stamp: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class FileCount:
    """The result of reading a file: its tokens, or why it cannot be attached.

    `tokens` is None where unknown; without `exact` they are an estimate.
    """

    path: str
    tokens: int | None = None
    exact: bool = True
    standing: Standing = "open"
    reason: str = ""


@dataclass(frozen=True, slots=True)
class FileText:
    """The text of a file as it would be attached; None where its first bytes do not tell its kind.

    Then `standing` says that it is not text, or that it has to be read as a document.
    """

    path: str
    text: str | None = None
    standing: Standing = "open"
    reason: str = ""


@dataclass(frozen=True)
class FolderFilter:
    """A typed filter: globs, of which one must match, words, which must all occur, and !exclusions.

    A glob with a / matches the whole path, any other a name; case is ignored.
    """

    text: str = ""
    kinds: Collection[str] = field(default_factory=frozenset)

    def fits(self, path: str, kind: str | None) -> bool:
        """Whether a file passes the filter."""
        return (not self.kinds or kind in self.kinds) and self.fits_low(path.lower())

    def fits_low(self, low: str) -> bool:
        """Whether a lower-case path passes the filter; called for thousands of files at every keystroke."""
        globs, words, unwanted = self._parts
        for word in words:
            if word not in low:
                return False
        for sought in unwanted:
            if _has(sought, low):
                return False
        return not globs or any(_has(one, low) for one in globs)

    @property
    def empty(self) -> bool:
        """Whether the filter lets everything pass."""
        return not self.text.strip() and not self.kinds

    @cached_property
    def _parts(self) -> tuple[list[_Sought], list[str], list[_Sought]]:
        globs: list[_Sought] = []
        words: list[str] = []
        unwanted: list[_Sought] = []
        for piece in self.text.lower().split():
            if piece.startswith("!"):
                if len(piece) > 1:
                    unwanted.append(_sought(piece[1:]))
            elif _GLOB.search(piece):
                globs.append(_sought(piece))
            else:
                words.append(piece)
        return globs, words, unwanted


_Sought = re.Pattern[str] | str
_GLOB = re.compile(r"[*?\[]")


def _sought(piece: str) -> _Sought:
    if not _GLOB.search(piece):
        return piece
    anywhere = "" if "/" in piece else r"(?:.*/)?"
    return re.compile(anywhere + translate(piece.lstrip("/")))


def _has(sought: _Sought, path: str) -> bool:
    return sought in path if isinstance(sought, str) else bool(sought.match(path))


@dataclass(frozen=True, slots=True)
class FollowedFolder:
    """A folder whose new files are offered, or that is searched for every question; stored with its chat.

    Attributes:
        path: where it lies; rules, filter, kinds: what of it is wanted.
        priority: what new files are attached with.
        known: the files that are not new any more, by their paths in it.
        searched: whether sections of its files are quoted where they fit; then none is offered.
    """

    path: str
    rules: FolderRules = field(default_factory=FolderRules)
    filter: str = ""
    kinds: tuple[str, ...] = ()
    priority: int = PRIORITY_MEDIUM
    known: frozenset[str] = frozenset()
    searched: bool = False

    def wants(self, entry: FolderEntry) -> bool:
        """Whether a file of the folder would be offered."""
        if entry.folder or entry.standing != "open":
            return False
        return FolderFilter(self.filter, self.kinds).fits(entry.path, entry.kind)


def file_kind(name: str) -> FileKind:
    """The kind of file that its name suggests; its content may differ."""
    low = name.lower()
    _, dot, ending = low.rpartition(".")
    if not dot:
        return "code" if low in _CODE_NAMES else "text" if low in _TEXT_NAMES else "other"
    return _BY_ENDING.get(ending, "other")


_ENDINGS: dict[FileKind, str] = {
    "code": (
        "py pyi pyx js mjs cjs ts tsx jsx java c h cc cpp cxx hpp hh go rs rb "
        "php swift kt kts scala sh bash zsh ps1 bat sql css scss sass less vue "
        "svelte lua pl pm r jl m mm cs fs vb ex exs erl hrl hs clj cljs dart "
        "zig asm s proto graphql tf nix cmake gradle groovy mk diff patch"
    ),
    "text": "md markdown rst txt adoc org tex bib text po srt",
    "data": "json jsonl json5 yaml yml toml ini cfg conf csv tsv xml properties env lock plist geojson svg",
    "log": "log out err trace",
    "document": "pdf docx doc pptx ppt xlsx xls odt ods odp epub rtf ipynb eml html htm mht",
    "picture": "png jpg jpeg gif webp",
}
_BY_ENDING: dict[str, FileKind] = {
    ending: kind for kind, endings in _ENDINGS.items() for ending in endings.split()
}
_CODE_NAMES = frozenset({"makefile", "dockerfile", "gemfile", "rakefile", "justfile", "vagrantfile"})
_TEXT_NAMES = frozenset({"readme", "license", "licence", "copying", "authors", "changelog", "notice", "todo"})
