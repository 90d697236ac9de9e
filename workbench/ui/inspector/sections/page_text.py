"""The text of one part, exactly as the model gets it, with a way to the next and the one before."""

from __future__ import annotations

import re

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QAction, QContextMenuEvent, QSyntaxHighlighter, QTextCharFormat, QTextOption
from PySide6.QtWidgets import QWidget

from workbench.ui.look.fonts import font
from workbench.ui.look.space import S1, S2, S3, columns, fill, rows
from workbench.ui.look.theme import colour, theme_of
from workbench.ui.widgets.buttons import tool_button
from workbench.ui.widgets.card import Hairline
from workbench.ui.widgets.code_view import CodeView
from workbench.ui.widgets.labels import ElidedLabel, label, set_text

HEAD = 28
_MARK = re.compile(r"--- .{0,300} ---|\[[^\[\]]{0,400}\]")
_TITLE = re.compile(r"#{1,6} \S.*")


class PartText(CodeView):
    """The text of a part; what is selected in it can be attached."""

    selection_wanted = Signal()

    def __init__(self) -> None:
        super().__init__(wrap=True)
        self.setWordWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setObjectName("code")
        self.setAccessibleName(self.tr("Text of the section"))
        self._marks = _Marks(self)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        made = self.createStandardContextMenu()
        made.addSeparator()
        attach = QAction(self.tr("Attach selection"), made)
        attach.setEnabled(self.textCursor().hasSelection())
        attach.triggered.connect(self.selection_wanted)
        made.addAction(attach)
        made.popup(event.globalPos())


class _Marks(QSyntaxHighlighter):
    """Page marks and what is left out in grey, headings bold: they are part of the text, not of what it says."""

    def __init__(self, view: PartText) -> None:
        super().__init__(view.document())
        self._view = view

    def highlightBlock(self, text: str) -> None:
        look = QTextCharFormat()
        if _MARK.fullmatch(text):
            look.setForeground(colour("t3", theme_of(self._view)))
        elif _TITLE.fullmatch(text):
            look.setFontWeight(600)
        else:
            return
        self.setFormat(0, len(text), look)


class PageText(QWidget):
    """A head with the page, the text, and a line about it.

    Signals:
        stepped: to the next page or the one before.
    """

    stepped = Signal(int)

    def __init__(self) -> None:
        super().__init__()
        self.back = tool_button("chevron-left", self.tr("Page before"), side=22)
        self.on = tool_button("chevron-right", self.tr("Next page"), side=22)
        self.where = label("", "small", "t2")
        self.text = PartText()
        self.note = ElidedLabel("", "small", "t3")
        head = QWidget()
        head.setFixedHeight(HEAD)
        across = columns(head, (S3, 0, S2, 0), S1)
        across.addWidget(label(self.tr("As the model gets it"), "ui_label", "t1"), 1)
        across.addWidget(self.back)
        across.addWidget(self.where)
        across.addWidget(self.on)
        rule = Hairline()
        foot = QWidget()
        foot.setFixedHeight(HEAD)
        columns(foot, (S3, 0, S3, 0)).addWidget(self.note, 1)
        body = QWidget()
        body.setObjectName("code")
        rows(body, (S3, S2, S1, 0)).addWidget(self.text)
        fill(rows(self), head, rule, (body, 1), foot)
        self.text.setFont(font("code"))
        self.back.clicked.connect(lambda: self.stepped.emit(-1))
        self.on.clicked.connect(lambda: self.stepped.emit(1))

    def show_text(self, text: str, where: str, note: str, ends: tuple[bool, bool]) -> None:
        """Show a part; `ends` says whether there is something before it, and after it."""
        if text != self.text.toPlainText():
            self.text.setPlainText(text)
        set_text(self.where, where)
        set_text(self.note, note)
        self.back.setEnabled(ends[0])
        self.on.setEnabled(ends[1])
