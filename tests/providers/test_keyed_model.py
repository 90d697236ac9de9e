"""A model whose key is looked up when it is asked."""

from __future__ import annotations

import pytest

from tests.fakes.catalogue import WORD_MODEL
from tests.fakes.chat_model import FakeModel, words
from tests.fakes.loop import in_loop
from tests.fakes.provider_keys import MemoryProviderKeys
from workbench.domain.answer import ModelFailed, TextGrew
from workbench.domain.request import ModelRequest, WireBody
from workbench.domain.secrets import Secret
from workbench.providers.named_models import KeyedModel

PLACE = "https://a.example:443"
REQUEST = ModelRequest("m", "talk", (), 1000)


class Maker:
    """Makes a model for each key it is given."""

    def __init__(self) -> None:
        self.keys: list[Secret | None] = []
        self.made: list[FakeModel] = []

    def make(self, key: Secret | None) -> FakeModel:
        self.keys.append(key)
        self.made.append(FakeModel([words("Hi there")]))
        return self.made[-1]


async def said(model: KeyedModel) -> str:
    return "".join([part.text async for part in model.stream(REQUEST) if isinstance(part, TextGrew)])


@in_loop
async def test_a_key_that_was_changed_or_revoked_is_not_used_again():
    """AnythingLLM CVE-2026-32717: a revoked key still opened the door."""
    keys, maker = MemoryProviderKeys(), Maker()
    model = KeyedModel(lambda: keys.find(PLACE), maker.make)
    await keys.keep(PLACE, Secret.of_text("one"))
    assert await said(model) == "Hi there"
    assert await said(model) == "Hi there"
    await keys.keep(PLACE, None)
    await said(model)
    assert maker.keys == [Secret.of_text("one"), None]
    assert maker.made[0].closed


@in_loop
async def test_everything_else_is_the_models_own():
    maker = Maker()
    model = KeyedModel(MemoryProviderKeys().origins, maker.make)  # type: ignore[arg-type]
    await model.ready(lambda what, fraction: None)
    assert await model.card(WORD_MODEL) == WORD_MODEL
    assert await model.meter() is None
    await model.close()
    await model.close()
    assert maker.made[0].closed


@in_loop
async def test_a_server_that_needs_a_key_is_asked_nothing_without_one():
    """A request without a key tells the server what was written, and gets nothing for it."""
    keys, maker = MemoryProviderKeys(), Maker()
    model = KeyedModel(lambda: keys.find(PLACE), maker.make, "needs a key")
    assert await model.card(WORD_MODEL) == WORD_MODEL
    assert await model.meter() is None
    for asking in (lambda: said(model), lambda: model.ready(lambda what, fraction: None)):
        with pytest.raises(ModelFailed) as refused:
            await asking()
        assert (refused.value.failure.kind, refused.value.failure.message) == ("auth", "needs a key")
        assert refused.value.failure.keyless
    assert maker.made == []
    await keys.keep(PLACE, Secret.of_text("one"))
    assert await said(model) == "Hi there"
    await keys.keep(PLACE, None)
    assert await model.meter() is None
    assert maker.made[0].closed


class Showing(FakeModel):
    """Shows which key it was made with, as no adapter does."""

    def __init__(self, key: Secret | None) -> None:
        super().__init__([words("Hi there")])
        self.key = key

    def wire(self, request: ModelRequest) -> WireBody:
        return WireBody({"with a key": self.key is not None})


@pytest.mark.parametrize(("without", "shown"), [("needs a key", True), ("", False)])
def test_looking_finds_no_key_out(without: str, shown: bool):
    """Keys are looked for when something is sent; a locked store must not be asked for by looking."""

    async def find() -> Secret | None:
        raise AssertionError("nobody asked for the key")

    model = KeyedModel(find, Showing, without)
    assert model.wire(REQUEST).body == {"with a key": shown}


@in_loop
async def test_once_it_was_asked_the_real_adapter_shows_what_it_learnt():
    keys, made = MemoryProviderKeys(), []

    def make(key: Secret | None) -> Showing:
        made.append(Showing(key))
        return made[-1]

    await keys.keep(PLACE, Secret.of_text("one"))
    model = KeyedModel(lambda: keys.find(PLACE), make)
    await said(model)
    assert model.wire(REQUEST).body == {"with a key": True}
    assert len(made) == 1
