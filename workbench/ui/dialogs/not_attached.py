"""What was not attached, one by one, each with its reason."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QCoreApplication
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QScrollArea, QWidget

from workbench.domain.attached import LeftOut
from workbench.ui.formatting import tokens
from workbench.ui.look.space import rows
from workbench.ui.widgets.buttons import button
from workbench.ui.widgets.card import Card, CardRow
from workbench.ui.widgets.labels import label
from workbench.ui.widgets.plain import shown, tip
from workbench.ui.widgets.popup import Sheet

MOST_ROWS = 200
ROW, HIGHEST = 52, 520


class NotAttachedDialog(Sheet):
    """A row for each of them; what has no row is in what Copy copies."""

    def __init__(self, left_out: Sequence[LeftOut], parent: QWidget | None = None) -> None:
        count, (title, line) = len(left_out), _words(left_out)
        super().__init__(title, 640, 0, parent)
        self._left_out = tuple(left_out)
        self.rows = [_row(one) for one in self._left_out[:MOST_ROWS]]
        card = Card()
        for row in self.rows:
            card.add_row(row)
        content = QWidget()
        content.setObjectName("transparent")
        column = rows(content, (0, 0, 4, 0), 8)
        column.addWidget(card)
        if count > MOST_ROWS:
            words = _tr("and {n} more: Copy has all of them").format(n=tokens(count - MOST_ROWS))
            column.addWidget(label(words, "small", "t3"))
        column.addStretch(1)
        area = QScrollArea()
        area.setWidgetResizable(True)
        area.setWidget(content)
        area.setAccessibleName(title)
        area.setMinimumHeight(min(HIGHEST, len(self.rows) * (ROW + 1) + 24))
        self.body.addWidget(label(line, "small", "t2"))
        self.body.addWidget(area, 1)
        copy, close = button(_tr("Copy list"), icon="copy"), button(_tr("Close"), "primary")
        copy.clicked.connect(self._copy)
        close.clicked.connect(self.accept)
        close.setDefault(True)
        self.foot.addWidget(copy)
        self.foot.addStretch(1)
        self.foot.addWidget(close)
        close.setFocus()

    def text(self) -> str:
        """All of them, a line each."""
        return "\n".join(f"{one.path}\t{one.reason}" for one in self._left_out)

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(self.text())


def _words(left_out: Sequence[LeftOut]) -> tuple[str, str]:
    """What happened, and what of it all is attached."""
    one, n = len(left_out) == 1, tokens(len(left_out))
    if all(each.stays for each in left_out):
        title = _tr("One could not be read anew") if one else _tr("{n} could not be read anew").format(n=n)
        return title, _tr("The copies from before are attached still.")
    title = _tr("One was not attached") if one else _tr("{n} were not attached").format(n=n)
    return title, _tr("Everything else was attached, if there was more.")


def _row(one: LeftOut) -> CardRow:
    why = shown(f"{one.reason}. {one.advice}" if one.advice else one.reason, 400)
    row = CardRow("file-x", shown(one.path, 200), why)
    row.setToolTip(tip(f"{one.path}: {why}"))
    row.setAccessibleName(f"{shown(one.path, 200)}: {why}")
    return row


def _tr(words: str) -> str:
    return QCoreApplication.translate("NotAttachedDialog", words)
