"""The controls of the what-if panel: a slider with a value that can be typed, and a choice of a few words."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QAbstractButton, QMenu, QSizePolicy, QWidget

from workbench.ui.inspector.what_if.knobs import CAN_BE_OFF, Knob, Room, Value, place_of, stops, typed_range
from workbench.ui.inspector.what_if.outcome_words import change_words, knob_name, knob_tip, value_words
from workbench.ui.look.fonts import font, metrics
from workbench.ui.look.icons import paint_icon
from workbench.ui.look.painting import fill_rounded, placed, set_text_style
from workbench.ui.look.space import columns, rows
from workbench.ui.look.theme import colour, theme_of
from workbench.ui.offers import Offer, TakeOffer, offer_menu
from workbench.ui.widgets.guided import lead_to, with_more
from workbench.ui.widgets.labels import ElidedLabel
from workbench.ui.widgets.menu import add_action, menu, popup_below
from workbench.ui.widgets.plain import tip
from workbench.ui.widgets.slider import Slider, ValueButton

GAP_PX = 6
HEIGHT, CHEVRON, INSET = 20, 12, 4


class WhatIfControl(QWidget):
    """A number that can be tried out.

    Signals:
        turned: the control, and the value it was moved to; None where that is off.
    """

    turned = Signal(str, object)

    def __init__(self, knob: Knob, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.knob: Knob = knob
        self._stops: tuple[Value, ...] = (0,)
        self._least = 0
        self._value: Value = 0
        self._showing = False
        self._words, self._number, self._changed = ("", ""), 0, False
        self.name = ElidedLabel(knob_name(knob), "small", "t2")
        self.value = ValueButton()
        self.slider = Slider(0, 0)
        for widget in (self.slider, self.value):
            widget.setAccessibleName(knob_name(knob))
            widget.setToolTip(tip(with_more(knob_tip(knob))))
        lead_to(self, "budget")
        self.slider.valueChanged.connect(self._on_slider)
        self.value.entered.connect(self._on_typed)
        down = rows(self, spacing=0)
        top = columns(down, spacing=GAP_PX)
        top.addWidget(self.name, 1)
        top.addWidget(self.value, 0, Qt.AlignmentFlag.AlignRight)
        down.addWidget(self.slider)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def show_values(self, base: Value, wanted: Value, room: Room) -> None:
        self._value = wanted
        self._stops = stops(self.knob, room, base, wanted)
        least, most = typed_range(self.knob, room)
        self._least = least
        # Below the least number a typed value means off.
        self.value.set_range(least - 1 if self.knob in CAN_BE_OFF else least, most)
        self._place_knob()
        told = value_words(self.knob, wanted)
        words = told if base == wanted else change_words(value_words(self.knob, base), told)
        self.slider.setAccessibleDescription(words)
        self._words = (words, told if base == wanted else change_words("", told).strip())
        self._number, self._changed = least - 1 if wanted is None else wanted, base != wanted
        self._write()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._write()

    def _write(self) -> None:
        """Where the value as it stands has no room beside the name, only the one that is tried: the name is not cut."""
        whole, tried = self._words
        room = self.width() - self.name.sizeHint().width() - GAP_PX
        self.value.show_value(self._number, whole, changed=self._changed)
        if self.value.sizeHint().width() > room and whole != tried:
            self.value.show_value(self._number, tried, changed=self._changed)
            self.value.setAccessibleDescription(whole)

    def _place_knob(self) -> None:
        # Another range may move the knob by itself, which nobody asked for.
        self._showing = True
        self.slider.setRange(0, len(self._stops) - 1)
        self.slider.setPageStep(max(1, len(self._stops) // 10))
        self.slider.setValue(place_of(self._stops, self._value))
        self._showing = False

    def _on_slider(self, place: int) -> None:
        if not self._showing and self._stops[place] != self._value:
            self.turned.emit(self.knob, self._stops[place])

    def _on_typed(self, number: int) -> None:
        value = None if self.knob in CAN_BE_OFF and number < self._least else number
        if value != self._value:
            self.turned.emit(self.knob, value)


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
        self._value = value
        found = next((option for option in self.options if option.value == value), self.options[0])
        self.word.show_word(found.word, changed)

    def offer_by(self, make: Callable[[str], Offer | None], take: TakeOffer) -> None:
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
        theme = theme_of(self)
        painter = QPainter(self)
        box = QRectF(self.rect())
        if self.underMouse() and self.isEnabled():
            fill_rounded(painter, box, theme.hover, 4)
        set_text_style(painter, font("ui", 600), colour("accent_text" if self._changed else "t1", theme))
        width = metrics("ui", 600).horizontalAdvance(self.text()) + 1
        painter.drawText(placed(box, 0, width), Qt.AlignmentFlag.AlignVCenter, self.text())
        paint_icon(painter, placed(box, width + 4, CHEVRON), "chevron-down", "t2", CHEVRON)
