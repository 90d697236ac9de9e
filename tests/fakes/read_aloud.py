"""What an assistive program would be told, read off the widgets themselves."""

from __future__ import annotations

from collections.abc import Iterator

from PySide6.QtCore import QAbstractItemModel, QAbstractListModel, QModelIndex, Qt
from PySide6.QtGui import QAccessible
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QWidget

MUTE = (QAccessible.Role.NoRole, QAccessible.Role.Client)
ROWS = 40


def unspoken(window: QWidget) -> list[str]:
    """Things in sight that can have the focus, and have no name, no role, or markup in what is read aloud."""
    widgets = [window, *window.findChildren(QWidget)]
    found = [line for widget in widgets if _takes_focus(widget) for line in _problems(widget)]
    views = [one for one in widgets if isinstance(one, QAbstractItemView) and one.isVisible()]
    views = [one for one in views if not isinstance(one, QHeaderView)]
    return [*found, *(line for view in views for line in _cells(view))]


def _takes_focus(widget: QWidget) -> bool:
    on = widget.isVisible() and widget.isEnabled() and not widget.visibleRegion().isEmpty()
    return on and bool(widget.focusPolicy() & Qt.FocusPolicy.TabFocus) and widget.focusProxy() is None


def _problems(widget: QWidget) -> Iterator[str]:
    interface = QAccessible.queryAccessibleInterface(widget)
    kind = f"{type(widget).__name__} in {type(widget.parent()).__name__}"
    name = interface.text(QAccessible.Text.Name)
    told = interface.text(QAccessible.Text.Description)
    if interface.role() in MUTE:
        yield f"{kind} {name!r} has no role"
    if not name.strip():
        yield f"{kind} has no name"
    if "<p " in f"{name}{told}" or "</" in f"{name}{told}":
        yield f"{kind} {name!r} has markup: {told!r}"


def _cells(view: QAbstractItemView) -> Iterator[str]:
    for index in _rows(view.model(), QModelIndex()):
        said = index.data(Qt.ItemDataRole.AccessibleTextRole) or index.data(Qt.ItemDataRole.DisplayRole)
        hidden = getattr(view, "isColumnHidden", lambda column: False)(index.column())
        if not hidden and not str(said or "").strip():
            yield f"{type(view).__name__} row {index.row()} column {index.column()} has no name"


def _rows(model: QAbstractItemModel, parent: QModelIndex) -> Iterator[QModelIndex]:
    for row in range(min(model.rowCount(parent), ROWS)):
        columns = 1 if isinstance(model, QAbstractListModel) else model.columnCount(parent)
        for column in range(columns):
            yield model.index(row, column, parent)
        yield from _rows(model, model.index(row, 0, parent))
