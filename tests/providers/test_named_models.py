"""Models by name: each form, each once, and nothing is asked before it must be."""

from __future__ import annotations

import asyncio
import json
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from tests.fakes.answers import keep, question
from tests.fakes.chat_model import FakeModel, words
from tests.fakes.fault_server import Connection, FaultServer
from tests.fakes.loop import in_loop
from tests.fakes.provider_keys import MemoryProviderKeys
from workbench.domain.answer import ModelFailed
from workbench.domain.errors import InvalidInput, StoreLocked
from workbench.domain.model import ModelFacts
from workbench.domain.secrets import Secret
from workbench.net.connections import Connections
from workbench.net.rules import Rules
from workbench.providers.catalogue import load_catalogue
from workbench.providers.harness.learnt_file import FILE_NAME, LearntFile
from workbench.providers.named_models import KeyedModel, NamedModels
from workbench.providers.scripted import ScriptedModel
from workbench.providers.wire.endpoint import origin
from workbench.sources.resources import resource_path

NOBODY = "http://127.0.0.1:9"
"""Where nothing answers, and nothing outside of this computer is asked."""


class Builtins:
    """Makes fake built-in models, remembering their names."""

    def __init__(self) -> None:
        self.names: list[str] = []

    def make(self, name: str) -> FakeModel:
        self.names.append(name)
        return FakeModel([words("x")])


def named(builtins: Builtins | None = None, advice: str = "", **changes: object) -> NamedModels:
    given = {"servers": {"lab": NOBODY}, **changes}
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
    assert [found[f"{name}:NAME"].card for name in ("openai", "anthropic")] == [None] * 2


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
        assert {one.headers["authorization"] for one in server.asked} == {"Bearer lab-key-1"}


@in_loop
async def test_a_server_that_is_not_there_is_not_called_usable_and_one_without_a_list_is():
    async with FaultServer({"play": no_list}) as server:
        servers = {"bare": server.url("play", "/v1"), "gone": "http://127.0.0.1:9/v1"}
        found = {one.name: one for one in await named(servers=servers).available()}
    assert found["bare:NAME"].usable
    assert not found["gone:NAME"].usable
    assert "No response from 127.0.0.1:9" in found["gone:NAME"].advice


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


async def listing(connection: Connection) -> None:
    body = {"data": [{"id": "small", "max_model_len": 4096}, {"id": "large"}]}
    await connection.whole(json.dumps(body).encode(), "application/json")


async def guarded(connection: Connection) -> None:
    if connection.asked.headers.get("authorization") == "Bearer right":
        await listing(connection)
    else:
        await connection.whole(b"{}", "application/json", "401 Unauthorized")


async def without_a_list(connection: Connection) -> None:
    await connection.whole(b"{}", "application/json", "404 Not Found")


async def web_page(connection: Connection) -> None:
    await connection.whole(b"<html>", "text/html")


async def elsewhere(connection: Connection) -> None:
    await connection.whole(b"", "text/html", "302 Found", location="https://other.example/v1/models")


async def silent(connection: Connection) -> None:
    await connection.gone()


@in_loop
async def test_servers_are_asked_and_what_they_say_is_told_apart():
    """A server that was not there was called ready."""
    acts = {
        "listing": listing, "guarded": guarded, "bare": without_a_list, "page": web_page, "moved": elsewhere,
        "silent": silent,
    }  # fmt: skip
    async with FaultServer(acts) as server:
        servers = {name: server.url(name, "/v1") for name in acts} | {"gone": NOBODY}
        began = asyncio.get_running_loop().time()
        found = {one.name: one for one in await named(servers=servers).available() if one.server}
        took_s = asyncio.get_running_loop().time() - began
    assert {name: one.usable for name, one in found.items()} == {
        "listing:small": True, "listing:large": True, "guarded:NAME": False, "bare:NAME": True, "page:NAME": False,
        "moved:NAME": False, "silent:NAME": False, "gone:NAME": False,
    }  # fmt: skip
    card = found["listing:small"].card
    assert card is not None
    assert (card.context_window_tokens, card.window_assumed) == (4096, False)
    assert "asks for a key, and none is kept" in found["guarded:NAME"].advice
    assert found["gone:NAME"].advice.startswith("No response from 127.0.0.1:9")
    assert "not JSON" in found["page:NAME"].advice
    assert "other.example" in found["moved:NAME"].advice
    assert "within 3 s" in found["silent:NAME"].advice
    assert took_s < 15  # at the same time, not one after the other


@pytest.mark.parametrize(("key", "usable"), [("right", True), ("wrong", False)])
def test_a_key_that_is_refused_is_told_apart_from_none(key: str, usable: bool):
    @in_loop
    async def look() -> None:
        async with FaultServer({"guarded": guarded}) as server:
            url = server.url("guarded", "/v1")
            keys = MemoryProviderKeys()
            await keys.keep(origin(url), Secret.of_text(key))
            found = [one for one in await named(servers={"lab": url}, keys=keys).available() if one.server]
        assert [one.usable for one in found] == ([True, True] if usable else [False])
        if not usable:
            assert "did not accept the key" in found[0].advice
            assert key not in found[0].advice

    look()


@in_loop
async def test_whether_a_server_has_a_key_in_a_locked_store_is_not_guessed():
    async with FaultServer({"guarded": guarded}) as server:
        models = named(servers={"lab": server.url("guarded", "/v1")}, keys=LockedKeys())
        found = {one.name: one for one in await models.available()}
    assert "asks for a key, and whether there is a key is not known" in found["lab:NAME"].advice


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
    assert (failure.kind, failure.keyless) == ("auth", True)
    assert (
        failure.message == f"api.{provider}.com needs a key, and none is kept for it yet. Nothing was sent."
    )


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
    models.serve({"lab": "https://new.example", "home": "http://127.0.0.1:8080"}, {}, {})
    assert models.open("lab:m") is not lab
    assert (models.open("home:m"), models.open("openai:gpt-4o")) == (home, other)
    assert models.origin_of("lab:m") == "https://new.example:443"
    models.serve({}, {}, {})
    with pytest.raises(InvalidInput):
        models.open("home:m")
    await models.close()


GATEWAYS = {"openai": "https://gw.example/openai/v1", "anthropic": "https://gw.example:8443/v1"}


@pytest.mark.parametrize(
    ("name", "place"),
    [
        ("openai:gpt-4o", "https://gw.example:443"), ("gpt-4o", "https://gw.example:443"),
        ("anthropic:claude-x", "https://gw.example:8443"), ("claude-sonnet-4-5", "https://gw.example:8443"),
        ("server:https://a.example/v1#m", "https://a.example:443"),
    ],
)  # fmt: skip
def test_providers_can_be_asked_at_a_gateway(name: str, place: str):
    assert named(addresses=GATEWAYS).origin_of(name) == place


@pytest.mark.parametrize("provider", ["openai", "anthropic"])
@pytest.mark.parametrize("url", ["http://gw.example/v1", "https://me:secret@gw.example", "gw.example"])
def test_a_gateway_has_to_be_an_address_that_can_be_trusted(provider: str, url: str):
    with pytest.raises(InvalidInput, match="cannot be used"):
        named(addresses={provider: url}).open(f"{provider}:m")


@in_loop
async def test_a_gateway_that_is_set_later_is_asked_from_then_on():
    models = named()
    before = [models.open(name) for name in ("openai:gpt-4o", "gpt-4o", "anthropic:claude-x", "ollama:m")]
    models.serve(models.servers, GATEWAYS, {})
    after = [models.open(name) for name in ("openai:gpt-4o", "gpt-4o", "anthropic:claude-x", "ollama:m")]
    assert [old is new for old, new in zip(before, after, strict=True)] == [False, False, False, True]
    await models.close()


@pytest.mark.parametrize("provider", ["openai", "anthropic"])
def test_a_gateway_gets_its_own_key_and_no_other(provider: str):
    """The key of the provider itself must never reach whoever stands between."""

    @in_loop
    async def ask() -> None:
        async def refuse(connection: Connection) -> None:
            await connection.whole(b"{}", "application/json", "400 Bad Request")

        async with FaultServer({"gw": refuse}) as server:
            url, keys = server.url("gw", "/v1"), MemoryProviderKeys()
            await keys.keep(f"https://api.{provider}.com:443", Secret.of_text("of-the-provider"))
            models = named(addresses={provider: url}, keys=keys)
            await keep(models.open(f"{provider}:m").stream(question()))
            await keys.keep(origin(url), Secret.of_text("of-the-gateway"))
            await keep(models.open(f"{provider}:m").stream(question()))
            await models.close()
        sent = [str(one.headers) for one in server.asked]
        assert "of-the-provider" not in "".join(sent)
        assert ["of-the-gateway" in one for one in sent] == [False] * (len(sent) - 1) + [True]
        paths = {"openai": "/gw/v1/chat/completions", "anthropic": "/gw/v1/messages"}
        assert {one.path for one in server.asked} == {paths[provider]}

    ask()


@in_loop
async def test_a_gateway_that_points_elsewhere_is_not_followed():
    reached = []

    async def away(connection: Connection) -> None:
        await connection.whole(b"", "text/html", "307 Temporary Redirect", location=other.url("there", "/v1"))

    async def there(connection: Connection) -> None:
        reached.append(connection.asked)
        await connection.whole(b"{}", "application/json")

    async with FaultServer({"gw": away}) as server, FaultServer({"there": there}) as other:
        models = named(addresses={"openai": server.url("gw", "/v1")})
        kept = await keep(models.open("openai:gpt-4o").stream(question()))
        await models.close()
    assert (kept.kind, reached) == ("protocol", [])


@in_loop
async def test_counts_are_exact_at_openai_itself_and_not_behind_a_gateway():
    async with FaultServer({"gw": listing}) as server:
        for addresses, exact in (({}, True), ({"openai": server.url("gw", "/v1")}, False)):
            models = named(addresses=addresses)
            for name in ("openai:gpt-4o", "gpt-4o"):
                known = models.catalogue.find(name)
                assert known.exact
                # Without a key OpenAI itself is not asked anything.
                assert (await models.open(name).card(known)).exact == exact
            await models.close()


@in_loop
async def test_what_a_gateway_has_is_listed_under_its_providers_name():
    async with FaultServer({"gw": listing, "shut": guarded}) as server:
        addresses = {"openai": server.url("gw", "/v1"), "anthropic": server.url("shut", "/v1")}
        found = {one.name: one for one in await named(addresses=addresses, servers={}).available()}
    assert found["openai:small"].usable
    assert "asks for a key" in found["anthropic:NAME"].advice
    listed = [name for name in found if name != "builtin"]
    assert listed == ["openai:small", "openai:large", "anthropic:NAME", "gemini:NAME"]


@in_loop
async def test_a_look_asks_what_is_near_and_lists_the_rest():
    """Whether hosted servers answer is nobody's business until somebody asks."""
    keys = MemoryProviderKeys()
    await keys.keep("https://api.openai.com:443", Secret.of_text("k"))
    async with FaultServer({"play": two_models}) as server:
        servers = {"lab": server.url("play", "/v1"), "far": "https://far.example/v1", "odd": "ftp://x"}
        found = {one.name: one for one in await named(servers=servers, keys=keys).look(hosted=False)}
    assert {name: (one.usable, one.asked, one.keyless) for name, one in found.items() if name != "ollama"} == {
        "builtin": (True, True, False), "lab": (True, True, False), "far": (True, False, False),
        "odd": (False, False, False), "openai": (True, False, False), "anthropic": (False, False, True),
        "gemini": (False, False, True),
    }  # fmt: skip
    assert found["far"].found == "far.example is not asked; --ask asks it"


@pytest.mark.parametrize(
    ("missing", "damage", "state"), [("", "", "there"), ("get it", "", "missing"), ("", "get it", "damaged")]
)
def test_a_look_says_whether_the_built_in_model_is_whole(missing: str, damage: str, state: str):
    @in_loop
    async def look() -> None:
        models = named(advice=missing, builtin_damage=lambda: damage, servers={})
        found = (await models.look(hosted=False))[0]
        assert (found.found, found.usable) == (f"the built-in model is {state}", state == "there")
        assert found.advice == (missing or damage)

    look()


@pytest.mark.parametrize(
    ("name", "sent"),
    [
        ("lab:m", True), (f"server:{NOBODY}#m", True), (f"completion:{NOBODY}/v1#m", True),
        ("home:m", False), ("openai:gpt-4o", False), ("ollama:m", False),
    ],
)  # fmt: skip
def test_a_session_is_told_at_the_address_it_was_set_for_by_whatever_name(name: str, sent: bool):
    models = named(
        servers={"lab": NOBODY, "home": "http://127.0.0.1:8"},
        sessions={"lab": "X-Session-ID", "gone": "X-Other"},
    )
    asked = replace(question(), conversation="talk")
    assert (("x-session-id", "talk") in models.open(name).wire(asked).headers) is sent


def test_a_session_that_is_set_later_is_told_from_then_on():
    models = named()
    before = models.open("lab:m")
    models.serve(models.servers, {}, {"lab": "user"})
    assert models.open("lab:m") is not before
    assert models.open("lab:m").wire(replace(question(), conversation="talk")).body["user"] == "talk"


@in_loop
async def test_the_list_says_what_is_asked_through_a_proxy():
    rules = Rules(proxy="http://proxy.example:3128", no_proxy=("home.example",))
    servers = {"lab": NOBODY, "home": "https://home.example"}
    models = named(servers=servers, net=Connections(rules), may_send=lambda: None)
    found = {one.name: one.via for one in await models.available()}
    assert found["openai:NAME"] == "proxy.example:3128"
    assert {name: found[name] for name in ("builtin", "lab:NAME", "home:NAME")} == dict.fromkeys(
        ("builtin", "lab:NAME", "home:NAME"), ""
    )
    await models.close()


@in_loop
async def test_what_is_kept_of_servers_in_clear_names_no_address_and_no_key(tmp_path: Path):
    """An address may hold a token in its path; where and how servers are asked is in the settings and the store."""
    said = {
        "data": [{"id": "m", "max_model_len": 9000, "api_key": "sk-listed-0123456789", "x": "Bearer abc"}]
    }

    async def answer(connection: Connection) -> None:
        await connection.whole(json.dumps(said).encode(), "application/json", set_cookie="id=c00kie")

    async with FaultServer({"t0ken-in-path": answer}) as server:
        url = f"{server.url('t0ken-in-path')}/v1"
        keys = MemoryProviderKeys()
        keys.kept[origin(url)] = Secret.of_text("sk-canary-0123456789")
        models = named(
            servers={"lab": url}, keys=keys, learnt=LearntFile(tmp_path), sessions={"lab": "X-Session-ID"}
        )
        await models.available()
        await models.open("lab:m").card(models.catalogue.find("lab:m"))
        await models.close()
    kept = (tmp_path / FILE_NAME).read_text()
    assert "9000" in kept
    told = ("t0ken-in-path", "127.0.0.1", "canary", "listed", "Bearer", "c00kie", "Session", "http")
    assert [word for word in told if word in kept] == []
