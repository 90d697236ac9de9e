"""Our own icons: SVG files drawn in one colour of the theme, at any size and pixel density."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from PySide6.QtCore import QByteArray, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QIcon, QIconEngine, QImage, QPainter, QPixmap, QPixmapCache
from PySide6.QtSvg import QSvgRenderer
from PySide6.QtWidgets import QApplication

from workbench.ui.look.theme import colour, theme_of

PROPERTY = "workbench_icons_folder"
GRID = 16
STROKE = 1.5
DISABLED_TOKEN = "t3"


def load_icons(folder: Path | str) -> None:
    """Set the folder of the icons, each of which is a file `name.svg`."""
    app = QApplication.instance()
    if app is not None:
        setattr(app, PROPERTY, str(folder))
    QPixmapCache.clear()


def clear_icons() -> None:
    """Clear the cache of drawn icons after the theme has changed."""
    QPixmapCache.clear()


def has_icon(name: str) -> bool:
    """Whether there is an icon of this name."""
    return bool(_svg_source(_folder(), name))


def icon(name: str, token: str = "t2", size: int = GRID) -> QIcon:
    """A `QIcon` that always has the current theme's colours; grey while disabled."""
    return QIcon(ThemedEngine(name, token, size))


def pixmap(name: str, token: str = "t2", size: int = GRID, dpr: float = 1.0) -> QPixmap:
    """An icon drawn `size` logical pixels wide; cached until the theme changes."""
    theme = theme_of()
    key = f"workbench/{name}/{token}/{size}/{dpr:.3f}/{int(theme.dark)}"
    found = QPixmap()
    if QPixmapCache.find(key, found):
        return found
    made = QPixmap.fromImage(_draw(name, colour(token, theme).name(), size, dpr))
    QPixmapCache.insert(key, made)
    return made


def paint_icon(
    painter: QPainter, rect: QRect | QRectF, name: str, token: str = "t2", size: int = GRID
) -> None:
    """Paint an icon in the centre of a rectangle, aligned to device pixels."""
    box = QRectF(rect)
    dpr = painter.device().devicePixelRatioF()
    x = round((box.center().x() - size / 2) * dpr) / dpr
    y = round((box.center().y() - size / 2) * dpr) / dpr
    drawn = pixmap(name, token, size, dpr)
    painter.drawPixmap(QRectF(x, y, size, size), drawn, QRectF(drawn.rect()))


class ThemedEngine(QIconEngine):
    """Draws an icon in the colours of the theme that is current when it is painted."""

    def __init__(self, name: str, token: str, size: int) -> None:
        super().__init__()
        self._name = name
        self._token = token
        self._size = size

    def paint(self, painter: QPainter, rect: QRect, mode: QIcon.Mode, _state: QIcon.State) -> None:
        paint_icon(painter, rect, self._name, self._token_for(mode), min(rect.width(), rect.height()))

    def pixmap(self, size: QSize, mode: QIcon.Mode, state: QIcon.State) -> QPixmap:
        return self.scaledPixmap(size, mode, state, 1.0)

    def scaledPixmap(self, size: QSize, mode: QIcon.Mode, _state: QIcon.State, scale: float) -> QPixmap:
        """The icon as a pixmap; `size` in logical pixels, `scale` device pixels for each."""
        return pixmap(self._name, self._token_for(mode), max(1, min(size.width(), size.height())), scale)

    def actualSize(self, size: QSize, _mode: QIcon.Mode, _state: QIcon.State) -> QSize:
        side = min(size.width(), size.height())
        return QSize(side, side)

    def clone(self) -> QIconEngine:
        return ThemedEngine(self._name, self._token, self._size)

    def _token_for(self, mode: QIcon.Mode) -> str:
        return DISABLED_TOKEN if mode is QIcon.Mode.Disabled else self._token


def _folder() -> str:
    return str(getattr(QApplication.instance(), PROPERTY, ""))


@lru_cache(maxsize=256)
def _svg_source(folder: str, name: str) -> str:
    path = Path(folder) / f"{name}.svg"
    return path.read_text(encoding="utf-8") if folder and path.is_file() else ""


def _draw(name: str, hex_colour: str, size: int, dpr: float) -> QImage:
    side = max(1, round(size * dpr))
    image = QImage(side, side, QImage.Format.Format_ARGB32_Premultiplied)
    image.fill(Qt.GlobalColor.transparent)
    source = _svg_source(_folder(), name)
    if source:
        painter = QPainter(image)
        renderer = QSvgRenderer(QByteArray(_with_colour(source, hex_colour, size).encode()))
        renderer.render(painter, QRectF(0, 0, side, side))
        painter.end()
    image.setDevicePixelRatio(dpr)
    return image


def _with_colour(source: str, hex_colour: str, size: int) -> str:
    stroke = STROKE * GRID / max(size, GRID)
    return source.replace("currentColor", hex_colour).replace(
        'stroke-width="1.5"', f'stroke-width="{stroke:.3f}"'
    )
