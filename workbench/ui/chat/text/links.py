"""Which links may be opened at all, and where they lead; everything else is only text."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QWidget

from workbench.ui.chat.text.safe_text import safe
from workbench.ui.look.space import STRETCH, columns, fill
from workbench.ui.widgets.buttons import button, on_click
from workbench.ui.widgets.floating import Popup
from workbench.ui.widgets.labels import label
from workbench.ui.widgets.plain import shown

SCHEMES = ("http", "https", "mailto")
LONGEST_LINK = 4_000

# A control, a space or a backslash in an address is read differently by different programs.
_UNCLEAN = re.compile(r"[\x00-\x20\x7f-\x9f\\]")
_ASCII = re.compile(r"[\x21-\x7e]+")


def may_open(url: str) -> bool:
    """Whether a link may be offered: http, https and mailto, complete and without tricks."""
    if len(url) > LONGEST_LINK or _UNCLEAN.search(url) or not _ASCII.fullmatch(url):
        return False
    scheme, colon, rest = url.partition(":")
    if not colon or scheme.lower() not in SCHEMES:
        return False
    if scheme.lower() == "mailto":
        return "@" in rest and not rest.startswith("/")
    return rest.startswith("//") and bool(host_of(url))


def host_of(url: str) -> str:
    """The computer a link leads to, or the address of a mail; empty where there is none."""
    try:
        parts = urlsplit(url)
        if parts.scheme.lower() == "mailto":
            return parts.path
        return parts.hostname or ""
    except ValueError:
        return ""


# Before a link is opened: its whole address, and the computer it leads to.

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
        fill(self.body, self.title, self.address)
        self.open_button = on_click(button(self.tr("Open in browser"), "primary", "external"), self._on_open)
        self.open_button.setEnabled(may_open(url))
        self.copy_button = on_click(button(self.tr("Copy address"), icon="copy"), self._on_copy)
        fill(columns(self.body, spacing=8), self.open_button, self.copy_button, STRETCH)
        self.setAccessibleName(f"{self.title.text()} {url}")

    def open_at(self, place: QPoint) -> None:
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
