"""A panel that folds up to its heading."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtWidgets import QAbstractButton, QHBoxLayout, QSizePolicy, QWidget

from workbench.ui.look.fonts import metrics
from workbench.ui.look.painting import Run
from workbench.ui.look.space import columns, rows
from workbench.ui.translation import tr
from workbench.ui.widgets.card import PanelLook
from workbench.ui.widgets.motion import Glide, duration
from workbench.ui.widgets.stack import transparent

HEAD_HEIGHT = 31
FOLD_MS = 120
GAP = 8


class Fold(QWidget):
    """A heading that hides or shows its body; folded it may say in a few words what is in it."""

    folded = Signal(bool)

    def __init__(self, title: str, note: str = "", margin: int = 16) -> None:
        super().__init__()
        self.head = FoldHead(title, note)
        self.head.clicked.connect(self._toggle)
        self._summary = ""
        self._note = note
        self._body: QWidget | None = None
        self._clip = transparent()
        rows(self._clip, (margin, 0, margin, 12))
        self._motion = Glide(self)
        self._motion.moved.connect(self._on_height)
        self._motion.settled.connect(self._settle)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Maximum)
        down = rows(self)
        top = columns(down, (margin - 4, 0, margin, 0), 8)
        top.addWidget(self.head, 1)
        self._extras: QHBoxLayout = columns(top, spacing=8)
        down.addWidget(self._clip)

    def set_body(self, widget: QWidget) -> None:
        layout = self._clip.layout()
        if self._body is not None and layout is not None:
            layout.removeWidget(self._body)
            self._body.setParent(None)
        self._body = widget
        if layout is not None:
            layout.addWidget(widget)

    def add_head_widget(self, widget: QWidget) -> None:
        """Put something at the end of the heading; it hides with the body."""
        self._extras.addWidget(widget)
        widget.setVisible(not self.is_folded())

    def is_folded(self) -> bool:
        return self.head.is_folded()

    def set_folded(self, folded: bool) -> None:
        if folded == self.is_folded():
            return
        self.head.set_folded(folded)
        self._show_note()
        for index in range(self._extras.count()):
            self._extras.itemAt(index).widget().setVisible(not folded)
        self._move(folded)
        self.folded.emit(folded)

    def set_summary(self, text: str) -> None:
        """Say in a few words what is in it, while it is folded."""
        self._summary = text
        self._show_note()

    def set_note(self, note: str) -> None:
        self._note = note
        self._show_note()

    def set_title(self, title: str) -> None:
        self.head.set_title(title)

    def _show_note(self) -> None:
        self.head.set_note(self._summary or self._note if self.is_folded() else self._note)

    def _toggle(self) -> None:
        self.set_folded(not self.is_folded())

    def _move(self, folded: bool) -> None:
        shown = self._clip.height() if self._clip.isVisible() else 0
        self._clip.setVisible(True)
        goal = 0 if folded else self._clip.sizeHint().height()
        self._motion.go(shown, goal, duration(self, FOLD_MS))

    def _on_height(self, height: float) -> None:
        self._clip.setFixedHeight(round(height))

    def _settle(self) -> None:
        self._clip.setMinimumHeight(0)
        self._clip.setMaximumHeight(16777215)
        self._clip.setVisible(not self.is_folded())


class FoldHead(PanelLook, QAbstractButton):
    """The heading: a chevron, a title, a quiet note."""

    def __init__(self, title: str, note: str = "") -> None:
        super().__init__()
        self._title = title
        self._note = note
        self._folded = False
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setProperty("ring_radius", 4)
        self._tell()

    def is_folded(self) -> bool:
        return self._folded

    def set_folded(self, folded: bool) -> None:
        self._folded = folded
        self._tell()
        self.update()

    def set_title(self, title: str) -> None:
        if title != self._title:
            self._title = title
            self._tell()
            self.update()

    def set_note(self, note: str) -> None:
        if note != self._note:
            self._note = note
            self.update()

    def note(self) -> str:
        return self._note

    def sizeHint(self) -> QSize:
        return QSize(int(metrics("small", 600).horizontalAdvance(self._title)) + 40, HEAD_HEIGHT)

    def minimumSizeHint(self) -> QSize:
        return QSize(60, HEAD_HEIGHT)

    def update_look(self) -> None:
        token = "t1" if self.underMouse() else "t3"
        chevron = "chevron-right" if self._folded else "chevron-down"
        self.runs = (
            Run(icon=chevron, token=token, size=12, width=14, gap=4),
            Run(self._title, weight=600, gap=GAP),
            Run(self._note, "t3"),
        )

    def _tell(self) -> None:
        self.setAccessibleName(self._title)
        self.setAccessibleDescription(tr("folded") if self._folded else tr("unfolded"))
