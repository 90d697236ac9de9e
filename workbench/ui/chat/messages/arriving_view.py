"""The answer that is being given: thoughts, words, tools that ask, and how it goes on."""

from __future__ import annotations

from typing import NamedTuple

from PySide6.QtCore import QElapsedTimer
from PySide6.QtWidgets import QWidget

from workbench.engine.state import RunningTurn, ToolCard
from workbench.ui import formatting
from workbench.ui.chat.messages.approval_card import ApprovalCard
from workbench.ui.chat.messages.failure_words import model_name
from workbench.ui.chat.messages.feed import Arriving
from workbench.ui.chat.messages.message_head import HeadWords, MessageHead
from workbench.ui.chat.messages.message_view import MessageView
from workbench.ui.chat.messages.thinking import Thinking, thought_words
from workbench.ui.chat.messages.tool_line import ToolLine
from workbench.ui.chat.messages.tool_words import call_words, fate_of_outcome
from workbench.ui.chat.messages.waiting_lines import ProgressFoot, RetryCard, stage_words
from workbench.ui.chat.text.block_stack import BlockStack
from workbench.ui.chat.text.ink import Ink
from workbench.ui.chat.text.streaming import GrowingText
from workbench.ui.widgets.stack import StackItem


class _Done(NamedTuple):
    """A call that was answered: what was said before it, and its line."""

    call: str
    said: BlockStack | None
    line: ToolLine


class ArrivingView(MessageView):
    """Grows in place; what is complete is not touched again."""

    def __init__(self, ink: Ink, parent: QWidget | None = None) -> None:
        super().__init__(ink, parent=parent)
        self.item: Arriving | None = None
        self.head = MessageHead(self)
        self.growing = self._new_growing()
        self.foot = ProgressFoot(self)
        self.put_aside(self.head, self.growing, self.foot)
        self.thinking: Thinking | None = None
        self.retry: RetryCard | None = None
        self._done: list[_Done] = []
        self._asking: dict[str, ApprovalCard] = {}
        self._thinking_since = QElapsedTimer()
        self._thought_ms: float | None = None

    def show_item(self, item: object) -> None:
        assert isinstance(item, Arriving)
        self.item = item
        running = item.running
        name = model_name(item.model) if item.model else self.tr("Answer")
        self.head.show_words(HeadWords(name, formatting.clock(item.asked_utc)))
        self.setAccessibleName(self.tr("Answer by {name}, arriving").format(name=name))
        self._show_thinking(running)
        self._show_tools(running.tools)
        self.growing.show_text(running.text)
        self._show_state(running)
        self._arrange(running)

    def take_body(self, text: str) -> BlockStack | None:
        for done in self._done:
            if done.said is not None and done.said.source == text:
                return done.said
        return self.growing.finish(text) if text and text.startswith(self.growing.text) else None

    def waiting_card(self) -> ApprovalCard | None:
        return next(iter(self._asking.values()), None)

    def answered_lines(self) -> tuple[ToolLine, ...]:
        return tuple(done.line for done in self._done)

    def _show_thinking(self, running: RunningTurn) -> None:
        if not running.thinking:
            return
        if self.thinking is None:
            self.thinking = Thinking(self.ink, self)
            self.thinking.link_wished.connect(self.link_wished)
            self._thinking_since.start()
        spoke = bool(running.text or running.tools)
        if spoke and self._thought_ms is None:
            self._thought_ms = float(self._thinking_since.elapsed())
        words = thought_words(self._thought_ms, None, going_on=not spoke)
        self.thinking.show_thoughts(running.thinking, words)

    def _show_tools(self, cards: tuple[ToolCard, ...]) -> None:
        known = {done.call for done in self._done}
        for card in cards:
            if card.outcome is not None and card.call.id not in known:
                self._answered(card)
            elif card.outcome is None and card.preview is not None and card.call.id not in self._asking:
                self._ask(card)

    def _ask(self, card: ToolCard) -> None:
        """The focus stays where it is: somebody may be typing."""
        made = ApprovalCard(card, self.item is not None and self.item.in_workspace)
        made.answered.connect(lambda answer: self.asked.emit(answer, card.call.id))
        self._asking[card.call.id] = made

    def _answered(self, card: ToolCard) -> None:
        assert card.outcome is not None
        asked = self._asking.pop(card.call.id, None)
        said = None
        if card.said:
            said = self.growing.finish(card.said)
            said.link_wished.connect(self.link_wished)
            old, self.growing = self.growing, self._new_growing()
            said.setParent(self)
            old.deleteLater()
        line = ToolLine(self.ink, self)
        words = call_words(card.call, fate_of_outcome(card.outcome), card.outcome.text)
        line.show_call(words, card.call.arguments, card.outcome.text, undoable=False)
        self._done.append(_Done(card.call.id, said, line))
        if asked is not None:
            asked.hide()
            asked.deleteLater()

    def _show_state(self, running: RunningTurn) -> None:
        if running.retry is not None and (self.retry is None or self.retry.failure is not running.retry):
            self._drop_retry()
            self.retry = RetryCard(running.retry, running.attempt)
            self.retry.stopped.connect(lambda: self.asked.emit("stop", ""))
        elif running.retry is None:
            self._drop_retry()
        said = len(running.text) + len(running.thinking) + sum(len(card.said) for card in running.tools)
        arrived = said - running.begun_chars
        if running.progress or running.stage:
            self.foot.show_progress(running.progress or stage_words(running.stage), running.fraction)
        else:
            self.foot.show_amount(arrived)

    def _drop_retry(self) -> None:
        if self.retry is not None:
            self.retry.hide()
            self.retry.deleteLater()
            self.retry = None

    def _arrange(self, running: RunningTurn) -> None:
        waits = bool(self._asking)
        said = running.text or running.thinking or self._done or running.progress or not waits
        places = [StackItem(self.head)] if said else []
        if self.thinking is not None:
            places.append(StackItem(self.thinking, 1))
        for done in self._done:
            if done.said is not None:
                places.append(StackItem(done.said, 4))
            places.append(StackItem(done.line, 8))
        if running.text:
            places.append(StackItem(self.growing, 4))
        places.extend(StackItem(card, 8) for card in self._asking.values())
        if self.retry is not None:
            places.append(StackItem(self.retry, 6))
        elif not waits:
            places.append(StackItem(self.foot, 2))
        self.set_stack_items(places)

    def _new_growing(self) -> GrowingText:
        made = GrowingText(self.ink, self)
        made.hide()
        made.link_wished.connect(self.link_wished)
        return made
