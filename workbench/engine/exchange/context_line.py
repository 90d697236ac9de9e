"""The line of Markdown that names a question's attachments: `[Context: Notes: a.md, b.md | URLs: https://…]`."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable

from workbench.domain.files.attachment import ArtifactKind
from workbench.domain.translation import tr

Named = tuple[ArtifactKind, str]

_LABELS: dict[ArtifactKind, str] = {
    "file": "Files", "note": "Notes", "url": "URLs", "pdf": "PDFs", "folder": "Folders", "tag": "Tags",
    "web_tab": tr("Web tabs"), "youtube": "YouTube", "selection": "Selections", "web_selection": tr("Web selections"),
    "image": "Images", "clipboard": "Clipboard",
}  # fmt: skip
_KINDS = {label.lower(): kind for kind, label in _LABELS.items()}
_LINE = re.compile(r"\[Context: (.*)\]\s*")
_LABEL = re.compile(r"([A-Za-z][A-Za-z ]{0,20}):(?: |$)")
_NEXT = re.compile(r" \| |, |$")
_NEEDS_QUOTES = re.compile(r'[,|\[\]"\\]|:(?: |$)|^\s|\s$|^$')


def write_context(attached: Iterable[Named]) -> str:
    """Writes the line; an ambiguous name is quoted."""
    groups: dict[ArtifactKind, list[str]] = {}
    for kind, key in attached:
        groups.setdefault(kind, []).append(_written(key))
    return (
        "[Context: "
        + " | ".join(f"{_LABELS[kind]}: {', '.join(keys)}" for kind, keys in groups.items())
        + "]"
    )


def read_context(line: str) -> tuple[tuple[Named, ...], tuple[str, ...]] | None:
    """Parses the line: returns the attachments it names and its unknown labels; None where it is no such line."""
    found = _LINE.fullmatch(line)
    return None if found is None else _Reader(found.group(1)).read()


class _Reader:
    """Parses labels and names from left to right; terminates for any text."""

    def __init__(self, body: str) -> None:
        self._body, self._at = body, 0
        self._kind: ArtifactKind | None = None
        self._named: list[Named] = []
        self._unknown: list[str] = []

    def read(self) -> tuple[tuple[Named, ...], tuple[str, ...]]:
        fresh = True
        while self._at < len(self._body):
            if (label := self._label(fresh)) is not None:
                self._kind = _KINDS.get(label.lower())
                if self._kind is None:
                    self._unknown.append(label)
            self._name()
            fresh = self._separator()
        return tuple(dict.fromkeys(self._named)), tuple(self._unknown)

    def _label(self, fresh: bool) -> str | None:
        """Returns a label at the current position; after a comma only a known one, since a name may contain a colon."""
        found = _LABEL.match(self._body, self._at)
        if found is None or not (fresh or found.group(1).lower() in _KINDS):
            return None
        self._at = found.end()
        return found.group(1)

    def _name(self) -> None:
        name, self._at = self._quoted() or self._bare()
        if name.strip() and self._kind is not None:
            self._named.append((self._kind, name))

    def _quoted(self) -> tuple[str, int] | None:
        if not self._body.startswith('"', self._at):
            return None
        try:
            name, end = json.JSONDecoder().raw_decode(self._body, self._at)
        except ValueError:
            return None
        return (name, end) if _NEXT.match(self._body, end) else None

    def _bare(self) -> tuple[str, int]:
        found = _NEXT.search(self._body, self._at)
        end = found.start() if found is not None else len(self._body)
        return self._body[self._at : end].strip(), end

    def _separator(self) -> bool:
        """Skips a separator; returns whether a label must follow."""
        bar = self._body.startswith(" | ", self._at)
        self._at += 3 if bar else 2
        return bar


def _written(key: str) -> str:
    if key.isprintable() and not _NEEDS_QUOTES.search(key):
        return key
    return json.dumps(key, ensure_ascii=True)
