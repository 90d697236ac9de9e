"""A model that gives answers out of a file, word by word: for demonstrations and tests, and honest in its name."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncGenerator, Callable
from pathlib import Path

from workbench.domain.answer import (
    AnswerPart,
    CallMade,
    Failure,
    Finished,
    ModelFailed,
    TextGrew,
    ThinkingGrew,
    UsageReported,
)
from workbench.domain.model import ModelCard
from workbench.domain.payload import WireBody
from workbench.domain.request import ModelRequest
from workbench.ports.models import PromptMeter
from workbench.providers.harness.call_ids import with_own_ids
from workbench.providers.openai.openai_messages import openai_messages
from workbench.providers.script_file import ScriptedAnswer, read_script
from workbench.providers.wire.body import body_bytes, chat_stretches, digest_of

_WORD = re.compile(r"\s*\S+|\s+")


class ScriptedModel:
    """One answer a call, in the order of the file, and from its beginning again → ChatModel.

    The file is read at every call, so that it can be edited while the program runs.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._calls = 0

    async def card(self, known: ModelCard) -> ModelCard:
        """As it is: a file has no window."""
        return known

    def wire(self, request: ModelRequest) -> WireBody:
        """The request as most servers would get it; this one goes nowhere."""
        body = {"model": request.model, "messages": openai_messages(request, thoughts=False)}
        return WireBody(body, stretches=chat_stretches(request, body), digest=digest_of(body_bytes(body)))

    async def meter(self) -> PromptMeter | None:
        """It counts nothing."""
        return None

    async def ready(self, progress: Callable[[str, float | None], None]) -> None:
        """Check that the file is there and can be used."""
        await asyncio.to_thread(read_script, self._path)

    async def close(self) -> None:
        """Nothing is open; the next call gets the first answer again."""
        self._calls = 0

    async def stream(self, request: ModelRequest) -> AsyncGenerator[AnswerPart, None]:
        """The next answer of the file."""
        answers = await asyncio.to_thread(read_script, self._path)
        answer = answers[self._calls % len(answers)]
        self._calls += 1
        await asyncio.sleep(answer.delay_ms / 1000)
        for word in _WORD.findall(answer.thinking):
            yield ThinkingGrew(word)
            await asyncio.sleep(0)
        for word in _WORD.findall(answer.text):
            yield TextGrew(word)
            # Whoever reads must be able to stop in between.
            await asyncio.sleep(0)
        for part in self._ending(answer, request):
            yield part

    def _ending(self, answer: ScriptedAnswer, request: ModelRequest) -> list[AnswerPart]:
        if answer.failure is not None:
            raise ModelFailed(answer.failure)
        if not (answer.text or answer.calls or answer.thinking):
            raise ModelFailed(
                Failure("empty", f"This answer in {self._path.name} is empty. Write something into it.")
            )
        ending: list[AnswerPart] = [CallMade(call) for call in with_own_ids(list(answer.calls), request)]
        if answer.usage is not None:
            ending.append(UsageReported(answer.usage))
        return [*ending, Finished(answer.finish or ("tool_calls" if answer.calls else "stop"))]
