"""The answer that is being given: thoughts, words and tools that ask, and under it how it goes on."""

from __future__ import annotations

from math import ceil
from typing import NamedTuple

from PySide6.QtCore import QElapsedTimer, QTimer, Signal
from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent, QResizeEvent
from PySide6.QtWidgets import QWidget

from workbench.domain.answer import Failure
from workbench.engine.state import RunningTurn, Stage, ToolCard
from workbench.ui import formatting
from workbench.ui.chat.messages.approval_card import ApprovalCard
from workbench.ui.chat.messages.failure_card import CardHead, failure_look, indented
from workbench.ui.chat.messages.feed import Arriving
from workbench.ui.chat.messages.message_head import HeadWords, MessageHead
from workbench.ui.chat.messages.message_view import MessageView
from workbench.ui.chat.messages.thinking import Thinking, thought_words
from workbench.ui.chat.messages.tool_line import ToolLine, call_words, fate_of_outcome
from workbench.ui.chat.text.block_stack import BlockStack
from workbench.ui.chat.text.ink import Ink
from workbench.ui.chat.text.streaming import GrowingText
from workbench.ui.look.painting import Run
from workbench.ui.look.space import STRETCH, columns, fill, rows
from workbench.ui.model_button import model_name
from workbench.ui.translation import tr
from workbench.ui.widgets.buttons import button, on_click
from workbench.ui.widgets.card import Card, Hairline, Panel
from workbench.ui.widgets.labels import FigureLabel, label
from workbench.ui.widgets.plain import shown
from workbench.ui.widgets.progress import ProgressLine
from workbench.ui.widgets.stack import StackItem

HEIGHT, BAR_PX = 28, 96


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
        self._given: list[BlockStack] = []
        self._asking: dict[str, ApprovalCard] = {}
        self._thinking_since = QElapsedTimer()
        self._thought_ms: float | None = None

    def show_item(self, item: object) -> None:
        assert isinstance(item, Arriving)
        self.item = item
        running = item.running
        name = model_name(item.model) if item.model else tr("Answer")
        self.head.show_words(
            HeadWords(name, formatting.clock(item.asked_utc), when=formatting.moment(item.asked_utc))
        )
        self.setAccessibleName(tr("Answer by {name}, arriving").format(name=name))
        self._show_thinking(running)
        self._show_tools(running.tools)
        self.growing.show_text(running.text)
        self._show_state(running)
        self._arrange(running)

    def take_body(self, text: str) -> BlockStack | None:
        """The blocks of an answer with these words; each once, since an equal answer may be shown anew beside it."""
        said = (done.said for done in self._done if done.said is not None and done.said.source == text)
        body = next((one for one in said if one not in self._given), None)
        growing = self.growing
        if body is None and text and text.startswith(growing.text) and growing.body not in self._given:
            body = growing.finish(text)
        if body is not None:
            self._given.append(body)
        return body

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
            elif card.progress is not None:
                self._drop_request(card)
            elif card.outcome is None and card.preview is not None and card.call.id not in self._asking:
                self._ask(card)

    def _ask(self, card: ToolCard) -> None:
        """The focus stays where it is: somebody may be typing."""
        made = ApprovalCard(card, self.item is not None and self.item.in_workspace)
        made.answered.connect(lambda answer: self.asked.emit(answer, card.call.id))
        self._asking[card.call.id] = made

    def _answered(self, card: ToolCard) -> None:
        assert card.outcome is not None
        self._drop_request(card)
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

    def _drop_request(self, card: ToolCard) -> None:
        """A call that was answered asks no more."""
        asked = self._asking.pop(card.call.id, None)
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
        call = next((card for card in running.tools if card.progress is not None), None)
        if call is not None and call.progress is not None:
            words = tr("{tool} is running").format(tool=shown(call.call.name, 40))
            said_by = shown(call.progress.words, 100)
            self.foot.show_progress(f"{words}: {said_by}" if said_by else words, call.progress.share)
        elif running.progress or running.stage:
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


def stage_words(stage: Stage) -> str:
    """What a turn is at before its model is asked."""
    words = {
        "": "",
        "starting": tr("the model is getting ready"),
        "commands": tr("running what the question asks to read"),
        "counting": tr("counting the request"),
    }
    return words[stage]


CHARS_A_TOKEN = 4
"""While an answer arrives nobody counts its tokens; so this is a rough guess, and marked as one."""
RATE_FROM_MS = 500


class ProgressFoot(Panel):
    """A runner and a few figures; before the first word, what the model is busy with."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._words = ""
        self._begun, self._flowing = QElapsedTimer(), QElapsedTimer()
        self._begun.start()
        self._first_ms: int | None = None
        self._chars = 0
        self._waited = False
        self.padding = (BAR_PX + 12, 0, 0, 0)  # the words begin beside the bar
        self.bar = ProgressLine()
        self.bar.setParent(self)
        self.bar.set_fraction(None)
        self.setFixedHeight(HEIGHT)
        self._say(tr("waiting for the first token"))

    def words(self) -> str:
        return self._words

    def show_amount(self, chars: int) -> None:
        if chars and not self._flowing.isValid():
            self._flowing.start()
            # What was there already when this was made came at a time that nobody knows.
            self._first_ms = self._begun.elapsed() if self._waited else None
        self._waited |= not chars
        self._chars = chars
        self.bar.set_fraction(None)
        if chars:
            self._say(self._figures())

    def show_progress(self, what: str, fraction: float | None) -> None:
        self._waited = True
        self.bar.set_fraction(fraction)
        self._say(shown(what, 120))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.bar.setGeometry(0, (HEIGHT - 4) // 2, BAR_PX, 4)

    def _figures(self) -> str:
        tokens = max(1, round(self._chars / CHARS_A_TOKEN))
        parts = [f"≈ {formatting.token_words(tokens)}"]
        took_ms = self._flowing.elapsed()
        if took_ms > RATE_FROM_MS:
            rate = formatting.tokens(round(tokens * 1000 / took_ms))
            parts.append(tr("{n} per second").format(n=rate))
        if self._first_ms is not None:
            parts.append(tr("first token after {s}").format(s=formatting.seconds(self._first_ms)))
        return " · ".join(parts)

    def _say(self, words: str) -> None:
        if words != self._words:
            self._words, self.runs = words, (Run(words, "t3"),)
            self.setAccessibleName(words)
            self.update()


class RetryCard(Card):
    """An attempt failed, and another one follows: why, and when."""

    stopped = Signal()

    def __init__(self, failure: Failure, attempt: tuple[int, int] = (0, 0)) -> None:
        super().__init__("warn")
        self.failure, self._attempt = failure, attempt
        look = failure_look(failure)
        self._passed = QElapsedTimer()
        self._passed.start()
        self.bar = ProgressLine()
        self.count = FigureLabel(role="small", weight=600, reserve=self._again(10))
        self.stop = on_click(button(tr("Stop waiting"), "ghost", size="small"), self.stopped)
        self._timer = QTimer(self)
        self._timer.setInterval(1_000)
        self._timer.timeout.connect(self._tick)
        down = rows(self, (1, 1, 1, 1))
        self.sentence = label(shown(failure.message, 400), "small", "t2", wrap=True)
        fill(down, CardHead("warn", look.icon, look.title, failure.kind), indented(self.sentence, 6))
        fill(columns(down, (12, 0, 12, 10), 12), 15, (self.bar, 1), self.count)
        down.addWidget(Hairline())
        fill(columns(down, (12, 8, 12, 8), 8), self.stop, STRETCH)
        self._tick()
        self.setAccessibleName(f"{look.title}. {self.sentence.text()} {self.count.figure()}")
        self._timer.start()
        # Spoken once; a screen reader that counted along would say nothing else.
        QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(self, self.accessibleName()))

    def _tick(self) -> None:
        wait_s = self.failure.retry_after_s
        left = None if wait_s is None else max(0, ceil(wait_s - self._passed.elapsed() / 1000))
        if not left:
            self.bar.set_fraction(None)
            self.count.set_figure(self._again(0))
            return
        self.bar.set_fraction(1 - left / max(1.0, wait_s or 1.0))
        self.count.set_figure(self._again(left))

    def _again(self, left_s: int) -> str:
        words = tr("Trying again in {s} s") if left_s else tr("Trying again")
        number, most = self._attempt
        if most:
            words = tr("Trying again in {s} s, {n} of {all}") if left_s else tr("Trying again, {n} of {all}")
        return words.format(s=formatting.tokens(left_s), n=number, all=most)
