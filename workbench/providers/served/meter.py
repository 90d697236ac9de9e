"""Counts tokens as the model's own server does, and forecasts what its cache will serve."""

from __future__ import annotations

import asyncio
from codecs import getincrementaldecoder
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Protocol

from workbench.domain.answer import Failure, ModelFailed
from workbench.domain.caching import ChatFraming, Measurement
from workbench.domain.influence import AnswerScore, AnswerTokens
from workbench.domain.request import ModelRequest
from workbench.domain.translation import tr
from workbench.providers.served.framing import Line, TemplateRefused, find_framing
from workbench.providers.served.slot import Token
from workbench.providers.wire.faults import WireFault

Body = Callable[[ModelRequest], dict[str, Any]]

_AT_ONCE = 4


@dataclass(frozen=True, slots=True)
class Held:
    """How much of a prompt a server's cache holds.

    Attributes:
        tokens: None where it is unknown.
        sure: whether everything the server has read is known here, so that it is no estimate.
        step: how many tokens are cached at a time.
    """

    tokens: int | None
    sure: bool
    step: int = 1


Look = Callable[[ModelRequest, Sequence[Token]], Awaitable[Held]]


class Counting(Protocol):
    """A server that renders chats as prompts and tokenises text."""

    async def prompt(self, body: Mapping[str, Any]) -> tuple[str, tuple[Token, ...]]:
        """The prompt of a request with this body, and its tokens; raises `TemplateRefused` if there is none."""

    async def written(self, body: Mapping[str, Any]) -> str:
        """The prompt alone."""

    async def whole(self, prompt: str) -> int:
        """Tokens of a whole prompt."""

    async def count(self, text: str) -> int:
        """Tokens of a part of a prompt, with control tokens recognised."""

    async def beginning(self) -> str:
        """The text that the server itself puts before every prompt."""

    async def answer(self, text: str) -> tuple[Token, ...]:
        """Tokens of an answer, with no text taken for a control token."""

    async def scored(self, prompt: Sequence[int], answer: AnswerTokens) -> AnswerScore:
        """Log-probability of each token of an answer after a prompt."""


class ServerMeter:
    """The token counter of one model at one server → PromptMeter.

    Attributes:
        name: the name under which counts are stored; models with equal tokenizers share it.
        control_tokens: the marks of the model's template.
        read: called with every prompt that was scored and its answer, which the server's cache then holds.
    """

    def __init__(self, server: Counting, look: Look, name: str, body: Body) -> None:
        self.name = name
        self.control_tokens: tuple[str, ...] = ()
        self.read: Callable[[ModelRequest, Sequence[Token]], None] = lambda request, tokens: None
        self._server, self._look, self._body = server, look, body
        self._at_once = asyncio.Semaphore(_AT_ONCE)
        self._framing: tuple[ChatFraming | None] | None = None

    async def framing(self) -> ChatFraming | None:
        """How the template frames messages, determined once."""
        if self._framing is None:
            with _malformed_as_failure():
                self._framing = (await find_framing(_LiveTemplate(self._server), self.control_tokens),)
        return self._framing[0]

    async def count(self, texts: Sequence[str]) -> tuple[int, ...]:
        """Tokens of each text, queried a few at a time."""
        try:
            async with asyncio.TaskGroup() as group:
                tasks = [group.create_task(self._count(text)) for text in texts]
        except ExceptionGroup as errors:
            raise errors.exceptions[0] from None
        return tuple(task.result() for task in tasks)

    async def measure(self, request: ModelRequest) -> Measurement:
        """The prompt of the request, its tokens, and how many of them are cached."""
        prompt, tokens = await self.prompt(request)
        with _malformed_as_failure():
            held = await self._look(request, tokens)
        if not any(token.piece for token in tokens):
            prompt = ""  # nobody can say which token stands where: they are shared out as they were estimated
        return Measurement(prompt, token_ends(prompt, tokens), held.tokens, held.sure, held.step)

    async def prompt(self, request: ModelRequest) -> tuple[str, tuple[Token, ...]]:
        """The prompt and its tokens."""
        if any(message.images for message in request.messages):
            raise ModelFailed(
                Failure("request", tr("What pictures come to, the server does not tell before."))
            )
        try:
            with _malformed_as_failure():
                return await self._server.prompt(self._body(request))
        except TemplateRefused as error:
            raise ModelFailed(
                Failure(
                    "request",
                    tr(
                        "The model's template cannot write this chat: {error}. Nothing was sent.", error=error
                    ),
                )
            ) from error

    async def answer_tokens(self, text: str) -> AnswerTokens:
        """The answer's tokens and their bytes."""
        with _malformed_as_failure():
            tokens = await self._server.answer(text)
        return AnswerTokens(tuple(one.id for one in tokens), tuple(one.piece for one in tokens))

    async def score(self, request: ModelRequest, answer: AnswerTokens) -> AnswerScore:
        """Score the answer under a request, in exactly the prompt that the server would make."""
        _, prompt = await self.prompt(request)
        with _malformed_as_failure():
            found = await self._server.scored([token.id for token in prompt], answer)
        if len(found.logprobs) != len(answer.ids):
            raise ModelFailed(Failure("protocol", tr("The server did not score the whole answer.")))
        last = [Token(*one) for one in zip(answer.ids, answer.pieces, strict=True)][:-1]
        self.read(request, (*prompt, *last))
        return found

    async def _count(self, text: str) -> int:
        async with self._at_once:
            with _malformed_as_failure():
                return await self._server.count(text)


class _LiveTemplate:
    """The running server as the search for a framing uses it, with cached counts."""

    def __init__(self, server: Counting) -> None:
        self._server = server
        self._parts: dict[str, int] = {}

    async def write(self, lines: Sequence[Line], *, reply: bool = True) -> str:
        """Returns the prompt of a chat."""
        messages = [{"role": role, "content": text} for role, text in lines]
        return await self._server.written({"messages": messages, "add_generation_prompt": reply})

    async def whole(self, prompt: str) -> int:
        """Counts the tokens of a whole prompt."""
        return await self._server.whole(prompt)

    async def part(self, text: str) -> int:
        """Counts the tokens of a part."""
        if text not in self._parts:
            self._parts[text] = await self._server.count(text)
        return self._parts[text]

    async def beginning(self) -> str:
        """Returns the text that is put before every prompt."""
        return await self._server.beginning()


@contextmanager
def _malformed_as_failure() -> Iterator[None]:
    """Convert malformed server answers into `ModelFailed`: they cost the exact count, never the request."""
    try:
        yield
    except (WireFault, ValueError, TypeError, LookupError, ArithmeticError, AttributeError) as odd:
        said = tr(
            "The server's own count cannot be used ({name}); the request is estimated.",
            name=type(odd).__name__,
        )
        raise ModelFailed(Failure("protocol", said)) from odd


def token_ends(prompt: str, tokens: Sequence[Token]) -> tuple[int, ...]:
    """Where each token ends in the prompt, in characters; one inside a character ends before it."""
    decoder = getincrementaldecoder("utf-8")("replace")
    ends, at = [], 0
    for token in tokens:
        at += len(decoder.decode(token.piece))
        ends.append(at)
    # What the server puts before the prompt is no part of its text.
    ahead = max(0, at - len(prompt))
    return tuple(min(max(0, end - ahead), len(prompt)) for end in ends)
