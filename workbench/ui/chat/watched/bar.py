"""The bar in the composer's place: a watched chat is read, exported, or gone on from, and not written in."""

from __future__ import annotations

from PySide6.QtCore import QRectF
from PySide6.QtGui import QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QWidget

from workbench.domain.shown.watch_view import WatchView
from workbench.engine.program_intents import PauseWatching
from workbench.engine.state import ChatState
from workbench.ui.look.icons import paint_icon
from workbench.ui.look.painting import fill_rounded, stroke_rounded
from workbench.ui.look.space import columns, fill, rows
from workbench.ui.look.theme import theme_of
from workbench.ui.widgets.buttons import button, on_click
from workbench.ui.widgets.labels import ElidedLabel, label, set_text
from workbench.ui.widgets.plain import tip
from workbench.ui.wishes import ExportChat, GoOnFrom, Wishes

HEIGHT = 52
RADIUS = 12
ICON_ROOM = 28
PAUSE_FROM = 520


class WatchBar(QWidget):
    """Says that nothing is changed, and offers what can be done."""

    def __init__(self, wishes: Wishes, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._wishes = wishes
        self._chat: ChatState | None = None
        self._live = self._on = False
        self.setFixedHeight(HEIGHT)
        self.state = label("", "ui_heading")
        self.line = ElidedLabel("", "small", "t3")
        self.pause = on_click(button("", "ghost", size="small"), self._on_pause)
        self.export = on_click(button(self.tr("Export…")), self._on_export)
        self.export.setToolTip(tip(self.tr("Write this request as a trajectory, curl, JSON lines or OTLP.")))
        self.go_on = on_click(button(self.tr("Go on from here"), "primary"), self._on_go_on)
        self.go_on.setToolTip(
            tip(
                self.tr("Start a chat of your own with this system prompt, history and what tools gave back.")
            )
        )
        across = columns(self, (14, 6, 10, 6), 8)
        across.addSpacing(ICON_ROOM)
        fill(rows(across), self.state, self.line)
        across.setStretch(1, 1)
        fill(across, self.pause, self.export, self.go_on)

    def show_watch(self, watch: WatchView, chat: ChatState) -> None:
        self._chat, self._live = chat, watch.on and not watch.paused
        if not watch.on:
            state, line = self.tr("Watched earlier."), self.tr("Nothing can be changed here.")
        elif watch.paused:
            state, line = self.tr("Paused."), self.tr("Requests pass on; none is kept.")
        else:
            state, line = self.tr("Watching."), self.tr("Nothing is changed.")
        set_text(self.state, state)
        set_text(self.line, line)
        self._on = watch.on
        self._fit()
        self.pause.setText(self.tr("Record again") if watch.paused else self.tr("Pause recording"))
        self.pause.setProperty("paused", watch.paused)
        self.setAccessibleName(f"{state} {line}")
        self.update()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        """In a narrow bar the palette pauses: what is said comes first."""
        self.pause.setVisible(self._on and self.width() >= PAUSE_FROM)

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter, theme = QPainter(self), theme_of(self)
        box = QRectF(self.rect())
        fill_rounded(painter, box, theme.raised, RADIUS)
        stroke_rounded(painter, box, theme.edge, RADIUS)
        paint_icon(painter, QRectF(14, 0, 16, self.height()), "eye", "ok" if self._live else "t3", 16)

    def _on_pause(self) -> None:
        self._wishes.send(PauseWatching(not self.pause.property("paused")))

    def _on_export(self) -> None:
        if self._chat is not None:
            self._wishes.run(ExportChat(self._chat.chat.id))

    def _on_go_on(self) -> None:
        if self._chat is not None:
            shown = self._chat.opened
            self._wishes.run(GoOnFrom(self._chat.chat.id, None if shown is None else shown.turn))
