"""Windows with round corners where nothing composites: ssh -X, VNC and plain Xorg paint what should be clear in black.

There the shape of a window is cut out instead, and its shadow goes with the rest.
"""

from __future__ import annotations

import ctypes
from functools import cache

from PySide6.QtCore import QEvent, QObject, QRectF, Qt
from PySide6.QtGui import QGuiApplication, QPainterPath, QRegion
from PySide6.QtWidgets import QWidget


@cache
def is_composited() -> bool:
    """Whether clear parts of a window are clear: everywhere but on an X server without a compositing manager."""
    if QGuiApplication.platformName() != "xcb":
        return True
    try:
        x11 = ctypes.CDLL("libX11.so.6")
    except OSError:
        return False
    x11.XOpenDisplay.restype = x11.XInternAtom.restype = x11.XGetSelectionOwner.restype = ctypes.c_void_p
    display = x11.XOpenDisplay(None)
    if not display:
        return False
    handle = ctypes.c_void_p(display)
    screen = x11.XDefaultScreen(handle)
    atom = x11.XInternAtom(handle, f"_NET_WM_CM_S{screen}".encode(), 0)
    owner = x11.XGetSelectionOwner(handle, ctypes.c_void_p(atom))
    x11.XCloseDisplay(handle)
    return bool(owner)


def shape(width: int, height: int, margin: int, radius: float) -> QRegion:
    """What is seen of a window: its box, without the room for a shadow around it."""
    path = QPainterPath()
    path.addRoundedRect(QRectF(margin, margin, width - 2 * margin, height - 2 * margin), radius, radius)
    return QRegion(path.toFillPolygon().toPolygon())


def round_corners(window: QWidget, margin: int, radius: float) -> None:
    """Let a window have round corners, and room for a shadow: clear around its box, or cut to it where it must be."""
    if is_composited():
        window.setAttribute(Qt.WidgetAttribute.WA_TranslucentBackground)
    elif window.findChild(_Cutter) is None:
        window.installEventFilter(_Cutter(window, margin, radius))


class _Cutter(QObject):
    """Cuts one window."""

    def __init__(self, window: QWidget, margin: int, radius: float) -> None:
        super().__init__(window)
        self._margin, self._radius = margin, radius

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Resize and isinstance(watched, QWidget):
            watched.setMask(shape(watched.width(), watched.height(), self._margin, self._radius))
        return super().eventFilter(watched, event)
