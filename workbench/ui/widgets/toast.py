"""A toast: one short word about what was just done, with a way back."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, QObject, QRectF, QSizeF, Qt
from PySide6.QtGui import (
    QAccessible,
    QAccessibleAnnouncementEvent,
    QColor,
    QEnterEvent,
    QHideEvent,
    QPainter,
    QPaintEvent,
    QShowEvent,
)
from PySide6.QtWidgets import QAbstractButton, QWidget

from workbench.ui.look.fonts import font, metrics
from workbench.ui.look.painting import Run, set_text_style
from workbench.ui.look.theme import colour, theme_of
from workbench.ui.translation import tr
from workbench.ui.widgets.card import LeadingIcon, Panel, PanelLook
from workbench.ui.widgets.floating import MARGIN
from workbench.ui.widgets.motion import Glide, duration, single_shot

HEIGHT, RADIUS, INSET = 40, 8, 16
STAY_MS, FADE_MS = 6000, 120
PADDING, GAP = 14, 12
_WRAPPED = Qt.AlignmentFlag.AlignLeft.value | Qt.TextFlag.TextWordWrap.value


class Toast(Panel):
    """Lies at the bottom of its parent; says one thing at a time.

    Attributes:
        action: the button behind the words, where there is one.
    """

    ground, border, radius, shadow_margin = "toast", "toast_line", RADIUS, MARGIN
    opacity = 0.0

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._icon = self._text = ""
        self._on_action: Callable[[], None] | None = None
        self.action = _Word(self)
        self.action.clicked.connect(self._act)
        self._close = _Cross(self)
        self._close.clicked.connect(self.dismiss)
        self._timer = single_shot(self, self._on_time, STAY_MS)
        self._fade = Glide(self)
        self._fade.moved.connect(self._on_fade)
        self._fade.settled.connect(self._on_faded)
        self.hide()

    def say(
        self, icon: str, text: str, action: str = "", on_action: Callable[[], None] | None = None
    ) -> None:
        """Say something; what was said before goes away."""
        self._icon, self._text, self._on_action = icon, text, on_action
        self.action.set_word(action)
        self.setAccessibleName(text)
        self._place()
        self.show()
        self.raise_()
        self._fade_to(1.0)
        self._timer.start()
        QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(self, text))

    def lie_on(self, parent: QWidget) -> None:
        """Lie at the bottom of another widget; what is being said goes on being said there."""
        if parent is self.parent():
            return
        seen = not self.isHidden()
        self.hide()
        self.setParent(parent)
        if seen:
            self._place()
            self.show()
            self.raise_()

    def name_action(self, action: str) -> None:
        """Say more about what the button does, where it is still seen; its time goes on."""
        if self.isVisible() and action != self.action.word():
            self.action.set_word(action)
            self._place()
            self.update()

    def text(self) -> str:
        return self._text

    def dismiss(self) -> None:
        self._timer.stop()
        self._fade_to(0.0)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Resize and watched is self.parent() and self.isVisible():
            self._place()
        return False

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.parent().installEventFilter(self)

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self.parent().removeEventFilter(self)

    def enterEvent(self, event: QEnterEvent) -> None:
        super().enterEvent(event)
        self._timer.stop()

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        if self.isVisible():
            self._timer.start()

    def update_look(self) -> None:
        self.padding = (PADDING, 0, 0, 0)
        self.runs = (Run(icon=self._icon, token="toast_text", size=16, gap=GAP),)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the words in as many lines as they need: what was done, and what was kept, is read whole."""
        super().paintEvent(event)
        painter = QPainter(self)
        painter.setOpacity(self.opacity)
        size, left = self._text_size(), MARGIN + PADDING + 16 + GAP
        box = QRectF(left, (self.height() - size.height()) / 2, size.width() + 1, size.height())
        set_text_style(painter, font("ui"), colour("toast_text", theme_of(self)))
        painter.drawText(box, _WRAPPED, self._text)

    def _text_size(self) -> QSizeF:
        room = self.parentWidget().width() - 2 * INSET - 2 * PADDING - 16 - GAP - 44 - self.action.width()
        box = QRectF(0, 0, max(room, 80), 1000)
        return metrics("ui").boundingRect(box, _WRAPPED, self._text).size()

    def _place(self) -> None:
        parent = self.parentWidget()
        action = self.action.width() + GAP if self.action.word() else 0
        words = self._text_size()
        width = round(2 * PADDING + 16 + GAP + words.width() + action + GAP + 20)
        high = max(HEIGHT, round(words.height()) + 2 * PADDING)
        self.setGeometry(
            parent.width() - INSET - width - MARGIN,
            parent.height() - INSET - high - MARGIN,
            width + 2 * MARGIN,
            high + 2 * MARGIN,
        )
        ends = [(self._close, PADDING - 4), (self.action, PADDING + 20 + GAP - 4)]
        for widget, distance in ends:
            left = MARGIN + width - distance - widget.width()
            widget.move(left, MARGIN + (high - widget.height()) // 2)

    def _act(self) -> None:
        act = self._on_action
        self.dismiss()
        if act is not None:
            act()

    def _on_time(self) -> None:
        if self.underMouse() or self.action.hasFocus() or self._close.hasFocus():
            self._timer.start()
        else:
            self.dismiss()

    def _fade_to(self, goal: float) -> None:
        self._fade.go(self.opacity, goal, duration(self, FADE_MS))

    def _on_fade(self, opacity: float) -> None:
        self.opacity = opacity
        self.update()

    def _on_faded(self) -> None:
        if self.opacity == 0.0:
            self.hide()


class _Word(QAbstractButton):
    """The toast's way back."""

    def set_word(self, word: str) -> None:
        self.setText(word)
        self.setAccessibleName(word)
        self.setVisible(bool(word))
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.resize(round(metrics("ui", 600).horizontalAdvance(word)) + 12 if word else 0, 26)

    def word(self) -> str:
        return self.text()

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        used = font("ui", 600)
        used.setUnderline(self.underMouse())
        set_text_style(painter, used, QColor(theme_of(self).toast_action))
        painter.drawText(self.rect(), Qt.AlignmentFlag.AlignCenter, self.text())


class _Cross(PanelLook, QAbstractButton):
    """Sends the toast away."""

    leading = LeadingIcon("x", "toast_text", 14, (0, 0, 22, 0))

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setAccessibleName(tr("Dismiss"))
        self.resize(22, 22)
