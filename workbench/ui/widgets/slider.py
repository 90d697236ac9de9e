"""A slider in our look, and a value that can be typed instead."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QKeyEvent, QPainter, QPaintEvent, QPen, QWheelEvent
from PySide6.QtWidgets import QAbstractButton, QSizePolicy, QSlider, QStyle, QStyleOptionSlider

from workbench.ui.look.fonts import metrics
from workbench.ui.look.painting import Run, fill_rounded
from workbench.ui.look.theme import colour, theme_of
from workbench.ui.widgets.card import PanelLook
from workbench.ui.widgets.choice import NumberField

GROOVE, KNOB, HEIGHT = 4, 14, 20


class Slider(QSlider):
    """A value between two others, filled up to the knob."""

    def __init__(self, minimum: int = 0, maximum: int = 100, step: int = 1) -> None:
        super().__init__(Qt.Orientation.Horizontal)
        self.setRange(minimum, maximum)
        self.setSingleStep(step)
        self.setPageStep(max(step, (maximum - minimum) // 10))
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setProperty("ring", False)

    def sizeHint(self) -> QSize:
        return QSize(120, HEIGHT)

    def minimumSizeHint(self) -> QSize:
        return QSize(48, HEIGHT)

    def wheelEvent(self, event: QWheelEvent) -> None:
        """The wheel scrolls what is around it; it never changes a value by accident."""
        event.ignore()

    def paintEvent(self, _event: QPaintEvent) -> None:
        theme = theme_of(self)
        painter = QPainter(self)
        middle = self.height() / 2
        knob = self.knob_center()
        groove = QRectF(3, middle - GROOVE / 2, self.width() - 6, GROOVE)
        fill_rounded(painter, groove, theme.track, 2)
        filled = QRectF(groove)
        filled.setRight(knob)
        fill_rounded(painter, filled, theme.accent if self.isEnabled() else theme.line2, 2)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if self.hasFocus() and self.window().testAttribute(Qt.WidgetAttribute.WA_KeyboardFocusChange):
            painter.setPen(QPen(colour("accent", theme), 2))
            painter.drawEllipse(QPointF(knob, middle), KNOB / 2 + 2, KNOB / 2 + 2)
        painter.setPen(QPen(QColor(theme.accent if self.isEnabled() else theme.line2), 1.5))
        painter.setBrush(QColor(theme.hover if self.underMouse() else theme.raised))
        painter.drawEllipse(QPointF(knob, middle), (KNOB - 1.5) / 2, (KNOB - 1.5) / 2)

    def knob_center(self) -> float:
        option = QStyleOptionSlider()
        self.initStyleOption(option)
        handle = self.style().subControlRect(
            QStyle.ComplexControl.CC_Slider, option, QStyle.SubControl.SC_SliderHandle, self
        )
        left, right = handle.width() / 2, self.width() - handle.width() / 2
        share = (handle.center().x() + 0.5 - left) / max(right - left, 1)
        reach = KNOB / 2 + 3
        return reach + share * (self.width() - 2 * reach)


class ValueButton(PanelLook, QAbstractButton):
    """A value that turns into a field when it is pressed; `entered` tells what was typed."""

    radius, centred = 4, True

    entered = Signal(int)

    def __init__(self, minimum: int = 0, maximum: int = 1_000_000, step: int = 1) -> None:
        super().__init__()
        self._value = minimum
        self._changed = False
        self._field = NumberField(minimum, maximum, step)
        self._field.setParent(self)
        self._field.hide()
        self._field.installEventFilter(self)
        self._field.editingFinished.connect(self._on_done)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.setProperty("ring_radius", 4)
        self.clicked.connect(self._edit)

    def set_range(self, minimum: int, maximum: int) -> None:
        self._field.setRange(minimum, maximum)

    def show_value(self, value: int, text: str, changed: bool = False) -> None:
        self._value = value
        self._changed = changed
        self.setText(text)
        self.setAccessibleDescription(text)
        self.updateGeometry()
        self.update()

    def sizeHint(self) -> QSize:
        if self._field.isVisibleTo(self):
            return self._field.sizeHint()
        return QSize(round(metrics("ui", 600).horizontalAdvance(self.text())) + 8, 22)

    def eventFilter(self, watched: object, event: QEvent) -> bool:
        if (
            isinstance(event, QKeyEvent)
            and event.type() == QEvent.Type.KeyPress
            and event.key() == Qt.Key.Key_Escape
        ):
            self._close()
            return True
        return bool(super().eventFilter(watched, event))  # type: ignore[arg-type]

    def update_look(self) -> None:
        seen = not self._field.isVisible()
        self.ground = "hover" if seen and self.underMouse() and self.isEnabled() else ""
        token = "accent_text" if self._changed else "t1" if self.isEnabled() else "t3"
        self.runs = (Run(self.text(), token, "ui", 600),) if seen else ()

    def _edit(self) -> None:
        self._field.setValue(self._value)
        self._field.show()
        self._field.resize(self._field.sizeHint())
        self.updateGeometry()
        self._field.selectAll()
        self._field.setFocus(Qt.FocusReason.OtherFocusReason)

    def _on_done(self) -> None:
        if self._field.isVisible():
            value = self._field.value()
            self._close()
            if value != self._value:
                self.entered.emit(value)

    def _close(self) -> None:
        had_focus = self._field.hasFocus()
        self._field.hide()
        self.updateGeometry()
        self.update()
        if had_focus:
            self.setFocus(Qt.FocusReason.OtherFocusReason)
