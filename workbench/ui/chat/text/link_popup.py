"""Before a link is opened: its whole address, and the computer it leads to."""

from __future__ import annotations

from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QWidget

from workbench.ui.chat.text.links import LONGEST_LINK, host_of, may_open
from workbench.ui.chat.text.safe_text import safe
from workbench.ui.look.space import columns
from workbench.ui.widgets.buttons import button
from workbench.ui.widgets.labels import label
from workbench.ui.widgets.plain import shown
from workbench.ui.widgets.popup import Popup

WIDTH = 420


class LinkPopup(Popup):
    """Asks before anything is opened; what may not be opened can only be copied.

    Signals:
        opened: an address that somebody has seen whole and wants opened.
    """

    opened = Signal(str)

    def __init__(self, url: str, parent: QWidget) -> None:
        super().__init__(parent, (12, 10, 12, 10))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._url = url
        self.body.setSpacing(8)
        host = shown(host_of(url), 200)
        self.title = label(self.tr("Open {host}?").format(host=host), "ui_heading", wrap=True)
        self.address = label(safe(shown(url, LONGEST_LINK)), "code", "t2", wrap=True)
        self.address.setMinimumWidth(WIDTH)
        self.address.setMaximumWidth(WIDTH)
        self.address.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.body.addWidget(self.title)
        self.body.addWidget(self.address)
        self.open_button = button(self.tr("Open in browser"), "primary", "external")
        self.open_button.setEnabled(may_open(url))
        self.open_button.clicked.connect(self._on_open)
        self.copy_button = button(self.tr("Copy address"), icon="copy")
        self.copy_button.clicked.connect(self._on_copy)
        across = columns(self.body, spacing=8)
        across.addWidget(self.open_button)
        across.addWidget(self.copy_button)
        across.addStretch(1)
        self.setAccessibleName(f"{self.title.text()} {url}")

    def open_at(self, place: QPoint) -> None:
        """Open near a place on the screen."""
        self.adjustSize()
        room = self.screen().availableGeometry()
        x = max(room.left(), min(place.x() - 24, room.right() - self.width()))
        y = max(room.top(), min(place.y(), room.bottom() - self.height()))
        self.move(x, y)
        self.show()
        self.copy_button.setFocus(Qt.FocusReason.PopupFocusReason)

    def _on_open(self) -> None:
        self.opened.emit(self._url)
        self.close()

    def _on_copy(self) -> None:
        QGuiApplication.clipboard().setText(self._url)
        self.close()
