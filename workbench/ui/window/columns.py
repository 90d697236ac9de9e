"""The three columns of the window: their widths, which are shown, and how they make room in a narrow window."""

from __future__ import annotations

from PySide6.QtCore import QByteArray, QEvent, QObject, QPoint, Qt, Signal
from PySide6.QtGui import QCloseEvent, QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QFrame, QSplitter, QWidget

from workbench.ui.attachments.pane import AttachmentsPane
from workbench.ui.chats.pane import ChatsPane
from workbench.ui.look.space import STRETCH, columns, fill, rows
from workbench.ui.translation import tr
from workbench.ui.widgets.buttons import tool_button
from workbench.ui.widgets.card import Panel
from workbench.ui.widgets.floating import Veil
from workbench.ui.widgets.labels import label
from workbench.ui.widgets.motion import single_shot
from workbench.ui.wishes import OpenSettings, Wishes

# A pane in a window of its own; closing that window puts the pane back.


class FloatingPane(QWidget):
    """Holds a pane while it is out of the main window.

    Signals:
        returned: the window was closed; the pane is to be put back.
    """

    returned = Signal()

    def __init__(self, pane: QWidget, title: str, parent: QWidget) -> None:
        super().__init__(parent, Qt.WindowType.Window)
        self.setObjectName("chrome")
        self.setWindowTitle(title)
        rows(self).addWidget(pane)
        self.resize(pane.size())
        pane.show()

    def closeEvent(self, event: QCloseEvent) -> None:
        event.accept()
        self.returned.emit()


WIDTHS = (252, 596, 752)
RAIL_BELOW, FOLD_BELOW = 1360, 1100
"""In windows narrower than these, the left column becomes a rail, and the inspector opens over the chat."""
NARROW_CHAT = 0.44
"""The chat's share of a narrow window without its rail; the rest is the inspector's."""
LEFT_LEAST, RIGHT_LEAST = 200, 480
CHAT_LEFT_PX = 24
"""How much of the chat stays visible beside an inspector that lies over it; a click there closes the inspector."""


class ColumnsView(QWidget):
    """The columns of the window, resizable: left column or rail, chat, inspector.

    Signals:
        arranged: a column was moved, shown or hidden; the window may save that.
    """

    arranged = Signal()

    def __init__(self, rail: QWidget, left: QWidget, middle: QWidget, right: QWidget) -> None:
        super().__init__()
        self.rail, self.left, self.middle, self.right = rail, left, middle, right
        self._left_wanted, self._right_wanted, self._right_first = True, True, False
        self._floating: FloatingPane | None = None
        self._was_narrow = False
        self._railed = True
        self._width_timer = single_shot(
            self, self._set_default_widths
        )  # after the layout: until then the columns have the width of before
        left.setMinimumWidth(LEFT_LEAST)
        right.setMinimumWidth(RIGHT_LEAST)
        self.split = QSplitter(Qt.Orientation.Horizontal)
        self.split.setHandleWidth(1)  # Qt widens the place to grab it by itself where the line is so thin
        self.split.setChildrenCollapsible(False)
        for place, pane in enumerate((left, middle, right)):
            self.split.addWidget(pane)
            self.split.setStretchFactor(place, 1 if place == 1 else 0)
        self.split.setSizes(list(WIDTHS))
        self.split.splitterMoved.connect(self._on_moved)
        self._across = fill(columns(self), rail, (self.split, 1))
        self._alone: QWidget | None = None
        self._over, self._over_right = _Overlay(self), _Overlay(self)
        self._veil = Veil(self)
        self._over.left_alone.connect(self.close_panel)
        self._over_right.left_alone.connect(self.close_inspector)
        self._veil.pressed.connect(self.close_inspector)
        self.arrange()

    def drop_rail(self) -> None:
        """Never show the rail: in a window of one chat, a press of a key brings the left column."""
        self._railed = False
        self.rail.hide()

    @property
    def _rail_width(self) -> int:
        return self.rail.width() if self._railed else 0

    @property
    def narrow(self) -> bool:
        """Whether the window is so narrow that the rail replaces the left column."""
        return self.width() < RAIL_BELOW

    @property
    def folded(self) -> bool:
        """Whether there is no room for the inspector beside the chat."""
        return self.width() < FOLD_BELOW

    @property
    def inspector_floats(self) -> bool:
        return self._floating is not None

    def lying_over(self) -> list[QWidget]:
        """The columns that currently lie over the others for lack of room."""
        return [one for one in (self._over, self._over_right) if one.isVisible()]

    def show_alone(self, page: QWidget, shown: bool) -> None:
        """Show a page in place of all columns, or these again; the rail stays beside it."""
        if self._alone is None:
            self._alone = page
            self._across.addWidget(page, 1)
        self.close_panel()
        self.close_inspector()
        page.setVisible(shown)
        self.split.setVisible(not shown)
        self.arrange()

    def alone_shown(self) -> bool:
        return self._alone is not None and not self._alone.isHidden()

    def arrange(self) -> None:
        if self.alone_shown():
            self.rail.setVisible(self._railed)
            return
        as_panel = self._over.isVisible()
        if self.narrow != self._was_narrow:
            self._was_narrow = self.narrow
            self._width_timer.start()
        self.rail.setVisible(self.narrow and self._railed)
        if not self.narrow and as_panel:
            self.close_panel()
        if not self._over.isVisible():
            self.left.setVisible(self._left_wanted and not self.narrow)
        if not self.folded:
            self.close_inspector()
        if self._floating is None and self._over_right.isHidden():
            self.right.setVisible(self._right_wanted and not self.folded)

    def toggle_left(self) -> None:
        """Show or hide the left column; in a narrow window it opens over the chat."""
        if self.narrow:
            self.close_panel() if self._over.isVisible() else self.open_panel()
            return
        self._left_wanted = not self._left_wanted
        self.arrange()
        self.arranged.emit()

    def toggle_right(self) -> None:
        if self._floating is not None:
            self.dock()
            return
        if self.folded:
            self.open_inspector() if self._over_right.isHidden() else self.close_inspector()
            return
        self._right_wanted = not self._right_wanted
        self.arrange()
        self.arranged.emit()

    def open_panel(self) -> None:
        self.close_inspector()
        self._over.hold(self.left, WIDTHS[0])
        self._over.setGeometry(self._rail_width, 0, WIDTHS[0], self.height())
        self._over.show()
        self._over.raise_()
        self.left.show()

    def close_panel(self) -> None:
        if not self._over.isVisible():
            return
        self._over.hide()
        self.split.insertWidget(1 if self._right_first else 0, self.left)
        self.left.setVisible(self._left_wanted and not self.narrow)

    def show_right(self) -> None:
        if self._floating is None and not self.right.isVisible():
            self.toggle_right()

    def open_inspector(self) -> None:
        self.close_panel()
        self._over_right.hold(self.right, self._inspector_width())
        self._place_inspector()
        self._veil.show()
        self._veil.raise_()
        self._over_right.show()
        self._over_right.raise_()
        self.right.show()

    def close_inspector(self) -> None:
        """Close the inspector that lies over the chat; it returns beside it, visible if there is room."""
        if self._over_right.isHidden():
            return
        self._over_right.hide()
        self._veil.hide()
        self.split.insertWidget(0 if self._right_first else 2, self.right)
        self.right.setVisible(self._right_wanted and not self.folded)

    def float_inspector(self, title: str) -> None:
        if self._floating is not None:
            self.dock()
            return
        self.close_inspector()
        corner = self.right.mapToGlobal(QPoint(-24, 24))
        self._floating = FloatingPane(self.right, title, self.window())
        self._floating.move(corner)
        self._floating.returned.connect(self.dock)
        self._floating.show()
        self.arranged.emit()

    def dock(self) -> None:
        if self._floating is None:
            return
        window, self._floating = self._floating, None
        self.split.insertWidget(0 if self._right_first else 2, self.right)
        self._right_wanted = True
        window.returned.disconnect(self.dock)
        window.close()
        window.deleteLater()
        self.arrange()
        self.arranged.emit()

    def swap_sides(self) -> None:
        self.dock()
        self.close_panel()
        self.close_inspector()
        sizes = self.split.sizes()
        self._right_first = not self._right_first
        order = (
            (self.right, self.left, self.middle)
            if self._right_first
            else (self.left, self.middle, self.right)
        )
        widths = dict(zip(self._panes(), sizes, strict=True)) if len(sizes) == 3 else {}
        for place, pane in enumerate(order):
            self.split.insertWidget(place, pane)
            self.split.setStretchFactor(place, 1 if pane is self.middle else 0)
        self.split.setSizes([widths.get(pane, WIDTHS[1]) for pane in order])
        self.arranged.emit()

    def reset(self) -> None:
        self.dock()
        self.close_panel()
        self.close_inspector()
        if self._right_first:
            self.swap_sides()
        self._left_wanted = self._right_wanted = True
        self.split.setSizes(list(WIDTHS))
        self.arrange()
        self.arranged.emit()

    def remembered(self) -> tuple[QByteArray, str]:
        marks = f"{int(self._left_wanted)}{int(self._right_wanted)}{int(self._right_first)}"
        return self.split.saveState(), marks

    def restore(self, widths: QByteArray, marks: str) -> None:
        if len(marks) == 3:
            self._left_wanted, self._right_wanted = marks[0] == "1", marks[1] == "1"
            if (marks[2] == "1") != self._right_first:
                self.swap_sides()
        if not widths.isEmpty():
            self.split.restoreState(widths)
            self.split.setHandleWidth(1)
        self.arrange()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if self._over.isVisible():
            self._over.setGeometry(self._rail_width, 0, WIDTHS[0], self.height())
        self.arrange()
        if not self._over_right.isHidden():
            self._place_inspector()

    def _set_default_widths(self) -> None:
        """Set the default widths after the left column was replaced by the rail, or came back."""
        left = 0 if self.narrow else WIDTHS[0]
        room = self.width() - (self._rail_width if self.narrow else left)
        chat = room if self.folded else round(room * NARROW_CHAT) if self.narrow else WIDTHS[1]
        usual = {self.left: left, self.middle: chat, self.right: room - chat}
        self.split.setSizes([usual[pane] for pane in self._panes()])

    def _inspector_width(self) -> int:
        return min(WIDTHS[2], max(RIGHT_LEAST, self.width() - self._rail_width - CHAT_LEFT_PX))

    def _place_inspector(self) -> None:
        width, rail = self._inspector_width(), self._rail_width
        self._over_right.setFixedWidth(width)
        x = rail if self._right_first else self.width() - width
        self._over_right.setGeometry(x, 0, width, self.height())
        self._veil.setGeometry(rail, 0, self.width() - rail, self.height())

    def _on_moved(self, _position: int, _index: int) -> None:
        self.arranged.emit()

    def _panes(self) -> list[QWidget]:
        return [self.split.widget(place) for place in range(self.split.count())]


class _Overlay(QFrame):
    """A column that lies over the chat; Esc closes it."""

    left_alone = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("chrome")
        self._column = rows(self, (0, 0, 1, 0))
        self.hide()

    def hold(self, pane: QWidget, width: int) -> None:
        self._column.addWidget(pane)
        self.setFixedWidth(width)
        self.window().installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if (
            self.isVisible()
            and isinstance(event, QKeyEvent)
            and event.type() == QEvent.Type.KeyPress
            and event.key() == Qt.Key.Key_Escape
        ):
            self.left_alone.emit()
            return True
        return super().eventFilter(watched, event)


# The left column: the program's head, the chats, and what is attached to the one in view.


HEIGHT = 44


class LeftHead(Panel):
    """The head of the left column: the program's name between the buttons for menu and settings."""

    line_below = True

    def __init__(self, wishes: Wishes | None = None, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.wishes = wishes or Wishes(self)
        self.setObjectName("chrome")
        self.setFixedHeight(HEIGHT)
        self.menu = tool_button("menu", tr("Menu"), tr("Menu (F10)"))
        self.menu.clicked.connect(lambda: self.wishes.run("menu"))
        self.settings = tool_button("gear", tr("Settings"), tr("Settings (Ctrl+,)"))
        self.settings.clicked.connect(lambda: self.wishes.run(OpenSettings()))
        row = columns(self, (12, 0, 12, 0), 8)
        fill(row, self.menu, label(tr("Workbench"), "title"), STRETCH, self.settings)


class LeftColumn(QWidget):
    """The chats above the attachments, with a movable line between them."""

    def __init__(self, wishes: Wishes | None = None, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.wishes = wishes or Wishes(self)
        self.setObjectName("chrome")
        self.head = LeftHead(self.wishes)
        self.chats, self.attachments = ChatsPane(self.wishes), AttachmentsPane(self.wishes)
        self.split = QSplitter(Qt.Orientation.Vertical)
        self.split.setHandleWidth(1)
        self.split.setChildrenCollapsible(False)
        self.split.addWidget(self.chats)
        self.split.addWidget(self.attachments)
        self.split.setStretchFactor(0, 1)
        self.split.setSizes([640, 300])
        fill(rows(self), self.head, (self.split, 1))
