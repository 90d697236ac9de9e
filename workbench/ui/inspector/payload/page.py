"""The page that shows exactly what goes out: as messages, as JSON and as a command, byte for byte."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import cast

from PySide6.QtCore import QEvent, QObject, QSignalBlocker, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QGuiApplication, QKeyEvent, QKeySequence, QResizeEvent, QShortcut, QShowEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from workbench.domain.request import WireForm
from workbench.domain.shown.envelope_view import EnvelopeView, RowKey, SegmentRow
from workbench.domain.text import repair_text
from workbench.engine.intents import LookAhead, OpenTurn
from workbench.engine.state import ChatState, WorkbenchState
from workbench.ui import formatting
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
from workbench.ui.inspector.payload.written import COMPACT, curl_text, json_text, sent_text
from workbench.ui.inspector.rows.row_acts import Stepper
from workbench.ui.inspector.rows.row_words import (
    IN_FLIGHT,
    NEXT,
    in_flight_name,
    next_name,
    row_name,
    turn_options,
    value_of,
)
from workbench.ui.look.fonts import font
from workbench.ui.look.space import STRETCH, columns, fill, rows
from workbench.ui.translation import tr
from workbench.ui.widgets.badge import LayerTag
from workbench.ui.widgets.buttons import button, on_click, tool_button
from workbench.ui.widgets.card import Panel
from workbench.ui.widgets.choice import Choice, Field
from workbench.ui.widgets.guided import lead_to, tell_figure
from workbench.ui.widgets.labels import ElidedLabel, IconSpot, label, set_text
from workbench.ui.widgets.motion import single_shot
from workbench.ui.widgets.segmented import Segmented
from workbench.ui.wishes import Wishes

# The rows above the payload: how it is written, which request, what to look for, and what is chosen.


HEIGHT = 44
WIDE_FROM_PX = 640
EDGE, GAP = 16, 8
LEAST_PX, LEAST_CHOICE_PX = 460, 90
FIND_PX, NARROW_FIND_PX = 150, 104
COPIED_MS = 1_500
SELECTION_HEIGHT, BYTES_FROM_PX = 32, 640


class PayloadTools(QWidget):
    """How the request is written, which one it is, what to look for in it, and a copy.

    Signals:
        request_chosen: by its value. find_stepped: to the hit before (-1) or after (1).
    """

    request_chosen = Signal(str)
    find_stepped = Signal(int)
    copy_wanted = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setFixedHeight(HEIGHT)
        self.forms = Segmented((("messages", tr("Messages")), ("json", "JSON"), ("curl", "curl")))
        self.forms.setAccessibleName(tr("How the request is written"))
        self.request = Choice()
        self.request.setAccessibleName(tr("Which request"))
        self.field = Field(tr("Find"), "search", "Ctrl+G")
        self.field.setFixedWidth(FIND_PX)
        self.field.installEventFilter(self)
        self.hits = label("", "small", "t3")
        self.before = tool_button(
            "chevron-up", tr("Previous match"), tr("Previous hit (Shift+Enter)"), side=24
        )
        self.after = tool_button("chevron-down", tr("Next match"), tr("Next hit (Enter)"), side=24)
        self.copy = on_click(button(tr("Copy"), icon="copy"), self._on_copy)
        self.copy.setToolTip(tr("Copy all of it, JSON as it is sent; keys stay hidden"))
        self._copied = single_shot(self, None, COPIED_MS)
        across = fill(columns(self, (EDGE, 0, EDGE, 0), GAP), self.forms, self.request, STRETCH, self.field)
        fill(columns(across, spacing=2), self.hits, self.before, self.after)
        across.addWidget(self.copy)
        self._connect()
        self.show_hits("")

    def _connect(self) -> None:
        self.request.activated.connect(self._on_request)
        self.before.clicked.connect(self._step_back)
        self.after.clicked.connect(self._step_on)
        self._copied.timeout.connect(self._show_copy)

    def offer(self, options: tuple[tuple[str, str], ...], current: str) -> None:
        if options != tuple(
            (self.request.itemData(n), self.request.itemText(n)) for n in range(self.request.count())
        ):
            with QSignalBlocker(self.request):
                self.request.clear()
                for value, text in options:
                    self.request.addItem(text, value)
            self.request.updateGeometry()
        self.request.choose(current)

    def show_hits(self, words: str) -> None:
        """Say which hit is shown; without words there is nothing to step through."""
        set_text(self.hits, words)
        for widget in (self.hits, self.before, self.after):
            widget.setVisible(bool(words))
        self._make_room()

    def hit_words(self, number: int, count: int, more: bool) -> str:
        if not count:
            return tr("no hits")
        total = f"{formatting.tokens(count)}+" if more else formatting.tokens(count)
        return tr("{n} of {count}").format(n=formatting.tokens(number), count=total)

    def minimumSizeHint(self) -> QSize:
        return QSize(LEAST_PX, HEIGHT)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._show_copy()
        self._make_room()

    def _make_room(self) -> None:
        self.field.setFixedWidth(FIND_PX if self._is_wide() else NARROW_FIND_PX)
        self.request.setVisible(self._is_wide() or self.hits.isHidden())
        others = (
            self.forms,
            self.copy,
            *(() if self.hits.isHidden() else (self.hits, self.before, self.after)),
        )
        taken = (
            self.field.width() + sum(widget.sizeHint().width() + GAP for widget in others) + 2 * EDGE + GAP
        )
        self.request.setMaximumWidth(max(LEAST_CHOICE_PX, self.width() - taken))

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if watched is self.field and event.type() == QEvent.Type.KeyPress and isinstance(event, QKeyEvent):
            if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
                back = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
                self.find_stepped.emit(-1 if back else 1)
                return True
            if event.key() == Qt.Key.Key_Escape and self.field.text():
                self.field.clear()
                return True
        return bool(super().eventFilter(watched, event))

    def _is_wide(self) -> bool:
        return self.width() >= WIDE_FROM_PX

    def _on_request(self) -> None:
        self.request_chosen.emit(self.request.chosen())

    def _on_copy(self) -> None:
        self.copy_wanted.emit()
        self.copy.set_icon("check")
        self.copy.setText(tr("Copied") if self._is_wide() else "")
        self.copy.setAccessibleName(tr("Copied"))
        self._copied.start()

    def _show_copy(self) -> None:
        self.copy.set_icon("copy")
        self.copy.setText(tr("Copy") if self._is_wide() else "")
        self.copy.setAccessibleName(tr("Copy"))

    def _step_back(self) -> None:
        self.find_stepped.emit(-1)

    def _step_on(self) -> None:
        self.find_stepped.emit(1)


class SelectionLine(Panel):
    """The selected row by its name and size, and the way to the rows beside it."""

    ground = "accent_tint"

    layers_wanted = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._tag = LayerTag("L1_SYSTEM")
        self._name = ElidedLabel("", "small")
        self._name.setFont(font("small", 600))
        self._name.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        self._tokens = label("", "small", "t2")
        self._bytes = label("", "small", "t2")
        self._layers = on_click(button(tr("Show in Layers"), "ghost", size="small"), self.layers_wanted)
        self.steps = Stepper(tr("Previous segment"), tr("Next segment"))
        tell_figure(self._tokens, tr("What it takes in this request, with the marks around it."), "request")
        tell_figure(self._bytes, tr("Its position in the JSON body, counted from 0."), "request")
        self.setFixedHeight(SELECTION_HEIGHT)
        across = columns(self, (16, 0, 16, 0), 8)
        for widget in (IconSpot("link", "accent_text", 14), self._tag, self._name, self._tokens, self._bytes):
            across.addWidget(widget)
        across.addStretch(1)
        across.addWidget(self._layers)
        across.addWidget(self.steps)

    def show_row(self, row: SegmentRow, place: tuple[int, int]) -> None:
        self._tag.set_layer(row.key.layer)
        self._name.setText(row_name(row))
        set_text(self._tokens, formatting.token_words(row.tokens))
        self.steps.show_place(*place)
        self.setAccessibleName(tr("Chosen: {name}").format(name=row_name(row)))

    def show_bytes(self, found: tuple[int, int] | None, total_bytes: int, counted: bool) -> None:
        """Show which bytes of the body the row is; the first byte is number 0, the last one is part of it."""
        text = ""
        if not counted:
            text = tr("not sent")
        elif found is not None:
            first, end = found
            text = tr("bytes {a}–{b} of {total}").format(
                a=formatting.tokens(first),
                b=formatting.tokens(max(first, end - 1)),
                total=formatting.tokens(total_bytes),
            )
        set_text(self._bytes, text)

    def sizeHint(self) -> QSize:
        return QSize(600, SELECTION_HEIGHT)

    def minimumSizeHint(self) -> QSize:
        return QSize(LEAST_PX, SELECTION_HEIGHT)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._bytes.setVisible(self.width() >= BYTES_FROM_PX)


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
        self._written: tuple[str, int, str] | None = None
        self._form: WireForm | None = None
        self._bytes: BodyBytes | None = None
        self._total_bytes: int | None = None
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

    def let_go(self, newest: ChatState | None) -> None:
        self._chat = self._view = self._form = self._bytes = self._total_bytes = None
        if _identity(newest) != self._written:
            self._written = None
            self.reader.let_go()

    def select(self, key: RowKey | None) -> None:
        if key != self._key:
            self._key = key
            self.reader.select(key)
            self._show_selection()
            self._count.start()

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
        if self._chat is not None:
            self._refresh()

    def _refresh(self) -> None:
        self._settle.stop()
        view = self._chat.shown if self._chat is not None else None
        self._offer(view)
        if view is not self._view:
            written = _identity(self._chat)
            if written != self._written:
                self.reader.forget()
            self._written = written
            self._view, self._bytes, self._total_bytes = view, None, None
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
        """Count the bytes, and which of them the selected row is; after painting, since nobody waits for it."""
        if self._form is not None and self._total_bytes is None:
            self._total_bytes = self._form.size_bytes or len(encoded(sent_text(self._form)))
        if self._form is not None and self._key is not None and self._bytes is None:
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
        self.selection.show_bytes(self._byte_range(row.key), self._total_bytes or 0, row.counted)

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
            self.foot.say(foot_words(self._view, self._check(self._view), self._total_bytes))

    def _check(self, view: EnvelopeView) -> Check | None:
        """The digests of the turn that is shown; where it is not sent yet, of the last one that was."""
        if view.as_came:
            return None  # what is noted is what was sent
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
        # Half a pair is replaced, as it is on its way out.
        sent = (
            repair_text(sent_text(self._form))
            if self._form is not None and self.tools.forms.current() == "json"
            else None
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


def _identity(chat: ChatState | None) -> tuple[str, int, str] | None:
    """Which request it is, however it changes while it is written."""
    view = chat.shown if chat is not None else None
    return (chat.chat.id, view.turn, view.standing) if chat is not None and view is not None else None


def _timer(page: PayloadPage, ms: int) -> QTimer:
    timer = QTimer(page)
    timer.setSingleShot(True)
    timer.setInterval(ms)
    return timer
