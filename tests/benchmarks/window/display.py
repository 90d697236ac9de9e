"""A display that nobody sees: real keys and buttons go in by XTest, and pixels come out; by ctypes."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
import zlib
from collections.abc import Iterator
from contextlib import contextmanager

SCREEN = "1920x1080x24"
ALL_PLANES, Z_PIXMAP = 0xFFFFFFFF, 2
Area = tuple[int, int, int, int]


class _Image(ctypes.Structure):
    """The beginning of Xlib's `XImage`; the rest is not read."""

    _fields_ = (
        ("width", ctypes.c_int),
        ("height", ctypes.c_int),
        ("xoffset", ctypes.c_int),
        ("format", ctypes.c_int),
        ("data", ctypes.c_void_p),
        ("byte_order", ctypes.c_int),
        ("bitmap_unit", ctypes.c_int),
        ("bitmap_bit_order", ctypes.c_int),
        ("bitmap_pad", ctypes.c_int),
        ("depth", ctypes.c_int),
        ("bytes_per_line", ctypes.c_int),
    )


def why_no_display() -> str:
    """What is missing for it; nothing where all is there."""
    if shutil.which("Xvfb") is None:
        return "there is no Xvfb here"
    for name in ("libX11.so.6", "libXtst.so.6"):
        try:
            ctypes.CDLL(name)
        except OSError:
            return f"there is no {name} here"
    return ""


@contextmanager
def display() -> Iterator[Display]:
    """A display of its own, gone afterwards."""
    command = [shutil.which("Xvfb") or "Xvfb", "-displayfd", "1", "-screen", "0", SCREEN, "-nolisten", "tcp"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as server:
        try:
            assert server.stdout is not None
            yield Display(f":{server.stdout.readline().strip()}")
        finally:
            server.terminate()


class Display:
    """What a person does to a display, and sees on it."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._x, self._test = ctypes.CDLL("libX11.so.6"), ctypes.CDLL("libXtst.so.6")
        self._x.XOpenDisplay.restype = ctypes.c_void_p
        self._x.XDefaultRootWindow.restype = self._x.XStringToKeysym.restype = ctypes.c_ulong
        self._x.XGetImage.restype = ctypes.POINTER(_Image)
        self._x.XKeysymToKeycode.restype = ctypes.c_ubyte
        opened = self._x.XOpenDisplay(name.encode())
        if not opened:
            raise OSError(f"the display {name} cannot be opened")
        self._display = ctypes.c_void_p(opened)
        self._root = ctypes.c_ulong(self._x.XDefaultRootWindow(self._display))

    def press(self, *keys: str) -> None:
        """Press keys together, by their names ("Control_L", "k"), and let them go."""
        codes = [self._code(key) for key in keys]
        for code in codes:
            self._test.XTestFakeKeyEvent(self._display, code, 1, ctypes.c_ulong(0))
        for code in reversed(codes):
            self._test.XTestFakeKeyEvent(self._display, code, 0, ctypes.c_ulong(0))
        self._x.XFlush(self._display)

    def point(self, x: int, y: int) -> None:
        """Put the pointer somewhere."""
        self._test.XTestFakeMotionEvent(self._display, -1, x, y, ctypes.c_ulong(0))
        self._x.XFlush(self._display)

    def click(self, button: int = 1) -> None:
        """Press a button and let it go: 1 is the left one, 4 and 5 the wheel."""
        for down in (1, 0):
            self._test.XTestFakeButtonEvent(self._display, button, down, ctypes.c_ulong(0))
        self._x.XFlush(self._display)

    def focus(self, window: int) -> None:
        """Let keys go to a window, as a window manager would."""
        self._x.XSetInputFocus(self._display, ctypes.c_ulong(window), 1, ctypes.c_ulong(0))
        self._x.XFlush(self._display)

    def seen(self, area: Area) -> int:
        """A sum over the pixels of an area: equal where the same is seen."""
        image = self._x.XGetImage(self._display, self._root, *area, ctypes.c_ulong(ALL_PLANES), Z_PIXMAP)
        if not image:
            raise OSError("the display shows no such area")
        held = image.contents
        total = zlib.adler32(ctypes.string_at(held.data, held.bytes_per_line * held.height))
        self._x.XDestroyImage(image)
        return total

    def _code(self, key: str) -> int:
        return int(
            self._x.XKeysymToKeycode(self._display, ctypes.c_ulong(self._x.XStringToKeysym(key.encode())))
        )
