"""How far attaching is that takes a while: a line with the file that is being read, and a way to end it."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from workbench.domain.attached import AttachProgress
from workbench.engine.attaching_intents import StopAttaching
from workbench.ui import formatting
from workbench.ui.look.space import S1, S2, S3, columns, rows
from workbench.ui.widgets.buttons import button
from workbench.ui.widgets.labels import ElidedLabel, set_text
from workbench.ui.widgets.plain import shown
from workbench.ui.widgets.progress import ProgressLine
from workbench.ui.wishes import Wishes

ROOM = 44


class AttachingLine(QWidget):
    """Seen only while something is being attached."""

    def __init__(self, wishes: Wishes | None = None) -> None:
        super().__init__()
        self.wishes = wishes or Wishes(self)
        self._chat = ""
        self._progress: AttachProgress | None = None
        self.words = ElidedLabel("", "small", "t2")
        self.bar = ProgressLine()
        self.cancel = button(self.tr("Cancel"), "link", size="small")
        self.cancel.clicked.connect(self._stop)
        self.setFixedHeight(ROOM)
        down = rows(self, (S3, 0, S2, S1), 2)
        across = columns(down, spacing=S2)
        across.addWidget(self.words, 1)
        across.addWidget(self.cancel)
        down.addWidget(self.bar)
        self.hide()

    def show_progress(self, chat: str, progress: AttachProgress | None) -> bool:
        """Show how far it is; whether the line came or went."""
        if chat == self._chat and progress == self._progress:
            return False
        before, self._chat, self._progress = self._progress, chat, progress
        if progress is not None:
            words = self.tr("{done} of {total}, reading {name}").format(
                done=formatting.tokens(progress.done),
                total=formatting.tokens(progress.total),
                name=shown(progress.name, 80),
            )
            set_text(self.words, words)
            self.bar.set_fraction(progress.done / progress.total if progress.total else None)
        self.setVisible(progress is not None)
        return (before is None) != (progress is None)

    def room(self) -> int:
        """How high it is; nothing where it is not seen."""
        return ROOM if self._progress is not None else 0

    def _stop(self) -> None:
        self.wishes.send(StopAttaching(self._chat))
