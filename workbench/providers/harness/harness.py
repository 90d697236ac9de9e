"""Wrapper of every provider's stream: deadlines on content, visible retries, and exactly one end."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterator, MutableMapping
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import count
from typing import Any

from workbench.domain.answer import (
    AnswerPart,
    CallMade,
    Finished,
    MarksRemoved,
    ModelFailed,
    Retrying,
    TextGrew,
    ThinkingGrew,
)
from workbench.domain.message import ToolCall
from workbench.domain.request import ModelRequest, Timeouts
from workbench.domain.text import digest_text, repair_text
from workbench.domain.translation import tr
from workbench.providers.harness.failures import AttemptFailed
from workbench.providers.harness.template_marks import MarkedEnd
from workbench.providers.wire.faults import CutOff, Empty, Slow, TooBig

# Text that arrives in pieces: a character that JSON wrote in two halves may have been cut between them.

_PAIR = re.compile("[\ud800-\udbff][\udc00-\udfff]")
_CUT = re.compile("[\ud800-\udbff]\\Z")


class TextPieces:
    """Passes text on as soon as it can be encoded; only half a surrogate pair is held back."""

    def __init__(self) -> None:
        self._half = ""

    def grow(self, piece: str) -> str:
        """The text that can be shown now."""
        if piece.isascii() and not self._half:
            return piece
        piece = _PAIR.sub(_joined, self._half + piece)
        self._half = "".join(_CUT.findall(piece))
        return repair_text(piece[: len(piece) - len(self._half)])

    def rest(self) -> str:
        """What was held back, at the end of the stream."""
        half, self._half = self._half, ""
        return repair_text(half)


def _joined(pair: re.Match[str]) -> str:
    return pair[0].encode("utf-16-le", "surrogatepass").decode("utf-16-le")


@dataclass(frozen=True, slots=True)
class CallGrew:
    """More of an incomplete tool call: nothing to show, but a sign of life."""

    chars: int


@dataclass(frozen=True, slots=True)
class EndSeen:
    """The model is done and only usage may follow: a sign of life without content."""


RawPart = AnswerPart | CallGrew | EndSeen
Attempt = Callable[[], AsyncGenerator[RawPart, None]]


@dataclass(frozen=True, slots=True)
class Waits:
    """Retry policy: back-off delays and the longest Retry-After honoured."""

    retries_s: tuple[float, ...] = (0.5, 1.0)
    longest_retry_after_s: float = 10.0
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep


class _Answer:
    """State of one attempt's answer: its deadline, its size, and whether any content came."""

    def __init__(self, timeouts: Timeouts, harness: Harness) -> None:
        self._idle_s = timeouts.idle_s
        self.wait_s = timeouts.until_first_token_s(local=harness.local)
        self.begun = self._given = False
        self._left_chars = harness.longest_chars
        self._text, self._thinking = TextPieces(), TextPieces()
        self._end = MarkedEnd(harness.marks)
        self.restart_deadline()

    def restart_deadline(self) -> None:
        """Restart the deadline: content arrived, or the attempt starts."""
        self.deadline = self.now() + self.wait_s

    def now(self) -> float:
        """The loop's own time, in seconds."""
        return asyncio.get_running_loop().time()

    def take(self, part: RawPart) -> Iterator[AnswerPart]:
        """The parts to pass on for a raw part."""
        match part:
            case TextGrew(text):
                grown = self._end.grow(self._text.grow(text))
                yield from (TextGrew(piece) for piece in self._content(grown, len(text)))
            case ThinkingGrew(text, signature):
                pieces = self._content(self._thinking.grow(text), len(text) + bool(signature))
                self._given |= bool(signature)
                yield from (ThinkingGrew(piece, signature) for piece in pieces or [""] if piece or signature)
            case CallGrew(chars):
                self._content("", chars)
            case EndSeen():
                self.restart_deadline()
            case CallMade(call):
                self._content("", 1 + len(call.arguments))
                self._given = True
                yield part
            case Finished(reason):
                last = [*self.last()]
                if not self.begun or not self._given:
                    raise Empty(reason)
                yield from last
                yield part
            case _:
                yield part

    def last(self) -> Iterator[AnswerPart]:
        """The text held back at the end of the stream, without template marks."""
        grown = self._end.grow(self._text.rest())
        rest, marks = self._end.end()
        if grown or rest:
            self._given = True
            yield TextGrew(grown + rest)
        if marks:
            yield MarksRemoved(marks)

    def _content(self, piece: str, chars: int) -> list[str]:
        """The piece, if there is one; an empty delta is no sign of life."""
        if chars:
            self.begun, self.wait_s = True, self._idle_s
            self.restart_deadline()
        self._left_chars -= chars
        if self._left_chars < 0:
            raise TooBig(tr("an answer of more text than any answer has"))
        self._given |= bool(piece)
        return [piece] if piece else []


@dataclass(frozen=True, slots=True)
class Harness:
    """Turns attempts to ask a provider into the stream that a `ChatModel` promises.

    Attributes:
        explain: turns an error into a failure, and says whether a retry may succeed.
        local: whether the model runs on this computer, which may be slow before the first token.
        marks: marks of its chat template, which are removed from the end of an answer.
    """

    explain: Callable[[Exception], AttemptFailed]
    local: bool
    waits: Waits = field(default_factory=Waits)
    longest_chars: int = 16_000_000
    marks: tuple[str, ...] = ()

    async def stream(self, attempt: Attempt, timeouts: Timeouts) -> AsyncGenerator[AnswerPart, None]:
        """The answer: parts in order, then `Finished` or `ModelFailed`; it retries only before the first content."""
        for number in count(1):
            answer = _Answer(timeouts, self)
            raw = attempt()
            try:
                while not isinstance(parts := await self._next(raw, answer), AttemptFailed):
                    for part in parts:
                        given_at = answer.now()
                        yield part
                        answer.deadline += answer.now() - given_at  # the reader's time is not the provider's
                        if isinstance(part, Finished):
                            return
            finally:
                await _close(raw)
            for part in answer.last():
                yield part
            wait_s = None if answer.begun else self._wait_s(number, parts)
            if wait_s is None:
                raise ModelFailed(parts.failure)
            yield Retrying(number, wait_s, parts.failure, len(self.waits.retries_s) + 1)
            await self.waits.sleep(wait_s)

    async def _next(
        self, raw: AsyncGenerator[RawPart, None], answer: _Answer
    ) -> list[AnswerPart] | AttemptFailed:
        """The next parts. A failure is returned and raised later, so that it does not reference a vendor's error."""
        limit = asyncio.timeout_at(answer.deadline)
        try:
            async with limit:
                part = await anext(raw)
            return [*answer.take(part)]
        except StopAsyncIteration:
            return self.explain(CutOff())
        except Exception as error:  # noqa: BLE001  (a vendor's library may raise anything; all of it gets a name)
            late = isinstance(error, TimeoutError) and limit.expired()
            return self.explain(Slow(answer.wait_s, begun=answer.begun) if late else error)

    def _wait_s(self, number: int, failed: AttemptFailed) -> float | None:
        """Delay before the next attempt; None if there is none."""
        asked_s = failed.failure.retry_after_s
        if not failed.again or number > len(self.waits.retries_s):
            return None
        if asked_s is None:
            return self.waits.retries_s[number - 1]
        return asked_s if asked_s <= self.waits.longest_retry_after_s else None


async def _close(raw: AsyncGenerator[RawPart, None]) -> None:
    """Close the connection, ignoring that it may be broken already."""
    with suppress(Exception):
        await raw.aclose()


# Ids for tool calls that came without one: the same answer to the same request gets the same ids.


def with_own_ids(calls: list[ToolCall], request: ModelRequest) -> list[ToolCall]:
    """The calls, each with an id unique in the request."""
    taken = {call.id for message in request.messages for call in message.tool_calls}
    given: list[ToolCall] = []
    for number, call in enumerate(calls):
        usable = call.id and call.id not in taken
        made = call if usable else ToolCall(_id(call, number, request), call.name, call.arguments)
        taken.add(made.id)
        given.append(made)
    return given


def _id(call: ToolCall, number: int, request: ModelRequest) -> str:
    place = f"{request.conversation}\n{len(request.messages)}\n{number}\n{call.name}\n{call.arguments}"
    return f"call_{digest_text(place)[:24]}"


# Asking a server about its models: briefly, rarely, and without ever failing a turn.


Ask = Callable[[], Awaitable[dict[str, Any]]]
Learnt = MutableMapping[str, dict[str, Any]]

_PATIENCE_S = 3.0
_ASK_AGAIN_AFTER_S = 30.0


class Discovery:
    """Remembers what a server said about its models; one that does not answer is left alone for a while.

    `prepare` imports what asking needs, outside the timeout: on a busy machine the import took all of it, and the
    server was never asked. `learnt` holds earlier answers under `about`, used while a server is silent; models at the
    same server share it, so that what one of them hears all know.
    """

    def __init__(
        self,
        ask: Ask,
        prepare: Callable[[], Awaitable[object]] | None = None,
        *,
        patience_s: float = _PATIENCE_S,
        learnt: Learnt | None = None,
        about: str = "",
    ) -> None:
        self._ask, self._prepare = ask, prepare
        self._patience_s = patience_s
        self._learnt: Learnt = {} if learnt is None else learnt
        self._about = about
        self._asked = False
        self._silent_until_s = float("-inf")

    async def known(self) -> dict[str, Any]:
        """What the server said, now or last time; empty if it never answered."""
        clock = asyncio.get_running_loop()
        if not self._asked and clock.time() >= self._silent_until_s:
            try:
                await self.ask_now()
            except Exception:  # noqa: BLE001  (whatever goes wrong: the turn goes on with what is known)
                self._silent_until_s = clock.time() + _ASK_AGAIN_AFTER_S
        return self._learnt.get(self._about, {})

    async def ask_now(self) -> dict[str, Any]:
        """Query the server now; errors are raised."""
        if self._prepare is not None:
            await self._prepare()
        async with asyncio.timeout(self._patience_s):
            said = self._learnt[self._about] = await self._ask()
        self._asked = True
        return said

    def forget(self) -> None:
        """Query again next time."""
        self._asked, self._silent_until_s = False, float("-inf")
