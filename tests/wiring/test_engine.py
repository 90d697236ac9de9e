"""The engine's parts fit together: settings, models, tools and keys as the folder has them."""

from __future__ import annotations

import json
import subprocess
import sys
from argparse import Namespace
from dataclasses import replace
from pathlib import Path

import pytest

from tests.fakes.catalogue import WORD_MODEL
from tests.fakes.fault_server import Connection, FaultServer
from tests.fakes.loop import in_loop, until
from tests.fakes.stores import open_store
from tests.fakes.turns import artifact, assistant, fake_builder, user
from workbench.cli.services import WorldOptions
from workbench.context.explain.diff_causes import diff_causes
from workbench.domain.errors import InvalidInput
from workbench.domain.model import ModelFacts
from workbench.domain.secrets import Secret
from workbench.domain.settings.app_preferences import Preferences
from workbench.domain.settings.context_settings import ContextSettings
from workbench.domain.shown.envelope_view import EnvelopeView
from workbench.engine.assembly.prepare import Ask, Builder, prepare_turn
from workbench.engine.conversation import Conversation, after_turn
from workbench.engine.intents import StartChat
from workbench.engine.program_intents import ChangePreferences
from workbench.engine.workbench import Workbench
from workbench.providers.catalogue import load_catalogue
from workbench.sources.resources import resource_path
from workbench.tools.workspace.expressions import ExpressionSearch
from workbench.wiring import building
from workbench.wiring.engine import make_models, make_world, new_chat_settings
from workbench.wiring.folder import ProgramFolder, provider_keys


def place(folder: Path, settings: str = "") -> ProgramFolder:
    if settings:
        (folder / "settings.toml").write_text(settings, encoding="utf-8")
    return ProgramFolder(Namespace(data_dir=str(folder)))


def make_builder() -> Builder:
    return building.make_builder(load_catalogue(resource_path("models.toml")))


def test_a_new_chat_talks_to_the_built_in_model_with_the_shipped_persona(tmp_path: Path):
    settings = new_chat_settings(place(tmp_path), tools=False)
    assert settings.model == "builtin"
    assert settings.persona_text.startswith("You are a helpful assistant.")
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
    assert "Explore first" in with_tools.persona_text
    assert with_tools.tool_guidelines
    assert "Explore first" not in new_chat_settings(place(tmp_path), tools=False).persona_text


def test_the_users_settings_hold(tmp_path: Path):
    written = 'model = "gpt-4o"\ntools_enabled = ["read"]\n[context]\ncontext_window = 4096\n'
    settings = new_chat_settings(place(tmp_path, written), tools=True)
    assert (settings.model, settings.context_window) == ("gpt-4o", 4096)
    assert [tool.name for tool in settings.tools] == ["read"]


@pytest.mark.parametrize("rules", [None, "openai", "llamacpp", "anthropic"])
@pytest.mark.parametrize("cold", [False, True])
def test_a_file_that_became_part_of_the_library_is_no_change_of_settings(
    tmp_path: Path, rules: str | None, cold: bool
):
    """After the first answer of a new chat with a file, the differences said that settings had changed."""
    builder = fake_builder(replace(WORD_MODEL, cache_rules=rules, context_window_tokens=20_000))
    settings = replace(new_chat_settings(place(tmp_path), tools=False), model="word-1")
    talk = Conversation("talk", attached=(artifact("a.md", "word " * 200),))
    first = prepare_turn(talk, Ask(settings, user("q1", "why is that so")), builder).built
    talk = after_turn(talk, first, [assistant("a1", "because it is")])
    after = prepare_turn(talk, Ask(settings, user("q2", "and now"), cold=cold), builder)
    found = diff_causes(first, after.built, after.change, 0)
    named = [(one.cause, one.layer) for one in found if one.subject == "a.md"]
    assert named == [("promoted", "L2_PREVIOUS")]
    assert "settings" not in [one.cause for one in found]


@in_loop
async def test_a_world_has_the_keys_of_its_store_and_the_waits_of_its_call(tmp_path: Path):
    store = open_store(tmp_path / "store.db")
    try:
        await provider_keys(store).keep("https://lab.example:443", Secret.of_text("k"))
        wishes = WorldOptions(workspace=str(tmp_path), waits={"idle_s": 3.0})
        world = make_world(
            make_builder(), place(tmp_path, "max_tool_rounds = 2\n[timeouts]\nconnect_s = 4\n"), store, wishes
        )
        waits = world.limits.timeouts
        assert (waits.idle_s, waits.connect_s, world.limits.tool_rounds) == (3, 4, 2)
        assert world.models.open("server:https://lab.example#m") is not None
        assert world.toolbox is not None
        assert isinstance(getattr(world.matches, "__self__", None), ExpressionSearch)  # never for ever
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
                make_builder(),
                place(tmp_path),
                store,
                WorldOptions(key_env="NO_SUCH_KEY", model="openai:gpt-4o"),
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


async def two_models(connection: Connection) -> None:
    data = [{"id": "qwen3", "max_model_len": 40_960}, {"id": "phi"}]
    await connection.whole(json.dumps({"data": data}).encode(), "application/json")


@in_loop
async def test_a_server_that_is_added_is_listed_at_once_and_what_is_declared_of_its_models_holds_at_once(
    tmp_path: Path,
):
    """A new user added a server and saw no model of it; the window of another one was assumed, and shown as a fact."""
    here, store = place(tmp_path), open_store(tmp_path / "store.db")
    builder = building.make_builder(building.make_catalogue(here))
    bench = Workbench(make_world(builder, here, store, WorldOptions()))
    async with FaultServer({"play": two_models}) as server:
        added = Preferences(servers={"lab": server.url("play", "/v1")})
        await bench.dispatch(ChangePreferences(added))
        await until(lambda: any(one.name == "lab:qwen3" for one in bench.state.models or ()))
        await bench.dispatch(StartChat("talk", ContextSettings(model="lab:phi")))

        def view() -> EnvelopeView:
            shown = bench.state.open["talk"].view
            assert shown is not None
            return shown

        assert (view().window_assumed, view().limit_tokens + view().reserve_tokens) == (True, 32_768)
        declared = replace(added, models={"lab:phi": ModelFacts(context_window=16_384, images=False)})
        await bench.dispatch(ChangePreferences(declared))
        await until(lambda: not view().window_assumed)
        assert view().limit_tokens + view().reserve_tokens == 16_384
        await until(
            lambda: any("images" in one.card.declared for one in bench.state.models or () if one.card)
        )
        await bench.close()
    kept = place(tmp_path)
    assert kept.preferences().models == declared.models
    assert '[models."lab:phi"]' in (tmp_path / "settings.toml").read_text()
    assert not building.make_catalogue(kept).find("lab:phi").images


@in_loop
async def test_what_is_set_about_secrets_holds_from_the_start_and_at_once_when_it_changes(tmp_path: Path):
    """The setting was kept and asked by nobody."""
    here, builder = place(tmp_path, 'redaction = "replace"\n'), make_builder()
    store = open_store(tmp_path / "store")
    world = make_world(builder, here, store, WorldOptions())
    modes = [builder.guard.mode]
    bench = Workbench(world)
    await bench.dispatch(ChangePreferences(Preferences(redaction="off")))
    modes.append(builder.guard.mode)
    await bench.close()
    assert modes == ["replace", "off"]
    assert make_builder().guard.mode == "off"  # a replay looks for nothing, and takes no time for it


@in_loop
async def test_a_file_of_the_workspace_is_called_by_its_path_in_it(tmp_path: Path):
    work = tmp_path / "work"
    (work / "docs").mkdir(parents=True)
    (work / "docs" / "api.md").write_text("x")
    (tmp_path / "api.md").write_text("x")
    here = place(tmp_path, f'workspace = "{work.as_posix()}"\n')
    world = make_world(make_builder(), here, open_store(tmp_path / "store"), WorldOptions())
    inside = await world.attachments.read(str(work / "docs" / "api.md"))
    outside = await world.attachments.read(str(tmp_path / "api.md"))
    assert (inside.names[0], outside.names[0]) == ("docs/api.md", "api.md")
    await Workbench(world).close()


@in_loop
async def test_the_data_folder_is_not_attached_with_the_folder_around_it(tmp_path: Path):
    data = tmp_path / "data"
    data.mkdir()
    (data / "notes.txt").write_text("kept by the program")
    (tmp_path / "a.md").write_text("words")
    world = make_world(make_builder(), place(data), open_store(tmp_path / "store"), WorldOptions())
    found = await world.attachments.folder_files(str(tmp_path))
    await world.attachments.close()
    await world.store.close()
    assert found is not None
    assert "a.md" in found.paths
    assert not [path for path in found.paths if path.startswith("data/")]
    assert "data/ (the program's own data)" in map(str, found.left_out)


# Memory is given back.


SCRIPT = """
import os
from pathlib import Path
from workbench.wiring.engine import return_large_blocks

def resident_mb():
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") // 1_000_000

said = return_large_blocks()
bytes(20_000_000)  # freed, it teaches the C library to keep blocks of this size
held = [(b"x" * 16_000_000, b"y" * 100_000) for _ in range(5)]
before, small = resident_mb(), [one for _, one in held]
del held
print(said, before - resident_mb() >= 75)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="a setting of Linux's usual C library")
def test_large_blocks_go_back_though_small_ones_stand_behind_them():
    done = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True, check=True)
    assert done.stdout in ("True True\n", "False False\n")
