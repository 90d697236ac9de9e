"""A server on another computer gets nothing of a draft before it is sent, unless the user allows it to count."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from tests.fakes.loop import in_loop
from tests.fakes.served_talk import ServedTalk
from tests.fakes.vllm_server import VllmDouble, vllm_double
from workbench.domain.model import ModelCard, ModelFacts
from workbench.engine.assembly.exact_counts import learn_counts
from workbench.engine.intents import EditDraft
from workbench.engine.open_chat.requests import CacheAhead
from workbench.providers.named_models import KeyedModel
from workbench.providers.openai.model import OpenAiModel
from workbench.providers.wire.endpoint import Endpoint

SECRET = "unsent-words"


class Elsewhere:
    """The double's model as one on another computer, with what a person declared about it → Models."""

    def __init__(self, server: VllmDouble) -> None:
        endpoint = Endpoint(f"http://127.0.0.1:{server.port}/v1", "m", local=False, provider="server")

        async def find_key() -> None:
            return None

        self._model = KeyedModel(find_key, lambda key: OpenAiModel(endpoint))

    def open(self, name: str) -> KeyedModel:
        return self._model

    async def close(self) -> None:
        await self._model.close()


class Declared:
    """A catalogue with a word of the user's in it → ModelCatalogue."""

    def __init__(self, inner: Any, facts: ModelFacts) -> None:
        self._inner, self._facts = inner, facts

    def find(self, name: str) -> ModelCard:
        return self._facts.on(self._inner.find(name))

    def names_of(self, provider: str) -> tuple[str, ...]:
        return ()


def heard(server: VllmDouble) -> bool:
    return any(SECRET in str(body) for _, body in server.asked)


async def typed(server: VllmDouble, facts: ModelFacts) -> ServedTalk:
    """A chat with a sent question, and a draft that is not sent."""
    talk = ServedTalk(f"server:http://127.0.0.1:{server.port}#m", models=Elsewhere(server))
    world = talk.bench.world
    builder = replace(world.builder, catalogue=Declared(world.builder.catalogue, facts))
    talk.bench.__init__(replace(world, builder=builder))  # type: ignore[misc]
    await talk.start()
    await talk.bench.workbench.dispatch(EditDraft("talk", f"something with {SECRET} in it"))
    await talk.bench.calm()
    return talk


@pytest.mark.parametrize(("allowed", "expected"), [(None, False), (False, False), (True, True)])
@in_loop
async def test_a_draft_stays_here_until_it_is_sent_or_counting_is_allowed(
    allowed: bool | None, expected: bool
):
    async with vllm_double() as server:
        talk = await typed(server, ModelFacts(count_while_typing=allowed))
        assert heard(server) is expected
        view = talk.bench.workbench.state.open["talk"].view
        assert view is not None
        assert (view.exact, view.counted_at_send) == (expected, not expected)
        turn = await talk.turn(f"something with {SECRET} in it")
        assert heard(server)
        await talk.close()
    assert (turn.counted, turn.exact, turn.foretold) == (turn.prompt, True, turn.cached)


@in_loop
async def test_neither_counting_nor_foretelling_asks_such_a_server():
    async with vllm_double() as server:
        talk = await typed(server, ModelFacts())
        state = talk.bench.workbench.state.open["talk"]
        assert state.prepared is not None
        before = len(server.asked)
        world = talk.bench.world
        assert not await learn_counts(state.prepared, world.models.open("m"), world.builder, world.store)
        ahead = CacheAhead(talk.bench.scope(), lambda: None)
        assert ahead.foretold(state.prepared) is state.prepared
        assert len(server.asked) == before
        await talk.close()
