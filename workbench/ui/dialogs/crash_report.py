"""The dialog after an unexpected error: what is safe, what can be done, and a report without secrets."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QWidget

from workbench.ui.look.space import STRETCH, fill
from workbench.ui.translation import tr
from workbench.ui.widgets.buttons import button, on_click
from workbench.ui.widgets.code_view import CodeView
from workbench.ui.widgets.file_chooser import save_file
from workbench.ui.widgets.floating import Sheet
from workbench.ui.widgets.labels import label, set_text


class CrashDialog(Sheet):
    """Shows a report that the user may copy or save; the program itself sends nothing."""

    def __init__(self, text: str, parent: QWidget | None = None) -> None:
        super().__init__(tr("Something went wrong"), 640, 480, parent)
        self._text = text
        lead = tr(
            "Part of the program stopped working. Everything sent or saved is safe; you can carry on. "
            "This report lists code locations, none of your content, and isn’t sent unless you send "
            "it."
        )
        view = CodeView(text)
        view.setAccessibleName(tr("Report"))
        fill(self.body, label(lead, "ui", "t2", wrap=True), (view, 1))
        self.said = label("", "small", "t3")
        self.foot.addWidget(self.said, 1)
        for words, act in ((tr("Copy"), self._copy), (tr("Save…"), self._save)):
            made = button(words)
            made.clicked.connect(act)
            self.foot.addWidget(made)
        close = on_click(button(tr("Close"), "primary"), self.accept)
        self.foot.addWidget(close)
        close.setFocus()

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(self._text)
        set_text(self.said, tr("Copied"))

    def _save(self) -> None:
        save_file(self, tr("Save the report"), "context-workbench-report.txt", self.save_to)

    def save_to(self, path: str) -> None:
        try:
            Path(path).write_text(self._text, encoding="utf-8")
        except OSError as problem:
            set_text(self.said, tr("Not saved: {why}.").format(why=problem.strerror or problem))
            return
        set_text(self.said, tr("Saved."))


class NoticeDialog(Sheet):
    """A message that must be read before anything else can be done.

    Signals:
        read: the user closed it.
    """

    read = Signal()

    def __init__(self, title: str, words: str, parent: QWidget | None = None) -> None:
        super().__init__(title, 520, 0, parent)
        self.body.addWidget(label(words, "ui", "t1", wrap=True))
        close = on_click(button(tr("Close"), "primary"), self.accept)
        self.accepted.connect(self.read)
        fill(self.foot, STRETCH, close)
        close.setFocus()
