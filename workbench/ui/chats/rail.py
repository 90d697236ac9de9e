"""The rail that takes the left column's place in a narrow window: icons, and the worst news of the attachments."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from workbench.domain.shown.attachment_view import AttachmentRow
from workbench.engine.state import ChatState, WorkbenchState
from workbench.ui.look.fonts import font, metrics
from workbench.ui.look.painting import fill_rounded, set_text_style
from workbench.ui.look.space import S2, columns, fill, rows
from workbench.ui.look.theme import colour, theme_of
from workbench.ui.look.tones import TONES, Tone
from workbench.ui.translation import tr
from workbench.ui.widgets.buttons import ToolButton, tool_button
from workbench.ui.widgets.card import Hairline
from workbench.ui.widgets.plain import tip
from workbench.ui.wishes import CommandId, Wishes

WIDTH = 48
BADGE = 16


class Rail(QWidget):
    """Icons instead of a column."""

    def __init__(self, wishes: Wishes | None = None) -> None:
        super().__init__()
        self.wishes = wishes or Wishes(self)
        self._rows: tuple[AttachmentRow, ...] | None = None
        self.menu = tool_button("menu", tr("Menu"), tr("Menu (F10)"))
        self.new = tool_button("plus", tr("New chat"), tr("New chat (Ctrl+N)"))
        self.search = tool_button("search", tr("Search chats"), tr("Search chats (Ctrl+Shift+F)"))
        self.chats = tool_button("chat", tr("Chats"))
        self.attachments = BadgedButton("clip", tr("Attachments"))
        self.inspector = tool_button("layers", tr("Request"), tr("Request (Ctrl+I)"))
        self.settings = tool_button("gear", tr("Settings"), tr("Settings (Ctrl+,)"))
        self._build()

    def _build(self) -> None:
        self.setFixedWidth(WIDTH)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Expanding)
        down = rows(None, (0, 8, 0, 10))
        fill(columns(self), (down, 1), Hairline(upright=True))
        meant: tuple[tuple[CommandId, ToolButton], ...] = (
            ("menu", self.menu), ("new-chat", self.new), ("search", self.search), ("chats", self.chats),
            ("attachments", self.attachments), ("inspector", self.inspector), ("settings", self.settings),
        )  # fmt: skip
        for wish, made in meant:
            made.clicked.connect(partial(self._on_pressed, wish))
            if made is self.settings:
                down.addStretch(1)
            down.addWidget(made, 0, Qt.AlignmentFlag.AlignHCenter)
            if made is self.menu:
                fill(down, 7, Hairline(), S2)  # where the heads of the other columns end
            elif made is not self.settings:
                down.addSpacing(S2)

    def _on_pressed(self, wish: CommandId) -> None:
        self.wishes.run(wish)

    def show_state(self, state: WorkbenchState, chat: ChatState | None) -> None:
        found = chat.attachments if chat is not None else ()
        if found is not self._rows:
            self._rows = found
            self.attachments.show_badge(len(found), worst_tone(found))


class BadgedButton(ToolButton):
    """A square button with a count at its corner."""

    def __init__(self, icon: str, name: str) -> None:
        super().__init__(icon, name)
        self._name = name
        self._count = 0
        self._tone: Tone = "neutral"
        self.setToolTip(tip(name))

    def show_badge(self, count: int, tone: Tone) -> None:
        """Show how many there are; the tone's word is spoken and in the tooltip."""
        self._count, self._tone = count, tone
        words = self._words()
        self.setAccessibleName(words)
        self.setToolTip(tip(words))
        self.update()

    def badge(self) -> tuple[int, Tone]:
        return self._count, self._tone

    def _words(self) -> str:
        if not self._count:
            return self._name
        match self._tone:
            case "err":
                said = tr("{name}: {n}, something is left out or unreadable")
            case "warn":
                said = tr("{name}: {n}, a file has changed")
            case _:
                said = tr("{name}: {n}")
        return said.format(name=self._name, n=self._count)

    def sizeHint(self) -> QSize:
        return QSize(46, 28)

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        if not self._count:
            return
        theme, painter = theme_of(self), QPainter(self)
        ground, ink, _ = TONES[self._tone]
        words = str(self._count) if self._count < 100 else "99+"
        width = max(BADGE, metrics("tag").horizontalAdvance(words) + 6)
        box = QRectF(self.width() - width, 0, width, BADGE)
        fill_rounded(painter, box, colour(ground, theme), BADGE / 2)
        set_text_style(painter, font("tag"), colour(ink, theme))
        painter.drawText(box, Qt.AlignmentFlag.AlignCenter, words)


def worst_tone(found: tuple[AttachmentRow, ...]) -> Tone:
    """The tone of the attachment that most wants to be seen."""
    if any(row.state in ("dropped", "unreadable") or row.disk == "unreadable" for row in found):
        return "err"
    if any(row.state in ("stale", "unseen") or row.disk in ("changed", "gone") for row in found):
        return "warn"
    return "neutral"
