"""The line above the payload that says what is chosen: whose it is, what it costs, and which bytes it is."""

from __future__ import annotations

from PySide6.QtCore import QSize, Signal
from PySide6.QtGui import QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from workbench.domain.shown.envelope_view import SegmentRow
from workbench.ui import formatting
from workbench.ui.inspector.rows.row_words import row_name
from workbench.ui.inspector.rows.stepper import Stepper
from workbench.ui.look.fonts import font
from workbench.ui.look.space import columns
from workbench.ui.look.theme import colour, theme_of
from workbench.ui.widgets.buttons import button, on_click
from workbench.ui.widgets.icon_spot import IconSpot
from workbench.ui.widgets.labels import ElidedLabel, label, set_text
from workbench.ui.widgets.tag import LayerTag

HEIGHT = 32
LEAST_PX, BYTES_FROM_PX = 460, 640


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
        self.setFixedHeight(HEIGHT)
        across = columns(self, (16, 0, 16, 0), 8)
        for widget in (IconSpot("link", "accent_text", 14), self._tag, self._name, self._tokens, self._bytes):
            across.addWidget(widget)
        across.addStretch(1)
        across.addWidget(self._layers)
        across.addWidget(self.steps)

    def show_row(self, row: SegmentRow, place: tuple[int, int]) -> None:
        """Show a row, and which of how many it is."""
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
        return QSize(600, HEIGHT)

    def minimumSizeHint(self) -> QSize:
        """The name is shortened, and the bytes are left out."""
        return QSize(LEAST_PX, HEIGHT)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Leave the bytes out where there is no room for them."""
        super().resizeEvent(event)
        self._bytes.setVisible(self.width() >= BYTES_FROM_PX)

    def paintEvent(self, _event: QPaintEvent) -> None:
        QPainter(self).fillRect(self.rect(), colour("accent_tint", theme_of(self)))
