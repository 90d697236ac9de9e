"""Buttons: primary, secondary, ghost, danger and link, and the square ones that hold an icon."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, NamedTuple, TypeVar

from PySide6.QtCore import QEvent, QRectF, QSize, Qt, QTimer, SignalInstance
from PySide6.QtGui import QColor, QEnterEvent, QFocusEvent, QKeySequence, QPainter, QPaintEvent
from PySide6.QtWidgets import QAbstractButton, QPushButton, QSizePolicy, QToolButton

from workbench.ui.look.fonts import Role, font, metrics
from workbench.ui.look.icons import paint_icon
from workbench.ui.look.painting import elided, fill_rounded, set_text_style, stroke_rounded, take, take_end
from workbench.ui.look.theme import Theme, theme_of
from workbench.ui.widgets import plain
from workbench.ui.widgets.card import LeadingIcon, PanelLook
from workbench.ui.widgets.labels import KEY_CAP_HEIGHT, key_cap_width, paint_key_cap
from workbench.ui.widgets.motion import single_shot
from workbench.ui.widgets.plain import tip

Kind = Literal["secondary", "primary", "ghost", "danger", "link"]
ButtonState = Literal["idle", "hover", "down", "disabled"]
DONE_MS = 1_500


class ButtonLook(NamedTuple):
    """Ground and border (empty: none), ink, the token of the icon, and the border of the key."""

    ground: str
    line: str
    ink: str
    token: str
    hint_line: str


def button_look(theme: Theme, kind: Kind, state: ButtonState) -> ButtonLook:
    """How a button of that kind looks in that state."""
    if state == "disabled":
        return _disabled(theme, kind)
    held = state != "idle"
    pressed = theme.line if state == "down" else theme.hover
    lifted = (
        theme.line2
        if state == "down" and theme.dark
        else theme.line
        if state == "down"
        else theme.raised_hover
    )
    match kind:
        case "primary":
            return ButtonLook(
                theme.accent_hover if held else theme.accent,
                "",
                theme.on_accent,
                "on_accent",
                _half(theme.on_accent),
            )
        case "secondary":
            return ButtonLook(lifted if held else theme.raised, theme.btnline, theme.t1, "t1", theme.btnline)
        case "ghost":
            return ButtonLook(pressed if held else "", "", theme.t2, "t2", theme.btnline)
        case "danger":
            return ButtonLook(theme.err_tint if held else "", "", theme.err, "err", theme.btnline)
        case "link":
            return ButtonLook("", "", theme.accent_text, "accent_text", theme.btnline)


def _half(value: str) -> str:
    return f"#80{value[1:]}"


def _disabled(theme: Theme, kind: Kind) -> ButtonLook:
    bare = kind in ("ghost", "danger", "link")
    return ButtonLook("" if bare else theme.sunken, "" if bare else theme.line, theme.t3, "t3", theme.line)


Size = Literal["normal", "small", "send", "welcome"]
HEIGHTS: dict[Size, int] = {"small": 24, "normal": 28, "send": 32, "welcome": 36}
PADDINGS: dict[Size, int] = {"small": 10, "normal": 12, "send": 14, "welcome": 16}
RADIUS = 6
ICON, ICON_GAP, HINT_GAP = 16, 6, 8


class Button(QPushButton):
    """A button that paints itself, with an icon before its text and a key behind it."""

    def __init__(
        self,
        text: str,
        kind: Kind = "secondary",
        icon: str = "",
        shortcut_hint: str = "",
        size: Size = "normal",
    ) -> None:
        super().__init__()
        self.kind: Kind = kind
        self._icon = icon
        self._hint = shortcut_hint
        self._size: Size = size
        self.setAutoDefault(False)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        if kind == "link":
            self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setText(text)

    def setText(self, text: str) -> None:
        """Show another text; an ampersand in it is an ampersand, not a key."""
        super().setText(text)
        self.setShortcut(QKeySequence())
        self.setAccessibleName(text)
        self.updateGeometry()

    def set_kind(self, kind: Kind) -> None:
        """Make it stand out more or less."""
        if kind != self.kind:
            self.kind = kind
            self.updateGeometry()
            self.update()

    def set_icon(self, name: str) -> None:
        if name != self._icon:
            self._icon = name
            self.updateGeometry()
            self.update()

    def icon_name(self) -> str:
        return self._icon

    def set_hint(self, shortcut_hint: str) -> None:
        if shortcut_hint != self._hint:
            self._hint = shortcut_hint
            self.updateGeometry()
            self.update()

    def sizeHint(self) -> QSize:
        return QSize(int(self._content_width() + 2 * self._padding() + 0.999), HEIGHTS[self._size])

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        look = button_look(theme_of(self), self.kind, self._state())
        box = QRectF(self.rect())
        if look.ground:
            fill_rounded(painter, box, look.ground, RADIUS)
        if look.line:
            stroke_rounded(painter, box, look.line, RADIUS)
        room = box.width() - 2 * self._padding()
        left = box.left() + self._padding() + max(0.0, (room - self._content_width()) / 2)
        self._paint_content(painter, QRectF(left, 0, min(room, self._content_width()), box.height()), look)

    def _paint_content(self, painter: QPainter, box: QRectF, look: ButtonLook) -> None:
        if self._icon:
            spot = take(box, ICON, ICON_GAP if self.text() else 0)
            paint_icon(painter, spot, self._icon, look.token, ICON)
        if self._hint:
            spot = take_end(box, key_cap_width(self._hint), HINT_GAP)
            spot = QRectF(spot.left(), (box.height() - KEY_CAP_HEIGHT) / 2, spot.width(), KEY_CAP_HEIGHT)
            paint_key_cap(painter, spot, self._hint, look.ink, look.hint_line)
        used = font(*self._face())
        used.setUnderline(self.kind == "link" and self.underMouse())
        set_text_style(painter, used, QColor(look.ink))
        text = elided(used, self.text(), box.width())
        painter.drawText(box, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeading, text)

    def _state(self) -> ButtonState:
        if not self.isEnabled():
            return "disabled"
        if self.isDown() or self.isChecked():
            return "down"
        return "hover" if self.underMouse() else "idle"

    def _face(self) -> tuple[Role, int]:
        return ("small" if self._size == "small" else "ui"), (600 if self.kind == "primary" else 500)

    def _padding(self) -> int:
        return 0 if self.kind == "link" else PADDINGS[self._size]

    def _content_width(self) -> float:
        width = metrics(*self._face()).horizontalAdvance(self.text())
        if self._icon:
            width += ICON + (ICON_GAP if self.text() else 0)
        if self._hint:
            width += key_cap_width(self._hint) + HINT_GAP
        return width


class ToolButton(PanelLook, QToolButton):
    """A square button that holds an icon; its name is spoken and its tooltip says what it does."""

    radius = RADIUS

    def __init__(self, icon: str, name: str, side: int = 28) -> None:
        super().__init__()
        self._icon = icon
        self._token = "t2"
        self._side = side
        self._count = 0
        self.setAccessibleName(name)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)

    def set_icon(self, name: str, token: str = "t2") -> None:
        if (name, token) != (self._icon, self._token):
            self._icon, self._token = name, token
            self.update()

    def icon_name(self) -> str:
        return self._icon

    def sizeHint(self) -> QSize:
        return QSize(self._side, self._side)

    def update_look(self) -> None:
        token, self.ground = self._token, ""
        if self.isChecked():
            token, self.ground = "accent_text", "accent_tint"
        elif self.isDown() or (self.menu() is not None and self.menu().isVisible()):
            self.ground = "sunken" if theme_of(self).dark else "line"
        elif self.underMouse() and self.isEnabled():
            self.ground = "hover"
        self.opacity = 1.0 if self.isEnabled() else 0.45
        size = 16 if self._side >= 22 else 14
        self.leading = LeadingIcon(self._icon, token, size, (0, 0, self.width(), 0))


def button(
    text: str,
    kind: Kind = "secondary",
    icon: str = "",
    shortcut_hint: str = "",
    size: Size = "normal",
) -> Button:
    """A button; at most one primary in an area."""
    return Button(text, kind, icon, shortcut_hint, size)


def tool_button(icon: str, name: str, tip: str = "", side: int = 28) -> ToolButton:
    """A square button with an icon; `name` is spoken, `tip` (else the name) is its tooltip."""
    made = ToolButton(icon, name, side)
    made.setToolTip(plain.tip(tip or name))
    return made


Pressable = TypeVar("Pressable", bound=QAbstractButton)


def on_click(made: Pressable, do: Callable[..., object] | SignalInstance) -> Pressable:
    """The button, connected to what a click does."""
    made.clicked.connect(do)
    return made


class QuietButton(ToolButton):
    """An icon in grey; `shy`, it is not seen at all until its message is pointed at or it has the focus."""

    def __init__(self, icon: str, name: str, side: int = 28, *, shy: bool = False) -> None:
        super().__init__(icon, name, side)
        self._name, self._own = name, icon
        self._shy, self._revealed = shy, False
        self.set_icon(icon, "t3")
        self.setToolTip(tip(name))
        self._done: QTimer | None = None

    def reveal(self, revealed: bool) -> None:
        if revealed != self._revealed:
            self._revealed = revealed
            self._tell_line()

    def takes_room(self) -> bool:
        """Whether it is seen, so that others must make room."""
        return not self._shy or self._revealed or self.hasFocus()

    def say_done(self, word: str) -> None:
        self.set_icon("check", "ok")
        self.setAccessibleName(word)
        if self._done is None:
            self._done = single_shot(self, self._back)
        self._done.start(DONE_MS)

    def enterEvent(self, event: QEnterEvent) -> None:
        super().enterEvent(event)
        self._follow()

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        self._follow()

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self._follow()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self._follow()

    def paintEvent(self, event: QPaintEvent) -> None:
        if self.takes_room() or self.isDown():
            super().paintEvent(event)

    def _follow(self) -> None:
        if self._done is None or not self._done.isActive():
            self.set_icon(self._own, "t1" if self.hasFocus() or self.underMouse() else "t3")
        self._tell_line()

    def _tell_line(self) -> None:
        self.update()
        line = self.parentWidget()
        if self._shy and line is not None:
            line.update()

    def _back(self) -> None:
        self.setAccessibleName(self._name)
        self._follow()
