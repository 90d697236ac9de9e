"""Pictures on the screen: decoded beside the window's loop, never of a size that would fill the memory."""

from __future__ import annotations

from PySide6.QtCore import (
    QBuffer,
    QByteArray,
    QIODevice,
    QObject,
    QPointF,
    QRunnable,
    QSize,
    QSizeF,
    Qt,
    QThreadPool,
    Signal,
)
from PySide6.QtGui import (
    QImage,
    QImageReader,
    QKeyEvent,
    QPainter,
    QPaintEvent,
    QPixmap,
    QResizeEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QAbstractScrollArea

from workbench.ui.look.theme import colour, theme_of
from workbench.ui.translation import tr

MOST_PIXELS = 120_000_000
MOST_MB = 512
THUMB = 64
LEAST, MOST, STEP = 0.05, 16.0, 1.25


def decoded(content: bytes, longest: int = 0) -> QImage:
    """A picture from its bytes, upright, no longer than so many pixels; null where it is none, or of a hostile size."""
    held = QByteArray(content)
    buffer = QBuffer(held)
    buffer.open(QIODevice.OpenModeFlag.ReadOnly)
    reader = QImageReader(buffer)
    reader.setAutoTransform(True)
    size = reader.size()
    if not size.isValid() or size.width() * size.height() > MOST_PIXELS:
        return QImage()
    if longest and max(size.width(), size.height()) > longest:
        reader.setScaledSize(size.scaled(QSize(longest, longest), Qt.AspectRatioMode.KeepAspectRatio))
    return reader.read()


class _Job(QRunnable):
    def __init__(self, teller: PictureReader, name: str, content: bytes, longest: int) -> None:
        super().__init__()
        self._told = teller.told
        self._name, self._content, self._longest = name, content, longest

    def run(self) -> None:
        """Decode; a picture may be made in any thread, what is painted with is not."""
        self._told.emit(self._name, self._longest, decoded(self._content, self._longest))


class PictureReader(QObject):
    """Reads pictures in other threads and keeps the small ones.

    Signals:
        ready: the name of a picture, how long it is at most (0: whole), and the picture, null where it cannot be shown.
    """

    told = Signal(str, int, QImage)
    ready = Signal(str, int, QImage)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        QImageReader.setAllocationLimit(MOST_MB)
        self._small: dict[str, QPixmap] = {}
        self._asked: set[tuple[str, int]] = set()
        self.told.connect(self._on_told, Qt.ConnectionType.QueuedConnection)

    def thumbnail(self, name: str, content: bytes) -> QPixmap | None:
        """A small picture, as soon as it was read; `name` is the digest of its bytes."""
        if name not in self._small:
            self.read(name, content, THUMB)
        found = self._small.get(name)
        return found if found is not None and not found.isNull() else None

    def read(self, name: str, content: bytes, longest: int = 0) -> None:
        """Have a picture read; asked twice meanwhile, it is read once."""
        if (name, longest) not in self._asked:
            self._asked.add((name, longest))
            QThreadPool.globalInstance().start(_Job(self, name, content, longest))

    def _on_told(self, name: str, longest: int, picture: QImage) -> None:
        self._asked.discard((name, longest))
        if longest == THUMB:
            self._small[name] = QPixmap.fromImage(picture)
        self.ready.emit(name, longest, picture)


class PictureView(QAbstractScrollArea):
    """One picture, as large as there is room; + and − and the wheel zoom, 0 fits it, 1 shows it pixel by pixel.

    Signals:
        zoomed: how large it is shown, 1 being pixel by pixel.
    """

    zoomed = Signal(float)

    def __init__(self) -> None:
        super().__init__()
        self._picture = QPixmap()
        self._zoom = 0.0
        self.setObjectName("code")
        self.setFrameShape(QAbstractScrollArea.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName(tr("Picture"))

    def show_picture(self, picture: QImage) -> None:
        self._picture = QPixmap.fromImage(picture)
        self.fit()

    def zoom(self) -> float:
        return self._zoom or self._fitting()

    def fit(self) -> None:
        """As large as there is room, and no larger than it is."""
        self._set_zoom(0.0)

    def show_pixels(self) -> None:
        self._set_zoom(1.0)

    def zoom_by(self, factor: float) -> None:
        self._set_zoom(min(max(self.zoom() * factor, LEAST), MOST))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        match event.key():
            case Qt.Key.Key_Plus | Qt.Key.Key_Equal:
                self.zoom_by(STEP)
            case Qt.Key.Key_Minus:
                self.zoom_by(1 / STEP)
            case Qt.Key.Key_0:
                self.fit()
            case Qt.Key.Key_1:
                self.show_pixels()
            case Qt.Key.Key_Escape:
                event.ignore()
            case _:
                super().keyPressEvent(event)

    def wheelEvent(self, event: QWheelEvent) -> None:
        self.zoom_by(STEP if event.angleDelta().y() > 0 else 1 / STEP)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._set_zoom(self._zoom)

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self.viewport())
        painter.fillRect(self.viewport().rect(), colour("code_bg", theme_of(self)))
        if self._picture.isNull():
            return
        size, room = self._size(), self.viewport().size()
        left = max(0.0, (room.width() - size.width()) / 2) - self.horizontalScrollBar().value()
        top = max(0.0, (room.height() - size.height()) / 2) - self.verticalScrollBar().value()
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform, self.zoom() < 2)
        painter.translate(QPointF(left, top))
        painter.scale(self.zoom(), self.zoom())
        painter.drawPixmap(0, 0, self._picture)

    def _set_zoom(self, zoom: float) -> None:
        self._zoom = zoom
        size, room = self._size(), self.viewport().size()
        for bar, whole, seen in (
            (self.horizontalScrollBar(), size.width(), room.width()),
            (self.verticalScrollBar(), size.height(), room.height()),
        ):
            middle = (bar.value() + bar.pageStep() / 2) / max(1, bar.maximum() + bar.pageStep())
            bar.setRange(0, max(0, int(whole + 0.999) - seen))
            bar.setPageStep(seen)
            bar.setValue(int(middle * whole - seen / 2))
        self.viewport().update()
        self.zoomed.emit(self.zoom())

    def _size(self) -> QSizeF:
        return QSizeF(self._picture.size()) * self.zoom()

    def _fitting(self) -> float:
        size, room = self._picture.size(), self.viewport().size()
        if size.isEmpty():
            return 1.0
        return min(1.0, room.width() / size.width(), room.height() / size.height())
