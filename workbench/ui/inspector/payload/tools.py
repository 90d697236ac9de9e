"""The rows above the payload: how it is written, which request, what to look for, and what is chosen."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QSignalBlocker, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from workbench.domain.shown.envelope_view import SegmentRow
from workbench.ui import formatting
from workbench.ui.inspector.rows.row_words import row_name
from workbench.ui.inspector.rows.stepper import Stepper
from workbench.ui.look.fonts import font
from workbench.ui.look.space import STRETCH, columns, fill
from workbench.ui.look.theme import colour, theme_of
from workbench.ui.widgets.badge import LayerTag
from workbench.ui.widgets.buttons import button, on_click, tool_button
from workbench.ui.widgets.choice import Choice, Field
from workbench.ui.widgets.guided import tell_figure
from workbench.ui.widgets.labels import ElidedLabel, IconSpot, label, set_text
from workbench.ui.widgets.segmented import Segmented
from workbench.ui.widgets.timer import single_shot

HEIGHT = 44
WIDE_FROM_PX = 640
EDGE, GAP = 16, 8
LEAST_PX, LEAST_CHOICE_PX = 460, 90
FIND_PX, NARROW_FIND_PX = 150, 104
COPIED_MS = 1_500
SELECTION_HEIGHT, BYTES_FROM_PX = 32, 640


class PayloadTools(QWidget):
    """How the request is written, which one it is, what to look for in it, and a copy.

    Signals:
        request_chosen: by its value. find_stepped: to the hit before (-1) or after (1).
    """

    request_chosen = Signal(str)
    find_stepped = Signal(int)
    copy_wanted = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setFixedHeight(HEIGHT)
        self.forms = Segmented((("messages", self.tr("Messages")), ("json", "JSON"), ("curl", "curl")))
        self.forms.setAccessibleName(self.tr("How the request is written"))
        self.request = Choice()
        self.request.setAccessibleName(self.tr("Which request"))
        self.field = Field(self.tr("Find"), "search", "Ctrl+G")
        self.field.setFixedWidth(FIND_PX)
        self.field.installEventFilter(self)
        self.hits = label("", "small", "t3")
        self.before = tool_button(
            "chevron-up", self.tr("Previous match"), self.tr("Hit before (Shift+Enter)"), side=24
        )
        self.after = tool_button("chevron-down", self.tr("Next match"), self.tr("Next hit (Enter)"), side=24)
        self.copy = on_click(button(self.tr("Copy"), icon="copy"), self._on_copy)
        self.copy.setToolTip(self.tr("Copy all of it, JSON as it is sent; keys stay hidden"))
        self._copied = single_shot(self, None, COPIED_MS)
        self._place()
        self._connect()
        self.show_hits("")

    def _place(self) -> None:
        across = fill(columns(self, (EDGE, 0, EDGE, 0), GAP), self.forms, self.request, STRETCH, self.field)
        fill(columns(across, spacing=2), self.hits, self.before, self.after)
        across.addWidget(self.copy)

    def _connect(self) -> None:
        self.request.activated.connect(self._on_request)
        self.before.clicked.connect(self._step_back)
        self.after.clicked.connect(self._step_on)
        self._copied.timeout.connect(self._show_copy)

    def offer(self, options: tuple[tuple[str, str], ...], current: str) -> None:
        if options != tuple(
            (self.request.itemData(n), self.request.itemText(n)) for n in range(self.request.count())
        ):
            with QSignalBlocker(self.request):
                self.request.clear()
                for value, text in options:
                    self.request.addItem(text, value)
            self.request.updateGeometry()
        self.request.choose(current)

    def show_hits(self, words: str) -> None:
        """Say which hit is shown; without words there is nothing to step through."""
        set_text(self.hits, words)
        for widget in (self.hits, self.before, self.after):
            widget.setVisible(bool(words))
        self._make_room()

    def hit_words(self, number: int, count: int, more: bool) -> str:
        if not count:
            return self.tr("no hits")
        total = f"{formatting.tokens(count)}+" if more else formatting.tokens(count)
        return self.tr("{n} of {count}").format(n=formatting.tokens(number), count=total)

    def minimumSizeHint(self) -> QSize:
        return QSize(LEAST_PX, HEIGHT)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._show_copy()
        self._make_room()

    def _make_room(self) -> None:
        self.field.setFixedWidth(FIND_PX if self._is_wide() else NARROW_FIND_PX)
        self.request.setVisible(self._is_wide() or self.hits.isHidden())
        others = (
            self.forms,
            self.copy,
            *(() if self.hits.isHidden() else (self.hits, self.before, self.after)),
        )
        taken = (
            self.field.width() + sum(widget.sizeHint().width() + GAP for widget in others) + 2 * EDGE + GAP
        )
        self.request.setMaximumWidth(max(LEAST_CHOICE_PX, self.width() - taken))

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if watched is self.field and event.type() == QEvent.Type.KeyPress and isinstance(event, QKeyEvent):
            if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
                back = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
                self.find_stepped.emit(-1 if back else 1)
                return True
            if event.key() == Qt.Key.Key_Escape and self.field.text():
                self.field.clear()
                return True
        return bool(super().eventFilter(watched, event))

    def _is_wide(self) -> bool:
        return self.width() >= WIDE_FROM_PX

    def _on_request(self) -> None:
        self.request_chosen.emit(self.request.chosen())

    def _on_copy(self) -> None:
        self.copy_wanted.emit()
        self.copy.set_icon("check")
        self.copy.setText(self.tr("Copied") if self._is_wide() else "")
        self.copy.setAccessibleName(self.tr("Copied"))
        self._copied.start()

    def _show_copy(self) -> None:
        self.copy.set_icon("copy")
        self.copy.setText(self.tr("Copy") if self._is_wide() else "")
        self.copy.setAccessibleName(self.tr("Copy"))

    def _step_back(self) -> None:
        self.find_stepped.emit(-1)

    def _step_on(self) -> None:
        self.find_stepped.emit(1)


class SelectionLine(QWidget):
    """The selected row by its name and size, and the way to the rows beside it."""

    layers_wanted = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._tag = LayerTag("L1_SYSTEM")
        self._name = ElidedLabel("", "small")
        self._name.setFont(font("small", 600))
        self._name.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        self._tokens = label("", "small", "t2")
        self._bytes = label("", "small", "t2")
        self._layers = on_click(button(self.tr("Show in Layers"), "ghost", size="small"), self.layers_wanted)
        self.steps = Stepper(self.tr("Segment before"), self.tr("Next segment"))
        tell_figure(
            self._tokens, self.tr("What it takes in this request, with the marks around it."), "request"
        )
        tell_figure(self._bytes, self.tr("Its position in the JSON body, counted from 0."), "request")
        self.setFixedHeight(SELECTION_HEIGHT)
        across = columns(self, (16, 0, 16, 0), 8)
        for widget in (IconSpot("link", "accent_text", 14), self._tag, self._name, self._tokens, self._bytes):
            across.addWidget(widget)
        across.addStretch(1)
        across.addWidget(self._layers)
        across.addWidget(self.steps)

    def show_row(self, row: SegmentRow, place: tuple[int, int]) -> None:
        self._tag.set_layer(row.key.layer)
        self._name.setText(row_name(row))
        set_text(self._tokens, formatting.token_words(row.tokens))
        self.steps.show_place(*place)
        self.setAccessibleName(self.tr("Chosen: {name}").format(name=row_name(row)))

    def show_bytes(self, found: tuple[int, int] | None, total_bytes: int, counted: bool) -> None:
        """Show which bytes of the body the row is; the first byte is number 0, the last one is part of it."""
        text = ""
        if not counted:
            text = self.tr("not sent")
        elif found is not None:
            first, end = found
            text = self.tr("bytes {a}–{b} of {total}").format(
                a=formatting.tokens(first),
                b=formatting.tokens(max(first, end - 1)),
                total=formatting.tokens(total_bytes),
            )
        set_text(self._bytes, text)

    def sizeHint(self) -> QSize:
        return QSize(600, SELECTION_HEIGHT)

    def minimumSizeHint(self) -> QSize:
        return QSize(LEAST_PX, SELECTION_HEIGHT)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._bytes.setVisible(self.width() >= BYTES_FROM_PX)

    def paintEvent(self, _event: QPaintEvent) -> None:
        QPainter(self).fillRect(self.rect(), colour("accent_tint", theme_of(self)))
