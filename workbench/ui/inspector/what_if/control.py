"""One control of the what-if panel: its name, its value, which can be typed, and a slider below."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from workbench.ui.inspector.what_if.knobs import CAN_BE_OFF, Knob, Room, Value, place_of, stops, typed_range
from workbench.ui.inspector.what_if.words import change_words, knob_name, knob_tip, value_words
from workbench.ui.look.space import columns, rows
from workbench.ui.widgets.labels import ElidedLabel
from workbench.ui.widgets.plain import tip
from workbench.ui.widgets.slider import Slider, ValueButton

GAP_PX = 6


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
            widget.setToolTip(tip(knob_tip(knob)))
        self.slider.valueChanged.connect(self._on_slider)
        self.value.entered.connect(self._on_typed)
        down = rows(self, spacing=0)
        top = columns(down, spacing=GAP_PX)
        top.addWidget(self.name, 1)
        top.addWidget(self.value, 0, Qt.AlignmentFlag.AlignRight)
        down.addWidget(self.slider)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def show_values(self, base: Value, wanted: Value, room: Room) -> None:
        """Show where the setting stands, and where it is tried out."""
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
        """See whether both values have room beside the name."""
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
