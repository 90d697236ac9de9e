"""Whom a change here reaches: the chats of a workspace, how long each is warm, and what a change would cost there."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from PySide6.QtCore import QElapsedTimer, Qt, QTimer
from PySide6.QtGui import QHideEvent, QPainter, QPaintEvent, QShowEvent
from PySide6.QtWidgets import QGridLayout, QLabel, QSizePolicy

from workbench.domain.record import Chat
from workbench.domain.shown.reach import ChatReach
from workbench.ui import formatting
from workbench.ui.look.space import rows
from workbench.ui.look.theme import colour, theme_of
from workbench.ui.translation import translator
from workbench.ui.widgets.card import Card
from workbench.ui.widgets.labels import ElidedLabel, label, set_text
from workbench.ui.widgets.plain import shown
from workbench.ui.workspace.rows import Section

_tr = translator("Reach")

MOST_WARM = 8
TICK_MS = 1000


@dataclass(frozen=True, slots=True)
class ReachLine:
    """A line of the table, in words; `tone` is that of its price."""

    name: str
    warm: str = ""
    cached: str = ""
    price: str = ""
    tone: str = "t2"


def reach_lines(chats: Sequence[Chat], reach: Mapping[str, ChatReach], now_utc: str) -> tuple[ReachLine, ...]:
    """Warm chats one by one, the longest warm first; cold ones and those nobody knows of each in one line; the sum."""
    known = [(chat, reach[chat.id]) for chat in chats if chat.id in reach and reach[chat.id].known]
    left = {chat.id: _left(one.until_utc, now_utc) for chat, one in known}
    warm = [(chat, one) for chat, one in known if left[chat.id] > 0 or not one.until_utc]
    warm.sort(key=lambda pair: left[pair[0].id], reverse=True)
    lines = [_warm_line(chat, one, left[chat.id]) for chat, one in warm[:MOST_WARM]]
    if warm[MOST_WARM:]:
        lines.append(_together(_tr("{n} more"), [one for _, one in warm[MOST_WARM:]]))
    cold = len(known) - len(warm)
    if cold:
        others = _tr("1 other") if cold == 1 else _tr("{n} others").format(n=cold)
        words = others if warm else formatting.counted(cold, _tr("1 chat"), _tr("{n} chats"))
        lines.append(ReachLine(words, _tr("cold"), "0", _tr("free"), "ok"))
    unknown = len(chats) - len(known)
    if unknown:
        lines.append(ReachLine(_tr("{n} unknown").format(n=unknown), "–", "–", "–", "t3"))
    if warm:
        lines.append(
            _together(
                _tr("1 chat") if len(chats) == 1 else _tr("{n} chats"), [one for _, one in warm], len(chats)
            )
        )
    return tuple(lines)


def _warm_line(chat: Chat, one: ChatReach, left_s: float) -> ReachLine:
    minutes, seconds = divmod(int(left_s), 60)
    warm = f"{minutes}:{seconds:02}" if one.until_utc else _tr("not known")
    title = shown(chat.title, 120) or _tr("New chat")
    return ReachLine(title, warm, formatting.tokens(one.cached_tokens), *_price([one]))


def _together(words: str, reached: Sequence[ChatReach], count: int = 0) -> ReachLine:
    tokens = sum(one.cached_tokens for one in reached)
    return ReachLine(words.format(n=count or len(reached)), "", formatting.tokens(tokens), *_price(reached))


def _price(reached: Iterable[ChatReach]) -> tuple[str, str]:
    """What reading anew costs together; only what is known, and said to be only that."""
    found = list(reached)
    if all(one.local for one in found):
        return _tr("only time"), "t2"
    known = [one.reread_usd for one in found if one.reread_usd is not None]
    if not known or (not sum(known) and len(known) < len(found)):
        return _tr("price not known"), "t3"
    words = formatting.signed_usd(sum(known))
    return (words if len(known) == len(found) else _tr("at least {price}").format(price=words)), "warn"


def _left(until_utc: str, now_utc: str) -> float:
    try:
        until, now = datetime.fromisoformat(until_utc), datetime.fromisoformat(now_utc)
    except ValueError:
        return 0.0
    return max(0.0, (until - now).total_seconds())


class ReachSection(Section):
    """The table; its times run while it is seen, unless `runs` says that they stand still."""

    def __init__(self) -> None:
        super().__init__("", "")
        self.title.setText(self.tr("Chats affected by a change"))
        self.table = _Table()
        self.note = label(
            self.tr("Changes apply on a chat’s next turn. A warm cache is re-read then."),
            "small",
            "t2",
            wrap=True,
        )
        self.down.addWidget(self.table)
        self.down.addWidget(self.note)
        self._chats: tuple[Chat, ...] = ()
        self._reach: Mapping[str, ChatReach] = {}
        self._now = ""
        self.runs = True
        self._since = QElapsedTimer()
        self._timer = QTimer(self)
        self._timer.setInterval(TICK_MS)
        self._timer.timeout.connect(self._draw)

    def show_reach(self, chats: Sequence[Chat], reach: Mapping[str, ChatReach], now_utc: str) -> None:
        """Show how the chats stand at a moment; time goes on from there."""
        self._chats, self._reach, self._now = tuple(chats), reach, now_utc
        self._since.start()
        self.setVisible(bool(chats))
        self._draw()

    def showEvent(self, event: QShowEvent) -> None:
        """Times run only while they are seen."""
        super().showEvent(event)
        self._timer.start()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._timer.stop()

    def _draw(self) -> None:
        now = _later(self._now, self._since.elapsed() / 1000 if self.runs and self._since.isValid() else 0.0)
        lines = reach_lines(self._chats, self._reach, now)
        self.table.show_lines(lines)
        warm = sum(1 for chat in self._chats if _is_warm(self._reach.get(chat.id), now))
        one = self.tr("1 chat, warm") if warm else self.tr("1 chat, not warm")
        words = formatting.counted(len(self._chats), one, self.tr("{n} chats, {warm} of them warm"))
        self.say(words.replace("{warm}", formatting.tokens(warm)))


def _is_warm(one: ChatReach | None, now_utc: str) -> bool:
    return one is not None and one.known and _left(one.until_utc, now_utc) > 0


def _later(utc: str, seconds: float) -> str:
    try:
        return (datetime.fromisoformat(utc) + timedelta(seconds=seconds)).isoformat()
    except ValueError:
        return utc


class _Table(Card):
    """Four columns of words under a head, each row spoken as one."""

    def __init__(self) -> None:
        super().__init__()
        self._grid = QGridLayout()
        self._grid.setContentsMargins(12, 4, 12, 4)
        self._grid.setHorizontalSpacing(16)
        self._grid.setVerticalSpacing(0)
        self._grid.setColumnStretch(0, 1)
        rows(self).addLayout(self._grid)
        self._cells: list[list[QLabel]] = []
        head = (_tr("Chat"), _tr("Warm for"), _tr("Cached now"), _tr("If instructions change"))
        self._add(ReachLine(*head), "t3")
        self._lines: tuple[ReachLine, ...] = ()

    def words(self) -> list[str]:
        return [" ".join(filter(None, (cell.text() for cell in row))) for row in self._cells]

    def show_lines(self, lines: Sequence[ReachLine]) -> None:
        shape = [(line.tone, not line.warm and not line.name) for line in lines]
        if shape != [(line.tone, not line.warm and not line.name) for line in self._lines]:
            for row in self._cells[1:]:
                for cell in row:
                    self._grid.removeWidget(cell)
                    cell.deleteLater()
            del self._cells[1:]
            for line in lines:
                self._add(line, "t1")
        self._lines = tuple(lines)
        for row, line in zip(self._cells[1:], lines, strict=True):
            for cell, words in zip(row, (line.name, line.warm, line.cached, line.price), strict=True):
                set_text(cell, words)
            row[0].setAccessibleName(", ".join(filter(None, (line.name, line.warm, line.cached, line.price))))

    def _add(self, line: ReachLine, token: str) -> None:
        at = len(self._cells)
        small = at == 0
        name = ElidedLabel(line.name, "small" if small else "ui", token)
        name.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        ends = [
            label(words, "small" if small else "ui", tone)
            for words, tone in (
                (line.warm, token if small else "t2"),
                (line.cached, token),
                (line.price, token if small else line.tone),
            )
        ]
        row: list[QLabel] = [name, *ends]
        for column, cell in enumerate(row):
            cell.setFixedHeight(27)
            if column:
                cell.setAlignment(Qt.AlignmentFlag.AlignTrailing | Qt.AlignmentFlag.AlignVCenter)
            self._grid.addWidget(cell, at, column)
        self._cells.append(row)

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        painter = QPainter(self)
        for row in self._cells[1:]:
            painter.fillRect(1, row[0].y(), self.width() - 2, 1, colour("line", theme_of(self)))
