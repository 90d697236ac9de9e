"""Fields: choose one of several, type a number, a word or a secret, tick a box, turn a switch."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QRectF, QSignalBlocker, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QResizeEvent, QWheelEvent
from PySide6.QtWidgets import (
    QAbstractButton,
    QCheckBox,
    QComboBox,
    QLineEdit,
    QPlainTextEdit,
    QSizePolicy,
    QSpinBox,
    QStyledItemDelegate,
)

from workbench.ui.look.fonts import font
from workbench.ui.look.icons import paint_icon
from workbench.ui.look.painting import fill_rounded
from workbench.ui.look.proxy_style import put_sheet_on
from workbench.ui.look.style_parts import FRAMED
from workbench.ui.look.theme import theme_of
from workbench.ui.translation import tr
from workbench.ui.widgets.buttons import on_click, tool_button
from workbench.ui.widgets.labels import KeyCap

HEIGHT = 28
SWITCH_WIDTH, SWITCH_HEIGHT, KNOB = 28, 16, 12


class Choice(QComboBox):
    """One of several; each option may carry a value."""

    def __init__(self, options: tuple[tuple[str, str], ...] = ()) -> None:
        super().__init__()
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        # The combo box's own delegate takes no heights from a sheet.
        self.setItemDelegate(QStyledItemDelegate(self))
        for value, text in options:
            self.addItem(text, value)

    def chosen(self) -> str:
        return str(self.currentData() or "")

    def choose(self, value: str) -> None:
        """Make the option of that value the current one, without telling anyone."""
        index = self.findData(value)
        if index >= 0 and index != self.currentIndex():
            with QSignalBlocker(self):
                self.setCurrentIndex(index)
            self.update()

    def sizeHint(self) -> QSize:
        measure = self.fontMetrics()
        widest = max((measure.horizontalAdvance(self.itemText(i)) for i in range(self.count())), default=40)
        return QSize(widest + 10 + 30, HEIGHT)

    def showPopup(self) -> None:
        put_sheet_on(self.view())
        super().showPopup()

    def wheelEvent(self, event: QWheelEvent) -> None:
        """The wheel scrolls what is around it; it never changes a value by accident."""
        event.ignore()


class NumberField(QSpinBox):
    """A whole number between two others."""

    def __init__(self, minimum: int = 0, maximum: int = 1_000_000, step: int = 1) -> None:
        super().__init__()
        self.setRange(minimum, maximum)
        self.setSingleStep(step)
        self.setGroupSeparatorShown(True)
        self.setAccelerated(True)
        self.setKeyboardTracking(False)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)

    def sizeHint(self) -> QSize:
        largest = f"{self.prefix()}{self.locale().toString(self.maximum())}{self.suffix()}"
        widest = max(map(self.fontMetrics().horizontalAdvance, (largest, self.specialValueText())))
        return QSize(widest + 10 + 30, HEIGHT)

    def wheelEvent(self, event: QWheelEvent) -> None:
        """The wheel changes the number only where the field has the focus."""
        if self.hasFocus():
            super().wheelEvent(event)
        else:
            event.ignore()


class Check(QCheckBox):
    """A box to tick."""

    def __init__(self, text: str = "", checked: bool = False) -> None:
        super().__init__(text)
        self.setChecked(checked)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        self.setProperty("ring_radius", 4)


class Field(QLineEdit):
    """A line to type in, with an icon before it and a key behind it where told."""

    def __init__(self, placeholder: str = "", icon: str = "", key: str = "") -> None:
        super().__init__()
        self._icon = icon
        self._cap = KeyCap(key) if key else None
        self.setPlaceholderText(placeholder)
        self.setAccessibleName(placeholder)
        self.setFont(font("ui"))
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        if self._cap is not None:
            self._cap.setParent(self)
            self._cap.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
            self.textChanged.connect(self._on_text)
        self._make_room()

    def set_key(self, visible: bool) -> None:
        if self._cap is not None:
            self._cap.setVisible(visible and self._fits())

    def _fits(self) -> bool:
        """Whether the key has room beside the words; they are never cut for it."""
        words = self.fontMetrics().horizontalAdvance(self.placeholderText())
        before = 26 if self._icon else 6
        return self._cap is not None and before + words + self._cap.sizeHint().width() + 18 <= self.width()

    def sizeHint(self) -> QSize:
        return QSize(160, HEIGHT)

    def minimumSizeHint(self) -> QSize:
        return QSize(60, HEIGHT)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if self._cap is not None:
            size = self._cap.sizeHint()
            x = self.width() - size.width() - 6
            self._cap.setGeometry(x, (self.height() - size.height()) // 2, size.width(), size.height())
            self.set_key(not self.text())
            self._make_room()

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        if self._icon:
            spot = QRectF(8, 0, 18, self.height())
            paint_icon(QPainter(self), spot, self._icon, "t3", 16)

    def _on_text(self, text: str) -> None:
        self.set_key(not text)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.StyleChange and hasattr(self, "_cap"):
            self._make_room()

    def _room_behind(self) -> int:
        return self._cap.sizeHint().width() + 6 if self._cap is not None and self._fits() else 4

    def _make_room(self) -> None:
        before, after = 26 if self._icon else 6, self._room_behind()
        self.setTextMargins(before, 0, after, 0)


class TextField(QPlainTextEdit):
    """Several lines to type in; Tab leaves it."""

    def __init__(self, placeholder: str = "") -> None:
        super().__init__()
        self.setPlaceholderText(placeholder)
        self.setAccessibleName(placeholder)
        self.setFont(font("ui"))
        self.setTabChangesFocus(True)
        self.document().setDocumentMargin(2)
        self.setProperty(FRAMED, True)
        self.setViewportMargins(5, 6, 5, 6)


class SecretField(Field):
    """A line for a secret, shown as dots until the eye is pressed."""

    def __init__(self, placeholder: str = "", icon: str = "") -> None:
        super().__init__(placeholder, icon)
        self.setEchoMode(QLineEdit.EchoMode.Password)
        self.setInputMethodHints(Qt.InputMethodHint.ImhSensitiveData | Qt.InputMethodHint.ImhNoPredictiveText)
        self._eye = on_click(tool_button("eye", tr("Show the secret"), side=22), self._toggle)
        self._eye.setParent(self)
        self._eye.setCursor(Qt.CursorShape.ArrowCursor)
        # Tab goes from field to field: on the eye, letters would still land in the field it belongs to.
        self._eye.setFocusPolicy(Qt.FocusPolicy.NoFocus)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._eye.setGeometry(self.width() - 25, (self.height() - 22) // 2, 22, 22)

    def _room_behind(self) -> int:
        return 24

    def _toggle(self) -> None:
        hidden = self.echoMode() == QLineEdit.EchoMode.Password
        self.setEchoMode(QLineEdit.EchoMode.Normal if hidden else QLineEdit.EchoMode.Password)
        self._eye.set_icon("eye-off" if hidden else "eye")
        self._eye.setAccessibleName(tr("Hide the secret") if hidden else tr("Show the secret"))


class Switch(QAbstractButton):
    """On or off; Space turns it."""

    def __init__(self, name: str = "", on: bool = False) -> None:
        super().__init__()
        self.setCheckable(True)
        self.setChecked(on)
        self.setAccessibleName(name)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setFixedSize(SWITCH_WIDTH, SWITCH_HEIGHT)
        self.setProperty("ring_radius", SWITCH_HEIGHT // 2)

    def paintEvent(self, _event: QPaintEvent) -> None:
        theme, painter = theme_of(self), QPainter(self)
        on = self.isChecked()
        painter.setOpacity(1.0 if self.isEnabled() else 0.45)
        fill_rounded(painter, QRectF(self.rect()), theme.accent if on else theme.edge, SWITCH_HEIGHT / 2)
        x = SWITCH_WIDTH - KNOB - 2 if on else 2
        fill_rounded(painter, QRectF(x, 2, KNOB, KNOB), theme.on_accent if on else theme.surface, KNOB / 2)
