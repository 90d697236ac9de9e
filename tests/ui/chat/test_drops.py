"""A whole window to drop things on."""

from __future__ import annotations

from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDragLeaveEvent, QDragMoveEvent, QDropEvent
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from workbench.ui.chat.drops import DropTarget

WHERE = (Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier)


def files() -> QMimeData:
    mime = QMimeData()
    mime.setUrls([QUrl.fromLocalFile("/tmp/a.py")])
    return mime


def target_of(qtbot: QtBot) -> tuple[QWidget, QWidget, DropTarget]:
    window = QWidget()
    qtbot.addWidget(window)
    window.resize(600, 400)
    pane = QWidget(window)
    pane.setGeometry(200, 0, 400, 400)
    window.show()
    return window, pane, DropTarget(window, pane)


def enter(window: QWidget, mime: QMimeData) -> bool:
    event = QDragEnterEvent(QPoint(9, 9), Qt.DropAction.CopyAction, mime, *WHERE)
    event.ignore()
    QApplication.sendEvent(window, event)
    return event.isAccepted()


def test_a_drag_shows_the_overlay_until_it_leaves(qtbot: QtBot):
    window, pane, target = target_of(qtbot)
    assert enter(window, files())
    assert target.overlay.isVisible()
    assert target.overlay.parentWidget() is pane
    QApplication.sendEvent(window, QDragLeaveEvent())
    assert not target.overlay.isVisible()


def test_a_drop_is_handed_on(qtbot: QtBot):
    window, _, target = target_of(qtbot)
    taken: list[list[str]] = []
    target.dropped.connect(lambda mime: taken.append([url.toLocalFile() for url in mime.urls()]))
    mime = files()
    enter(window, mime)
    move = QDragMoveEvent(QPoint(20, 20), Qt.DropAction.CopyAction, mime, *WHERE)
    QApplication.sendEvent(window, move)
    event = QDropEvent(QPointF(20, 20), Qt.DropAction.CopyAction, mime, *WHERE)
    QApplication.sendEvent(window, event)
    assert move.isAccepted()
    assert taken == [["/tmp/a.py"]]
    assert not target.overlay.isVisible()


def test_what_nobody_can_use_is_refused(qtbot: QtBot):
    window, _, target = target_of(qtbot)
    assert not enter(window, QMimeData())
    assert not target.overlay.isVisible()
