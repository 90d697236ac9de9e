"""The transcript: everything said in a chat, as the newest state has it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import NamedTuple

from PySide6.QtCore import QDate, QObject, QPoint, QRect, QSize, Qt, Signal
from PySide6.QtGui import QAccessible, QCursor
from PySide6.QtWidgets import QApplication, QWidget

from workbench.domain.influence import Influence, PieceInfluence
from workbench.domain.message import Message
from workbench.domain.shown.envelope_view import EnvelopeView, LayerRow, RowKey
from workbench.domain.shown.influence_view import KeptInfluence, result_on
from workbench.domain.turn import Tuning
from workbench.engine.intents import (
    EditInPlace,
    EditQuestion,
    OpenChat,
    OpenTurn,
    PriceStep,
    RegenerateAnswer,
)
from workbench.engine.program_intents import AllowOverCap
from workbench.engine.state import ChatState, WorkbenchState
from workbench.engine.tuning_intents import ReadQuote
from workbench.ui import formatting
from workbench.ui.chat.messages.answer_view import AnswerView
from workbench.ui.chat.messages.approval_card import ApprovalCard
from workbench.ui.chat.messages.arriving_view import ArrivingView
from workbench.ui.chat.messages.feed import (
    Arriving,
    Item,
    arriving,
    items_of,
    key_of,
    may_be_begun,
    mute_model,
    secrets_of_edit,
    with_days,
)
from workbench.ui.chat.messages.message_menu import intent_of, members_of, offer_of, row_of, step_of, wish_of
from workbench.ui.chat.standing import Marks, marks_of
from workbench.ui.chat.text.safe_text import LinkPopup
from workbench.ui.chat.text.selection import Mark, Selection
from workbench.ui.chat.transcript.fact_marks import FactMarks
from workbench.ui.chat.transcript.following_scroll import NEAR_END_PX, TOP_PX, FollowingScroll
from workbench.ui.chat.transcript.minimap import Minimap
from workbench.ui.chat.transcript.minimap_layout import ticks_of
from workbench.ui.chat.watched.feed import agents_of, watched_items
from workbench.ui.influence_figures import piece_at
from workbench.ui.steps import edit_answer
from workbench.ui.translation import tr
from workbench.ui.widgets.buttons import Button, button
from workbench.ui.widgets.motion import single_shot
from workbench.ui.widgets.stack import EmptyState
from workbench.ui.wishes import ForkFrom, KeepPrompt, MeasureAnswer, OpenLink, Remember, Wishes

# The words of an answer that the chosen piece of its request carried, marked where they stand.


_STRONG = 0.5
"""Words with at least this part of the strongest words' nats are underlined."""


class CarriedWords:
    """Keeps the marks of one answer, which may come into sight later."""

    def __init__(self, area: FollowingScroll) -> None:
        self._area = area
        self._state: WorkbenchState | None = None
        self._chat: ChatState | None = None
        self._key: RowKey | None = None
        self._marked = ""
        self._newest: tuple[str, Influence] | None = None

    def choose(self, key: RowKey | None) -> None:
        """Another row is chosen; its words come into sight."""
        if key != self._key:
            self._key = key
            self.mark(seek=True)

    def show_state(self, state: WorkbenchState, chat: ChatState | None) -> None:
        self._state, self._chat = state, chat
        self.mark()

    def mark(self, seek: bool = False) -> None:
        """Mark what is chosen now; what was marked before is not any more."""
        kept, piece = self._chosen()
        column = self._area.column
        key = key_of(column.items(), kept.message) if kept is not None and piece is not None else ""
        old = column.view(self._marked) if self._marked and self._marked != key else None
        if isinstance(old, AnswerView):
            old.mark_carried((), "")
        self._marked = key
        view = column.view(key) if key else None
        if seek and key and (view is None or view.visibleRegion().isEmpty()):
            self._area.to_message(key)
            view = column.view(key)
        if isinstance(view, AnswerView) and kept is not None and piece is not None:
            view.mark_carried(_carried_marks(piece, kept.offset), piece.name)

    def _chosen(self) -> tuple[KeptInfluence | None, PieceInfluence | None]:
        state, chat = self._state, self._chat
        kept = chat.influence if chat is not None and chat.shown is chat.opened else None
        if state is None or chat is None or kept is None or chat.opened is None or self._key is None:
            return None, None
        result, _ = result_on(kept, state.influence, chat.chat.id)
        if result is not None:
            self._newest = (kept.message, result)
        elif self._newest is not None and self._newest[0] == kept.message:
            result = self._newest[1]  # measured a moment ago, and a second round is offered or under way
        piece = piece_at(self._key, result, chat.opened) if result is not None and result.carried else None
        return kept, piece if piece is not None and piece.carried else None


def _carried_marks(piece: PieceInfluence, offset: int) -> tuple[Mark, ...]:
    most = max(one.nats for one in piece.carried)
    return tuple(
        Mark(one.start + offset, one.end + offset, one.nats >= _STRONG * most)
        for one in sorted(piece.carried, key=lambda one: one.start)
    )


HOVER_MS = 150
"""So long a message must be looked at before its price is asked for."""
UNTRIM = "untrim:"
EARLIER_REACH_PX = 60


class _Seen(NamedTuple):
    """The parts of a chat that the transcript is made of: where all are the same objects, there is nothing to do."""

    chat: str
    parts: tuple[object, ...] = ()
    running: object = None
    view: EnvelopeView | None = None
    tuning: Tuning | None = None
    mute: str = ""


class Transcript(FollowingScroll):
    """The messages of the chat in view.

    Signals:
        selected: the row of the request that a message is in.
        link_wished: an address that was clicked; it is opened only after it was shown whole.
    """

    spoken_role = QAccessible.Role.Document

    selected = Signal(object)
    link_wished = Signal(str)

    def __init__(self, wishes: Wishes | None = None, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.wishes = wishes or Wishes(self)
        self._chat: ChatState | None = None
        self._seen: _Seen | None = None
        self._marks = Marks()
        self._wanted = ""
        self._agents: dict[str, str] = {}
        self._now_utc = ""
        self.setAccessibleName(tr("Transcript"))
        self.column.asked.connect(self._on_asked)
        self.column.edited.connect(self._on_edited)
        self.column.editing.connect(self._on_editing)
        self.column.link_wished.connect(self._on_link)
        self.column.looked_at.connect(self._on_looked)
        self.column.hovered.connect(self._on_hovered)
        self._hovered = ""
        self._price_soon = single_shot(self, self._price_untrim, HOVER_MS)
        self.overlays = Overlays(self)
        self.overlays.no_chat.pressed.connect(lambda: self.wishes.run("new-chat"))
        self.overlays.refresh()
        self.carried = CarriedWords(self)
        self.settled.connect(self.carried.mark)
        self.facts = FactMarks(self, self.wishes, self.selected.emit)
        self.settled.connect(self.facts.mark)
        self.minimap = Minimap(self)
        self.minimap.jumped.connect(self.to_message)
        self.floating = (*self.floating, self.minimap.card)
        self.settled.connect(self._frame_view)
        self._mapped: LayerRow | None = None
        self._other_items = True

    def sizeHint(self) -> QSize:
        return QSize(596, 600)

    def show_state(self, state: WorkbenchState, chat: ChatState | None, now_utc: str = "") -> None:
        """Show the chat as it is; what is the same as before is not touched."""
        self._now_utc = now_utc
        watched = chat is not None and chat.chat.filed.watched is not None
        self._agents = agents_of(chat, state.chats) if watched and chat is not None else {}
        self._show_messages(chat)
        self._map_messages(chat)
        self.carried.show_state(state, chat)
        self.facts.show_state(state, chat)

    def _show_messages(self, chat: ChatState | None) -> None:
        old, seen = self._seen, _seen_of(chat, self._agents, formatting.local_day(self._now_utc))
        self._chat = chat
        price = chat.price if chat is not None else None
        view = self.column.view(self._hovered) if self._hovered else None
        if price is not None and isinstance(view, AnswerView) and price.key == f"{UNTRIM}{self._hovered}":
            view.show_price(price.tag)
        if old is not None and _same(old, seen):
            return
        self._seen = seen
        marks = _marks(chat) if chat is not None else Marks()
        same_marks = marks == self._marks
        self._marks = self._marks if same_marks else marks
        self.overlays.has_chat = chat is not None
        if chat is None or old is None or old.chat != seen.chat:
            self.open_items(self._items(chat) if chat is not None else ())
            self._other_items = True
        elif same_marks and _same_parts(old, seen) and self._same_mute(old, seen):
            if old.running is seen.running:
                return  # somebody writes the next message: nothing here is about that
            if self._goes_on(chat):
                self._settle_soon()
                return
        else:
            self.column.show_items(self._items(chat))
            self._other_items = True
        self._after_change()

    def _same_mute(self, old: _Seen, new: _Seen) -> bool:
        """Whether it makes no difference to any message which model doesn't continue a begun answer."""
        return old.mute == new.mute or not any(map(may_be_begun, self.column.items()))

    def _map_messages(self, chat: ChatState | None) -> None:
        """Show the minimap; while a message is written, the history stays the same object, and nothing is done."""
        view = chat.view if chat is not None else None
        history = next((one for one in view.layers if one.name == "L4_STRIP"), None) if view else None
        if history is self._mapped and not self._other_items:
            return
        self._mapped, self._other_items = history, False
        items = self.column.items()
        self.minimap.show_ticks(ticks_of(items, history))
        self.lay_strip(self.minimap if self.minimap.enough() else None)
        self._frame_view()

    def _frame_view(self) -> None:
        seen = [one for one in self.parts_in_sight() if self.minimap.place(one[0]) is not None]
        if seen:
            (top, begin, _), (bottom, _, end) = seen[0], seen[-1]
            self.minimap.show_view((top, begin), (bottom, end))

    def _items(self, chat: ChatState) -> tuple[Item, ...]:
        watched = chat.chat.filed.watched is not None
        items = watched_items(chat, self._agents) if watched else items_of(chat, self._marks)
        return tuple(with_days(items, self._now_utc))

    def show_message(self, message: str) -> None:
        """Bring a message into sight, wherever it is; of a chat that is still being read, as soon as it is there."""
        self._wanted = message
        self._show_wanted()

    def select(self, key: RowKey | None) -> None:
        self.column.mark(members_of(key, self._chat) if self._chat is not None else ())
        self.carried.choose(key)

    def focus_tool_request(self) -> None:
        card = self.waiting_card()
        if card is not None:
            card.setFocus(Qt.FocusReason.ShortcutFocusReason)
            self.ensureWidgetVisible(card)

    def allow_in_sight(self) -> None:
        """Allow the tool that waits, where the card is seen whole; else bring it into sight, to be read first."""
        card = self.waiting_card()
        if card is not None and self.viewport().rect().contains(in_viewport(card, self.viewport())):
            card.allow.click()
        else:
            self.focus_tool_request()

    def waiting_card(self) -> ApprovalCard | None:
        arriving = (view for view in self.column.views() if isinstance(view, ArrivingView))
        return next((card for view in arriving if (card := view.waiting_card()) is not None), None)

    def _goes_on(self, chat: ChatState) -> bool:
        """Whether nothing changed but that the answer has grown."""
        items = self.column.items()
        if chat.running is None or not items or not isinstance(items[-1], Arriving):
            return False
        return self.column.show_arriving(arriving(chat, chat.running))

    def _after_change(self) -> None:
        self.settle()
        self._show_wanted()
        if self.follows():
            self.column.leave_old()

    def _show_wanted(self) -> None:
        key = key_of(self.column.items(), self._wanted) if self._wanted else ""
        if key and self.to_message(key):
            self.column.mark((key,))
            self._wanted = ""

    def _on_asked(self, action: str, subject: str) -> None:
        chat = self._chat
        if chat is None:
            return
        if action == "over_cap":
            self._send_over_cap(chat, subject)
        elif action == "quote":
            self.wishes.send(ReadQuote(chat.chat.id, subject))
        elif action in ("open_turn", "open_chat"):
            turn = action == "open_turn"
            self.wishes.send(OpenTurn(chat.chat.id, int(subject)) if turn else OpenChat(subject))
        else:
            self._do_asked(action, subject, chat)

    def _do_asked(self, action: str, subject: str, chat: ChatState) -> None:
        intent = intent_of(action, subject, chat)
        step = step_of(action, subject, chat, self._marks.trimmed)
        if intent is not None:
            self.wishes.send(intent)
        elif step is not None:
            self.wishes.do(step)
        elif action == "influence":
            self.wishes.run(MeasureAnswer(subject))
        elif action == "fork":
            self.wishes.run(ForkFrom(chat.chat.id, subject))
        elif action in ("remember", "save_prompt"):
            self._keep_words(action, subject, chat)
        elif (wish := wish_of(action, subject, chat)) is not None:
            self.wishes.run(wish)
        elif action == "inspect" and (key := row_of(subject, chat)) is not None:
            self.selected.emit(key)

    def _send_over_cap(self, chat: ChatState, question: str) -> None:
        """Send what a cap held back: the words that went back to the composer, or else the kept question again."""
        self.wishes.send(AllowOverCap(chat.chat.id))
        if chat.draft.strip() or not question:
            self.wishes.run("send-over-cap")
        else:
            self.wishes.send(RegenerateAnswer(chat.chat.id, question))

    def selected_words(self) -> tuple[str, str] | None:
        """The message in which words are selected, and those; else the one with the focus, and all of its words."""
        views = [(item.key, self.column.view(item.key)) for item in self.column.items()]
        for key, view in views:
            if view is None:
                continue
            selections: list[Selection] = list(view.findChildren(Selection))
            text = next((one.text() for one in selections if one.text()), "")
            if text:
                return key, text
        held: QWidget | None = QApplication.focusWidget()
        for key, view in views:
            within = held is not None and view is not None and view.isAncestorOf(held)
            if within and (words := said_in(key, self._chat)):
                return key, words
        return None

    def _keep_words(self, action: str, subject: str, chat: ChatState) -> None:
        """Have words remembered, those that are selected in the message or all of it, or kept as a prompt."""
        found = self.selected_words()
        text = found[1] if found is not None and found[0] == subject else said_in(subject, chat)
        if action == "remember":
            self.wishes.run(Remember(text, chat.chat.id, subject))
        else:
            self.wishes.run(KeepPrompt(text))

    def _on_looked(self, action: str, subject: str, at: QRect | None) -> None:
        offer = offer_of(action, subject, self._chat, self._marks.trimmed) if self._chat and action else None
        self.wishes.offer(None if offer is None or at is None else replace(offer, at=at))

    def _on_hovered(self, message: str, looked: bool) -> None:
        """A message that is sent trimmed is looked at: say what bringing it back costs, without being asked."""
        if looked:
            self._hovered = message
            self._price_soon.start()
        elif message == self._hovered:
            self._hovered = ""
            self._price_soon.stop()
            if self._chat is not None:
                self.wishes.send(PriceStep(self._chat.chat.id))

    def _price_untrim(self) -> None:
        offer = offer_of("untrim", self._hovered, self._chat, self._marks.trimmed) if self._chat else None
        if offer is not None and self._chat is not None:
            self.wishes.send(PriceStep(self._chat.chat.id, f"{UNTRIM}{self._hovered}", offer.step))

    def _on_edited(self, question: str, text: str) -> None:
        chat = self._chat
        if chat is None:
            return
        said = next((one.entry for one in chat.records if one.id == question), None)
        if not isinstance(said, Message) or said.role == "user":
            self.wishes.send(EditQuestion(chat.chat.id, question, text))
            self.to_end()  # where its answer arrives; the other branch below it goes
            return
        step = edit_answer(chat, said, text, self._now_utc)
        self.wishes.send(EditInPlace(chat.chat.id, question, None))
        if step is not None:
            self.wishes.do(step)

    def _on_editing(self, question: str, text: str | None) -> None:
        if self._chat is not None:
            self.wishes.send(EditInPlace(self._chat.chat.id, question, text))

    def _on_link(self, url: str) -> None:
        self.link_wished.emit(url)
        popup = LinkPopup(url, self)
        popup.opened.connect(lambda address: self.wishes.run(OpenLink(address)))
        popup.open_at(QCursor.pos() + QPoint(0, 12))


def in_viewport(widget: QWidget, viewport: QWidget) -> QRect:
    """Where a widget is seen, or would be."""
    corner = widget.mapTo(
        viewport, QPoint(0, 0)
    )  # a QPointF by the types of aarch64's wheel, a QPoint by the others'
    return widget.rect().translated(int(corner.x()), int(corner.y()))


def said_in(message: str, chat: ChatState | None) -> str:
    """The words of a message."""
    tuning = Tuning() if chat is None else chat.conversation.tuning
    said = () if chat is None else (one.entry for one in chat.records if one.id == message)
    entry = next(iter(tuning.edited(tuple(said))), None)
    return entry.text if isinstance(entry, Message) else ""


def _marks(chat: ChatState) -> Marks:
    return marks_of(chat.view, chat.conversation.tuning, chat.chat.settings.history.recall)


def _seen_of(chat: ChatState | None, agents: Mapping[str, str], today: QDate | None) -> _Seen:
    if chat is None:
        return _Seen("")
    running = chat.running
    turn = None if running is None else running.question
    edited = frozenset((key, secrets_of_edit(chat, key), one.tag) for key, one in chat.edits.items())
    parts = (
        chat.records, chat.turns, chat.versions, chat.ended, chat.fixes, chat.proposed_tokens, chat.chat.settings.model,
        turn, edited, frozenset(chat.conversation.tuning.edits),
        frozenset(() if chat.opened is None else (chat.opened.turn,)),
        frozenset(agents.items()), frozenset(() if today is None else (today.toJulianDay(),)),
    )  # fmt: skip
    return _Seen(chat.chat.id, parts, running, chat.view, chat.conversation.tuning, mute_model(chat))


def _same_parts(old: _Seen, new: _Seen) -> bool:
    pairs = zip(old.parts, new.parts, strict=True)
    return all(one is other or (isinstance(one, frozenset) and one == other) for one, other in pairs)


def _same(old: _Seen, new: _Seen) -> bool:
    return (
        old.chat == new.chat
        and old.running is new.running
        and old.view is new.view
        and old.tuning is new.tuning
        and (old.parts is new.parts or (len(old.parts) == len(new.parts) and _same_parts(old, new)))
    )


class Overlays(QObject):
    """Keeps them in their places, and shows them when they are of use."""

    def __init__(self, area: FollowingScroll) -> None:
        super().__init__(area)
        self._area = area
        self.has_chat = False
        self.no_chat = EmptyState(
            "chat",
            tr("No chat open"),
            tr("Choose one on the left, or start a new one."),
            tr("New chat"),
        )
        self.ask = EmptyState(
            "edit",
            tr("Ask something"),
            tr("Write a message or drop files here. The bar shows what will be sent."),
        )
        self.jump = button(tr("Jump to the latest"), icon="chevron-down")
        self.earlier = button("", "ghost", size="small")
        for widget in (self.no_chat, self.ask, self.jump, self.earlier):
            widget.setParent(area)
            widget.hide()
        area.floating = (self.jump, self.earlier)
        self.jump.clicked.connect(area.to_end)
        self.earlier.clicked.connect(area.make_in_turns)
        area.settled.connect(self.refresh)

    def refresh(self) -> None:
        area = self._area
        bar, column = area.verticalScrollBar(), area.column
        self.no_chat.setVisible(not self.has_chat)
        self.ask.setVisible(self.has_chat and not column.items())
        for state in (self.no_chat, self.ask):
            state.setGeometry(area.rect())
        below = bar.maximum() - bar.value() > NEAR_END_PX
        away = not column.reaches_end() or (below and not area.follows())
        self.jump.setVisible(away)
        if away:
            self._place(self.jump, area.height() - self.jump.sizeHint().height() - 12)
            self.jump.raise_()
        early = column.first > 0 and bar.value() < EARLIER_REACH_PX
        self.earlier.setVisible(early)
        if early:
            words = tr("Show one earlier message") if column.first == 1 else tr("Show {n} earlier messages")
            self.earlier.setText(words.format(n=formatting.tokens(column.first)))
            self._place(self.earlier, TOP_PX - bar.value())

    def _place(self, made: Button, y: int) -> None:
        size = made.sizeHint()
        made.setGeometry((self._area.width() - size.width()) // 2, y, size.width(), size.height())
