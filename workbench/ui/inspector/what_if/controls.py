"""The controls of the what-if panel: a slider with a value that can be typed, and a choice of a few words."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QAbstractButton, QMenu, QSizePolicy, QWidget

from workbench.domain.settings.context_settings import ContextSettings
from workbench.domain.settings.control import Setting, WhatIf
from workbench.ui.inspector.what_if.outcome_words import change_words, choice_words, value_words
from workbench.ui.inspector.what_if.values import (
    Value,
    WindowSize,
    can_be_off,
    slider_steps,
    step_index,
    typed_range,
    value_of,
)
from workbench.ui.look.fonts import metrics
from workbench.ui.look.painting import Run
from workbench.ui.look.space import columns, rows
from workbench.ui.offers import Offer, TakeOffer, offer_menu
from workbench.ui.translation import tr
from workbench.ui.widgets.card import PanelLook
from workbench.ui.widgets.guided import lead_to, with_more
from workbench.ui.widgets.labels import ElidedLabel
from workbench.ui.widgets.menu import add_action, menu, popup_below
from workbench.ui.widgets.plain import tip
from workbench.ui.widgets.slider import Slider, ValueButton

GAP_PX = 6
HEIGHT, CHEVRON, INSET = 20, 12, 4


class WhatIfSlider(QWidget):
    """A number that can be tried out.

    Signals:
        changed: the setting's name, and the value it was moved to; None where that is off.
    """

    changed = Signal(str, object)

    def __init__(self, setting: Setting, tried: WhatIf, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._setting, self._tried = setting, tried
        self._steps: tuple[Value, ...] = (0,)
        self._least = 0
        self._value: Value = 0
        self._showing = False
        self._words, self._number, self._changed = ("", ""), 0, False
        self.name = ElidedLabel(tr(tried.label), "small", "t2")
        self.value = ValueButton()
        self.slider = Slider(0, 0)
        for widget in (self.slider, self.value):
            widget.setAccessibleName(tr(tried.label))
            widget.setToolTip(tip(with_more(tr(tried.hint))))
        lead_to(self, "budget")
        self.slider.valueChanged.connect(self._on_slider)
        self.value.entered.connect(self._on_typed)
        down = rows(self, spacing=0)
        top = columns(down, spacing=GAP_PX)
        top.addWidget(self.name, 1)
        top.addWidget(self.value, 0, Qt.AlignmentFlag.AlignRight)
        down.addWidget(self.slider)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def show_settings(self, base: ContextSettings, tried: ContextSettings, size: WindowSize) -> None:
        """Show what is tried out beside what is set."""
        self.show_values(value_of(base, self._setting, size), value_of(tried, self._setting, size), size)

    def show_values(self, base: Value, tried: Value, size: WindowSize) -> None:
        self._value = tried
        self._steps = slider_steps(self._setting, self._tried, size, base, tried)
        self._least, most = typed_range(self._setting, self._tried, size)
        # Below the least number a typed value means off.
        self.value.set_range(self._least - can_be_off(self._setting), most)
        # Another range may move the slider by itself, which nobody asked for.
        self._showing = True
        self.slider.setRange(0, len(self._steps) - 1)
        self.slider.setPageStep(max(1, len(self._steps) // 10))
        self.slider.setValue(step_index(self._steps, tried))
        self._showing = False
        new = value_words(self._setting, tried)
        words = new if base == tried else change_words(value_words(self._setting, base), new)
        self.slider.setAccessibleDescription(words)
        self._words = (words, new if base == tried else change_words("", new).strip())
        self._number, self._changed = self._least - 1 if tried is None else tried, base != tried
        self._write()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._write()

    def _write(self) -> None:
        """Where the value that is set has no room beside the name, only the one that is tried: the name is not cut."""
        whole, tried = self._words
        room = self.width() - self.name.sizeHint().width() - GAP_PX
        self.value.show_value(self._number, whole, changed=self._changed)
        if self.value.sizeHint().width() > room and whole != tried:
            self.value.show_value(self._number, tried, changed=self._changed)
            self.value.setAccessibleDescription(whole)

    def _on_slider(self, index: int) -> None:
        if not self._showing and self._steps[index] != self._value:
            self.changed.emit(self._setting.name, self._steps[index])

    def _on_typed(self, number: int) -> None:
        value = None if can_be_off(self._setting) and number < self._least else number
        if value != self._value:
            self.changed.emit(self._setting.name, value)


class WhatIfChoice(QWidget):
    """A setting of a few values: its name, and below it the word that is chosen.

    Signals:
        changed: the setting's name, and another value.
    """

    changed = Signal(str, object)

    def __init__(self, setting: Setting, tried: WhatIf, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._setting, self._tried = setting, tried
        self._value: object = setting.default
        self._make: Callable[[object], Offer | None] | None = None
        self._take: TakeOffer = lambda offer: None
        self.name = ElidedLabel(tr(tried.label), "small", "t2")
        self.word = _Word(tr(tried.label))
        self.word.setToolTip(tip(tr(tried.hint)))
        self.word.clicked.connect(lambda: popup_below(self.open_menu(), self.word, 3))
        down = rows(self)
        down.addWidget(self.name)
        down.addWidget(self.word, 0, Qt.AlignmentFlag.AlignLeft)
        self.name.setMinimumHeight(22)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)

    def show_settings(self, base: ContextSettings, tried: ContextSettings, _size: WindowSize) -> None:
        """Show what is tried out, in another colour than what is set."""
        self._value = self._setting.value(tried)
        self.word.show_word(
            choice_words(self._tried, self._value), changed=self._value != self._setting.value(base)
        )

    def offer_by(self, make: Callable[[object], Offer | None], take: TakeOffer) -> None:
        """Say of each value in the menu what choosing it would do."""
        self._make, self._take = make, take

    def open_menu(self) -> QMenu:
        """All values."""
        made = menu(self)
        for value in self._tried.choices or (True, False):
            words, here = choice_words(self._tried, value), value == self._value
            add_action(made, words, partial(self._choose, value), value, checked=here)
        if self._make is not None:
            make = self._make
            offer_menu(made, lambda action: make(action.data()) if action.data() else None, self._take)
        return made

    def _choose(self, value: object) -> None:
        if value != self._value:
            self.changed.emit(self._setting.name, value)


class _Word(PanelLook, QAbstractButton):
    """The chosen word with a chevron behind it."""

    radius = 4

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

    def update_look(self) -> None:
        self.ground = "hover" if self.underMouse() and self.isEnabled() else ""
        word = Run(self.text(), "accent_text" if self._changed else "t1", "ui", 600, gap=5)
        self.runs = (word, Run(icon="chevron-down", token="t2", size=CHEVRON))
