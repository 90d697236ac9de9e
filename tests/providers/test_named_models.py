"""Models by name: each form, each once, and nothing is asked before it must be."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from tests.fakes.chat_model import FakeModel, words
from tests.fakes.fault_server import Connection, FaultServer
from tests.fakes.loop import in_loop
from tests.fakes.provider_keys import MemoryProviderKeys
from workbench.domain.answer import ModelFailed
from workbench.domain.errors import InvalidInput, StoreLocked
from workbench.domain.model import ModelFacts
from workbench.domain.secret import Secret
from workbench.providers.catalogue import load_catalogue
from workbench.providers.harness.learnt_file import FILE_NAME, LearntFile
from workbench.providers.keyed_model import KeyedModel
from workbench.providers.named_models import NamedModels
from workbench.providers.scripted import ScriptedModel
from workbench.sources.resources import resource_path


class Builtins:
    """Makes fake built-in models, remembering their names."""

    def __init__(self) -> None:
        self.names: list[str] = []

    def make(self, name: str) -> FakeModel:
        self.names.append(name)
        return FakeModel([words("x")])


def named(builtins: Builtins | None = None, advice: str = "", **changes: object) -> NamedModels:
    given = {"servers": {"lab": "https://lab.example"}, **changes}
    return NamedModels(
        catalogue=load_catalogue(resource_path("models.toml")),
        keys=given.pop("keys", MemoryProviderKeys()),  # type: ignore[arg-type]
        make_builtin=(builtins or Builtins()).make,
        builtin_advice=lambda: advice,
        **given,  # type: ignore[arg-type]
    )


@pytest.mark.parametrize("name", ["builtin", "gguf:/models/a.gguf"])
def test_models_on_this_computer_are_made_once(name: str):
    builtins = Builtins()
    models = named(builtins)
    assert models.open(name) is models.open(name)
    assert builtins.names == [name]


@pytest.mark.parametrize(
    "name",
    [
        "openai:gpt-4o", "gpt-4o", "claude-sonnet-4-5", "anthropic:claude-x", "ollama:llama3.2", "lab:some",
        "ollama:llama3.2@http://127.0.0.1:1234", "server:http://localhost:8080#m", "server:https://a.example/v1#m",
    ],
)  # fmt: skip
def test_models_elsewhere_get_their_key_when_they_are_asked(name: str):
    assert isinstance(named().open(name), KeyedModel)


def test_a_script_is_a_file():
    assert isinstance(named().open("scripted:answers.txt"), ScriptedModel)


@pytest.mark.parametrize(
    "name", ["", "nonsense", "nonsense:x", "openai:", "server:http://evil.example#m", "server:#m", "gguf:"]
)
def test_a_name_that_says_nothing_usable_is_refused_at_once(name: str):
    with pytest.raises(InvalidInput):
        named().open(name)


def test_naming_models_loads_no_client():
    code = (
        "import sys; from workbench.providers.named_models import NamedModels; "
        "sys.exit(any(name in sys.modules for name in ('openai', 'ollama', 'anthropic', 'httpx')))"
    )
    import subprocess

    assert subprocess.call([sys.executable, "-c", code]) == 0


@in_loop
async def test_what_can_be_used_is_told_apart_from_what_lacks_something():
    keys = MemoryProviderKeys()
    await keys.keep("https://api.anthropic.com:443", Secret.of_text("k"))
    found = {one.name: one for one in await named(advice="run it", keys=keys).available()}
    assert (found["builtin"].usable, found["builtin"].advice) == (False, "run it")
    assert not found["openai:NAME"].usable
    assert found["anthropic:NAME"].usable
    assert found["openai:NAME"].advice == "needs a key: `workbench keys provider openai`"
    assert [found[f"{name}:NAME"].card for name in ("openai", "anthropic", "lab")] == [None] * 3


@in_loop
async def test_a_provider_with_a_key_offers_what_the_catalogue_has_and_nothing_that_leads_nowhere():
    keys = MemoryProviderKeys()
    await keys.keep("https://api.anthropic.com:443", Secret.of_text("k"))
    found = {one.name: one for one in await named(keys=keys, servers={}).available()}
    chosen = found["anthropic:claude-sonnet-4-5"]
    assert chosen.usable
    assert chosen.card is not None
    assert (chosen.card.context_window_tokens, chosen.card.window_assumed) == (200_000, False)
    assert "anthropic:claude" not in found
    assert not [name for name in found if name.startswith("openai:") and name != "openai:NAME"]


async def two_models(connection: Connection) -> None:
    data = [{"id": "qwen3", "max_model_len": 40_960, "more": "x" * 1000}, {"id": "phi"}]
    await connection.whole(json.dumps({"data": data}).encode(), "application/json")


async def no_list(connection: Connection) -> None:
    await connection.whole(b'{"detail": "Not Found"}', "application/json", "404 Not Found")


@in_loop
async def test_a_server_is_asked_for_its_models_and_says_how_large_their_windows_are():
    async with FaultServer({"play": two_models}) as server:
        models = named(servers={"lab": server.url("play", "/v1")})
        found = {one.name: one for one in await models.available()}
        await models.close()
    cards = [found[name].card for name in ("lab:qwen3", "lab:phi")]
    assert [(card.context_window_tokens, card.window_assumed) for card in cards if card] == [
        (40_960, False),
        (32_768, True),
    ]
    assert "lab:NAME" not in found


@in_loop
async def test_a_server_is_asked_with_its_key():
    keys = MemoryProviderKeys()
    async with FaultServer({"play": two_models}) as server:
        await keys.keep(f"http://127.0.0.1:{server.port}", Secret.of_text("lab-key-1"))
        await named(servers={"lab": server.url("play", "/v1")}, keys=keys).available()
        assert [one.headers["authorization"] for one in server.asked] == ["Bearer lab-key-1"]


@in_loop
async def test_a_server_that_is_not_there_is_not_called_usable_and_one_without_a_list_is():
    async with FaultServer({"play": no_list}) as server:
        servers = {"bare": server.url("play", "/v1"), "gone": "http://127.0.0.1:9/v1"}
        found = {one.name: one for one in await named(servers=servers).available()}
    assert found["bare:NAME"].usable
    assert not found["gone:NAME"].usable
    assert "Nothing answers at 127.0.0.1:9" in found["gone:NAME"].advice


@in_loop
async def test_what_looking_again_hears_is_known_to_a_model_that_is_open_already():
    """A server that was started anew with another window kept its old one until the program ended."""
    said = {"data": [{"id": "m", "max_model_len": 8192}]}

    async def changing(connection: Connection) -> None:
        await connection.whole(json.dumps(said).encode(), "application/json")

    async with FaultServer({"play": changing}) as server:
        models = named(servers={"lab": server.url("play", "/v1")})
        known = models.catalogue.find("lab:m")
        before = await models.open("lab:m").card(known)
        said["data"][0]["max_model_len"] = 16_384
        await models.available()
        after = await models.open("lab:m").card(known)
        await models.close()
    assert (before.context_window_tokens, after.context_window_tokens) == (8192, 16_384)


@in_loop
async def test_what_a_person_declared_wins_over_what_the_server_says():
    async with FaultServer({"play": two_models}) as server:
        models = named(servers={"lab": server.url("play", "/v1")})
        declared = ModelFacts(context_window=5000, images=False).on(models.catalogue.find("lab:qwen3"))
        card = await models.open("lab:qwen3").card(declared)
        await models.close()
    assert (card.context_window_tokens, card.window_assumed, card.images, card.tools) == (
        5000,
        False,
        False,
        True,
    )


@in_loop
async def test_a_window_that_was_learnt_is_known_in_the_next_process(tmp_path: Path):
    """The window fell back to an assumed 32,768 whenever the server was slow at the first question of a session."""
    async with FaultServer({"play": two_models}) as server:
        url = server.url("play", "/v1")
        models = named(servers={"lab": url}, learnt=LearntFile(tmp_path))
        await models.available()
        await models.close()
    later = named(servers={"lab": url}, learnt=LearntFile(tmp_path))
    card = await later.open("lab:qwen3").card(later.catalogue.find("lab:qwen3"))
    await later.close()
    assert (card.context_window_tokens, card.window_assumed) == (40_960, False)
    assert "xxxx" not in (tmp_path / FILE_NAME).read_text()


class LockedKeys(MemoryProviderKeys):
    """Keys in a store that cannot be opened."""

    async def origins(self) -> tuple[str, ...]:
        """Nobody can say."""
        raise StoreLocked("The store is locked.", "Open it.")


@in_loop
async def test_whether_a_locked_store_has_a_key_is_not_guessed():
    found = {one.name: one for one in await named(keys=LockedKeys()).available()}
    assert not found["openai:NAME"].usable
    assert "locked" in found["openai:NAME"].advice


@in_loop
async def test_a_server_whose_address_cannot_be_used_says_why():
    servers = {"plain": "http://lab.example", "other": "https://api.openai.com/v1"}
    found = {one.name: one for one in await named(servers=servers).available()}
    assert "use https://" in found["plain:NAME"].advice
    assert found["other:NAME"].advice == "needs a key: `workbench keys provider openai`"
    assert not found["plain:NAME"].usable


@pytest.mark.parametrize(
    ("name", "provider"),
    [
        ("openai:gpt-4o", "openai"), ("gpt-4o", "openai"), ("anthropic:claude-x", "anthropic"),
        ("server:https://api.openai.com/v1#gpt-4o", "openai"), ("server:https://API.OpenAI.com.:443/v1#m", "openai"),
        ("server:https://api.anthropic.com/v1#claude-x", "anthropic"),
    ],
)  # fmt: skip
@in_loop
async def test_the_providers_themselves_are_not_asked_without_a_key(name: str, provider: str):
    with pytest.raises(ModelFailed) as refused:
        await named().open(name).ready(lambda what, fraction: None)
    failure = refused.value.failure
    assert failure.kind == "auth"
    assert failure.message.startswith(f"api.{provider}.com needs a key: ")
    assert f"`workbench keys provider {provider}`" in failure.message


@in_loop
async def test_closing_lets_go_of_all():
    models = named()
    opened = models.open("builtin")
    await models.close()
    assert isinstance(opened, FakeModel)
    assert opened.closed
    assert models.open("builtin") is not opened
    assert Path("x") != Path("y")


@in_loop
async def test_a_name_that_stands_for_another_server_is_opened_anew():
    """A server that was moved must not go on being asked at its old address, with what belongs to the new one."""
    models = named(servers={"lab": "https://lab.example", "home": "http://127.0.0.1:8080"})
    lab, home, other = (models.open(name) for name in ("lab:m", "home:m", "openai:gpt-4o"))
    models.serve({"lab": "https://new.example", "home": "http://127.0.0.1:8080"})
    assert models.open("lab:m") is not lab
    assert (models.open("home:m"), models.open("openai:gpt-4o")) == (home, other)
    assert models.origin_of("lab:m") == "https://new.example:443"
    models.serve({})
    with pytest.raises(InvalidInput):
        models.open("home:m")
    await models.close()
