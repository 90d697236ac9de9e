"""Counting as the built-in model's own server counts, which has one place and answers nobody else."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager, nullcontext

from workbench.domain.influence import AnswerScore, AnswerTokens
from workbench.domain.request import ModelRequest
from workbench.providers.builtin.client import LlamaClient
from workbench.providers.served.meter import Body, Held, ServerMeter
from workbench.providers.served.slot import LlamaSlot, Token

Reading = Callable[[], AbstractAsyncContextManager[None]]

_SETTLING_S = 1.0
_LOOK_AGAIN_S = 0.02


class BuiltinMeter(ServerMeter):
    """The counter of one run of the server.

    Attributes:
        reading: entered by whoever makes the model read, so that it does one thing at a time and is not idle.
    """

    def __init__(self, client: LlamaClient, slot: LlamaSlot, name: str, body: Body) -> None:
        super().__init__(client, self._held, name, body)
        self._client, self._slot = client, slot
        self.read = self._holds
        self.reading: Reading = nullcontext

    async def score(self, request: ModelRequest, answer: AnswerTokens) -> AnswerScore:
        """An answer's likelihood, after whatever is being answered now."""
        async with self.reading():
            try:
                return await super().score(request, answer)
            except BaseException:
                self._slot.forget()  # how far it came, nobody knows
                raise

    def _holds(self, request: ModelRequest, tokens: Sequence[Token]) -> None:
        self._slot.begin(self._client.run.number, tokens)
        self._slot.ended(0)
        self._slot.left()

    async def _held(self, request: ModelRequest, tokens: Sequence[Token]) -> Held:
        """What the server says it holds; after a stop it may take a moment to notice."""
        end = asyncio.get_running_loop().time() + _SETTLING_S
        while True:
            held, busy = await self._client.held()
            if not busy or self._slot.answering or asyncio.get_running_loop().time() > end:
                return Held(self._slot.shared_tokens(self._client.run.number, tokens, held), sure=True)
            await asyncio.sleep(_LOOK_AGAIN_S)
