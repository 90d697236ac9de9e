"""Counting as the built-in model's own server counts, and foretelling what its cache will serve."""

from __future__ import annotations

import asyncio
from codecs import getincrementaldecoder
from collections.abc import Callable, Sequence
from typing import Any

from workbench.domain.answer import Failure, ModelFailed
from workbench.domain.forecast import ChatFraming, Measurement
from workbench.domain.request import ModelRequest
from workbench.providers.builtin.client import LlamaClient, TemplateRefused
from workbench.providers.builtin.framing import Line, find_framing
from workbench.providers.builtin.slot import LlamaSlot, Token

Body = Callable[[ModelRequest], dict[str, Any]]

_AT_ONCE = 4
_SETTLING_S = 1.0
_LOOK_AGAIN_S = 0.02
_REMEMBERED = 8


class BuiltinMeter:
    """The counter of one run of the server.

    Attributes:
        name: under which counts may be kept; files with equal tokenizers share it.
    """

    def __init__(self, client: LlamaClient, slot: LlamaSlot, name: str, body: Body) -> None:
        self.name = name
        self._client, self._slot, self._body = client, slot, body
        self._at_once = asyncio.Semaphore(_AT_ONCE)
        self._framing: tuple[ChatFraming | None] | None = None
        self._prompts: dict[str, tuple[Token, ...]] = {}
        self.control_tokens: tuple[str, ...] = ()

    async def framing(self) -> ChatFraming | None:
        """How the template writes messages, found out once a run."""
        if self._framing is None:
            self._framing = (await find_framing(_LiveTemplate(self._client), self.control_tokens),)
        return self._framing[0]

    async def count(self, texts: Sequence[str]) -> tuple[int, ...]:
        """The tokens of each text, a few of them asked for at once."""
        try:
            async with asyncio.TaskGroup() as group:
                tasks = [group.create_task(self._count(text)) for text in texts]
        except ExceptionGroup as errors:
            raise errors.exceptions[0] from None
        return tuple(task.result() for task in tasks)

    async def measure(self, request: ModelRequest) -> Measurement:
        """The prompt that the request becomes, its tokens, and how many of them the cache holds."""
        prompt, tokens = await self.prompt(request)
        held = await self._held()
        cached = self._slot.shared_tokens(self._client.run.number, tokens, held)
        return Measurement(prompt, token_ends(prompt, tokens), cached)

    async def prompt(self, request: ModelRequest) -> tuple[str, tuple[Token, ...]]:
        """The prompt and its tokens, counted once for the same request."""
        try:
            prompt = await self._client.rendered(self._body(request))
        except TemplateRefused as error:
            raise ModelFailed(
                Failure("request", f"The model's template cannot write this chat: {error}. Nothing was sent.")
            ) from error
        if prompt not in self._prompts:
            while len(self._prompts) >= _REMEMBERED:
                del self._prompts[next(iter(self._prompts))]
            self._prompts[prompt] = await self._client.tokens(prompt)
        return prompt, self._prompts[prompt]

    async def _held(self) -> int:
        """What the server says it holds; after a stop it may take a moment to notice."""
        end = asyncio.get_running_loop().time() + _SETTLING_S
        while True:
            held, busy = await self._client.held()
            if not busy or self._slot.answering or asyncio.get_running_loop().time() > end:
                return held
            await asyncio.sleep(_LOOK_AGAIN_S)

    async def _count(self, text: str) -> int:
        async with self._at_once:
            return await self._client.count(text)


class _LiveTemplate:
    """The running server, as the search for a framing sees it."""

    def __init__(self, client: LlamaClient) -> None:
        self._client = client

    async def write(self, lines: Sequence[Line], *, reply: bool = True) -> str:
        """The prompt of a chat."""
        messages = [{"role": role, "content": text} for role, text in lines]
        return await self._client.rendered({"messages": messages, "add_generation_prompt": reply})

    async def whole(self, prompt: str) -> int:
        """The tokens of a whole prompt."""
        return len(await self._client.tokens(prompt))

    async def part(self, text: str) -> int:
        """The tokens of a part."""
        return await self._client.count(text)

    async def beginning(self) -> str:
        """What is put before every prompt, as text."""
        return b"".join(token.piece for token in await self._client.tokens("")).decode("utf-8", "replace")


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
