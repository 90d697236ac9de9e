"""Draws a LaTeX formula as a picture with its baseline; one that is too large or too deep is not drawn."""

from __future__ import annotations

import re
from html import unescape
from typing import NamedTuple
from warnings import catch_warnings, simplefilter
from xml.etree import ElementTree

from PySide6.QtCore import QByteArray, QRectF, Qt
from PySide6.QtGui import QImage, QPainter
from PySide6.QtSvg import QSvgRenderer

LONGEST_SOURCE = 2_000
DEEPEST = 60
MOST_WORK = 2_500
"""The most elements to lay out, which takes about half a second.

The library lays every row out twice, so that the work doubles with each level of nested rows.
"""
WIDEST_PX, HIGHEST_PX = 2_400.0, 1_200.0
LONGEST_SVG = 200_000
NO_COLOUR = "currentColor"

# Definitions can grow without end; the others only confuse the size of what is drawn.
_REFUSED = re.compile(
    r"\\(?:def|let|newcommand|renewcommand|providecommand|gdef|edef|rule|kern|[hv]space|includegraphics)\b"
)
_SINGLE = frozenset(
    {"mfrac", "msup", "msub", "msubsup", "munder", "mover", "munderover", "msqrt", "mroot", "mtable", "mtr"}
)
_NAMESPACE = ' xmlns="http://www.w3.org/1998/Math/MathML"'
_FOREIGN = re.compile(r"<(?:image|script|style|foreignObject|a)\b|href")


class Drawn(NamedTuple):
    """A picture of a formula in logical pixels; `depth` is how far it reaches below the baseline."""

    image: QImage
    width: float
    height: float
    depth: float


class FormulaJob(NamedTuple):
    """A formula to draw: its LaTeX source, whether it is displayed on its own line, and its font size."""

    source: str
    display: bool
    px: float

    def run(self) -> str | None:
        """The formula as SVG, without a colour yet; None if it cannot or must not be drawn.

        Has no side effects, so that it can run in any thread.
        """
        if not sensible(self.source):
            return None
        try:
            return _vector(self)
        except Exception:  # noqa: BLE001  (what two libraries raise at a broken formula is not said anywhere)
            return None


def picture_of(svg: str, colour: str, dpr: float) -> Drawn | None:
    """The picture of a formula in a colour, `#RRGGBB`, for a pixel density; None if it is too large."""
    renderer = QSvgRenderer(QByteArray(svg.replace(NO_COLOUR, colour).encode()))
    box = renderer.viewBoxF()
    if not renderer.isValid() or not (0 < box.width() <= WIDEST_PX and 0 < box.height() <= HIGHEST_PX):
        return None
    width, height = (max(1, round(side * dpr)) for side in (box.width(), box.height()))
    image = QImage(width, height, QImage.Format.Format_ARGB32_Premultiplied)
    image.fill(Qt.GlobalColor.transparent)
    painter = QPainter(image)
    renderer.render(painter, QRectF(0, 0, width, height))
    painter.end()
    image.setDevicePixelRatio(dpr)
    return Drawn(image, width / dpr, height / dpr, max(0.0, box.bottom()))


def sensible(source: str) -> bool:
    """Whether a source is short and shallow enough to be parsed at all."""
    if not source.strip() or len(source) > LONGEST_SOURCE or _REFUSED.search(source):
        return False
    return source.count("{") <= 400 and _depth(source) <= DEEPEST


def _depth(source: str) -> int:
    deepest = depth = 0
    for sign in re.findall(r"\\left\b|\\right\b|\\begin\b|\\end\b|\\sqrt\b|(?<!\\)[{}]", source):
        depth += -1 if sign in ("}", "\\right", "\\end") else 1
        deepest = max(deepest, depth)
    return deepest


def _vector(job: FormulaJob) -> str | None:
    with catch_warnings():
        # It asks for its fonts in a way that Python 3.11 advises against.
        simplefilter("ignore", DeprecationWarning)
        from ziamath.config import config
        from ziamath.tex import tex2mml
        from ziamath.zmath import Math

    config.svg2 = False  # QtSvg draws SVG 1.1 only
    markup = unescape(tex2mml(job.source, inline=not job.display)).replace(_NAMESPACE, "")
    tree = ElementTree.fromstring(markup)
    _flatten(tree)
    if work_of(tree) > MOST_WORK:
        return None
    tree.set("mathcolor", NO_COLOUR)
    svg = str(Math(tree, size=job.px).svg())
    return None if len(svg) > LONGEST_SVG or _FOREIGN.search(svg) else svg


def _flatten(element: ElementTree.Element) -> None:
    """Replace rows that have a single child by that child; without this, common formulas would take far too long."""
    for place, child in enumerate(list(element)):
        _flatten(child)
        inner = child
        while inner.tag == "mrow" and not inner.attrib and len(inner) == 1:
            inner = inner[0]
        element[place] = inner


def work_of(element: ElementTree.Element) -> float:
    """How many elements the library will lay out."""
    inner = sum(work_of(child) for child in element)
    own = 1 + len("".join(element.itertext())) / 8 if not len(element) else 1
    return own + (inner if element.tag in _SINGLE else 2 * inner)
