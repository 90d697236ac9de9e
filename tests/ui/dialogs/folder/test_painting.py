"""The cells of a folder's row."""

from __future__ import annotations

from PySide6.QtCore import QRectF
from PySide6.QtGui import QColor, QImage, QPainter

from tests.ui.dialogs.folder.test_nodes import found, tree
from workbench.ui.dialogs.folder.model import Column, FolderModel
from workbench.ui.dialogs.folder.painting import ICON_LEAD, paint_node

WHITE = QColor("#FFFFFF")


def test_icon_and_name_stand_in_by_as_much_as_they_are_told(qapp):
    model = FolderModel(tree())
    cells = [QRectF(200 * column, 0, 200, 26) for column in Column]
    image = QImage(800, 26, QImage.Format.Format_ARGB32_Premultiplied)
    image.fill(WHITE)
    painter = QPainter(image)
    paint_node(painter, model, found(model.tree, "src/a.py"), cells, 40)
    painter.end()
    inked = [x for x in range(800) if any(image.pixelColor(x, y) != WHITE for y in range(26))]
    assert ICON_LEAD + 40 <= inked[0] < ICON_LEAD + 44
