"""A document that never fetches anything: not a file, not an address, whatever its text names."""

from __future__ import annotations

from PySide6.QtCore import QByteArray, QObject, Qt, QUrl
from PySide6.QtGui import QImage, QTextDocument

from workbench.ui.look.fonts import Role, font


class SafeDocument(QTextDocument):
    """Answers every wish for a resource itself; left unanswered, Qt would go and read the file."""

    def __init__(self, parent: QObject | None = None, role: Role = "chat") -> None:
        super().__init__(parent)
        self.setUndoRedoEnabled(False)
        self.setDocumentMargin(0)
        self.setDefaultFont(font(role))

    def loadResource(self, kind: int, _name: QUrl | str) -> object:
        """Nothing: an empty picture, or no bytes. Our own pictures are added beforehand and never asked for here."""
        if kind == QTextDocument.ResourceType.ImageResource.value:
            empty = QImage(1, 1, QImage.Format.Format_ARGB32_Premultiplied)
            empty.fill(Qt.GlobalColor.transparent)
            return empty
        return QByteArray()
