"""One answer while it arrives: text, thoughts, calls, usage, and how it ended."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from dataclasses import replace
from typing import assert_never

from workbench.domain.answer import (
    Accepted,
    AnswerNamed,
    AnswerPart,
    CallMade,
    Finished,
    FinishReason,
    MarksRemoved,
    Progressed,
    Retrying,
    TextGrew,
    ThinkingGrew,
    UsageReported,
)
from workbench.domain.caching.forecast import ProviderSays
from workbench.domain.errors import WorkbenchError
from workbench.domain.message import Message, Thought, ToolCall
from workbench.domain.record import Record
from workbench.domain.usage import Usage, believed
from workbench.engine.world import World


class Arriving:
    """Collects the parts of one answer.

    Attributes:
        id: the id its message will have.
        usage, finish_reason: as the provider reported them last.
        finished: whether it came to its end, which may be without a reason.
        calls: the tools it asked for.
        sent_digest: of the bytes that it answers; empty where the model did not say.
        removed_marks: marks of the model's template that were taken off its end.
        answer_id, says: what its provider calls it, and what it says of the request beside the one before.
    """

    def __init__(self, message_id: str, begun: Message | None = None) -> None:
        self.id = message_id
        self._pieces = [begun.text] if begun is not None and begun.text else []
        self._thoughts: list[Thought] = list(begun.thinking) if begun is not None else []
        self.calls: list[ToolCall] = []
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
            case Progressed() | Retrying():
                pass
            case _:
                assert_never(part)
        self.has_content |= isinstance(part, TextGrew | ThinkingGrew | CallMade)

    @property
    def text(self) -> str:
        """The words so far."""
        if len(self._pieces) > 1:
            self._pieces = ["".join(self._pieces)]
        return self._pieces[0] if self._pieces else ""

    @property
    def message(self) -> Message:
        """The answer so far as a message."""
        texts = (self.text,) if self.text else ()
        return Message(
            self.id, "assistant", texts, tool_calls=tuple(self.calls), thinking=tuple(self._thoughts)
        )

    def _think(self, text: str, signature: str | None) -> None:
        """A signature closes a thought; what follows is a new one."""
        if self._thoughts and self._thoughts[-1].signature is None:
            text = self._thoughts.pop().text + text
        self._thoughts.append(Thought(text, signature))


# An answer on the disk while it arrives, never more than a moment behind what was shown.

BEHIND_S = 0.2


class GrowingRecord:
    """Writes an answer as long as it grows, and ends it.

    What cannot be written in between is no matter yet: the end writes all of it, and says so if that fails too.
    """

    def __init__(self, world: World, record: Record, arriving: Arriving) -> None:
        self._world, self._record, self._arriving = world, record, arriving
        self._grew, self._closing = asyncio.Event(), asyncio.Event()
        self.begun = False

    def grew(self) -> None:
        """There is more to write."""
        self._grew.set()

    def close(self) -> None:
        """No more will come; a write that is under way is finished."""
        self._closing.set()
        self._grew.set()

    async def keep_up(self) -> None:
        """Write whatever is new, again and again, until closed."""
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
        """Write the answer as it stays; only after `keep_up` has returned."""
        await self._write(record)

    async def _write(self, record: Record) -> None:
        if self.begun:
            await self._world.store.update(record)
            return
        async with self._world.locks.of(record.chat):
            await self._world.store.append([record])
        self.begun = True
