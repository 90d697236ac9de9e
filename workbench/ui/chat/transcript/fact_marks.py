"""The facts of the answers in sight: asks for them, marks them, and goes to where one stands."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QPoint, QRect, Qt, QTimer
from PySide6.QtWidgets import QWidget

from workbench.domain.answer_facts import AnswerFact, AnswerFacts, FactPlace
from workbench.domain.shown.envelope_view import RowKey
from workbench.engine.intents import CheckFacts, OpenTurn, PriceStep
from workbench.engine.state import ChatState, WorkbenchState
from workbench.ui import steps
from workbench.ui.chat.messages.answer_view import AnswerView
from workbench.ui.chat.messages.fact_panel import NO_BACKS, Back, Backs
from workbench.ui.chat.messages.feed import Answer
from workbench.ui.chat.messages.tool_line import record_text
from workbench.ui.chat.transcript.following_scroll import FollowingScroll
from workbench.ui.steps import Step
from workbench.ui.wishes import Wishes

LAID_OUT_MS = 60
"""By then a card that is shown for the first time has its height."""
ABOVE_JUMP_PX = 56
"""Room below the card for the button that jumps to the latest message, which lies over the transcript."""
ABOVE_WORD_PX = 8
LITTLE_PX = 560
"""A lower transcript has no room for boxes below the card."""


class FactMarks:
    """Keeps which answer is unfolded and which of its facts is chosen; one answer at a time."""

    def __init__(
        self, area: FollowingScroll, wishes: Wishes, selected: Callable[[RowKey | None], None]
    ) -> None:
        self._area, self._wishes, self._selected = area, wishes, selected
        self._state: WorkbenchState | None = None
        self._chat: ChatState | None = None
        self._asked: dict[tuple[str, str], tuple[str, str]] = {}
        self._open, self._chosen = "", 0
        self._last: dict[str, int] = {}
        self._backs = _Backs(wishes)
        self._sought: tuple[int, FactPlace, str] | None = None

    def show_state(self, state: WorkbenchState, chat: ChatState | None) -> None:
        before, self._state, self._chat = self._chat, state, chat
        if before is not None and chat is not None and before.chat.id != chat.chat.id:
            self._open = ""
            self._last.clear()
            self._asked.clear()  # what was asked for there ended with its view
        self.mark()
        self._seek()

    def mark(self) -> None:
        """Show the facts of every answer in sight, and ask for those that are not known."""
        chat, state = self._chat, self._state
        if chat is None or state is None:
            return
        for view in self._area.column.views():
            if isinstance(view, AnswerView) and view.item is not None:
                self._connect(view)
                found = self._found(view.item, chat) if state.preferences.check_facts else None
                if found is not None and view.item.key == self._open:
                    backs = NO_BACKS if view.item.fixed else self._backs.of(found, chat)
                    view.show_facts(found, self._chosen, backs, self._area.height() < LITTLE_PX)
                else:
                    view.show_facts(found, None)

    def toggle(self) -> None:
        """Fold the facts whose card is in sight, else unfold those of the newest answer in sight."""
        opened = self._area.column.view(self._open) if self._open else None
        panel = opened.facts if isinstance(opened, AnswerView) else None
        if panel is not None and not panel.card.visibleRegion().isEmpty():
            self._do(self._open, "close", 0)
            return
        views = [view for view in self._area.column.views() if isinstance(view, AnswerView)]
        seen = [view for view in views if not view.visibleRegion().isEmpty()] or views
        known = self._chat.facts if self._chat is not None else {}
        checked = {key for key, found in known.items() if found.facts}
        keys = [view.item.key for view in reversed(seen) if view.item is not None]
        wanted = next((key for key in keys if key in checked), "")
        self._do(wanted or self._open, "open" if wanted else "close", 0)

    def open(self, message: str, number: int | None = None) -> None:
        """Unfold the facts of an answer at one of them; without a number, at the first that is absent."""
        self._do(message, "open", 0)
        if number is not None:
            self._do(message, "choose", number)

    def _connect(self, view: AnswerView) -> None:
        if not view.property("facts"):
            view.setProperty("facts", True)
            view.fact_wished.connect(
                lambda action, number, one=view: self._do(one.item.key if one.item else "", action, number)
            )

    def _found(self, item: Answer, chat: ChatState) -> AnswerFacts | None:
        turn = item.turn
        if not item.ends or turn is None or item.record.state not in ("complete", "stopped"):
            return None
        found, words = chat.facts.get(item.key), record_text(item.record)
        which = chat.chat.id, item.key
        if found is not None and (found.problem or found.answer == words):
            # What is known may leave with the chat, and is asked for once more when that comes back without it.
            self._asked.pop(which, None)
            return found
        # Asked again where other words were checked: the answer was continued, edited, or put back meanwhile.
        asked = words, "" if found is None else found.answer
        if words and self._asked.get(which) != asked:
            self._asked[which] = asked
            self._wishes.send(CheckFacts(chat.chat.id, turn.question, turn.reply))
        return None

    def _do(self, message: str, action: str, number: int) -> None:
        chat = self._chat
        found = chat.facts.get(message) if chat is not None else None
        if chat is None or found is None or not found.facts:
            return
        match action:
            case "open":
                # The first absent one is what somebody looks for, until another one was chosen.
                absent = (at for at, fact in enumerate(found.facts) if fact.state == "absent")
                last = self._last.get(message, len(found.facts))
                self._open, self._chosen = message, last if last < len(found.facts) else next(absent, 0)
                self._backs.ask_again()
            case "close":
                self._open = ""
            case "choose":
                self._chosen = self._last[message] = number
            case "back":
                self._bring_back(found.facts[number], chat)
            case _:
                self._show(found, found.facts[number], action)
        self.mark()
        view = self._area.column.view(message)
        if action in ("open", "choose") and isinstance(view, AnswerView) and view.facts is not None:
            view.facts.card.setFocus(Qt.FocusReason.OtherFocusReason)
            # It has its place only when everything above it is laid out again.
            QTimer.singleShot(0, view, lambda: self._bring_into_sight(message))
            QTimer.singleShot(LAID_OUT_MS, view, lambda: self._bring_into_sight(message))

    def _bring_into_sight(self, message: str) -> None:
        view = self._area.column.view(message)
        if isinstance(view, AnswerView) and view.facts is not None:
            # What is absent stands below the card; where both have no room, the card has it.
            for part in (*view.facts.absent[-1:], view.facts.card):
                self._area.ensureWidgetVisible(part, 0, ABOVE_JUMP_PX)
            self._bring_word(view.body.chosen_box(), view.facts.card)

    def _bring_word(self, word: QRect, card: QWidget) -> None:
        """Show the chosen words with their card, where there is room for both."""
        top = self._area.column.mapFromGlobal(word.topLeft()).y() - ABOVE_WORD_PX
        bottom = self._area.column.mapFromGlobal(card.mapToGlobal(QPoint(0, card.height()))).y()
        bar = self._area.verticalScrollBar()
        if not word.isEmpty() and bottom - top <= self._area.viewport().height():
            bar.setValue(min(bar.value(), top))

    def _bring_back(self, fact: AnswerFact, chat: ChatState) -> None:
        step = bring_back(fact, chat)
        if step is not None:
            self._wishes.do(step)

    def _show(self, found: AnswerFacts, fact: AnswerFact, page: str) -> None:
        """Open the request of that answer, and the row that has the fact as soon as it is shown."""
        chat = self._chat
        turns = [] if chat is None else [turn for turn in chat.turns if turn.question == found.question]
        if chat is None or not turns or not fact.where:
            return
        self._sought = turns[-1].number, fact.where[0], page
        self._wishes.send(OpenTurn(chat.chat.id, turns[-1].number))
        self._seek()

    def _seek(self) -> None:
        opened = self._chat.opened if self._chat is not None else None
        if self._sought is None or opened is None or opened.turn != self._sought[0]:
            return
        _, place, page = self._sought
        self._sought = None
        rows = (row for layer in opened.layers if layer.name == place.layer for row in layer.rows)
        row = next((row for row in rows if place.key in (row.key.id, *row.members)), None)
        self._wishes.run("payload" if page == "payload" else "layers")
        self._selected(None if row is None else row.key)


_IN_FULL = frozenset({"sent", "reference", "stale", "estimated"})
BACK = "bring back:"


class _Backs:
    """Keeps what bringing back would cost what was cut of the unfolded answer; asked for one after the other."""

    def __init__(self, wishes: Wishes) -> None:
        self._wishes = wishes
        self._priced_for: object = None
        self._tokens: dict[str, int | None] = {}
        self._asks = False

    def ask_again(self) -> None:
        """Ask for all prices again: another look at a price may have replaced one that was asked for."""
        self._priced_for = None

    def of(self, found: AnswerFacts, chat: ChatState) -> Backs:
        """What became of each text that was cut; asks for the next price that is not known."""
        if self._priced_for is not chat.conversation:
            self._priced_for, self._tokens = chat.conversation, {}
        cut = {one.cut.key: one for one in found.absent if one.cut is not None}
        for key in cut:
            if chat.price is not None and chat.price.key == f"{BACK}{key}" and key in self._tokens:
                self._tokens[key] = chat.price.tag.tokens_delta
        backs = {key: Back(is_back(key, chat), self._tokens.get(key)) for key in cut}
        self._ask([one for key, one in cut.items() if not backs[key].is_back], chat)
        return backs

    def _ask(self, wanted: Sequence[AnswerFact], chat: ChatState) -> None:
        if None in self._tokens.values():
            return  # the price of one is being worked out
        for one in wanted:
            step = bring_back(one, chat)
            if step is not None and one.cut is not None and one.cut.key not in self._tokens:
                self._tokens[one.cut.key], self._asks = None, True
                self._wishes.send(PriceStep(chat.chat.id, f"{BACK}{one.cut.key}", step.do))
                return
        if self._asks:
            self._asks = False
            self._wishes.send(PriceStep(chat.chat.id))  # all are known: none is kept up to date any longer


def is_back(key: str, chat: ChatState) -> bool:
    """Whether the next request has a text in full that an earlier one lacked."""
    if chat.view is None or key in chat.conversation.tuning.excluded or key in chat.view.trimmed:
        return False
    rows = (row for layer in chat.view.layers for row in layer.rows if key in row.members)
    return any(row.counted and row.state in _IN_FULL for row in rows)


def bring_back(fact: AnswerFact, chat: ChatState) -> Step | None:
    """The step that puts what holds an absent fact into the next request: put back, sent whole, or pinned."""
    cut, tuning = fact.cut, chat.conversation.tuning
    if cut is None:
        return None
    if cut.key in tuning.excluded:
        return steps.leave_out_members(chat, (cut.key,), False)
    if any(one.key == cut.key for one in chat.conversation.attached):
        return steps.send_whole(chat, (cut.key,)) or steps.pin(chat, (cut.key,), True)
    return steps.pin_members(chat, (cut.key,), True)
