"""A request as the document of the Payload view: the lines it shows, and the row that each section belongs to."""

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
from workbench.ui.translation import tr
from workbench.ui.widgets.plain import shown

Identity = tuple[RowKey, int]
"""A piece by its row and its number among that row's pieces; stays the same while other text grows."""

_ENCODED = RowKey("L5_USER", "\0encoded")
"""Pseudo-row of the encoded bytes of pictures, which belong to no row's text."""


class ShownLine(NamedTuple):
    """A paragraph of the view: its text, and the range of its section that it shows."""

    kind: Literal["role", "text", "fold"]
    text: str
    start: int
    end: int


@dataclass(frozen=True)
class PayloadDocument:
    """What the view shows of a text, and which row each part of it belongs to.

    Attributes:
        messages: all messages, in order.
        keys: the row of each span; identities: the identity of each section, if it has one.
        trimmed: the rows of which only a part is sent.
        opened: the parts of folded sections that were unfolded.
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
        """The row that a section belongs to; None for a message's head and for text between pieces."""
        span = self.sections.all[section].span
        return None if span is None else self.keys[span]

    def layer_of(self, section: int) -> LayerName | None:
        key = self.key_of(section)
        return None if key is None else key.layer

    def first_section(self, key: RowKey) -> int | None:
        """Number of the first section of a row; None if it has none."""
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
        """What the paragraphs of a section depend on: if it is equal, they are the same."""
        message, identity = self.sections.all[section].message, self.identities[section]
        if message is not None:
            return message, self.messages[message].role
        opened = self.opened.get(identity, ()) if identity is not None else ()
        return identity, self.text(section), opened

    def open(self, section: int, window: Window) -> None:
        """Unfold a part of a section; it stays unfolded while the request changes around it."""
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
                    return tr("… {n} characters").format(n=formatting.tokens(line.end - line.start))
                return fold_words(self.written, first + line.start, first + line.end)
            case "role":
                message = self.sections.all[section].message or 0
                number = formatting.tokens(message + 1)
                return tr("{role}, message {n}").format(role=self.messages[message].role, n=number)


def document_of(
    view: EnvelopeView, form: WireForm, written: WrittenText, opened: dict[Identity, Windows]
) -> PayloadDocument:
    """The document of a request that was written out; `opened` are the parts unfolded before."""
    sections = cut(written)
    owners = row_index(view)
    keys = tuple(_owner(owners, form.messages[span.message], span.piece) for span in written.spans)
    trimmed = frozenset(row.key for layer in view.layers for row in layer.rows if row.state == "trimmed")
    return PayloadDocument(sections, keys, _identities(sections, keys), form.messages, trimmed, opened)


def row_index(view: EnvelopeView) -> dict[tuple[LayerName, str], RowKey]:
    """The row of each piece, by layer and id; a row that stands for several messages is found by each of their ids."""
    index: dict[tuple[LayerName, str], RowKey] = {}
    for layer in view.layers:
        for row in layer.rows:
            for member in (row.key.id, *row.members):
                index.setdefault((row.key.layer, member), row.key)
    return index


def head_words(number: int, count: int, message: PayloadMessage, trimmed: bool) -> str:
    """Text of a message's head: its number, and what is special about it."""
    words = [
        tr("message {n} of {count}").format(n=formatting.tokens(number + 1), count=formatting.tokens(count))
    ]
    if trimmed:
        words.append(tr("trimmed"))
    if message.calls:
        words.append(tr("calls {tools}").format(tools=", ".join(shown(name, 40) for name in message.calls)))
    if message.pictures:
        words.append(formatting.counted(message.pictures, tr("1 picture"), tr("{n} pictures")))
    return ", ".join(words)


def fold_words(written: WrittenText, start: int, end: int) -> str:
    """Text of a fold: how many lines or characters it hides."""
    hidden = line_ends(written, start, end)
    if not hidden:
        return formatting.counted(end - start, tr("⋯ 1 more character"), tr("⋯ {n} more characters"))
    return formatting.counted(hidden, tr("⋯ 1 more line"), tr("⋯ {n} more lines"))


def _owner(owners: dict[tuple[LayerName, str], RowKey], message: PayloadMessage, piece: int) -> RowKey:
    found = message.pieces[piece]
    return owners.get((found.layer, found.id)) or RowKey(found.layer, found.id)


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
