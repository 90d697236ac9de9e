"""The bar of requests that are held, in the composer's place: how long, until when, and Send, Edit or Refuse."""

from __future__ import annotations

import json
from datetime import datetime

from PySide6.QtCore import QElapsedTimer, QTimer
from PySide6.QtGui import QHideEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QBoxLayout, QWidget

from workbench.domain.errors import InvalidInput
from workbench.domain.reading.json_text import parse_json
from workbench.domain.reading.loose_json import parsed
from workbench.domain.shown.sessions_view import HeldView, WatchView
from workbench.engine.program_intents import AnswerHeld
from workbench.ui import formatting
from workbench.ui.look.fonts import font
from workbench.ui.look.space import STRETCH, columns, fill, rows
from workbench.ui.translation import tr
from workbench.ui.widgets.buttons import button, on_click
from workbench.ui.widgets.card import LeadingIcon, Panel
from workbench.ui.widgets.choice import TextField
from workbench.ui.widgets.floating import Sheet
from workbench.ui.widgets.labels import ElidedLabel, label, set_text
from workbench.ui.widgets.plain import shown, tip
from workbench.ui.wishes import Wishes

HEIGHT, NARROW_HEIGHT, NARROW_PX, RADIUS, ICON_ROOM = 60, 100, 500, 12, 28
EDIT_WIDTH, EDIT_HEIGHT = 820, 620


def _clock(seconds: float) -> str:
    whole = max(0, round(seconds))
    return f"{whole // 60}:{whole % 60:02}"


class HoldBar(Panel):
    """The oldest request that waits."""

    ground, border, radius = "raised", "warn", RADIUS
    leading = LeadingIcon("clock", "warn", box=(14, 0, 16, 0))

    def __init__(self, wishes: Wishes, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._wishes = wishes
        self._held: HeldView | None = None
        self._count = 0
        self._before_s = 0.0
        self._since = QElapsedTimer()
        self._tick = QTimer(self)
        self._tick.setInterval(1000)
        self._tick.timeout.connect(self._tell)
        self.setFixedHeight(HEIGHT)
        self.state = label("", "ui_heading")
        self.line = ElidedLabel("", "small", "t3")
        self.refuse = on_click(button(tr("Refuse"), "ghost"), lambda: self._answer(send=False))
        self.refuse.setToolTip(tip(tr("Answer with the vendor’s own error. Nothing is sent.")))
        self.edit = on_click(button(tr("Edit…")), self._edit)
        self.edit.setToolTip(tip(tr("Change this one request before it is sent.")))
        self.send = on_click(button(tr("Send"), "primary", icon="send"), lambda: self._answer(send=True))
        self._across = columns(self, (14 + ICON_ROOM, 6, 10, 6), 6)
        words = fill(rows(None), self.state, self.line)
        self._across.addLayout(words, 1)
        fill(columns(self._across, spacing=8), STRETCH, self.refuse, self.edit, self.send)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """In a narrow window the buttons stand on a line of their own."""
        super().resizeEvent(event)
        narrow = self.width() < NARROW_PX
        way = QBoxLayout.Direction.TopToBottom if narrow else QBoxLayout.Direction.LeftToRight
        self._across.setDirection(way)
        self.setFixedHeight(NARROW_HEIGHT if narrow else HEIGHT)

    def show_watch(self, watch: WatchView, now_utc: str) -> None:
        """Show the oldest held request."""
        held = watch.held[0] if watch.held else None
        self._count = len(watch.held)
        if held is not None and (self._held is None or held.n != self._held.n):
            began = datetime.fromisoformat(held.since_utc)
            now = datetime.fromisoformat(now_utc) if now_utc else began
            self._before_s = max(0.0, (now - began).total_seconds())
            self._since.start()
        self._held = held
        self._tell()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._tick.start()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._tick.stop()

    def _tell(self) -> None:
        held = self._held
        if held is None:
            return
        waited = self._before_s + self._since.elapsed() / 1000
        one, several = tr("1 request held for {time}"), tr("{n} requests held, the first for {time}")
        set_text(self.state, formatting.counted(self._count, one, several).replace("{time}", _clock(waited)))
        name = shown(held.program or tr("Its program"), 40)
        if held.gives_up_s is None:
            words = tr("{name} doesn’t say when it gives up.").format(name=name)
        elif waited < held.gives_up_s:
            words = tr("{name} gives up in {time}.").format(name=name, time=_clock(held.gives_up_s - waited))
        else:
            words = tr("{name} may have given up.").format(name=name)
        set_text(self.line, words)
        self.setAccessibleName(f"{self.state.text()}. {words}")

    def _answer(self, *, send: bool) -> None:
        if self._held is not None:
            self._wishes.send(AnswerHeld(self._held.n, send))

    def _edit(self) -> None:
        held = self._held
        if held is not None:
            # While somebody edits, its program may give up, and another request be the oldest.
            sheet = EditSheet(held, self.window())
            sheet.accepted.connect(lambda: self._wishes.send(AnswerHeld(held.n, True, sheet.body_text())))
            sheet.open()


class EditSheet(Sheet):
    """The body of a held request as text; what is sent must be JSON."""

    def __init__(self, held: HeldView, parent: QWidget | None = None) -> None:
        super().__init__(tr("Edit this request"), EDIT_WIDTH, EDIT_HEIGHT, parent)
        self._held = held
        self.text = TextField(tr("The request’s body"))
        self.text.setAccessibleName(tr("The request’s body"))
        self.text.setFont(font("code"))
        self.text.setPlainText(_indented(held.body))
        self._unedited = self.text.toPlainText()
        self.problem = label("", "small", "err")
        self.send = on_click(button(tr("Send"), "primary"), self.accept)
        told = label(
            tr("The change is for this request alone; the next one is not changed."),
            "small",
            "t2",
            wrap=True,
        )
        fill(self.body, told, (self.text, 1))
        fill(self.foot, self.problem, STRETCH, on_click(button(tr("Cancel")), self.reject), self.send)
        self.text.textChanged.connect(self._check)

    def body_text(self) -> str:
        """What is to be sent: as it was where nothing was changed."""
        typed = self.text.toPlainText()
        return self._held.body if typed == self._unedited else typed

    def _check(self) -> None:
        try:
            found = parse_json(self.text.toPlainText())
            problem = "" if isinstance(found, dict) else tr("The body must be a JSON object.")
        except InvalidInput as wrong:
            problem = shown(str(wrong), 100)
        set_text(self.problem, problem)
        self.send.setEnabled(not problem)


def _indented(body: str) -> str:
    found = parsed(body)
    return body if found is None else json.dumps(found, indent=2, ensure_ascii=False)
