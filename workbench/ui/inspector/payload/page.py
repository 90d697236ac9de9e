"""The page that shows exactly what goes out: as messages, as JSON and as a command, byte for byte."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import cast

from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QGuiApplication, QKeySequence, QShortcut, QShowEvent

from workbench.domain.shown.envelope_view import EnvelopeView, RowKey, SegmentRow
from workbench.domain.text import repair_text
from workbench.domain.wire_form import WireForm
from workbench.engine.intents import LookAhead, OpenTurn
from workbench.engine.state import ChatState, WorkbenchState
from workbench.ui.inspector.head import is_same_request
from workbench.ui.inspector.pages import Page
from workbench.ui.inspector.payload.document import row_index
from workbench.ui.inspector.payload.reader import (
    Check,
    Found,
    PayloadFoot,
    PayloadReader,
    Writing,
    foot_words,
)
from workbench.ui.inspector.payload.tools import PayloadTools, SelectionLine
from workbench.ui.inspector.payload.written import COMPACT, curl_text, json_text
from workbench.ui.inspector.rows.row_words import (
    IN_FLIGHT,
    NEXT,
    in_flight_name,
    next_name,
    turn_options,
    value_of,
)
from workbench.ui.look.space import fill, rows
from workbench.ui.widgets.guided import lead_to
from workbench.ui.wishes import Wishes

# Which bytes of the body each piece of a request is.


@dataclass(frozen=True, slots=True)
class BodyBytes:
    """How long the body is, and the range of each piece in it, by message and piece; the end is not part of it."""

    total_bytes: int
    ranges: Mapping[tuple[int, int], tuple[int, int]]


def body_bytes(form: WireForm) -> BodyBytes:
    """The ranges of the pieces in the bytes that are sent; of a piece in several blocks, from first to last."""
    written = json_text(form, COMPACT)
    found: dict[tuple[int, int], tuple[int, int]] = {}
    at, in_bytes = 0, 0
    for span in written.spans:
        first = in_bytes + len(encoded(written.text[at : span.start]))
        in_bytes = first + len(encoded(written.text[span.start : span.end]))
        at = span.end
        begun = found.get((span.message, span.piece), (first, first))
        found[span.message, span.piece] = (begun[0], in_bytes)
    return BodyBytes(in_bytes + len(encoded(written.text[at:])), found)


def sent_text(form: WireForm) -> str:
    """The body as it is sent, in one line; half a pair is replaced, as it is on its way out."""
    return repair_text(json_text(form, COMPACT).text)


def encoded(text: str) -> bytes:
    """The text in UTF-8; half a pair, which has no encoding, takes the three bytes of what is sent in its place."""
    return text.encode("utf-8", "surrogatepass")


SETTLE_MS = 100
"""While someone types, the request changes with every letter; the text follows a moment later."""


class PayloadPage(Page):
    """Computes nothing while it is hidden: the text of a request is made when someone looks at it."""

    def __init__(self, wishes: Wishes | None = None) -> None:
        super().__init__(wishes)
        self._chat: ChatState | None = None
        self._view: EnvelopeView | None = None
        self._form: WireForm | None = None
        self._bytes: BodyBytes | None = None
        self._key: RowKey | None = None
        self.tools = PayloadTools()
        self.selection = SelectionLine()
        self.reader = PayloadReader()
        self.foot = PayloadFoot()
        fill(rows(self), self.tools, self.selection, (self.reader, 1), self.foot)
        self._settle = _timer(self, SETTLE_MS)
        self._settle.timeout.connect(self._refresh)
        self._count = _timer(self, 0)
        self._count.timeout.connect(self._count_bytes)
        self.setFocusProxy(self.reader.text)
        lead_to(self, "request")
        self._connect()
        self._rewrite()

    def _connect(self) -> None:
        self.tools.forms.chosen.connect(self._on_writing)
        self.tools.request_chosen.connect(self._on_request)
        self.tools.field.textChanged.connect(self._on_find)
        self.tools.find_stepped.connect(self._on_step_hit)
        self.tools.copy_wanted.connect(self._on_copy)
        self.selection.steps.stepped.connect(self._on_step_row)
        self.selection.layers_wanted.connect(self._on_layers)
        self.reader.picked.connect(self._on_pick)
        find = QShortcut(QKeySequence("Ctrl+G"), self)
        find.setContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
        find.activated.connect(self.focus_find)

    def show_state(self, state: WorkbenchState, chat: ChatState | None) -> None:
        """Show a state: at once where it is another request, a moment later where the same one changed."""
        before, self._chat = self._chat, chat
        if before is chat or not self.isVisible():
            return
        if before is not None and chat is not None and is_same_request(before.shown, chat.shown):
            self._settle.start()
        else:
            self._refresh()

    def select(self, key: RowKey | None) -> None:
        if key != self._key:
            self._key = key
            self.reader.select(key)
            self._show_selection()

    def focus_find(self) -> None:
        """Look for something; once more goes on to the next hit."""
        if self.tools.field.hasFocus():
            self._on_step_hit(1)
        self.tools.field.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.tools.field.selectAll()

    def copy_curl(self) -> None:
        view = self._chat.shown if self._chat is not None else None
        form = view.wire() if view is not None else None
        if form is not None and form.url:
            QGuiApplication.clipboard().setText(curl_text(form).text)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._refresh()

    def _refresh(self) -> None:
        self._settle.stop()
        view = self._chat.shown if self._chat is not None else None
        self._offer(view)
        if view is not self._view:
            if not is_same_request(view, self._view):
                self.reader.forget()
            self._view, self._bytes = view, None
            self._form = view.wire() if view is not None else None
            self._rewrite()
        self._show_foot()

    def _rewrite(self) -> None:
        self.reader.show_request(self._view, self._form, cast(Writing, self.tools.forms.current()))
        self.reader.select(self._key)
        self._show_selection()
        self._show_found(self.reader.found())
        self._count.start()

    def _offer(self, view: EnvelopeView | None) -> None:
        chat = self._chat
        watched = chat is not None and chat.chat.filed.watched is not None
        options = [] if watched else [(NEXT, next_name())]
        if chat is not None and chat.in_flight is not None:
            options.append((IN_FLIGHT, in_flight_name(chat.in_flight.turn)))
        turns = chat.turns if chat is not None else ()
        options += turn_options(turns, view.turn if view is not None else None)
        self.tools.offer(tuple(options), value_of(view) if view is not None else NEXT)

    def _count_bytes(self) -> None:
        """Find out which bytes each piece is; after the text is painted, since nobody waits for it."""
        if self._bytes is None and self._form is not None:
            self._bytes = body_bytes(self._form)
        self._show_selection()
        self._show_foot()

    def _show_selection(self) -> None:
        sent = self._rows()
        row = self._view.row(self._key) if self._view is not None and self._key is not None else None
        self.selection.setVisible(row is not None)
        if row is None:
            return
        number = sent.index(row) + 1 if row in sent else 0
        self.selection.show_row(row, (number, len(sent)))
        total = self._bytes.total_bytes if self._bytes is not None else 0
        self.selection.show_bytes(self._byte_range(row.key), total, row.counted)

    def _rows(self) -> list[SegmentRow]:
        layers = self._view.layers if self._view is not None else ()
        return [row for layer in layers for row in layer.rows if row.counted]

    def _byte_range(self, key: RowKey) -> tuple[int, int] | None:
        """From the first byte of a row's first piece to the end of its last."""
        if self._form is None or self._bytes is None or self._view is None:
            return None
        owners = row_index(self._view)
        found = [
            self._bytes.ranges[number, index]
            for number, message in enumerate(self._form.messages)
            for index, piece in enumerate(message.pieces)
            if owners.get((piece.layer, piece.id)) == key and (number, index) in self._bytes.ranges
        ]
        return (found[0][0], found[-1][1]) if found else None

    def _show_foot(self) -> None:
        self.foot.setVisible(self._view is not None)
        if self._view is not None:
            total = self._bytes.total_bytes if self._bytes is not None else None
            self.foot.say(foot_words(self._view, self._check(self._view), total))

    def _check(self, view: EnvelopeView) -> Check | None:
        """The digests of the turn that is shown; where it is not sent yet, of the last one that was."""
        turns = self._chat.turns if self._chat is not None else ()
        if view.standing == "next":
            last = next((turn for turn in reversed(turns) if turn.state != "running"), None)
            return None if last is None else Check(last.number, last.shown_digest, last.digest)
        turn = next((turn for turn in reversed(turns) if turn.number == view.turn), None)
        shown = self._form.digest if self._form is not None else ""
        return None if turn is None else Check(turn.number, shown, turn.digest)

    def _show_found(self, found: Found) -> None:
        words = self.tools.hit_words(found.number, found.hits, found.more) if self.tools.field.text() else ""
        self.tools.show_hits(words)

    def _on_find(self, words: str) -> None:
        self._show_found(self.reader.look_for(words))

    def _on_step_hit(self, by: int) -> None:
        self._show_found(self.reader.step(by))

    def _on_writing(self) -> None:
        self._catch_up()
        self._rewrite()

    def _catch_up(self) -> None:
        """Whoever does something with the text means the newest."""
        if self._settle.isActive():
            self._refresh()

    def _on_copy(self) -> None:
        self._catch_up()
        # Line ends and spaces of JSON are for the eye: a copy has the bytes that are sent.
        sent = (
            sent_text(self._form) if self._form is not None and self.tools.forms.current() == "json" else None
        )
        QGuiApplication.clipboard().setText(self.reader.whole_text() if sent is None else sent)

    def _on_pick(self, key: RowKey) -> None:
        self.select(key)
        self.selected.emit(key)

    def _on_step_row(self, by: int) -> None:
        keys = [row.key for row in self._rows()]
        if keys:
            at = keys.index(self._key) + by if self._key in keys else 0
            self._on_pick(keys[min(max(at, 0), len(keys) - 1)])

    def _on_layers(self) -> None:
        self.selected.emit(self._key)
        self.wishes.run("layers")

    def _on_request(self, value: str) -> None:
        if self._chat is None:
            return
        chat = self._chat.chat.id
        self.wishes.send(OpenTurn(chat, int(value) if value.isdigit() else None))
        if value == NEXT and self._chat.in_flight is not None:
            self.wishes.send(LookAhead(chat))


def _timer(page: PayloadPage, ms: int) -> QTimer:
    timer = QTimer(page)
    timer.setSingleShot(True)
    timer.setInterval(ms)
    return timer
