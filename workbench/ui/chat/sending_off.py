"""The notice that nothing is sent: what is wrong with the settings file, and the way to mend it."""

from __future__ import annotations

from PySide6.QtCore import QRectF
from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent, QPainter, QPaintEvent

from workbench.domain.settings.settings_problem import SettingsProblem
from workbench.engine.program_intents import ReadPreferences
from workbench.ui.look.icons import paint_icon
from workbench.ui.look.space import columns, fill, rows
from workbench.ui.translation import translator
from workbench.ui.widgets.buttons import button
from workbench.ui.widgets.card import Card
from workbench.ui.widgets.labels import label, set_text
from workbench.ui.widgets.plain import shown, tip
from workbench.ui.wishes import Wishes

_tr = translator("SendingOff")


class SendingOffCard(Card):
    """Stays until the file is corrected and read again; without a problem it is not there."""

    def __init__(self, wishes: Wishes) -> None:
        super().__init__("warn", "surface")
        self._problem: SettingsProblem | None = None
        self.title = label("", "ui_label", wrap=True)
        self.words = label("", "small", "t2", wrap=True)
        self.open = button(self.tr("Open file"), size="small")
        self.again = button(self.tr("Read again"), "ghost", size="small")
        self.again.setToolTip(self.tr("Read the corrected file; sending is on again if it's in order."))
        self.open.clicked.connect(lambda: wishes.run("open-settings-file"))
        self.again.clicked.connect(lambda: wishes.send(ReadPreferences()))
        across = columns(self, (38, 8, 8, 8), 8)
        said = rows(across, spacing=2)
        across.setStretchFactor(said, 1)
        fill(said, self.title, self.words)
        fill(across, self.open, self.again)
        self.hide()

    def show_problem(self, problem: SettingsProblem | None) -> None:
        """Say what is wrong and where, once for each problem."""
        if problem is self._problem:
            return
        self._problem = problem
        self.setVisible(problem is not None)
        if problem is None:
            return
        set_text(self.title, off_words(problem))
        told = self.tr(
            "Reason: {what}. Nothing leaves this computer until you correct the file. It wasn't changed."
        )
        set_text(self.words, told.format(what=shown(problem.words, 300)))
        self.open.setToolTip(tip(problem.path))
        self.setAccessibleName(f"{self.title.text()} {self.words.text()}")
        QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(self, self.accessibleName()))

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        spot = QRectF(12, 8, 16, 18)
        paint_icon(QPainter(self), spot, "warn", "warn", 16)


def off_words(problem: SettingsProblem) -> str:
    """That nothing is sent and where the reason stands, in one line."""
    if not problem.line:
        return _tr("Sending is off: settings.toml can't be used.")
    place = _tr("Sending is off: correct settings.toml in line {line}, column {column}.")
    return place.format(line=problem.line, column=problem.column)
