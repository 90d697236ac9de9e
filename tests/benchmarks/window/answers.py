"""What the window's process is asked: where things are, and how they stand.

Nothing is pressed here: keys, buttons and pixels are the other process's.
"""

from __future__ import annotations

import json
import sys
import threading
from typing import Any

from PySide6.QtCore import QObject, QPoint, Qt, Signal
from PySide6.QtGui import QTextCursor
from PySide6.QtWidgets import (
    QApplication,
    QCheckBox,
    QComboBox,
    QLabel,
    QLineEdit,
    QPushButton,
    QSpinBox,
    QToolButton,
    QWidget,
)

from workbench.ui.program.app import FirstPaint
from workbench.ui.widgets.motion import reduce_motion


class Asked(QObject):
    """Reads lines beside the window, and answers them in its thread."""

    came = Signal(str)

    def __init__(self, first: FirstPaint) -> None:
        super().__init__()
        self._window = first.window
        first.app.setCursorFlashTime(0)  # a caret that blinks would be a change that nobody made
        self.came.connect(self._answer, Qt.ConnectionType.QueuedConnection)
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self) -> None:
        for line in sys.stdin:
            self.came.emit(line)
        self.came.emit('{"what": "close"}')

    def _answer(self, line: str) -> None:
        asked = json.loads(line)
        found = getattr(self, f"_{asked.pop('what')}")(**asked)
        print(json.dumps(found), flush=True)

    def _facts(self) -> dict[str, Any]:
        """What is shown; empty while nothing is."""
        inspector = getattr(self._window, "inspector", None)
        view = getattr(inspector, "_view", None)
        if inspector is None or view is None:
            return {}
        return {
            "title": self._window.windowTitle(),
            "segments": sum(len(layer.rows) for layer in view.layers),
            "tokens": inspector.block.bar.bar().total_tokens,
            "window": int(self._window.winId()),
            "active": self._window.isActiveWindow(),
            "dialogs": [type(each).__name__ for each in self._dialogs()],
        }

    def _dialogs(self) -> list[QWidget]:
        return [w for w in QApplication.topLevelWidgets() if w.isVisible() and w is not self._window]

    def _places(self) -> dict[str, tuple[int, int, int, int]]:
        window = self._window
        return {
            "window": _place(window),
            "composer": _place(window.chat.composer.text.viewport()),
            "figures": _place(window.inspector.block.figures),
            "inspector": _place(window.inspector),
            "transcript": _place(window.chat.transcript),
        }

    def _focus(self) -> bool:
        self._window.activateWindow()
        text = self._window.chat.composer.text
        text.setFocus()
        text.moveCursor(QTextCursor.MoveOperation.End)
        return True

    def _write(self, text: str) -> bool:
        """Put words into the composer at once, as a paste does."""
        self._window.chat.composer.text.insertPlainText(text)
        return True

    def _draft(self) -> int:
        return self._window.chat.composer.text.document().characterCount()

    def _payload(self) -> dict[str, Any]:
        """The text of the payload and the rows of its outline, as they are shown; empty until all of it is there."""
        # Not before they are asked for: who answers loads nothing that the program did not.
        from workbench.ui.inspector.payload.page import PayloadPage
        from workbench.ui.inspector.payload.view import Paragraphs

        page = self._window.inspector.pages.page("payload")
        assert isinstance(page, PayloadPage)
        text, model = page.reader.text, page.reader.outline.model()
        paragraphs = text.document()
        if not isinstance(paragraphs, Paragraphs) or not paragraphs.is_whole:
            return {}
        rows = [str(model.index(row, 0).data()) for row in range(model.rowCount())]
        return {"text": text.toPlainText(), "rows": rows}

    def _controls(self) -> dict[str, int]:
        """How many widgets of each kind are in sight in the open dialog."""
        from workbench.ui.widgets.badge import Badge

        (dialog,) = self._dialogs()
        kinds: dict[str, tuple[type[QWidget], ...]] = {
            "labels": (QLabel, Badge),
            "fields": (QLineEdit,),
            "choices": (QComboBox,),
            "numbers": (QSpinBox,),
            "checks": (QCheckBox,),
            "buttons": (QPushButton, QToolButton),
        }
        found: list[QWidget] = list(dialog.findChildren(QWidget))
        shown = [each for each in found if each.isVisible()]
        return {name: sum(isinstance(each, kind) for each in shown) for name, kind in kinds.items()}

    def _away(self) -> bool:
        """Close what stands over the window."""
        for dialog in self._dialogs():
            dialog.close()
        return True

    def _asking(self) -> dict[str, Any]:
        """The dialog that asks for the passphrase, and where the chat will be; empty while nobody asks."""
        found = [each for each in self._dialogs() if hasattr(each, "secret")]
        if not found:
            return {}
        found[0].activateWindow()
        found[0].secret.setFocus()
        return {"window": int(found[0].winId()), "place": _place(self._window.chat.transcript)}

    def _still(self) -> bool:
        """Let nothing glide: a movement that is meant to be seen is no late paint."""
        reduce_motion(True)
        return True

    def _close(self) -> bool:
        self._window.close()
        return True


def _place(widget: QWidget) -> tuple[int, int, int, int]:
    corner = widget.mapToGlobal(QPoint(0, 0))
    return corner.x(), corner.y(), widget.width(), widget.height()
