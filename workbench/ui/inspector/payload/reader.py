"""The middle of the payload page: outline, text and what is found, and whether these bytes were the bytes sent."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from typing import Literal, NamedTuple

from PySide6.QtCore import QItemSelectionModel, QModelIndex, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QAbstractItemView, QSizePolicy, QStackedWidget, QWidget

from workbench.domain.request import WireForm
from workbench.domain.shown.envelope_view import EnvelopeView, LayerRow, RowKey, SegmentRow
from workbench.ui import formatting
from workbench.ui.inspector.payload.document import Identity, document_of
from workbench.ui.inspector.payload.lines import Windows
from workbench.ui.inspector.payload.view import PayloadView
from workbench.ui.inspector.payload.written import WrittenText, curl_text, json_text, messages_text
from workbench.ui.inspector.rows.row_words import row_name
from workbench.ui.look.fonts import font, line_height
from workbench.ui.look.icons import paint_icon
from workbench.ui.look.painting import (
    TAG_WIDTH,
    figure_width,
    paint_elided,
    paint_figure,
    paint_tag,
    set_text_style,
)
from workbench.ui.look.space import columns, fill
from workbench.ui.look.theme import Theme, colour, theme_of
from workbench.ui.look.tones import Tone, layer_word
from workbench.ui.translation import tr
from workbench.ui.widgets.badge import Badge
from workbench.ui.widgets.card import Hairline, Panel
from workbench.ui.widgets.items.item_model import ITEM, ItemModel
from workbench.ui.widgets.items.views import (
    Index,
    ItemOption,
    PickList,
    RowDelegate,
    paint_ground,
    paint_ring,
    paint_rule,
)
from workbench.ui.widgets.labels import ElidedLabel, label, set_text
from workbench.ui.widgets.stack import EmptyState

# The outline beside the payload: layers and rows, as they follow each other on the wire.


WIDTH = 188
ROW_HEIGHT = 24
PADDING, EDGE, GAP = 14, 12, 6
ACCENT_WIDTH = 2


class OutlineModel(ItemModel[LayerRow | SegmentRow]):
    """Layers and rows in one list; a request that changed changes only the lines that differ."""

    def show(self, view: EnvelopeView | None) -> None:
        layers = view.layers if view is not None else ()
        items: list[LayerRow | SegmentRow] = []
        for layer in layers:
            items += [layer, *layer.rows]
        self.show_items(items)

    def key_of(self, item: LayerRow | SegmentRow) -> RowKey | str:
        return item.key if isinstance(item, SegmentRow) else item.name

    def can_choose(self, item: LayerRow | SegmentRow) -> bool:
        return isinstance(item, SegmentRow)

    def text_of(self, item: LayerRow | SegmentRow, _column: int = 0) -> str:
        if isinstance(item, SegmentRow) and not item.counted:
            return tr("{name}, not sent").format(name=item_name(item))
        words = tr("{name}, {tokens}")
        return words.format(name=item_name(item), tokens=formatting.token_words(item.tokens))

    def tip_of(self, item: LayerRow | SegmentRow, _column: int = 0) -> str:
        return item_name(item)


class Outline(PickList):
    """Chooses a row by a click or the arrows."""

    picked = Signal(object)

    def __init__(self) -> None:
        self._model = OutlineModel()
        super().__init__(self._model, tr("Outline of the request"))
        self.setFixedWidth(WIDTH)
        self.setItemDelegate(OutlineDelegate(self))

    def show_view(self, view: EnvelopeView | None) -> None:
        # With a grid, Qt asks for the rows in view; without, it makes an index of every row to ask for its size.
        self.setGridSize(QSize(WIDTH, _row_height()))
        self._model.show(view)

    def select(self, key: RowKey | None) -> None:
        index = self._model.index_of(key) if key is not None else QModelIndex()
        if not index.isValid():
            self.clearSelection()
            return
        self.selectionModel().setCurrentIndex(index, QItemSelectionModel.SelectionFlag.ClearAndSelect)
        self.scrollTo(index)

    def sizeHint(self) -> QSize:
        return QSize(WIDTH, 400)

    def moveCursor(self, action: QAbstractItemView.CursorAction, keys: Qt.KeyboardModifier) -> QModelIndex:
        reached = super().moveCursor(action, keys)
        down = 1 if reached.row() > self.currentIndex().row() else -1
        index = _nearest_row(reached, down)
        if not index.isValid():
            index = _nearest_row(reached, -down)
        return index

    def pick(self, index: QModelIndex) -> None:
        item = index.data(ITEM) if index.isValid() else None
        if isinstance(item, SegmentRow):
            self.picked.emit(item.key)


def _nearest_row(index: QModelIndex, step: int) -> QModelIndex:
    while index.isValid() and not index.flags() & Qt.ItemFlag.ItemIsSelectable:
        index = index.sibling(index.row() + step, 0)
    return index


def item_name(item: LayerRow | SegmentRow) -> str:
    """What a line is called."""
    return row_name(item) if isinstance(item, SegmentRow) else layer_word(item.name)


class OutlineDelegate(RowDelegate):
    """Paints the lines."""

    def row_height(self, _index: Index) -> int:
        return _row_height()

    def paint_row(self, painter: QPainter, row: ItemOption, index: Index) -> None:
        item, theme = index.data(ITEM), theme_of(self)
        if isinstance(item, LayerRow):
            _paint_layer(painter, row.box, item, theme)
            return
        paint_ground(painter, row)
        if row.selected:
            accent = QRectF(row.box.left(), row.box.top(), ACCENT_WIDTH, row.box.height())
            painter.fillRect(accent, colour("accent", theme))
        paint_ring(painter, row)
        _paint_row(painter, row.box.adjusted(PADDING, 0, -EDGE, 0), item, theme)


def _row_height() -> int:
    return max(ROW_HEIGHT, line_height("small") + 8)


def _paint_layer(painter: QPainter, box: QRectF, layer: LayerRow, theme: Theme) -> None:
    painter.fillRect(box, colour("sunken", theme))
    paint_rule(painter, box)
    inner = box.adjusted(EDGE - 4, 0, -EDGE, 0)
    paint_tag(painter, inner, layer.name)
    set_text_style(painter, font("small", 600), colour("t1", theme))
    _paint_words(painter, inner, layer_word(layer.name), formatting.tokens(layer.tokens), TAG_WIDTH + GAP)


def _paint_row(painter: QPainter, box: QRectF, row: SegmentRow, theme: Theme) -> None:
    painter.setFont(font("small"))
    if row.counted:
        painter.setPen(colour("t2", theme))
        _paint_words(painter, box, row_name(row), formatting.tokens(row.tokens), 0)
        return
    spot = QRectF(box.left(), box.top(), 12, box.height())
    paint_icon(painter, spot, "out", "err", 12)
    painter.setPen(colour("err", theme))
    _paint_words(painter, box, row_name(row), tr("not sent"), 12 + GAP)


def _paint_words(painter: QPainter, box: QRectF, name: str, figure: str, indent: float) -> None:
    width = figure_width(painter.font(), figure)
    paint_figure(painter, box, figure)
    paint_elided(painter, box.adjusted(indent, 0, -width - GAP, 0), name, Qt.TextElideMode.ElideMiddle)


MOST_HITS = 10_000
Hit = tuple[int, int]
HEIGHT = 36
DIGEST_LETTERS = 8


def find_all(text: str, words: str) -> list[Hit]:
    """Every place of the words, whatever their case; the first ten thousand."""
    if not words:
        return []
    lowered, wanted = text.lower(), words.lower()
    if len(lowered) != len(text):
        # A few letters are longer in lower case; their places would be off.
        found = re.finditer(re.escape(words), text, re.IGNORECASE)
        return [hit.span() for hit, _ in zip(found, range(MOST_HITS), strict=False)]
    hits: list[Hit] = []
    at = lowered.find(wanted)
    while at >= 0 and len(hits) < MOST_HITS:
        hits.append((at, at + len(wanted)))
        at = lowered.find(wanted, at + len(wanted))
    return hits


def next_hit(hits: list[Hit], behind: int) -> int:
    """The first hit that begins at a place or after it; from the end it goes on at the beginning."""
    return bisect_left(hits, (behind, 0)) % len(hits)


def hit_before(hits: list[Hit], before: int) -> int:
    """The last hit that begins before a place; from the beginning it goes on at the end."""
    return (bisect_right(hits, (before, -1)) - 1) % len(hits)


Writing = Literal["messages", "json", "curl"]


class Found(NamedTuple):
    """Which hit is shown, of how many; `more` where they were too many to count."""

    number: int = 0
    hits: int = 0
    more: bool = False


class PayloadReader(QStackedWidget):
    """Signals: `picked` tells which row was chosen in the outline or in the text."""

    picked = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self.outline = Outline()
        self.text = PayloadView()
        self.empty = EmptyState("layers", "", "")
        self._written: WrittenText | None = None
        self._writing: Writing = "messages"
        self._opened: dict[Writing, dict[Identity, Windows]] = {"messages": {}, "json": {}, "curl": {}}
        self._words = ""
        self._hits: list[Hit] = []
        self._hit = -1
        both = QWidget()
        fill(columns(both), self.outline, Hairline(upright=True), (self.text, 1))
        self.addWidget(both)
        self.addWidget(self.empty)
        self.outline.picked.connect(self.picked)
        self.text.picked.connect(self.picked)

    def show_request(self, view: EnvelopeView | None, form: WireForm | None, writing: Writing) -> None:
        """Show a request in one of three writings; one that cannot be written so says why."""
        written = _write(form, writing) if form is not None else None
        if writing != self._writing or written is None:
            self.text.show_payload(None)
        self._writing, self._written = writing, written
        self.outline.show_view(view)
        if view is None or form is None or written is None:
            self.empty.say(*self._absence(view, form))
            self.setCurrentIndex(1)
        else:
            self.text.show_payload(document_of(view, form, written, self._opened[writing]))
            self.setCurrentIndex(0)
        self._look()

    def forget(self) -> None:
        """Fold everything again: another request is shown."""
        for opened in self._opened.values():
            opened.clear()
        self.text.show_payload(None)

    def let_go(self) -> None:
        """Hold no text any more: nothing of it will be shown again."""
        self.forget()
        self._written = None
        self.outline.show_view(None)

    def select(self, key: RowKey | None) -> None:
        self.outline.select(key)
        self.text.select(key)

    def whole_text(self) -> str:
        """All of it, folded or not."""
        return self._written.text if self._written is not None else ""

    def look_for(self, words: str) -> Found:
        self._words = words
        self._look()
        if self._hits:
            self._go(next_hit(self._hits, self.text.cursor_character()))
        return self.found()

    def step(self, by: int) -> Found:
        if self._hits:
            at = self.text.cursor_character()
            shown = self._hits[self._hit] if self._hit >= 0 else None
            start = shown[0] if shown is not None else at
            self._go(next_hit(self._hits, start + 1) if by > 0 else hit_before(self._hits, start))
        return self.found()

    def found(self) -> Found:
        return Found(self._hit + 1, len(self._hits), len(self._hits) >= MOST_HITS)

    def _look(self) -> None:
        shown = self._hits[self._hit] if self._hit >= 0 else None
        self._hits = find_all(self.whole_text(), self._words)
        self._hit = self._hits.index(shown) if shown in self._hits else -1

    def _go(self, hit: int) -> None:
        self._hit = hit
        self.text.reveal(*self._hits[hit])

    def _absence(self, view: EnvelopeView | None, form: WireForm | None) -> tuple[str, str]:
        if view is None:
            return (
                tr("Nothing to send yet"),
                tr("Write a message: its request is shown here, byte for byte."),
            )
        if form is None:
            return (
                tr("No bytes to show"),
                tr("This request’s model is unknown, so its payload can’t be shown."),
            )
        if self._writing == "curl":
            return tr("No address to send to"), tr(
                "This model runs without a server; a command couldn’t ask it."
            )
        return tr("No body"), tr("This model is asked without a JSON document; see Messages.")


def _write(form: WireForm, writing: Writing) -> WrittenText | None:
    match writing:
        case "messages":
            return messages_text(form)
        case "json":
            return json_text(form) if form.body else None
        case "curl":
            return curl_text(form) if form.url and form.body else None


class Check(NamedTuple):
    """A turn's digests: of the bytes that were shown when it was sent, and of those that were sent."""

    turn: int
    shown: str
    sent: str


class FootWords(NamedTuple):
    """What the foot says: a badge with a digest, and a line."""

    tone: Tone
    icon: str
    badge: str
    digest: str
    line: str


def foot_words(view: EnvelopeView, check: Check | None, total_bytes: int | None) -> FootWords:
    """The verdict on the last turn that was sent, and what holds for the request that is shown."""
    size = "…" if total_bytes is None else formatting.tokens(total_bytes)
    if view.standing == "next":
        line = tr("This request: {n} bytes, compared when you send.").format(n=size)
    else:
        words = tr("Request {turn}: {n} bytes, as sent.") if view.watched else None
        words = tr("Request {turn}: {n} bytes, as they came in.") if view.as_came else words
        words = words or tr("Turn {turn}: {n} bytes, as sent.")
        line = words.format(turn=formatting.tokens(view.turn), n=size)
    if view.watched:
        # Its bytes passed by: nothing was shown before they were sent that they could differ from.
        return FootWords("neutral", "", "", "" if check is None else check.sent, line)
    if check is None or not check.sent:
        return FootWords("neutral", "", "", "", line)
    turn = formatting.tokens(check.turn)
    if not check.shown:
        return FootWords("neutral", "", tr("turn {turn}: sent").format(turn=turn), check.sent, line)
    if check.shown == check.sent:
        words = tr("turn {turn}: bytes shown = bytes sent").format(turn=turn)
        return FootWords("ok", "check", words, check.sent, line)
    words = tr("turn {turn}: bytes sent differ from those shown").format(turn=turn)
    return FootWords("err", "warn", words, check.sent, tr("This was rebuilt and differs from what was sent."))


class PayloadFoot(Panel):
    """A badge, a digest, and a line at the end."""

    line_above = True

    def __init__(self) -> None:
        super().__init__()
        self._badge = Badge()
        self._digest = label("", "digest", "t3")
        self._line = ElidedLabel("", "small", "t2")
        self._line.setAlignment(Qt.AlignmentFlag.AlignTrailing | Qt.AlignmentFlag.AlignVCenter)
        self._line.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.setFixedHeight(HEIGHT)
        fill(columns(self, (16, 1, 16, 0), 8), self._badge, self._digest, (self._line, 1))

    def say(self, words: FootWords) -> None:
        self._badge.setVisible(bool(words.badge))
        self._badge.show_words(words.tone, words.icon, words.badge)
        set_text(self._digest, f"{words.digest[:DIGEST_LETTERS]}…" if words.digest else "")
        self._digest.setVisible(bool(words.digest))
        self._digest.setAccessibleName(tr("Digest {digest}").format(digest=words.digest))
        self._line.setText(words.line)
