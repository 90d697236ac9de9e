"""A request as a document for a text view: its lines in words, and whose each of them is."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from workbench.domain.request import PayloadMessage, WireForm
from workbench.domain.segment import LayerName
from workbench.domain.shown.envelope_view import EnvelopeView, RowKey
from workbench.ui import formatting
from workbench.ui.inspector.payload.lines import (
    Line,
    Sections,
    Window,
    Windows,
    cut,
    line_ends,
    section_lines,
    visible,
)
from workbench.ui.inspector.payload.written import WrittenText
from workbench.ui.translation import translator
from workbench.ui.widgets.plain import shown

_tr = translator("Payload")

Identity = tuple[RowKey, int]
"""A piece by the row it belongs to and which of that row's pieces it is: the same after the text around it grew."""

_ENCODED = RowKey("L5_USER", "\0encoded")
"""Stands for the bytes of pictures, which are no row's own text."""


class ShownLine(NamedTuple):
    """A paragraph of the view: its letters, and the part of its section that it stands for."""

    kind: Literal["role", "text", "fold"]
    text: str
    start: int
    end: int


@dataclass(frozen=True)
class PayloadDocument:
    """What the view shows of a text, and whose each part of it is.

    Attributes:
        messages: as they follow each other.
        keys: whose each span is; identities: whose each section is.
        trimmed: the rows of which only a part is sent.
        opened: which parts of folded sections were brought out.
    """

    sections: Sections
    keys: tuple[RowKey, ...]
    identities: tuple[Identity | None, ...]
    messages: tuple[PayloadMessage, ...]
    trimmed: frozenset[RowKey] = frozenset()
    opened: dict[Identity, Windows] = field(default_factory=dict)

    @property
    def written(self) -> WrittenText:
        return self.sections.written

    def key_of(self, section: int) -> RowKey | None:
        """Whose a section is; None for a head, or for what stands between pieces."""
        span = self.sections.all[section].span
        return None if span is None else self.keys[span]

    def layer_of(self, section: int) -> LayerName | None:
        key = self.key_of(section)
        return None if key is None else key.layer

    def first_section(self, key: RowKey) -> int | None:
        """Where a row's first piece stands; None where it has none."""
        return next((number for number in range(len(self.sections.all)) if self.key_of(number) == key), None)

    def head(self, message: int) -> str:
        spans = self.written.spans
        first = bisect_left(spans, (message,))
        behind = bisect_left(spans, (message + 1,))
        owners = set(self.keys[first:behind])
        return head_words(
            message, len(self.messages), self.messages[message], bool(owners) and owners <= self.trimmed
        )

    def lines(self, section: int) -> tuple[ShownLine, ...]:
        identity = self.identities[section]
        opened = self.opened.get(identity, ()) if identity is not None else ()
        return tuple(
            ShownLine(line.kind, self._words(section, line), line.start, line.end)
            for line in section_lines(self.sections, section, opened)
        )

    def text(self, section: int, start: int = 0, end: int | None = None) -> str:
        first, last = self.sections.all[section][:2]
        return self.written.text[first + start : last if end is None else first + end]

    def signature(self, section: int) -> tuple[object, ...]:
        """What the paragraphs of a section depend on: equal means that they are the same."""
        message, identity = self.sections.all[section].message, self.identities[section]
        if message is not None:
            return message, self.messages[message].role
        opened = self.opened.get(identity, ()) if identity is not None else ()
        return identity, self.text(section), opened

    def open(self, section: int, window: Window) -> None:
        """Bring out a part of a section; kept while the request changes around it."""
        identity = self.identities[section]
        if identity is not None:
            self.opened[identity] = (*self.opened.get(identity, ()), window)

    def _words(self, section: int, line: Line) -> str:
        match line.kind:
            case "text":
                return visible(self.text(section, line.start, line.end).removesuffix("\n"))
            case "fold":
                first = self.sections.all[section].start
                if self.sections.all[section].encoded:
                    return _tr("… {n} characters").format(n=formatting.tokens(line.end - line.start))
                return fold_words(self.written, first + line.start, first + line.end)
            case "role":
                message = self.sections.all[section].message or 0
                number = formatting.tokens(message + 1)
                return _tr("{role}, message {n}").format(role=self.messages[message].role, n=number)


def document_of(
    view: EnvelopeView, form: WireForm, written: WrittenText, opened: dict[Identity, Windows]
) -> PayloadDocument:
    """A written request, ready to be shown."""
    sections = cut(written)
    owners = row_index(view)
    keys = tuple(_owner(owners, form.messages[span.message], span.piece) for span in written.spans)
    trimmed = frozenset(row.key for layer in view.layers for row in layer.rows if row.state == "trimmed")
    return PayloadDocument(sections, keys, _identities(sections, keys), form.messages, trimmed, opened)


def row_index(view: EnvelopeView) -> dict[tuple[LayerName, str], RowKey]:
    """Which row a piece belongs to, by its layer and its id or that of a message the row stands for."""
    index: dict[tuple[LayerName, str], RowKey] = {}
    for layer in view.layers:
        for row in layer.rows:
            for member in (row.key.id, *row.members):
                index.setdefault((row.key.layer, member), row.key)
    return index


def head_words(number: int, count: int, message: PayloadMessage, trimmed: bool) -> str:
    """Which message it is, and what is special about it."""
    words = [
        _tr("message {n} of {count}").format(n=formatting.tokens(number + 1), count=formatting.tokens(count))
    ]
    if trimmed:
        words.append(_tr("trimmed"))
    if message.calls:
        words.append(_tr("calls {tools}").format(tools=", ".join(shown(name, 40) for name in message.calls)))
    if message.pictures:
        words.append(formatting.counted(message.pictures, _tr("1 picture"), _tr("{n} pictures")))
    return ", ".join(words)


def fold_words(written: WrittenText, start: int, end: int) -> str:
    """What a fold says about what it hides."""
    hidden = line_ends(written, start, end)
    if not hidden:
        return formatting.counted(end - start, _tr("⋯ 1 more character"), _tr("⋯ {n} more characters"))
    return formatting.counted(hidden, _tr("⋯ 1 more line"), _tr("⋯ {n} more lines"))


def _owner(owners: dict[tuple[LayerName, str], RowKey], message: PayloadMessage, piece: int) -> RowKey:
    found = message.pieces[piece]
    return owners.get((found.layer, found.id), RowKey(found.layer, found.id))


def _identities(sections: Sections, keys: Sequence[RowKey]) -> tuple[Identity | None, ...]:
    seen: dict[RowKey, int] = {}
    found: list[Identity | None] = []
    for section in sections.all:
        if section.span is None and not section.encoded:
            found.append(None)
            continue
        key = _ENCODED if section.span is None else keys[section.span]
        seen[key] = seen.get(key, -1) + 1
        found.append((key, seen[key]))
    return tuple(found)
