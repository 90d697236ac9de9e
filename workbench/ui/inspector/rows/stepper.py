"""One of several, with a step back and a step on: ‹ 9 of 10 ›."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from workbench.ui import formatting
from workbench.ui.look.space import columns, fill
from workbench.ui.widgets.buttons import on_click, tool_button
from workbench.ui.widgets.labels import label, set_text

SIDE = 22


class Stepper(QWidget):
    """Signals: `stepped` tells -1 or 1."""

    stepped = Signal(int)

    def __init__(self, before: str, after: str) -> None:
        super().__init__()
        self._words = label("", "small", "t2")
        self.before = on_click(tool_button("chevron-left", before, side=SIDE), self._back)
        self.after = on_click(tool_button("chevron-right", after, side=SIDE), self._on)
        fill(columns(self, spacing=2), self.before, self._words, self.after)

    def show_place(self, number: int, count: int) -> None:
        """Show which of how many it is; 0 is none of them."""
        self.before.setEnabled(number != 1 and count > 0)
        self.after.setEnabled(number < count)
        words = self.tr("{n} of {count}").format(n=formatting.tokens(number), count=formatting.tokens(count))
        set_text(
            self._words, words if number else self.tr("{count} in all").format(count=formatting.tokens(count))
        )

    def words(self) -> str:
        return self._words.text()

    def _back(self) -> None:
        self.stepped.emit(-1)

    def _on(self) -> None:
        self.stepped.emit(1)
