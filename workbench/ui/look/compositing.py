"""Round window corners on X servers without compositing (ssh -X, VNC), where transparency would be painted black.

There the window is cut to its shape instead, and has no shadow.
"""

from __future__ import annotations

import ctypes
from functools import cache

from PySide6.QtCore import QEvent, QObject, QRectF, Qt
from PySide6.QtGui import QGuiApplication, QPainterPath, QRegion
from PySide6.QtWidgets import QWidget


@cache
def is_composited() -> bool:
    """Whether windows can be transparent: everywhere but on an X server without a compositing manager."""
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
    """The visible region of a window: its rounded box, without the margin for a shadow."""
    path = QPainterPath()
    path.addRoundedRect(QRectF(margin, margin, width - 2 * margin, height - 2 * margin), radius, radius)
    return QRegion(path.toFillPolygon().toPolygon())


def round_corners(window: QWidget, margin: int, radius: float) -> None:
    """Give a window round corners and room for a shadow: by transparency, or by cutting it if there is none."""
    if is_composited():
        window.setAttribute(Qt.WidgetAttribute.WA_TranslucentBackground)
    elif window.findChild(_Cutter) is None:
        window.installEventFilter(_Cutter(window, margin, radius))


class _Cutter(QObject):
    """Cuts a window to its shape whenever it is resized."""

    def __init__(self, window: QWidget, margin: int, radius: float) -> None:
        super().__init__(window)
        self._margin, self._radius = margin, radius

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Resize and isinstance(watched, QWidget):
            watched.setMask(shape(watched.width(), watched.height(), self._margin, self._radius))
        return super().eventFilter(watched, event)
