"""A layer's tag as a widget."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from workbench.domain.segment import LayerName
from workbench.ui.look.layers import layer_word
from workbench.ui.look.painting import TAG_HEIGHT, TAG_WIDTH, paint_tag


class LayerTag(QWidget):
    """The tag of a layer, such as L2."""

    def __init__(self, layer: LayerName) -> None:
        super().__init__()
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self._layer: LayerName = layer
        self.set_layer(layer)

    def layer(self) -> LayerName:
        return self._layer

    def set_layer(self, layer: LayerName) -> None:
        self._layer = layer
        self.setAccessibleName(layer_word(layer))
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(TAG_WIDTH, TAG_HEIGHT)

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def paintEvent(self, _event: QPaintEvent) -> None:
        paint_tag(QPainter(self), QRectF(self.rect()), self._layer)
