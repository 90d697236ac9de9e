"""The engine's parts fit together: settings, models, tools and keys as the folder has them."""

from __future__ import annotations

from argparse import Namespace
from pathlib import Path

import pytest

from tests.fakes.loop import in_loop
from tests.fakes.stores import open_store
from workbench.cli.parts import Wishes
from workbench.domain.errors import InvalidInput
from workbench.domain.secret import Secret
from workbench.engine.build.prepare import Builder
from workbench.providers.catalogue import load_catalogue
from workbench.sources.resources import resource_path
from workbench.wiring import command_line
from workbench.wiring.engine import make_models, make_world, new_chat_settings
from workbench.wiring.folder import Place, provider_keys


def place(folder: Path, settings: str = "") -> Place:
    if settings:
        (folder / "settings.toml").write_text(settings, encoding="utf-8")
    return Place(Namespace(data_dir=str(folder)))


def make_builder() -> Builder:
    return command_line.make_builder(load_catalogue(resource_path("models.toml")))


def test_a_new_chat_talks_to_the_built_in_model_with_the_shipped_persona(tmp_path: Path):
    settings = new_chat_settings(place(tmp_path), tools=False)
    assert settings.model == "builtin"
    assert settings.persona.text.startswith("You are a helpful assistant.")
    assert (settings.tools, settings.tool_guidelines) == ((), "")


def test_exploring_first_is_only_asked_of_a_model_with_tools(tmp_path: Path):
    with_tools = new_chat_settings(place(tmp_path), tools=True)
    assert [tool.name for tool in with_tools.tools] == [
        "ls",
        "read",
        "grep",
        "edit",
        "write",
        "touch",
        "mv",
        "rm",
    ]
    assert "Explore first" in with_tools.persona.text
    assert with_tools.tool_guidelines
    assert "Explore first" not in new_chat_settings(place(tmp_path), tools=False).persona.text


def test_the_users_settings_hold(tmp_path: Path):
    written = 'model = "gpt-4o"\ntools_enabled = ["read"]\n[context]\ncontext_window = 4096\n'
    settings = new_chat_settings(place(tmp_path, written), tools=True)
    assert (settings.model, settings.context_window) == ("gpt-4o", 4096)
    assert [tool.name for tool in settings.tools] == ["read"]


@in_loop
async def test_a_world_has_the_keys_of_its_store_and_the_waits_of_its_call(tmp_path: Path):
    store = open_store(tmp_path / "store.db")
    try:
        await provider_keys(store).keep("https://lab.example:443", Secret.of_text("k"))
        wishes = Wishes(workspace=str(tmp_path), waits={"idle_s": 3.0})
        world = make_world(
            make_builder(), place(tmp_path, "max_tool_rounds = 2\n[timeouts]\nconnect_s = 4\n"), store, wishes
        )
        waits = world.limits.timeouts
        assert (waits.idle_s, waits.connect_s, world.limits.tool_rounds) == (3, 4, 2)
        assert world.models.open("server:https://lab.example#m") is not None
        assert world.toolbox is not None
        await world.models.close()
    finally:
        await store.close()


@in_loop
async def test_a_key_asked_for_in_the_environment_must_be_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.delenv("NO_SUCH_KEY", raising=False)
    store = open_store(tmp_path / "store.db")
    try:
        with pytest.raises(InvalidInput, match="NO_SUCH_KEY"):
            make_world(
                make_builder(), place(tmp_path), store, Wishes(key_env="NO_SUCH_KEY", model="openai:gpt-4o")
            )
    finally:
        await store.close()


@in_loop
async def test_the_built_in_model_is_found_or_its_advice_is_given(tmp_path: Path):
    from tests.fakes.provider_keys import MemoryProviderKeys

    models = make_models(make_builder(), place(tmp_path), MemoryProviderKeys())
    (builtin, *_) = await models.available()
    assert builtin.name == "builtin"
    assert builtin.usable == (builtin.advice == "")
    await models.close()
