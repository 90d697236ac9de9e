"""Every text that is painted on a picture of the window, whoever paints it: read back from a vector drawing of it."""

from __future__ import annotations

import xml.etree.ElementTree as ET

from PySide6.QtCore import QBuffer, QIODevice
from PySide6.QtSvg import QSvgGenerator
from PySide6.QtWidgets import QWidget

TEXT = "{http://www.w3.org/2000/svg}text"
WIDEST = 24.0  # of a figure; between columns there is more room


def painted_texts(widget: QWidget) -> list[str]:
    """The texts in the order in which they are painted."""
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    drawing = QSvgGenerator()
    drawing.setOutputDevice(buffer)
    drawing.setSize(widget.size())
    widget.render(drawing)
    found = ET.fromstring(bytes(buffer.data().data())).iter(TEXT)
    return _joined([("".join(one.itertext()), float(one.get("x") or 0), one.get("y") or "") for one in found])


def _joined(pieces: list[tuple[str, float, str]]) -> list[str]:
    """Figures of equal width are painted one by one: single characters side by side are one text."""
    texts: list[str] = []
    before = ("", 0.0, "")
    for piece in pieces:
        text, x, y = piece
        beside = y == before[2] and 0 < x - before[1] < WIDEST
        if beside and len(text) == len(before[0]) == 1:
            texts[-1] += text
        else:
            texts.append(text)
        before = piece
    return texts
