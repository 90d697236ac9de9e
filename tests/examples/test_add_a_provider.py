"""A provider of one's own: six methods behind `ports.models.ChatModel`; wiring names it, the engine asks it."""

from collections.abc import AsyncGenerator, Callable

from tests.fakes.chat_model import FakeModels
from tests.fakes.engine import fake_bench
from tests.fakes.loop import in_loop
from workbench.domain.answer import AnswerPart, Finished, TextGrew
from workbench.domain.model import ModelCard
from workbench.domain.request import ModelRequest, WireBody
from workbench.engine.intents import SendMessage


class EchoModel:
    async def card(self, known: ModelCard) -> ModelCard:
        return known  # a server would say here how large its window is

    async def stream(self, request: ModelRequest) -> AsyncGenerator[AnswerPart, None]:
        yield TextGrew(f"You said: {request.messages[-1].text}")
        yield Finished("stop")

    def wire(self, request: ModelRequest) -> WireBody:
        return WireBody({"messages": [message.text for message in request.messages]})

    async def meter(self) -> None: ...

    async def ready(self, progress: Callable[[str, float | None], None]) -> None: ...

    async def close(self) -> None: ...


@in_loop
async def test_its_answer_is_kept_like_any_other():
    bench = fake_bench(models=FakeModels(EchoModel()))
    await bench.start()
    assert (await bench.do(SendMessage("talk", "Hello"))).outcome.state == "complete"
    assert (await bench.texts())[-1] == ("assistant", "You said: Hello", "complete")
