"""Painting functions that several widgets share: figures, badges, tags, mini bars, and patterns with a meaning."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from PySide6.QtCore import QPointF, QRect, QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QFont, QFontMetricsF, QImage, QPainter, QPen, QRegion, QTransform

from workbench.ui.look.fonts import FEATURES, Role, font, metrics, set_feature
from workbench.ui.look.icons import paint_icon
from workbench.ui.look.theme import Theme, colour, theme_of
from workbench.ui.look.tones import TONES, Tone, layer_tag

if TYPE_CHECKING:
    from workbench.domain.segment import LayerName

TAG_WIDTH, TAG_HEIGHT = 22, 16
BADGE_HEIGHT, BADGE_PADDING, BADGE_ICON, BADGE_GAP = 18, 5, 12, 3
MINI_LEAST_PX = 1.5
LEAST_RUN_PX = 12
"""Where less is left, nothing but the ellipsis would be seen of words."""
DIGITS = "0123456789"
_ONE_LINE = Qt.TextFlag.TextSingleLine | Qt.TextFlag.TextDontClip
# A number, made once: combining Qt's flags takes longer than painting a word.
_FROM_BEGINNING = int(
    Qt.AlignmentFlag.AlignVCenter.value
    | Qt.AlignmentFlag.AlignLeading.value
    | Qt.TextFlag.TextSingleLine.value
)
HATCH_TILE, HATCH_STROKE = 8.5, 2.0
"""Tile size such that strokes at 45° are 6 px apart."""
SMALL_TILE, SMALL_STROKE = 5.5, 1.5
OVER_TILE, OVER_STROKE = 10.0, 2.5
DOT_TILE, DOT = 5.0, 1.4
SHADOW_OFFSET, BLUR, SHADOW_ALPHA = 6, 18, 0.20


def placed(rect: QRectF, lead: float, width: float) -> QRectF:
    """A part of a cell: `width` wide, starting `lead` from its left edge."""
    return QRectF(rect.left() + lead, rect.top(), max(width, 0.0), rect.height())


def after(rect: QRectF, lead: float, trail: float) -> QRectF:
    """The rest of a cell, from `lead` after its left edge to `trail` before its right one."""
    return placed(rect, lead, rect.width() - lead - trail)


def paint_figure(
    painter: QPainter, rect: QRect | QRectF, text: str, align: Qt.AlignmentFlag = Qt.AlignmentFlag.AlignRight
) -> None:
    """Paint a figure in the painter's font, vertically centred, with all digits equally wide."""
    measure = _measure_of(painter.font())
    if measure.tabular:
        flags = align | Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignAbsolute
        painter.drawText(QRectF(rect), flags | _ONE_LINE, text)
    else:
        _paint_cells(painter, measure, QRectF(rect), text, align)


def _paint_cells(
    painter: QPainter, measure: _Measure, box: QRectF, text: str, align: Qt.AlignmentFlag
) -> None:
    """Paint a figure digit by digit, for a font whose digits are not equally wide."""
    cells = measure.cells(text)
    x = box.left()
    if align & Qt.AlignmentFlag.AlignRight:
        x = box.right() - sum(cells)
    elif align & Qt.AlignmentFlag.AlignHCenter:
        x = box.center().x() - sum(cells) / 2
    baseline = box.center().y() + measure.rise
    for letter, cell in zip(text, cells, strict=True):
        painter.drawText(QPointF(x + (cell - measure.advance(letter)) / 2, baseline), letter)
        x += cell


def figure_width(used: QFont, text: str) -> float:
    """The width of a text painted by `paint_figure`."""
    measure = _measure_of(used)
    if measure.tabular:
        return QFontMetricsF(used).horizontalAdvance(text)
    return sum(measure.cells(text))


class _Measure:
    """Widths of a font's letters, each measured once: asking Qt is most of what painting a figure costs."""

    def __init__(self, used: QFont) -> None:
        self._metrics = QFontMetricsF(used)
        self._widths: dict[str, float] = {}
        self.tabular = len({self._metrics.horizontalAdvance(each * 4) for each in DIGITS}) == 1
        self.rise = (self._metrics.ascent() - self._metrics.descent()) / 2
        self._digit = max(map(self.advance, DIGITS))

    def advance(self, letter: str) -> float:
        width = self._widths.get(letter)
        if width is None:
            width = self._widths[letter] = self._metrics.horizontalAdvance(letter)
        return width

    def cells(self, text: str) -> list[float]:
        """The width of each letter's cell; every digit has that of the widest digit."""
        return [self._digit if letter in DIGITS else self.advance(letter) for letter in text]


def _measure_of(used: QFont) -> _Measure:
    return _measured(used.key(), bool(used.featureTags()))


@lru_cache(maxsize=128)
def _measured(font_key: str, has_features: bool) -> _Measure:
    """The measure of a font by its key, which does not include its features: those are ours or none."""
    used = QFont("Inter")
    used.fromString(font_key)
    for name, value in FEATURES.items() if has_features else ():
        set_feature(used, name, value)
    return _Measure(used)


def badge_width(icon: str, word: str) -> float:
    """The width of a badge with this word and icon, which may be empty."""
    room = BADGE_ICON + (BADGE_GAP if word else 0) if icon else 0
    return 2 * BADGE_PADDING + room + metrics("meta", 500).horizontalAdvance(word)


def paint_badge(painter: QPainter, rect: QRect | QRectF, tone: Tone, icon: str, word: str) -> None:
    """Paint a badge at the left of a rectangle, vertically centred."""
    theme = theme_of()
    box = _leading(QRectF(rect), min(badge_width(icon, word), QRectF(rect).width()), BADGE_HEIGHT)
    fill_rounded(painter, box, colour(TONES[tone].ground, theme), 4)
    inner = box.adjusted(BADGE_PADDING, 0, -BADGE_PADDING, 0)
    if icon:
        spot = _leading(inner, BADGE_ICON, BADGE_HEIGHT)
        paint_icon(painter, spot, icon, TONES[tone].text, BADGE_ICON)
        step = BADGE_ICON + BADGE_GAP
        inner = inner.adjusted(step, 0, 0, 0)
    paint_text(painter, inner, word, "meta", TONES[tone].text, 500)


def paint_tag(painter: QPainter, rect: QRect | QRectF, layer: LayerName) -> None:
    """Paint a layer's tag at the left of a rectangle, vertically centred."""
    colours = theme_of().layers[layer]
    box = _leading(QRectF(rect), TAG_WIDTH, TAG_HEIGHT)
    fill_rounded(painter, box, colours.fill, 3)
    stroke_rounded(painter, box, colours.edge, 3)
    set_text_style(painter, font("tag"), QColor(colours.text))
    painter.drawText(box, Qt.AlignmentFlag.AlignCenter, layer_tag(layer))


def paint_mini_bar(
    painter: QPainter, rect: QRect | QRectF, layer: LayerName | None, share: float, cached_share: float = 0.0
) -> None:
    """Paint a small bar: `share` of it filled in the layer's colour, the cached part of that fill hatched."""
    theme = theme_of()
    box = QRectF(rect)
    fill_rounded(painter, box, theme.track, 2)
    width = max(MINI_LEAST_PX, box.width() * min(max(share, 0.0), 1.0)) if share > 0 else 0.0
    if width <= 0:
        return
    filled = _leading(box, width, box.height())
    fill_rounded(painter, filled, theme.layers[layer].fill if layer else theme.fresh, min(2.0, width / 2))
    if cached_share > 0 and width >= 8:
        dpr = painter.device().devicePixelRatioF()
        hatched = _leading(filled, width * min(cached_share, 1.0), box.height())
        painter.setBrushOrigin(box.topLeft())
        fill_rounded(painter, hatched, hatch_brush(theme, layer, dpr, small=True), 2)


def set_text_style(painter: QPainter, used: QFont, ink: QColor) -> None:
    """Set the painter's font and text colour."""
    painter.setFont(used)
    painter.setPen(ink)


def paint_text(
    painter: QPainter, rect: QRectF, text: str, role: Role, token: str, weight: int | None = None
) -> None:
    """Paint one line in a font and a colour of the design, shortened where it does not fit."""
    set_text_style(painter, font(role, weight), colour(token))
    paint_elided(painter, rect, text)


def paint_elided(
    painter: QPainter, rect: QRectF, text: str, mode: Qt.TextElideMode = Qt.TextElideMode.ElideRight
) -> None:
    """Paint one line of text at the left of a rectangle, elided if it does not fit."""
    fitting = elided(painter.font(), text, rect.width(), mode)
    painter.drawText(rect, _FROM_BEGINNING, fitting)


def elided(used: QFont, text: str, width: float, mode: Qt.TextElideMode = Qt.TextElideMode.ElideRight) -> str:
    """The text, elided if it is wider than `width`.

    In the middle, a path keeps the file's name whole, and "file › section" loses the end of the section first.
    """
    measure = QFontMetricsF(used)
    # Asked first: where all of it fits, as nearly always, eliding takes twice as long.
    if measure.horizontalAdvance(text) <= width + 0.5:
        return text
    file, mark, section = text.partition(" › ")
    if mark and mode == Qt.TextElideMode.ElideMiddle:
        room = width - measure.horizontalAdvance(file + mark)
        if room >= measure.horizontalAdvance("…"):
            return file + mark + measure.elidedText(section, Qt.TextElideMode.ElideRight, room + 0.5)
        return elided(used, file, width, mode)
    folders, slash, name = text.rpartition("/")
    if slash and mode == Qt.TextElideMode.ElideMiddle:
        room = width - measure.horizontalAdvance(slash + name)
        if room >= measure.horizontalAdvance("…"):
            return measure.elidedText(folders, mode, room + 0.5) + slash + name
        text = name
        if measure.horizontalAdvance(name) <= width + 0.5:
            return name
    return measure.elidedText(text, mode, width + 0.5)


def fill_rounded(painter: QPainter, rect: QRectF, fill: str | QColor | QBrush, radius: float) -> None:
    """Fill a rounded rectangle."""
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(QColor(fill) if isinstance(fill, str) else fill)
    painter.drawRoundedRect(rect, radius, radius)
    painter.restore()


def stroke_rounded(
    painter: QPainter, rect: QRectF, line: str | QColor | QPen, radius: float, width: float = 1.0
) -> None:
    """Stroke a rounded rectangle, inside its edge."""
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    pen = line if isinstance(line, QPen) else QPen(QColor(line), width)
    painter.setPen(pen)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    half = pen.widthF() / 2
    inner = max(radius - half, 0.0)
    painter.drawRoundedRect(rect.adjusted(half, half, -half, -half), inner, inner)
    painter.restore()


def paint_shadow(painter: QPainter, box: QRectF, theme: Theme, radius: float) -> None:
    """Paint the soft shadow of a box with round corners; it needs 24 pixels around the box."""
    painter.save()
    # What the box will cover is most of it.
    seen = QRegion(box.adjusted(-BLUR, -BLUR, BLUR, BLUR + SHADOW_OFFSET).toAlignedRect())
    covered = box.adjusted(radius, radius, -radius, -radius).toRect()
    painter.setClipRegion(seen.subtracted(QRegion(covered)), Qt.ClipOperation.IntersectClip)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(Qt.PenStyle.NoPen)
    for step in range(BLUR):
        spread = BLUR - step
        ink = QColor(theme.shadow)
        ink.setAlphaF(SHADOW_ALPHA * 2 * (step + 1) / (BLUR * BLUR))
        painter.setBrush(ink)
        layer = box.translated(0, SHADOW_OFFSET).adjusted(-spread, -spread, spread, spread)
        painter.drawRoundedRect(layer, radius + spread, radius + spread)
    painter.restore()


def snapped(x: float, dpr: float) -> float:
    """A position rounded to whole device pixels, in logical pixels."""
    return round(x * dpr) / dpr


def dashed_pen(theme_value: str | QColor, width: float, dash: float, gap: float) -> QPen:
    """A dashed pen; lengths in pixels, which Qt counts in pen widths."""
    pen = QPen(QColor(theme_value), width)
    pen.setCapStyle(Qt.PenCapStyle.FlatCap)
    pen.setDashPattern([dash / width, gap / width])
    return pen


def _leading(rect: QRectF, width: float, height: float) -> QRectF:
    return QRectF(rect.left(), rect.center().y() - height / 2, width, height)


def take(room: QRectF, width: float, gap: float = 0) -> QRectF:
    """Cut a piece and a gap off the left of `room`, which is changed, and return the piece."""
    piece = QRectF(room.left(), room.top(), width, room.height())
    room.setLeft(room.left() + width + gap)
    return piece


def take_end(room: QRectF, width: float, gap: float = 0) -> QRectF:
    """Cut a piece and a gap off the right of `room`, which is changed, and return the piece."""
    piece = QRectF(room.right() - width, room.top(), width, room.height())
    room.setRight(room.right() - width - gap)
    return piece


class Run(NamedTuple):
    """A piece of a painted line: words, an icon in the middle of `width`, or with neither of them `width` left free.

    `gap` is what is left free behind it, `token` the name of its colour in `Theme`.
    """

    text: str = ""
    token: str = "t1"
    role: Role = "small"
    weight: int | None = None
    gap: float = 0
    icon: str = ""
    size: int = 14
    width: float = 0

    def needs(self) -> float:
        """How wide it is, without the gap."""
        if self.text:
            return metrics(self.role, self.weight).horizontalAdvance(self.text)
        return self.width or (self.size if self.icon else 0)


def paint_runs(painter: QPainter, room: QRectF, runs: Sequence[Run], end_runs: Sequence[Run] = ()) -> None:
    """Paint pieces from the beginning of a line, those of `end_runs` from its end; words are cut where room ends."""
    for run in end_runs:
        _paint_run(painter, take_end(room, run.needs(), run.gap), run)
    for run in runs:
        if room.width() < LEAST_RUN_PX:
            return
        needs = run.needs()
        box = QRectF(room.left(), room.top(), min(needs + 1, room.width()), room.height())
        _paint_run(painter, box if run.text else take(QRectF(room), needs), run)
        room.setLeft(room.left() + needs + run.gap)


def _paint_run(painter: QPainter, box: QRectF, run: Run) -> None:
    if run.icon:
        paint_icon(painter, box, run.icon, run.token, run.size)
    elif run.text:
        paint_text(painter, box, run.text, run.role, run.token, run.weight)


def hatch_brush(theme: Theme, layer: LayerName | None, dpr: float, small: bool = False) -> QBrush:
    """The hatching of a layer's cached part, painted over its fill; without a layer, that of a turn."""
    strokes = theme.layers[layer].hatch if layer else theme.cached_hatch
    tile, stroke = (SMALL_TILE, SMALL_STROKE) if small else (HATCH_TILE, HATCH_STROKE)
    return _diagonal(strokes, tile, stroke, dpr, rising=True)


def mark_brush(theme: Theme, dpr: float) -> QBrush:
    """The hatching of the small field that means "cached" in legends and columns."""
    return _diagonal(theme.t2, SMALL_TILE, SMALL_STROKE, dpr, rising=True)


def overflow_brush(theme: Theme, dpr: float) -> QBrush:
    """The hatching of what does not fit, in the other direction."""
    return _diagonal(theme.overflow, OVER_TILE, OVER_STROKE, dpr, rising=False)


@lru_cache(maxsize=64)
def stipple_brush(theme: Theme, dpr: float) -> QBrush:
    """The dots of the reply reserve, every second row offset."""
    side = max(2, round(DOT_TILE * dpr))
    image = _tile(side)
    painter = QPainter(image)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(QColor(theme.edge))
    for x, y in ((0.25, 0.25), (0.75, 0.75)):
        painter.drawEllipse(QPointF(x * side, y * side), DOT * dpr / 2, DOT * dpr / 2)
    painter.end()
    return _brush(image, dpr)


@lru_cache(maxsize=64)
def _diagonal(strokes: str, tile_px: float, stroke_px: float, dpr: float, rising: bool) -> QBrush:
    side = max(2, round(tile_px * dpr))
    image = _tile(side)
    painter = QPainter(image)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setCompositionMode(QPainter.CompositionMode.CompositionMode_Source)
    painter.setPen(QPen(QColor(strokes), stroke_px * dpr, Qt.PenStyle.SolidLine, Qt.PenCapStyle.FlatCap))
    # Three of them, so that the corners, which the neighbouring tiles' strokes cross, close without a seam.
    for start in (-side, 0, side):
        lower, upper = (side * 2, -side) if rising else (-side, side * 2)
        painter.drawLine(QPointF(start - side, lower), QPointF(start + 2 * side, upper))
    painter.end()
    return _brush(image, dpr)


def _tile(side: int) -> QImage:
    image = QImage(side, side, QImage.Format.Format_ARGB32_Premultiplied)
    image.fill(Qt.GlobalColor.transparent)
    return image


def _brush(image: QImage, dpr: float) -> QBrush:
    """A brush whose tile is a whole number of device pixels; resampling would blur it."""
    brush = QBrush(image)
    brush.setTransform(QTransform.fromScale(1 / dpr, 1 / dpr))
    return brush
