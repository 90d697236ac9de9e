"""Two real replicas behind a real router: a chat that names its session keeps to one, and its forecasts hold."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.conftest import Run
from tests.fakes.provider_keys import MemoryProviderKeys
from tests.fakes.replicas import HAPROXY, KEY, SESSION, Replicas, replicas
from tests.fakes.served_talk import ServedTalk, Turn, no_builtin
from workbench.domain.secrets import Secret
from workbench.providers.catalogue import load_catalogue
from workbench.providers.named_models import NamedModels
from workbench.providers.wire.endpoint import origin
from workbench.sources.resources import resource_path

pytestmark = [
    pytest.mark.slow,
    pytest.mark.usefixtures("soon"),
    pytest.mark.skipif(HAPROXY is None, reason="haproxy is not installed (Debian: apt-get install haproxy)"),
]
CHATS = ("9f2c51d07ab3", "04d1e8b6c3f7")
TURNS = 3


@pytest.fixture(scope="module")
def router(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Replicas]:
    with replicas(Path(tmp_path_factory.mktemp("router"))) as made:
        yield made


def talk_at(url: str, sessions: dict[str, str]) -> ServedTalk:
    keys = MemoryProviderKeys()
    keys.kept[origin(url)] = Secret.of_text(KEY)
    catalogue = load_catalogue(resource_path("models.toml"))
    models = NamedModels(catalogue, keys, no_builtin, lambda: "", servers={"lab": url}, sessions=sessions)
    return ServedTalk("lab:smol", answer_tokens=4, models=models)


async def turns_of(talk: ServedTalk, chat: str) -> list[Turn]:
    await talk.start(chat)
    first = len(talk.turns)
    for number in range(TURNS):
        await talk.turn(f"{chat[:3]} {number}: {talk.text(24)}", chat)
    return talk.turns[first:]


def told(name: str, turns: list[Turn]) -> None:
    for turn in turns:
        print(f"{name}: {turn.foretold} foretold, {turn.cached} of {turn.prompt} cached, {turn.verdict}")


def test_with_a_session_every_forecast_holds(run: Run, router: Replicas):
    async def talk() -> list[Turn]:
        talking = talk_at(router.header, {"lab": SESSION})
        turns = [await turns_of(talking, chat) for chat in CHATS]
        await talking.close()
        return [turn for one in turns for turn in one]

    turns = run(talk())
    told("with a session", turns)
    assert {turn.verdict for turn in turns} == {"as_predicted"}
    assert [turn.foretold for turn in turns] == [turn.cached for turn in turns]
    assert sum(turn.cached or 0 for turn in turns[1:TURNS]) > 0


def test_without_a_session_the_next_replica_has_nothing_and_the_verdict_says_so(run: Run, router: Replicas):
    async def talk() -> list[Turn]:
        talking = talk_at(router.turns, {})
        turns = await turns_of(talking, "77aa01c94be2")
        await talking.close()
        return turns

    turns = run(talk())
    told("without a session", turns)
    assert {turn.verdict for turn in turns[1:]} == {"elsewhere"}
