"""Turns on the command line: answers streamed or written as JSON, changes allowed or refused, Ctrl-C as Stop."""

from __future__ import annotations

import asyncio
import signal
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from typing import Any, assert_never

from workbench.cli.ask.dry_run import show_request
from workbench.cli.ask.told import (
    key_advice,
    refused,
    stream_line,
    tell_cold,
    tell_cuts,
    tell_outside,
    turn_line,
    ways_out,
)
from workbench.cli.terminal import print_bytes, print_json, tell, visible, visible_line
from workbench.context.clean.guard import masked
from workbench.context.clean.secrets import find_secrets
from workbench.context.explain.row_facts import EARLIER, QUESTION, SecretPlace, secret_places
from workbench.domain.outcome import TurnOutcome
from workbench.domain.shown.attachment_view import DiskState
from workbench.domain.shown.envelope_view import EnvelopeView
from workbench.engine.assembly.prepare import Prepared
from workbench.engine.events import (
    AnswerGrew,
    ChatShown,
    EnvelopeBuilt,
    Event,
    ModelProgressed,
    NoticeGiven,
    RebuildProposed,
    RetryScheduled,
    ToolAsked,
    ToolRan,
    TurnBegan,
)
from workbench.engine.intents import AnswerToolRequest, SendMessage
from workbench.engine.workbench import Workbench

_STOPPED = 130
_NOT_AS_IT_IS: Mapping[DiskState, str] = {
    "gone": "is gone; its copy is sent",
    "unreadable": "cannot be read any more; its copy is sent",
}
_WINDOW_UNSAID = (
    "the server did not say how large its window is; find that out, and tell it with --set context_window=N"
)

_WITHHELD = {
    "refusal": "the model refused to answer; ask in other words, or choose another model with --model",
    "content_filter": "a content filter of the provider ended this answer; ask in other words, or choose another "
    "model with --model",
}


@dataclass(frozen=True, slots=True)
class Text:
    """A question; one that was not typed but came from elsewhere runs no commands (@read …)."""

    words: str
    typed: bool = True


@dataclass(slots=True)
class Asking:
    """How this call asks: as JSON or as text, whether tools may change things, whether attachments may stay out.

    Attributes:
        sent: the request as it was last sent; view: as it is shown.
        told: what was last said to be going on.
        warned: which keys and passwords were spoken of.
        broken: why nothing more can be written to standard output.
        unlike: what was said about attached files that do not go out as they are now.
        stream: whether each thing that happens is a line of JSON at once, before that of the turn.
        dry: whether requests are shown and not sent; with `payload` as their bytes.
    """

    json: bool
    allow: bool
    allow_drop: bool = False
    dry: bool = False
    payload: bool = False
    stream: bool = False
    sent: Prepared | None = None
    view: EnvelopeView | None = None
    shown: bool = False
    began: bool = False
    mid_line: bool = False
    told: str = ""
    broken: OSError | None = None
    warned: set[SecretPlace] = field(default_factory=set)
    unlike: set[tuple[str, DiskState]] = field(default_factory=set)

    async def all(self, texts: Sequence[Text], chat: str, workbench: Workbench) -> int:
        """Ask one question after the other; the exit code is that of the first that did not work."""
        for number, text in enumerate(texts, 1):
            outcome = await self._one(text, chat, workbench)
            if outcome.state != "complete":
                left = len(texts) - number
                if left:
                    tell(f"workbench: {left} more not asked, because this turn did not complete")
                return _STOPPED if outcome.state == "stopped" else 1
        return 0

    async def _one(self, text: Text, chat: str, workbench: Workbench) -> TurnOutcome:
        self.sent, self.shown, self.told, self.began = None, False, "", False
        forget = workbench.subscribe(lambda event, state: self._take(event, chat, workbench))
        try:
            with _stopping_on_interrupt(lambda: workbench.stop(chat)):
                may_drop = self._may_drop(chat, workbench)
                out = None if may_drop else frozenset[str]()
                send = SendMessage(chat, text.words, commands=text.typed, left_out=out, dry=self.dry)
                await workbench.dispatch(send)
                outcome = await workbench.until_ended(chat)
        finally:
            forget()
        assert outcome is not None
        if self.broken is not None:
            raise self.broken
        outcome = outcome if may_drop else self._in_words(outcome)
        if not self.dry or not self._shows(outcome):
            self._tell_end(chat, outcome, workbench)
        return outcome

    def _shows(self, outcome: TurnOutcome) -> bool:
        """Show the request of a dry run; whether there is one that could be sent."""
        if outcome.failure is not None or self.sent is None:
            return False
        show_request(self.sent, self.view, as_json=self.json, payload=self.payload)
        return True

    def _may_drop(self, chat: str, workbench: Workbench) -> bool:
        """Whether what is attached may stay out: somebody said so, or set how much of it may go along."""
        budget = workbench.state.open[chat].chat.settings.attachment_budget_tokens
        return self.allow_drop or budget is not None

    def _in_words(self, outcome: TurnOutcome) -> TurnOutcome:
        return outcome if self.began or self.sent is None else refused(outcome, self.sent)

    def _take(self, event: Event, chat: str, workbench: Workbench) -> None:
        if self.stream:
            self._write(event, lambda: workbench.stop(chat))
        self._hear(event, chat, workbench)

    def _hear(self, event: Event, chat: str, workbench: Workbench) -> None:
        match event:
            case EnvelopeBuilt(_, prepared):
                if self.sent is None:
                    self._end_line()
                    tell_cuts(prepared)
                self._warn(prepared)
                self.sent = prepared
            case ChatShown(_, {"in_flight": view}):
                self.view = view
                tell_cold(self.sent, view)
            case TurnBegan():
                self.began = True
            case AnswerGrew(_, text):
                self._show(text, lambda: workbench.stop(chat))
            case ToolAsked(_, call, preview):
                self._say(
                    f"{'allowed' if self.allow else 'refused (no --yes)'}: {visible_line(preview.summary)}"
                )
                tell(visible(preview.diff)) if preview.diff else None
                tell_outside(preview.outside)
                asyncio.get_running_loop().call_soon(self._decide, workbench, chat, call.id)
            case ToolRan(_, call, outcome):
                first = outcome.text.partition("\n")[0]
                # The first line of a file may be a key, and what is told here ends in logs.
                first = masked(first, find_secrets(first))
                self._say(f"{visible_line(call.name)}: {visible_line(first[:100])}")
            case ChatShown(_, {"disk": disk}):
                self._tell_disk(disk)
            case ModelProgressed() | RetryScheduled() | NoticeGiven() | RebuildProposed():
                self._tell(event)
            case _:
                pass

    def _tell_disk(self, disk: Mapping[str, tuple[DiskState, str]]) -> None:
        """Of a file that is not sent as it is now, the copy goes out, and that is said once."""
        for key, (state, _) in disk.items():
            if state in _NOT_AS_IT_IS and (key, state) not in self.unlike:
                self.unlike.add((key, state))
                self._say(f"workbench: {visible_line(key)} {_NOT_AS_IT_IS[state]}")

    def _warn(self, prepared: Prepared) -> None:
        """Say once what looks like a key or a password in what goes out, and never what it is."""
        for place in secret_places(prepared.built, prepared.secrets):
            # What was asked a moment ago is an earlier message now.
            asked = place.where == EARLIER and replace(place, where=QUESTION) in self.warned
            if place not in self.warned and not asked:
                self._say(f"workbench: {visible_line(place.sentence)}")
            self.warned.add(place)

    def _decide(self, workbench: Workbench, chat: str, call: str) -> None:
        workbench.decide(AnswerToolRequest(chat, call, self.allow))

    def _show(self, text: str, stop: Callable[[], None]) -> None:
        if self.json or self.broken is not None or not text:
            return
        with self._ending(stop):
            # What could act on a terminal is written out.
            print_bytes(visible(text).encode("utf-8", "backslashreplace"))
            self.shown, self.mid_line = True, not text.endswith("\n")

    def _write(self, event: Event, stop: Callable[[], None]) -> None:
        line = stream_line(event, allowed=self.allow)
        if line is not None and self.broken is None:
            with self._ending(stop):
                print_json(line)

    @contextmanager
    def _ending(self, stop: Callable[[], None]) -> Iterator[None]:
        """Nobody reads on, or the disk is full: the answer ends as if stopped, and what arrived is kept."""
        try:
            yield
        except OSError as problem:
            self.broken = problem
            stop()

    def _tell(self, event: ModelProgressed | RetryScheduled | NoticeGiven | RebuildProposed) -> None:
        match event:
            case ModelProgressed(_, what, _):
                line = "" if what == self.told else f"{what} …"
                self.told = what
            case RetryScheduled(_, attempt, wait_s, failure, tries):
                which = f"{attempt} of {tries}" if tries else f"{attempt}"
                line = f"attempt {which} failed ({failure.message}); trying again in {wait_s:g} s"
            case NoticeGiven(_, text):
                line = text
            case RebuildProposed(_, prepared, True):
                window = prepared.built.envelope.budget.context_window_tokens
                line = f"it would fit with --set context_window={window}"
            case RebuildProposed():
                line = _WINDOW_UNSAID
            case _:
                assert_never(event)
        if line:
            self._say(f"workbench: {visible_line(line)}")

    def _tell_end(self, chat: str, outcome: TurnOutcome, workbench: Workbench) -> None:
        if self.json:
            line = turn_line(chat, outcome, self.sent, None if self.view is None else self.view.spread)
            print_json({"event": "turn", **line} if self.stream else line)
        self._end_line()
        if outcome.failure is not None:
            silent = outcome.state == "interrupted" and "kept" not in outcome.failure.message
            kept = " What arrived is kept." if silent else ""
            tell(f"workbench: {outcome.state}: {visible_line(outcome.failure.message)}{kept}")
            if outcome.failure.keyless:
                tell(f"workbench: {key_advice(self.sent)}")
            if outcome.failure.kind == "context":
                tell(f"workbench: what helps: {ways_out(self.sent)}")
        if outcome.finish_reason == "length":
            tell(
                "workbench: the answer reached its limit; --set reserved_output_tokens=N allows a longer one"
            )
        if outcome.failure is None and outcome.finish_reason in _WITHHELD:
            tell(f"workbench: {_WITHHELD[outcome.finish_reason]}")
        if outcome.removed_marks:
            marks = visible_line(" ".join(outcome.removed_marks))
            tell(f"workbench: marks of the model's template were taken off the end of its answer: {marks}")
        if not self.json and self.began:
            tell(f"[chat {chat}]" if outcome.state != "stopped" else f"[chat {chat}, stopped]")

    def _say(self, line: str) -> None:
        """Tell something while the answer arrives: output and words for people may share a terminal."""
        self._end_line()
        tell(line)

    def _end_line(self) -> None:
        """What is told next does not stand in the middle of the answer's line."""
        if self.mid_line and self.broken is None:
            print_bytes(b"\n")
        self.mid_line = False


@contextmanager
def _stopping_on_interrupt(stop: Any) -> Iterator[None]:
    """Ctrl-C ends the answer, not the program: what arrived is kept. Windows has no way to be told."""
    loop = asyncio.get_running_loop()
    in_charge = signal.getsignal(signal.SIGINT)
    with suppress(NotImplementedError):
        loop.add_signal_handler(signal.SIGINT, stop)
    try:
        yield
    finally:
        with suppress(NotImplementedError):
            loop.remove_signal_handler(signal.SIGINT)
            # Not Python's own, which would break into whatever the loop does next: the one that ends it in order.
            signal.signal(signal.SIGINT, in_charge)
        sys.stdout.flush()
