"""A setting of the what-if panel that is one of a few words: a quiet value that opens a menu."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QAbstractButton, QMenu, QSizePolicy, QWidget

from workbench.ui.look.fonts import font, metrics
from workbench.ui.look.icons import paint_icon
from workbench.ui.look.painting import fill_rounded, placed, set_text_style
from workbench.ui.look.space import rows
from workbench.ui.look.theme import colour, theme_of
from workbench.ui.offers import Offer, TakeOffer, offer_menu
from workbench.ui.widgets.labels import ElidedLabel
from workbench.ui.widgets.menu import add_action, menu, popup_below
from workbench.ui.widgets.plain import tip

HEIGHT, CHEVRON, INSET = 20, 12, 4


class Option(NamedTuple):
    """One of the words; `why_not` says why it cannot be chosen, where it cannot."""

    value: str
    word: str
    why_not: str = ""


class WhatIfChoice(QWidget):
    """A name, and below it the word that is chosen.

    Signals:
        chosen: the value of another option.
    """

    chosen = Signal(str)

    def __init__(
        self, name: str, told: str, options: Sequence[Option], parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.options = tuple(options)
        self._value = self.options[0].value
        self._make: Callable[[str], Offer | None] | None = None
        self._take: TakeOffer = lambda offer: None
        self.name = ElidedLabel(name, "small", "t2")
        self.word = _Word(name)
        self.word.setToolTip(tip(told))
        self.word.clicked.connect(self._open)
        down = rows(self)
        down.addWidget(self.name)
        down.addWidget(self.word, 0, Qt.AlignmentFlag.AlignLeft)
        self.name.setMinimumHeight(22)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)

    def show_value(self, value: str, changed: bool) -> None:
        """Show which option is chosen; a changed one stands out."""
        self._value = value
        found = next((option for option in self.options if option.value == value), self.options[0])
        self.word.show_word(found.word, changed)

    def offer_by(self, make: Callable[[str], Offer | None], take: TakeOffer) -> None:
        """Say what each option would cost while it is chosen in the menu."""
        self._make, self._take = make, take

    def open_menu(self) -> QMenu:
        """All options; those that cannot be chosen say why."""
        made = menu(self)
        for option in self.options:
            value, here = option.value, option.value == self._value
            action = add_action(made, option.word, partial(self._choose, value), value, checked=here)
            action.setEnabled(not option.why_not)
            if option.why_not:
                action.setToolTip(tip(option.why_not))
                made.addAction(option.why_not).setEnabled(False)
        if self._make is not None:
            make = self._make
            offer_menu(made, lambda action: make(action.data()) if action.data() else None, self._take)
        return made

    def _open(self) -> None:
        popup_below(self.open_menu(), self.word, 3)

    def _choose(self, value: str) -> None:
        if value != self._value:
            self.chosen.emit(value)


class _Word(QAbstractButton):
    """The chosen word with a chevron behind it."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self._changed = False
        self._spoken_name = name
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setProperty("ring_radius", 4)
        self.setAccessibleName(name)

    def show_word(self, word: str, changed: bool) -> None:
        if (word, changed) != (self.text(), self._changed):
            self._changed = changed
            self.setText(word)
            self.setAccessibleName(self._spoken_name)
            self.setAccessibleDescription(word)
            self.updateGeometry()
            self.update()

    def sizeHint(self) -> QSize:
        return QSize(
            round(metrics("ui", 600).horizontalAdvance(self.text())) + CHEVRON + 4 + 2 * INSET, HEIGHT
        )

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint word and chevron; the ground where the pointer is."""
        theme = theme_of(self)
        painter = QPainter(self)
        box = QRectF(self.rect())
        if self.underMouse() and self.isEnabled():
            fill_rounded(painter, box, theme.hover, 4)
        set_text_style(painter, font("ui", 600), colour("accent_text" if self._changed else "t1", theme))
        width = metrics("ui", 600).horizontalAdvance(self.text()) + 1
        painter.drawText(placed(box, 0, width), Qt.AlignmentFlag.AlignVCenter, self.text())
        paint_icon(painter, placed(box, width + 4, CHEVRON), "chevron-down", "t2", CHEVRON)
