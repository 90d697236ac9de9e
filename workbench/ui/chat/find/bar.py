"""The bar over the transcript in which words to find are typed."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QSignalBlocker, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QWidget

from workbench.ui import formatting
from workbench.ui.look.space import S2, S4, columns, fill
from workbench.ui.widgets.buttons import tool_button
from workbench.ui.widgets.choice import Check, Field
from workbench.ui.widgets.labels import label, set_text

_ENTER = (Qt.Key.Key_Return, Qt.Key.Key_Enter)


class FindBar(QWidget):
    """A field, how many there are, and the ways to the next one.

    Signals:
        changed: other words, or another case. stepped: forwards (1) or backwards (-1). closed: it is wanted no longer.
    """

    changed = Signal()
    stepped = Signal(int)
    closed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("chrome")
        self.field = Field(self.tr("Find in this chat"), icon="search")
        self.count = label("", "small", "t2")
        self.count.setMinimumWidth(96)
        self.case = Check(self.tr("Match case"))
        self.previous = tool_button(
            "chevron-up", self.tr("Previous match"), self.tr("Previous match (Shift+F3)")
        )
        self.next = tool_button("chevron-down", self.tr("Next match"), self.tr("Next match (F3)"))
        self.close_it = tool_button("x", self.tr("Close the search"), self.tr("Close (Esc)"))
        across = columns(self, (S4, 6, S4, 6), S2)
        fill(across, (self.field, 1), self.previous, self.next, self.count, self.case, self.close_it)
        self.field.installEventFilter(self)
        self.field.textChanged.connect(self.changed)
        self.case.toggled.connect(self.changed)
        self.previous.clicked.connect(lambda: self.stepped.emit(-1))
        self.next.clicked.connect(lambda: self.stepped.emit(1))
        self.close_it.clicked.connect(self.closed)
        self.hide()

    def begin(self) -> None:
        """Show it, with everything in the field selected to be typed over."""
        self.show()
        self.field.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.field.selectAll()

    def set_words(self, words: str) -> None:
        """Put words into the field without telling anyone."""
        with QSignalBlocker(self.field):
            self.field.setText(words)

    def show_count(self, current: int | None, total: int, *, searching: bool = False) -> None:
        """Say which match of how many is the current one."""
        if not self.field.text().strip():
            words = ""
        elif not total:
            words = self.tr("Searching…") if searching else self.tr("Not found")
        else:
            words = self.tr("{n} of {total}").format(
                n=formatting.tokens((current or 0) + 1), total=formatting.tokens(total)
            )
            words += "…" if searching else ""
        set_text(self.count, words)
        for way in (self.previous, self.next):
            way.setEnabled(total > 0)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Enter goes on, with Shift back."""
        pressed = watched is self.field and event.type() == QEvent.Type.KeyPress
        if pressed and isinstance(event, QKeyEvent) and event.key() in _ENTER:
            back = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
            self.stepped.emit(-1 if back else 1)
            return True
        return super().eventFilter(watched, event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Esc closes, wherever in the bar the focus is."""
        if event.key() == Qt.Key.Key_Escape:
            self.closed.emit()
            return
        super().keyPressEvent(event)
