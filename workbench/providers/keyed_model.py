"""A model whose key is looked up when it is asked, so that a key that was changed or revoked is not used again."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing

from workbench.domain.answer import AnswerPart, Failure, ModelFailed
from workbench.domain.keys.secret import Secret
from workbench.domain.models.model import ModelCard, with_declared
from workbench.domain.request import ModelRequest
from workbench.domain.wire_form import WireBody
from workbench.ports.models import ChatModel, PromptMeter

_NOT_LOOKED_UP = Secret.of_text("not looked up yet")

FindKey = Callable[[], Awaitable[Secret | None]]


class KeyedModel:
    """Puts the key of the day into an adapter → ChatModel.

    `without` is what to say where there is no key at a server that answers nobody without one; it is then not asked for
    anything. Empty where a server may do without.
    """

    def __init__(
        self, find_key: FindKey, make: Callable[[Secret | None], ChatModel], without: str = ""
    ) -> None:
        self._find_key, self._make, self._without = find_key, make, without
        self._made: tuple[Secret | None, ChatModel] | None = None

    async def card(self, known: ModelCard) -> ModelCard:
        """The card with what the model's server says about it; what a person declared stays."""
        model = await self._allowed()
        return known if model is None else with_declared(await model.card(known), known)

    async def stream(self, request: ModelRequest) -> AsyncGenerator[AnswerPart, None]:
        """Ask, and give the answer as it arrives."""
        model = await self._model()
        async with aclosing(model.stream(request)) as parts:
            async for part in parts:
                yield part

    def wire(self, request: ModelRequest) -> WireBody:
        """What its adapter would send; looking finds no key out, so one is shown where the server wants one."""
        if self._made is not None:
            return self._made[1].wire(request)
        return self._make(_NOT_LOOKED_UP if self._without else None).wire(request)

    async def meter(self) -> PromptMeter | None:
        """The adapter's own counter."""
        model = await self._allowed()
        return None if model is None else await model.meter()

    async def ready(self, progress: Callable[[str, float | None], None]) -> None:
        """Start what must run before it can be asked."""
        await (await self._model()).ready(progress)

    async def close(self) -> None:
        """Let go of its connections."""
        made, self._made = self._made, None
        if made is not None:
            await made[1].close()

    async def _model(self) -> ChatModel:
        model = await self._allowed()
        if model is None:
            raise ModelFailed(Failure("auth", self._without, keyless=True))
        return model

    async def _allowed(self) -> ChatModel | None:
        """The adapter with its key; None where it needs one that is not there."""
        key = await self._find_key()
        if key is None and self._without:
            await self.close()
            return None
        if self._made is None or self._made[0] != key:
            await self.close()
            self._made = (key, self._make(key))
        return self._made[1]
