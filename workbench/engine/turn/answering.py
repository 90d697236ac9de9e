"""The model's side of a turn: ask, listen, use the tools it calls, ask again, until it has answered."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import aclosing, suppress
from dataclasses import replace
from functools import partial
from typing import assert_never

from workbench.domain.answer import (
    Accepted,
    AnswerNamed,
    AnswerPart,
    CallMade,
    Failure,
    Finished,
    FinishReason,
    MarksRemoved,
    ModelFailed,
    Progressed,
    Retrying,
    TextGrew,
    ThinkingGrew,
    TokenLikely,
    UsageReported,
)
from workbench.domain.caching import ProviderSays
from workbench.domain.errors import WorkbenchError
from workbench.domain.message import STEERED, Message, Thought, ToolCall
from workbench.domain.on_demand import called_tool
from workbench.domain.probability import PROBABILITIES, LikelyToken, as_notes
from workbench.domain.record import BEGUN_CHARS, Notes, Record, TurnState
from workbench.domain.request import ModelRequest
from workbench.domain.tool import ToolOutcome
from workbench.domain.translation import tr
from workbench.domain.usage import Usage, believed
from workbench.engine.assembly.prepare import Prepared
from workbench.engine.events import AnswerGrew, ModelProgressed, RetryScheduled, ThoughtGrew
from workbench.engine.tasks import Stopper
from workbench.engine.turn.planning import Front, Sending, TurnPlan
from workbench.engine.turn.tools import ToolUse
from workbench.engine.wire_forms import shown_digest
from workbench.engine.world import World
from workbench.ports.models import ChatModel


class Arriving:
    """Collects the parts of one answer.

    Attributes:
        id: the id its message will have.
        usage, finish_reason: as the provider reported them last.
        finished: whether it came to its end, which may be without a reason.
        calls: the tools it asked for.
        begun_chars: how much of its text was there before. tokens: how likely the rest was, where that was reported.
        sent_digest: of the bytes that it answers; empty where the model did not say.
        removed_marks: marks of the model's template that were taken off its end.
        answer_id, says: what its provider calls it, and what it says of the request beside the one before.
    """

    def __init__(self, message_id: str, begun: Message | None = None) -> None:
        self.id = message_id
        self._pieces = [begun.text] if begun is not None and begun.text else []
        self._thoughts: list[Thought] = list(begun.thinking) if begun is not None else []
        self.calls: list[ToolCall] = []
        self.begun_chars = len(self.text)
        self.tokens: list[LikelyToken] = []
        self.usage = Usage()
        self.finish_reason: FinishReason | None = None
        self.finished = False
        self.has_content = False
        self.sent_digest = ""
        self.removed_marks: tuple[str, ...] = ()
        self.answer_id = ""
        self.says: ProviderSays | None = None

    def take(self, part: AnswerPart) -> None:
        match part:
            case TextGrew(text):
                self._pieces.append(text)
            case ThinkingGrew(text, signature):
                self._think(text, signature)
            case CallMade(call):
                self.calls.append(call)
            case UsageReported(usage):
                self.usage = believed(usage)
            case Finished(reason):
                self.finish_reason, self.finished = reason, True
            case Accepted(digest):
                self.sent_digest = digest
            case AnswerNamed(name, says):
                self.answer_id, self.says = name, says
            case MarksRemoved(marks):
                self.removed_marks = marks
            case Progressed() | Retrying() | TokenLikely():
                pass
            case _:
                assert_never(part)
        self.has_content |= isinstance(part, TextGrew | ThinkingGrew | CallMade)

    @property
    def text(self) -> str:
        if len(self._pieces) > 1:
            self._pieces = ["".join(self._pieces)]
        return self._pieces[0] if self._pieces else ""

    @property
    def notes(self) -> Notes:
        """What is kept with its message."""
        return {PROBABILITIES: as_notes(self.begun_chars, self.tokens)} if self.tokens else {}

    @property
    def message(self) -> Message:
        texts = (self.text,) if self.text else ()
        return Message(
            self.id, "assistant", texts, tool_calls=tuple(self.calls), thinking=tuple(self._thoughts)
        )

    def _think(self, text: str, signature: str | None) -> None:
        """Append to the last thought; a signature closes it, and what follows is a new one."""
        if self._thoughts and self._thoughts[-1].signature is None:
            text = self._thoughts.pop().text + text
        self._thoughts.append(Thought(text, signature))


# An answer on the disk while it arrives, never more than a moment behind what was shown.

BEHIND_S = 0.2


class GrowingRecord:
    """Writes an answer as long as it grows, and ends it.

    What cannot be written in between is no matter yet: the end writes all of it, and says so if that fails too.
    """

    def __init__(self, world: World, record: Record, arriving: Arriving, *, kept: bool = True) -> None:
        self._world, self._record, self._arriving, self._kept = world, record, arriving, kept
        self._grew, self._closing = asyncio.Event(), asyncio.Event()
        self.begun = False

    def grew(self) -> None:
        self._grew.set()

    def close(self) -> None:
        self._closing.set()
        self._grew.set()

    async def keep_up(self) -> None:
        """Write what is new, again and again, until closed."""
        while True:
            await self._grew.wait()
            self._grew.clear()
            if self._closing.is_set():
                return
            with suppress(WorkbenchError):
                await self._write(replace(self._record, entry=self._arriving.message))
            with suppress(TimeoutError):
                async with asyncio.timeout(BEHIND_S):
                    await self._closing.wait()

    async def end(self, record: Record) -> None:
        """Write the final answer; only after `keep_up` has returned."""
        await self._write(record)

    async def _write(self, record: Record) -> None:
        if not self._kept:
            return
        if self.begun:
            await self._world.store.update(record)
            return
        async with self._world.locks.of(record.chat):
            await self._world.store.append([record])
        self.begun = True


NextRequest = Callable[[tuple[Message, ...]], Awaitable[Sending]]
Write = Callable[[Record], Awaitable[None]]

_LONG_TOKENS = 100_000
"""The bytes of a longer request take the loop for a frame; of a shorter one, a thread would only be a way around."""
_CUT_OFF = Failure("protocol", tr("The answer broke off without an end. Continue it, or ask again."))
_BROKEN = Failure(
    "internal",
    tr("An internal error ended the answer. Ask again; WORKBENCH_LOG=FILE logs why."),
)


class Answering:
    """One turn's conversation with the model; what arrived stays here, whatever happens.

    Attributes:
        said: everything said after the question so far, as it is sent with the next request.
        replies: the records of this turn's answer that have come to their end.
        unkept: those of them that the store has not taken.
        sent: the last request that was sent; `shown_digest` is that of its bytes as they are shown, `sent_digest` of
            those that the model was really given.
        requests: what each request used.
        removed_marks: marks of the model's template that were taken off the ends of its answers.
        answer_id, says: what the provider calls its last answer, and what it says of the request that led to it.
        failure: why it did not come to its end.
        first_content_ms: when the first word, thought or call arrived, on the builder's clock.
    """

    def __init__(self, plan: TurnPlan, world: World, front: Front, tools: ToolUse, stopper: Stopper) -> None:
        self._plan, self._world, self._front = plan, world, front
        self._tools, self._stopper = tools, stopper
        self.said: list[Message] = list(plan.rounds)
        self.replies: list[Record] = []
        self.unkept: list[Record] = []
        self.sent: Prepared | None = None
        self.asked_utc = ""
        self.shown_digest = self.sent_digest = ""
        self.requests: list[Usage] = []
        self.removed_marks: list[str] = []
        self.answer_id = ""
        self.says: ProviderSays | None = None
        self.failure: Failure | None = None
        self.first_content_ms: float | None = None
        self._growing: GrowingRecord
        self.arriving = Arriving(world.new_id(), plan.begun)

    @property
    def anything_arrived(self) -> bool:
        """Whether there is anything to store."""
        return self.arriving.has_content or bool(self.replies)

    async def run(self, model: ChatModel, first: Sending, next_request: NextRequest) -> None:
        """Talk to the model until it has answered or is stopped; failures are recorded."""
        try:
            await self._talk(model, first, next_request)
        except ModelFailed as failed:
            self._note_failure(failed.failure)
        except WorkbenchError as problem:
            self._note_failure(Failure("store", str(problem)))
        except Exception as error:  # noqa: BLE001  (a library may raise anything; what arrived must be kept all the same)
            self._world.tasks.report(tr("answer of {chat}", chat=self._plan.chat), error)
            self._note_failure(_BROKEN)

    async def _talk(self, model: ChatModel, sending: Sending, next_request: NextRequest) -> None:
        limit = self._world.limits.tool_rounds
        for number in range(limit + 2):
            if self._stopper.stopped():
                return
            await self._listen(model, sending)
            if not self.arriving.calls or self._stopper.stopped():
                return
            if number <= limit:
                await self._use_tools(allowed=number < limit and not self._plan.side)
                if self._stopper.stopped():
                    return
                await self._take_steering()
                sending = await next_request(tuple(self.said))
        self.failure = Failure(
            "request", tr("The model went on calling tools after {limit} rounds of them.", limit=limit)
        )

    async def _listen(self, model: ChatModel, sending: Sending) -> None:
        """Send one request and receive its answer, which is written to the store as it grows."""
        chat = self._plan.chat
        self.sent = sending.prepared
        self.asked_utc = self._world.utc.utc_now()
        built, before = self.sent.built, self.sent.compare_with or ""
        digest = partial(shown_digest, built, self._plan.parameters, self._world, before)
        is_long = built.envelope.total_tokens > _LONG_TOKENS
        self.shown_digest = await asyncio.to_thread(digest) if is_long else digest()
        self._growing = GrowingRecord(
            self._world, self._record(self.arriving.message), self.arriving, kept=not self._plan.side
        )
        writer = self._world.tasks.spawn(f"keep the answer of {chat}", self._growing.keep_up())
        try:
            await self._stopper.run(f"listen in {chat}", self._hear(model, sending.request), None)
        finally:
            self.requests.append(self.arriving.usage)
            self.removed_marks += self.arriving.removed_marks
            self.sent_digest = self.arriving.sent_digest
            self.answer_id, self.says = self.arriving.answer_id or self.answer_id, self.arriving.says
            self._growing.close()
            await asyncio.wait([writer])
        if not (self.arriving.finished or self._stopper.stopped()):
            raise ModelFailed(_CUT_OFF)

    async def _hear(self, model: ChatModel, request: ModelRequest) -> None:
        async with aclosing(model.stream(request)) as parts:
            async for part in parts:
                # What comes after Stop is neither shown nor kept, even from a stream that is slow to close.
                if self._stopper.stopped():
                    return
                self._take(part)

    def _take(self, part: AnswerPart) -> None:
        self.arriving.take(part)
        if self.arriving.has_content and self.first_content_ms is None:
            self.first_content_ms = self._world.builder.clock.monotonic_ms()
        chat, emit = self._plan.chat, self._front.emit
        match part:
            case TextGrew(text):
                self._growing.grew()
                emit(AnswerGrew(chat, text))
            case TokenLikely(token):
                self.arriving.tokens.append(token)
            case ThinkingGrew(text, _):
                self._growing.grew()
                emit(ThoughtGrew(chat, text))
            case Progressed(what, fraction):
                emit(ModelProgressed(chat, what, fraction))
            case Retrying(attempt, wait_s, failure, tries):
                emit(RetryScheduled(chat, attempt, wait_s, failure, tries))
            case _:
                pass

    async def _use_tools(self, *, allowed: bool) -> None:
        """Run every call of the answer; each result is stored as soon as it is there."""
        asked = self.arriving
        self.arriving = Arriving(self._world.new_id())
        await self._keep(asked.message, asked.notes, self._growing.end)
        for call in asked.calls:
            outcome = await self._tools.run(call) if allowed else self._tools.refuse(call)
            if outcome is None:
                return
            result = Message(self._world.new_id(), "tool", (outcome.text,), tool_call_id=call.id)
            await self._keep(result, _notes(called_tool(call), outcome), self._append)

    async def _take_steering(self) -> None:
        """Put what the user wants said meanwhile after the results of the tools; each is stored before it is sent."""
        for key, words in () if self._plan.side else self._front.steering():
            said = Message(f"{self._world.new_id()}{STEERED}", "user", (words,))
            await self._keep(said, {}, self._append)
            await self._front.steered(key)

    async def _keep(self, message: Message, notes: Notes, write: Write) -> None:
        """Store a message, shielded from Stop: it must be certain whether it is stored."""
        record = self._record(message, "complete", notes)
        self.said.append(message)
        self.replies.append(record)
        self.unkept.append(record)
        await write(record)
        self.unkept.remove(record)

    async def _append(self, record: Record) -> None:
        if self._plan.side:
            return
        async with self._world.locks.of(record.chat):
            await self._world.store.append([record])

    def _record(self, message: Message, state: TurnState = "running", notes: Notes | None = None) -> Record:
        before = self.replies[-1].id if self.replies else self._plan.answers or self._plan.question.id
        notes = notes or {}
        if not self.replies and self._plan.begun is not None and self._plan.begins != "asked":
            notes = {**notes, BEGUN_CHARS: len(self._plan.begun.text)}
        return Record(
            self._plan.chat, message, self._world.utc.utc_now(), before, state=state, metadata=notes
        )

    def _note_failure(self, failure: Failure) -> None:
        # A stream that is stopped may fail in its own way; it is stopped all the same.
        if not self._stopper.stopped():
            self.failure = failure

    def last_reply(self, state: TurnState) -> Record | None:
        """The record of what arrived since the last tool ran, which ends the turn; None if nothing did."""
        arriving = self.arriving
        return self._record(arriving.message, state, arriving.notes) if arriving.has_content else None


def _notes(call: ToolCall, outcome: ToolOutcome) -> Notes:
    """Notes stored with a tool's result: which tool it was, and how to undo it."""
    notes: dict[str, object] = {"tool": call.name}
    if outcome.failed:
        notes["failed"] = True
    if outcome.undo is not None:
        notes["undo"] = outcome.undo
    return notes
