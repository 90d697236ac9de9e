"""Offers the commands a message may carry (@read, @search, @ls) while one is being typed."""

from __future__ import annotations

import re

from PySide6.QtCore import QModelIndex, QObject, Qt
from PySide6.QtGui import QStandardItem, QStandardItemModel, QTextCursor
from PySide6.QtWidgets import QCompleter, QTextEdit

from workbench.ui.look.fonts import font

COMMAND = Qt.ItemDataRole.UserRole + 1
WIDTH = 220
KEYS = (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Escape, Qt.Key.Key_Tab, Qt.Key.Key_Backtab)
_BEGUN = re.compile(r"(?:^|\s)(@[a-z]*)\Z")


class CommandCompletion(QObject):
    """A small list under the cursor; Enter or Tab takes a command, Escape closes the list."""

    def __init__(self, text: QTextEdit) -> None:
        super().__init__(text)
        self._text = text
        self._completer = QCompleter(self._model(), self)
        self._completer.setWidget(text)
        self._completer.setCompletionRole(COMMAND)
        self._completer.setCompletionMode(QCompleter.CompletionMode.PopupCompletion)
        self._completer.activated[QModelIndex].connect(self._take)  # type: ignore[index]
        popup = self._completer.popup()
        popup.setObjectName("raised")
        popup.setFont(font("ui"))
        popup.setAccessibleName(self.tr("Commands"))

    def _model(self) -> QStandardItemModel:
        model = QStandardItemModel(self)
        words = {
            "@read": self.tr("@read   a file"),
            "@search": self.tr("@search   words in all files"),
            "@ls": self.tr("@ls   what is in a folder"),
        }
        for command, said in words.items():
            item = QStandardItem(said)
            item.setData(command, COMMAND)
            model.appendRow(item)
        return model

    def is_open(self) -> bool:
        """Whether the list is in sight."""
        return self._completer.popup().isVisible()

    def takes(self, key: int) -> bool:
        """Whether a key is meant for the list and not for the message."""
        return key in KEYS and self.is_open()

    def follow(self) -> None:
        """See whether a command is being typed at the cursor, and offer those that begin so."""
        begun = self._begun()
        self._completer.setCompletionPrefix(begun)
        if not begun or not self._completer.completionCount() or begun == self._completer.currentCompletion():
            self._completer.popup().hide()
            return
        self._completer.popup().setCurrentIndex(self._completer.completionModel().index(0, 0))
        place = self._text.cursorRect()
        place.setWidth(WIDTH)
        self._completer.complete(place)

    def _begun(self) -> str:
        cursor = self._text.textCursor()
        found = _BEGUN.search(cursor.block().text()[: cursor.positionInBlock()])
        return found[1] if found and not cursor.hasSelection() else ""

    def _take(self, index: QModelIndex) -> None:
        cursor = self._text.textCursor()
        cursor.movePosition(
            QTextCursor.MoveOperation.Left, QTextCursor.MoveMode.KeepAnchor, len(self._begun())
        )
        cursor.insertText(f"{index.data(COMMAND)} ")
        self._text.setTextCursor(cursor)
