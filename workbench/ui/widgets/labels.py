"""Labels: text in a role of the design, which never takes foreign text for markup; key caps and icons."""

from __future__ import annotations

import atexit
from weakref import WeakSet

from PySide6.QtCore import QEvent, QObject, QRect, QRectF, QSize, Qt
from PySide6.QtGui import (
    QAccessible,
    QAccessibleInterface,
    QColor,
    QFont,
    QPainter,
    QPaintEvent,
    QResizeEvent,
)
from PySide6.QtWidgets import QAccessibleWidget, QLabel, QScrollArea, QSizePolicy, QWidget
from shiboken6 import isValid

from workbench.ui.look.fonts import Role, font, metrics
from workbench.ui.look.icons import paint_icon
from workbench.ui.look.painting import (
    elided,
    figure_width,
    paint_figure,
    paint_text,
    set_text_style,
    stroke_rounded,
    take,
)
from workbench.ui.look.proxy_style import TOKEN, tint
from workbench.ui.look.theme import colour, theme_of
from workbench.ui.translation import in_language, key_words, tr
from workbench.ui.widgets.plain import tip


def label(text: str = "", role: Role = "ui", token: str = "t1", wrap: bool = False) -> QLabel:
    """A label of plain text in a role's font and a token's colour."""
    made = QLabel()
    dress(made, role, token)
    made.setWordWrap(wrap)
    made.setText(in_language(text))
    return made


def dress(made: QLabel, role: Role, token: str) -> None:
    """Give a label its role and colour."""
    made.setTextFormat(Qt.TextFormat.PlainText)
    made.setFont(font(role))
    made.setProperty(TOKEN, token)


def set_text(made: QLabel, text: str) -> None:
    """Change a label's text where it differs, which keeps the layout still where it does not."""
    text = in_language(text)
    if made.text() != text:
        made.setText(text)


def set_token(made: QLabel, token: str) -> None:
    """Give a label another colour."""
    if made.property(TOKEN) != token:
        made.setProperty(TOKEN, token)
        tint(made)


class ElidedLabel(QLabel):
    """One line that is shortened where there is no room; the whole text is then its tooltip, below it `more`."""

    def __init__(
        self,
        text: str = "",
        role: Role = "ui",
        token: str = "t1",
        mode: Qt.TextElideMode = Qt.TextElideMode.ElideRight,
    ) -> None:
        super().__init__()
        self._more = ""
        dress(self, role, token)
        self._mode = mode
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self.setText(text)

    def setText(self, text: str) -> None:
        if text != self.text():
            super().setText(text)
            self._tell_tip()

    def minimumSizeHint(self) -> QSize:
        return QSize(16, super().minimumSizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._tell_tip()

    def shown_text(self) -> str:
        return elided(self.font(), self.text(), self.contentsRect().width(), self._mode)

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setFont(self.font())
        token = "t3" if not self.isEnabled() else str(self.property(TOKEN))
        painter.setPen(colour(token, theme_of(self)))
        flags = self.alignment() | Qt.TextFlag.TextSingleLine | Qt.AlignmentFlag.AlignVCenter
        painter.drawText(QRectF(self.contentsRect()), flags, self.shown_text())

    def _tell_tip(self) -> None:
        cut = self.shown_text() != self.text()
        self.setToolTip(tip("\n".join(filter(None, (self.text() if cut else "", self._more)))))

    def set_more(self, more: str) -> None:
        if more != self._more:
            self._more = more
            self._tell_tip()


class FigureLabel(QWidget):
    """A figure that changes: its digits stand in columns, and it never gets narrower, so nothing beside it moves."""

    def __init__(
        self,
        text: str = "",
        role: Role = "ui",
        token: str = "t1",
        reserve: str = "",
        weight: int | None = None,
    ) -> None:
        super().__init__()
        self._text = ""
        self._token = token
        self._widest = 0.0
        self.setFont(font(role, weight))
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.reserve(reserve)
        self.set_figure(text)

    def figure(self) -> str:
        return self._text

    def set_figure(self, text: str) -> None:
        if text != self._text:
            self._text = text
            self.setAccessibleName(text)
            self.reserve(text)
            self.update()

    def set_token(self, token: str) -> None:
        if token != self._token:
            self._token = token
            self.update()

    def reserve(self, text: str) -> None:
        width = figure_width(self.font(), text)
        if width > self._widest:
            self._widest = width
            self.updateGeometry()

    def sizeHint(self) -> QSize:
        return QSize(int(self._widest + 0.999), self.fontMetrics().height())

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange and hasattr(self, "_text"):
            self._widest = figure_width(self.font(), self._text)
            self.updateGeometry()
        if event.type() in (QEvent.Type.PaletteChange, QEvent.Type.StyleChange):
            self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setFont(self.font())
        painter.setPen(colour(self._token if self.isEnabled() else "t3", theme_of(self)))
        paint_figure(painter, QRectF(self.rect()), self._text, Qt.AlignmentFlag.AlignLeft)


REST_GAP = 5
"""Between a figure and what follows it more quietly."""


class SumFigure(QWidget):
    """A figure over its unit, with a line before it where it is not the first.

    Attributes:
        value_height, unit_height: of its two lines. side: how far the line is from the figures on both sides of it.
        icon_size, icon_gap: of the icon before the value.
    """

    value_height, unit_height = 20, 15
    side = 12
    icon_size, icon_gap = 15, 5

    def __init__(self, first: bool = False, least: int = 0) -> None:
        super().__init__()
        self._first, self._least = first, least
        self._value = self._rest = self._unit = self._icon = ""
        self._token = "t1"
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)

    def show_figure(self, value: str, unit: str, token: str = "t1", icon: str = "", rest: str = "") -> None:
        """Show another figure; `rest` follows it more quietly. It never gets narrower, so that nothing moves."""
        if (value, unit, token, icon, rest) == (self._value, self._unit, self._token, self._icon, self._rest):
            return
        self._value, self._unit, self._token, self._icon = value, unit, token, icon
        self._rest = rest
        self._least = max(self._least, self._needed())
        self.setAccessibleName(f"{value} {unit}")
        self.updateGeometry()
        self.update()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.StyleChange and hasattr(self, "_token"):
            self._least = self._needed()
            self.updateGeometry()

    def words(self) -> str:
        return f"{self._value} {self._unit}"

    def token(self) -> str:
        return self._token

    def content_box(self) -> QRect:
        """Where the figure itself is, without the line before it."""
        return self.rect() if self._first else self.rect().adjusted(2 * self.side + 1, 0, 0, 0)

    def sizeHint(self) -> QSize:
        before = 0 if self._first else 2 * self.side + 1
        return QSize(self._least + before, self.value_height + self.unit_height)

    def paintEvent(self, _event: QPaintEvent) -> None:
        theme, painter, box = theme_of(self), QPainter(self), QRectF(self.content_box())
        if not self._first:
            line = QRectF(self.side, (box.height() - 31) // 2, 1, 31)
            painter.fillRect(line, colour("line", theme))
        value, unit = QRectF(box), QRectF(box)
        value.setHeight(self.value_height)
        unit.setTop(self.value_height)
        if self._icon:
            spot = take(value, self.icon_size, self.icon_gap)
            paint_icon(painter, spot, self._icon, self._token, self.icon_size)
        # Value and rest are one expression, which is read from left to right in every language.
        for text, used, token in zip(
            (self._value, self._rest), self._fonts(), (self._token, "t3"), strict=True
        ):
            set_text_style(painter, used, colour(token, theme))
            paint_figure(painter, value, text, Qt.AlignmentFlag.AlignLeft)
            take(value, figure_width(used, text), REST_GAP)
        paint_text(painter, unit, self._unit, "meta", "t3")

    def _fonts(self) -> tuple[QFont, QFont]:
        role: Role = "strip_first" if self._first else "strip"
        return font(role, 600), font(role, 400)

    def _needed(self) -> int:
        strong, quiet = self._fonts()
        icon = self.icon_size + self.icon_gap if self._icon else 0
        rest = REST_GAP + figure_width(quiet, self._rest) if self._rest else 0
        value = icon + figure_width(strong, self._value) + rest
        return int(max(value, metrics("meta").horizontalAdvance(self._unit)) + 0.999)


class KeyCap(QWidget):
    """A key as it stands on the keyboard, in a small box; `own` is the one it was made for."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.own = self._text = text
        self.setFont(font("meta"))
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.setAccessibleName(key_words(text))

    def text(self) -> str:
        return self._text

    def show_key(self, text: str) -> None:
        self._text = text
        self.setAccessibleName(key_words(text))
        self.setVisible(bool(text))
        self.updateGeometry()
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(int(key_cap_width(self._text) + 0.999), KEY_CAP_HEIGHT)

    def paintEvent(self, _event: QPaintEvent) -> None:
        theme = theme_of(self)
        paint_key_cap(QPainter(self), QRectF(self.rect()), self._text, theme.t2, theme.btnline)


KEY_CAP_HEIGHT = 18


def key_cap_width(text: str) -> float:
    """How wide the box of a key is."""
    return max(metrics("meta").horizontalAdvance(key_words(text)) + 10, float(KEY_CAP_HEIGHT))


def paint_key_cap(painter: QPainter, rect: QRectF, text: str, ink: str, line: str) -> None:
    """Paint a key's box in the given colours."""
    stroke_rounded(painter, rect, line, 4)
    set_text_style(painter, font("meta"), QColor(ink))
    painter.drawText(rect, Qt.AlignmentFlag.AlignCenter, key_words(text))


class IconSpot(QWidget):
    """Shows one icon in a token's colour, in the middle of a box; what it means stands beside it in words."""

    def __init__(self, name: str, token: str = "t2", size: int = 16, box: QSize | None = None) -> None:
        super().__init__()
        self._name, self._token, self._size = name, token, size
        self.setFixedSize(box or QSize(size, size))

    def show_icon(self, name: str, token: str = "t2") -> None:
        if bool(name) != bool(self._name):
            self.setVisible(bool(name))
        if (name, token) != (self._name, self._token):
            self._name, self._token = name, token
            self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:
        paint_icon(QPainter(self), QRectF(self.rect()), self._name, self._token, self._size)


# What assistive programs are told of widgets that we paint ourselves: Qt would call each of them a filler.


ROLE = "spoken_role"
"""The attribute by which a class of widgets says what it is."""


def or_none(words: str) -> str:
    """A cell's words; an empty one is said to be empty."""
    return words or tr("none")


def tell_roles() -> None:
    """Have every widget that says what it is spoken of as that; asked for only while something listens."""
    made: WeakSet[QAccessibleInterface] = WeakSet()

    def interface(_kind: str, thing: QObject) -> QAccessibleInterface | None:
        pane = QAccessible.Role.Pane if isinstance(thing, QScrollArea) else None
        role = getattr(type(thing), ROLE, pane)
        if role is None or not isinstance(thing, QWidget):
            return None
        made.add(found := QAccessibleWidget(thing, role))
        return found

    def delete_all() -> None:
        """Delete what Qt still has: PySide would free it with the application, and Qt again, which is a crash."""
        for one in filter(isValid, tuple(made)):
            QAccessible.deleteAccessibleInterface(QAccessible.uniqueId(one))

    QAccessible.installFactory(interface)
    atexit.register(delete_all)
