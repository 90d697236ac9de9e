"""The bands over the attachments: how files get here and how far attaching is, and folders that are followed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import PurePath

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import QSizePolicy, QWidget

from workbench.domain.files.attached import AttachProgress
from workbench.domain.folder_index import FolderProgress, IndexState
from workbench.domain.shown.attachment_view import FollowedRow
from workbench.domain.shown.envelope_view import RowGroup
from workbench.engine.attaching_intents import PauseIndexing, SettleNewFiles, StopAttaching, StopFollowing
from workbench.ui import formatting
from workbench.ui.formatting import tokens
from workbench.ui.look.space import S1, S2, S3, STRETCH, columns, fill, rows
from workbench.ui.look.tones import Tone
from workbench.ui.translation import N_, tr
from workbench.ui.widgets.badge import Badge
from workbench.ui.widgets.buttons import button, on_click, tool_button
from workbench.ui.widgets.card import DASHED, LeadingIcon, Panel
from workbench.ui.widgets.labels import ElidedLabel, KeyCap, label, set_text
from workbench.ui.widgets.plain import shown, tip
from workbench.ui.widgets.progress import ProgressLine
from workbench.ui.wishes import AddFolder, Wishes

ROOM = 44
NAMED = 8


class AttachingLine(QWidget):
    """Seen only while something is being attached."""

    def __init__(self, wishes: Wishes | None = None) -> None:
        super().__init__()
        self.wishes = wishes or Wishes(self)
        self._chat = ""
        self._progress: AttachProgress | None = None
        self.words = ElidedLabel("", "small", "t2")
        self.bar = ProgressLine()
        self.cancel = on_click(button(tr("Cancel"), "link", size="small"), self._stop)
        self.setFixedHeight(ROOM)
        down = rows(self, (S3, 0, S2, S1), 2)
        fill(columns(down, spacing=S2), (self.words, 1), self.cancel)
        down.addWidget(self.bar)
        self.hide()

    def show_progress(self, chat: str, progress: AttachProgress | None) -> bool:
        """Show the progress; return whether the line came or went."""
        if chat == self._chat and progress == self._progress:
            return False
        before, self._chat, self._progress = self._progress, chat, progress
        if progress is not None:
            words = tr("{done} of {total}, reading {name}").format(
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


HINT_HEIGHT = 56


class DropHint(Panel):
    """A dashed box with two short lines."""

    border, radius, dash = "line2", 8, DASHED

    def __init__(self) -> None:
        super().__init__()
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self.setAccessibleName(tr("Drop files or a folder anywhere, or press Ctrl+O"))
        down = rows(self, (S2, S1, S2, S1), 2)
        first = label(tr("Drop files or a folder anywhere"), "small", "t3")
        first.setAlignment(Qt.AlignmentFlag.AlignCenter)
        first.setMinimumWidth(1)
        fill(down, STRETCH, first)
        second = columns(down, spacing=S1)
        fill(second, STRETCH, label(tr("or press"), "small", "t3"), KeyCap("Ctrl+O"), STRETCH)
        down.addStretch(1)

    def sizeHint(self) -> QSize:
        return QSize(160, HINT_HEIGHT)


class FollowedCard(Panel):
    """One folder that is followed; with new files in it, what can be done with them."""

    radius = 6
    leading = LeadingIcon("folder", box=(8, 4, 16, 22))

    def __init__(self, row: FollowedRow, chat: str, wishes: Wishes) -> None:
        super().__init__()
        self.row, self._chat, self._wishes = row, chat, wishes
        name = shown(PurePath(row.path).name or row.path)
        self.name = ElidedLabel(name, "ui_label")
        self.badge = Badge("neutral", "eye", tr("followed"))
        self.stop = tool_button("x", tr("Stop following {name}").format(name=name), side=22)
        self.news = ElidedLabel("", "small", "t2")
        self.add, self.look = button(tr("Add"), size="small"), button(tr("Look"), size="small")
        self.ignore = button(tr("Ignore"), "ghost", size="small")
        down = rows(self, (4, 4, 0, 6), 4)
        fill(columns(down, spacing=6), 24, (self.name, 1), self.badge, self.stop)
        self._below = QWidget()
        inside = rows(self._below, (26, 0, 0, 2), 6)
        inside.addWidget(self.news)
        fill(columns(inside, spacing=6), self.add, self.look, self.ignore, STRETCH)
        down.addWidget(self._below)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self.figures = ElidedLabel("", "small", "t2")
        self.share = ElidedLabel("", "small", "t2")
        self.pause = on_click(button(tr("Pause"), "ghost", size="small"), self._pause)
        self.bar = ProgressLine()
        self._index = QWidget()
        of_index = rows(self._index, (26, 0, 6, 2), 4)
        fill(columns(of_index, spacing=6), (self.figures, 1), self.pause)
        of_index.addWidget(self.bar)
        of_index.addWidget(self.share)
        self.of_share, self.share_bar = QWidget(), ProgressLine()
        self.quoted = label("", "small", "t2")
        self.share_bar.setAccessibleName(tr("Share of the request that is quoted"))
        fill(
            columns(self.of_share, spacing=6),
            label(tr("share"), "small", "t3"),
            (self.share_bar, 1),
            self.quoted,
        )
        self.of_share.hide()
        of_index.addWidget(self.of_share)
        down.addWidget(self._index)
        self.stop.clicked.connect(lambda: wishes.send(StopFollowing(chat, row.path)))
        self.add.clicked.connect(lambda: wishes.send(SettleNewFiles(chat, self.row.path, attach=True)))
        self.look.clicked.connect(self._look)
        self.ignore.clicked.connect(lambda: wishes.send(SettleNewFiles(chat, self.row.path)))
        self.show_row(row)

    def show_row(self, row: FollowedRow) -> None:
        self.row, self.ground = row, "accent_tint" if row.new else ""
        words = "" if row.searched and not row.there else news_words(row)  # then its badge says so
        set_text(self.news, words)
        self._below.setVisible(bool(words))
        for act in (self.add, self.look):
            act.setVisible(bool(row.new))
        self.ignore.setVisible(bool(row.new) or bool(row.gone))
        names = "\n".join(row.new[:NAMED])
        self.news.setToolTip(tip(names))
        about = f"{self.name.text()}: {words}" if words else self.name.text()
        self.setAccessibleName(about)
        for act, verb in ((self.add, tr("Add")), (self.look, tr("Look at")), (self.ignore, tr("Ignore"))):
            act.setAccessibleName(f"{verb}, {about}")
        self.update()
        told = tr("{path} is followed: sections that fit a question are quoted.")
        if not row.searched:
            told = tr("{path} is followed: new files are offered here.")
        self.setToolTip(tip(told.format(path=row.path)))
        self._show_index(row)

    def _show_index(self, row: FollowedRow) -> None:
        """Show how far the index of a searched folder is."""
        self._index.setVisible(row.searched)
        if not row.searched:
            return
        at = row.progress
        state = "waiting" if at is None else at.state
        tone, icon, words = _STATES[state][0], _STATES[state][1], tr(_STATES[state][2])
        if at is not None and state == "indexing" and at.wanted:
            words = tr("indexing {n} %").format(n=round(100 * at.done / at.wanted))
        self.badge.show_words(tone, icon, words)
        busy = state in ("indexing", "paused")
        self.bar.setVisible(state == "indexing")
        self.bar.set_fraction(at.done / at.wanted if at is not None and at.wanted else None)
        self.pause.setVisible(busy)
        self.pause.setText(tr("Resume") if state == "paused" else tr("Pause"))
        set_text(self.figures, "" if at is None else _index_words(at))
        unread = () if at is None else at.unread
        set_text(self.share, tr("{n} not searched").format(n=tokens(len(unread))) if unread else "")
        self.share.setVisible(bool(unread))
        self.share.setToolTip(tip("\n".join(f"{one.path}: {one.reason}" for one in unread[:NAMED])))
        said = "" if at is None or not at.words_only else f", {at.words_only}"
        self.figures.setToolTip(tip(said.removeprefix(", ")))
        self.setAccessibleName(f"{self.name.text()}: {self.badge.word()}, {self.figures.text()}{said}")

    def show_quoted(self, quoted: int, room: int) -> None:
        """Show the tokens that are quoted, of the share that may be."""
        self.of_share.setVisible(bool(room))
        if room:
            set_text(self.quoted, tr("{n} of {room}").format(n=tokens(quoted), room=tokens(room)))
            self.share_bar.set_fraction(quoted / room)

    def _pause(self) -> None:
        paused = self.row.progress is not None and self.row.progress.state == "paused"
        self._wishes.send(PauseIndexing(self._chat, self.row.path, not paused))

    def _look(self) -> None:
        self._wishes.run(AddFolder(self.row.path, self.row.new))

    def sizeHint(self) -> QSize:
        return QSize(160, self.layout().sizeHint().height())


class FollowedList(QWidget):
    """All folders that the chat in view follows; without any it takes no room."""

    def __init__(self, wishes: Wishes) -> None:
        super().__init__()
        self._wishes = wishes
        self._shown: tuple[FollowedRow, ...] = ()
        self._chat = ""
        self.cards: list[FollowedCard] = []
        self._column = rows(self, (6, 0, 6, 0), 2)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self.hide()

    def show_quoted(self, groups: Iterable[RowGroup]) -> None:
        """Show how much each folder is quoted with in the next request, and of which share."""
        quoted = {one.server: (one.tokens, one.room) for one in groups if one.kind == "quoted"}
        for card in self.cards:
            card.show_quoted(*quoted.get(card.row.path, (0, 0)))

    def show_folders(self, chat: str, found: tuple[FollowedRow, ...]) -> bool:
        """Show the folders of a chat; return whether anything changed."""
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


_STATES: Mapping[IndexState, tuple[Tone, str, str]] = {
    "up to date": ("ok", "check", N_("up to date")),
    "indexing": ("info", "clock", N_("indexing")),
    "paused": ("neutral", "stop", N_("paused")),
    "not found": ("err", "out", N_("not found")),
    "waiting": ("neutral", "clock", N_("waiting")),
}


def _index_words(at: FolderProgress) -> str:
    """How much can be found, and what of the folder is beyond the limit."""
    words = tr("{files} files · {sections} sections").format(
        files=tokens(at.files), sections=tokens(at.sections)
    )
    more = (
        tr("{n} files beyond the limit").format(n=tokens(at.over)) if at.over else "",
        tr("by words only") if at.words_only else "",
    )
    return " · ".join(filter(None, (words, *more)))


def news_words(row: FollowedRow) -> str:
    """What changed in a folder, in a few words; empty where nothing did."""
    if not row.there:
        return tr("can’t be read now")
    new = len(row.new)
    parts = []
    if new:
        parts.append(tr("1 new file") if new == 1 else tr("{n} new files").format(n=tokens(new)))
    if row.gone:
        parts.append(tr("1 gone") if row.gone == 1 else tr("{n} gone").format(n=tokens(row.gone)))
    return ", ".join(parts)
