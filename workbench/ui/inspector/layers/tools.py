"""The tools beside the tabs: find a row by its name, and choose which columns are shown."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QPoint, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QMenu, QWidget

from workbench.ui.inspector.layers.cells import Column, head_text
from workbench.ui.inspector.layers.view import SegmentTree
from workbench.ui.look.space import columns, fill
from workbench.ui.widgets.buttons import tool_button
from workbench.ui.widgets.choice import Field
from workbench.ui.widgets.menu import menu

FIELD_WIDTH = 200


class TreeTools(QWidget):
    """A search field that opens on demand, and the menu of columns.

    Signals:
        left: the search was ended; the tree may have the focus.
    """

    left = Signal()

    def __init__(self, tree: SegmentTree, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._tree = tree
        self.field = Field(self.tr("Find a segment"), "search")
        self.field.setFixedWidth(FIELD_WIDTH)
        self.field.setClearButtonEnabled(False)
        self.field.hide()
        self.field.textChanged.connect(tree.set_filter)
        self.field.installEventFilter(self)
        self.search = tool_button("search", self.tr("Find a segment"))
        self.search.setCheckable(True)
        self.search.toggled.connect(self._on_search)
        self.choose = tool_button("sliders", self.tr("Columns"), self.tr("Choose columns"))
        self.choose.clicked.connect(self._open)
        fill(columns(self, spacing=8), self.field, self.search, self.choose)

    def begin(self) -> None:
        self.search.setChecked(True)
        self.field.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.field.selectAll()

    def columns_menu(self) -> QMenu:
        made = menu(self)
        unwanted = self._tree.head.unwanted()
        for column in Column:
            if column not in (Column.SEGMENT, Column.INFLUENCE):
                action = made.addAction(head_text(column))
                action.setCheckable(True)
                action.setChecked(column not in unwanted)
                action.toggled.connect(lambda on, column=column: self._want(column, on))
        return made

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            if event.key() == Qt.Key.Key_Escape:
                self.search.setChecked(False)
                self.left.emit()
                return True
            if event.key() in (Qt.Key.Key_Down, Qt.Key.Key_Return, Qt.Key.Key_Enter):
                self.left.emit()
                return True
        return super().eventFilter(watched, event)

    def _on_search(self, shown: bool) -> None:
        self.field.setVisible(shown)
        if shown:
            self.field.setFocus(Qt.FocusReason.OtherFocusReason)
        else:
            self.field.clear()

    def _want(self, column: Column, wanted: bool) -> None:
        self._tree.head.want(column, wanted, self._tree.viewport().width())

    def _open(self) -> None:
        made = self.columns_menu()
        size = made.sizeHint()
        x = self.choose.width() - size.width()
        made.popup(self.choose.mapToGlobal(QPoint(x, self.choose.height() + 2)))
