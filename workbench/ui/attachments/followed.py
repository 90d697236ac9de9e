"""Folders that are followed, above the attachments: what is new in each, to be added, looked at or passed over."""

from __future__ import annotations

from pathlib import PurePath

from PySide6.QtCore import QRectF, QSize
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from workbench.domain.shown.folder_view import FollowedRow
from workbench.engine.folder_intents import SettleNewFiles, StopFollowing
from workbench.ui.formatting import tokens
from workbench.ui.look.icons import paint_icon
from workbench.ui.look.painting import fill_rounded
from workbench.ui.look.space import STRETCH, columns, fill, rows
from workbench.ui.look.theme import theme_of
from workbench.ui.translation import translator
from workbench.ui.widgets.badge import Badge
from workbench.ui.widgets.buttons import button, tool_button
from workbench.ui.widgets.labels import ElidedLabel, label, set_text
from workbench.ui.widgets.plain import shown, tip
from workbench.ui.wishes import AddFolder, Wishes

_tr = translator("FollowedFolders")

NAMED = 8


class FollowedCard(QWidget):
    """One folder that is followed; with new files in it, what can be done with them."""

    def __init__(self, row: FollowedRow, chat: str, wishes: Wishes) -> None:
        super().__init__()
        self.row, self._chat, self._wishes = row, chat, wishes
        name = shown(PurePath(row.path).name or row.path)
        self.name = ElidedLabel(name, "ui_label")
        self.badge = Badge("neutral", "eye", _tr("followed"))
        self.stop = tool_button("x", _tr("Stop following {name}").format(name=name), side=22)
        self.news = label("", "small", "t2")
        self.add, self.look = button(_tr("Add"), size="small"), button(_tr("Look"), size="small")
        self.ignore = button(_tr("Ignore"), "ghost", size="small")
        down = rows(self, (10, 4, 6, 6), 4)
        fill(columns(down, spacing=6), 20, (self.name, 1), self.badge, self.stop)
        self._below = QWidget()
        inside = rows(self._below, (26, 0, 0, 2), 6)
        inside.addWidget(self.news)
        fill(columns(inside, spacing=6), self.add, self.look, self.ignore, STRETCH)
        down.addWidget(self._below)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self.stop.clicked.connect(lambda: wishes.send(StopFollowing(chat, row.path)))
        self.add.clicked.connect(lambda: wishes.send(SettleNewFiles(chat, self.row.path, attach=True)))
        self.look.clicked.connect(self._look)
        self.ignore.clicked.connect(lambda: wishes.send(SettleNewFiles(chat, self.row.path)))
        self.show_row(row)

    def show_row(self, row: FollowedRow) -> None:
        self.row = row
        words = news_words(row)
        set_text(self.news, words)
        self._below.setVisible(bool(words))
        for act in (self.add, self.look):
            act.setVisible(bool(row.new))
        self.ignore.setVisible(bool(row.new) or bool(row.gone))
        names = "\n".join(row.new[:NAMED])
        self.news.setToolTip(tip(names))
        about = f"{self.name.text()}: {words}" if words else self.name.text()
        self.setAccessibleName(about)
        for act, verb in ((self.add, _tr("Add")), (self.look, _tr("Look at")), (self.ignore, _tr("Ignore"))):
            act.setAccessibleName(f"{verb}, {about}")
        self.setToolTip(tip(_tr("{path} is followed: new files are offered here.").format(path=row.path)))

    def _look(self) -> None:
        self._wishes.run(AddFolder(self.row.path, self.row.new))

    def sizeHint(self) -> QSize:
        return QSize(160, self.layout().sizeHint().height())

    def paintEvent(self, _event: QPaintEvent) -> None:
        theme, painter = theme_of(self), QPainter(self)
        if self.row.new:
            fill_rounded(painter, QRectF(self.rect()).adjusted(6, 0, -6, 0), theme.accent_tint, 6)
        spot = QRectF(14, 4, 16, 22)
        paint_icon(painter, spot, "folder", "t2", 16)


class FollowedList(QWidget):
    """All folders that the chat in view follows; without any it takes no room."""

    def __init__(self, wishes: Wishes) -> None:
        super().__init__()
        self._wishes = wishes
        self._shown: tuple[FollowedRow, ...] = ()
        self._chat = ""
        self.cards: list[FollowedCard] = []
        self._column = rows(self, spacing=2)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self.hide()

    def show_folders(self, chat: str, found: tuple[FollowedRow, ...]) -> bool:
        """Show the folders of a chat; whether anything is another."""
        if (chat, found) == (self._chat, self._shown):
            return False
        same = chat == self._chat and [one.path for one in found] == [one.path for one in self._shown]
        self._chat, self._shown = chat, found
        if same:
            for card, row in zip(self.cards, found, strict=True):
                card.show_row(row)
        else:
            self._make(chat, found)
        self.setVisible(bool(found))
        return True

    def room(self) -> int:
        return self.sizeHint().height() if self._shown else 0

    def _make(self, chat: str, found: tuple[FollowedRow, ...]) -> None:
        for card in self.cards:
            self._column.removeWidget(card)
            card.deleteLater()
        self.cards = [FollowedCard(row, chat, self._wishes) for row in found]
        for card in self.cards:
            self._column.addWidget(card)


def news_words(row: FollowedRow) -> str:
    """What changed in a folder, in a few words; empty where nothing did."""
    if not row.there:
        return _tr("cannot be read now")
    new = len(row.new)
    parts = []
    if new:
        parts.append(_tr("1 new file") if new == 1 else _tr("{n} new files").format(n=tokens(new)))
    if row.gone:
        parts.append(_tr("1 gone") if row.gone == 1 else _tr("{n} gone").format(n=tokens(row.gone)))
    return ", ".join(parts)
