"""Nothing leaves by accident: while the settings file may mean something else, nobody is asked for anything."""

from __future__ import annotations

import asyncio
import json
from argparse import Namespace
from pathlib import Path

import pytest

from tests.fakes.fault_server import Connection, FaultServer
from tests.fakes.loop import in_loop
from tests.fakes.stores import open_store
from tests.fakes.wires import OpenAiWire
from tests.wiring.test_engine import make_builder
from workbench.cli.main import run
from workbench.cli.services import WorldOptions
from workbench.domain.files.attached import CannotAttach
from workbench.domain.mcp_server import McpServer
from workbench.domain.settings.app_preferences import Preferences, SavingOff, SendingOff
from workbench.domain.workspace import Workspace
from workbench.engine.program_intents import ChangePreferences, ReadPreferences, WarmModel
from workbench.engine.workbench import Workbench
from workbench.wiring.command_line import command_parts
from workbench.wiring.engine import make_world
from workbench.wiring.folder import ProgramFolder

Capture = pytest.CaptureFixture[str]
WRONG = {
    "no TOML": ("model = \n", "settings.toml:1:9: this is not valid TOML."),
    "wrong type": ("# mine\nopenai_url = 5\n", "settings.toml:2:1: openai_url: expected a string, found 5."),
    "near name": ('opanai_url = "https://g.example"\n', "settings.toml:1:1: opanai_url is not a setting, but"),
}  # fmt: skip
each_wrong = pytest.mark.parametrize(("text", "words"), WRONG.values(), ids=WRONG.keys())


def settings(folder: Path, text: str) -> Path:
    file = folder / "settings.toml"
    file.write_text(text, encoding="utf-8")
    return file


def kept_in(folder: Path) -> list[tuple[str, str]]:
    """All files there, and what is in them."""
    return [(one.name, one.read_text()) for one in folder.iterdir()]


def open_kept(folder: Path) -> None:
    """Make a store in the folder, as the first question does."""

    async def make() -> None:
        store = await command_parts(Namespace(data_dir=str(folder))).history().open(writable=True)
        await store.close()

    asyncio.run(make())


async def answer(connection: Connection) -> None:
    if connection.asked.method == "GET":
        await connection.whole(json.dumps({"data": [{"id": "m"}]}).encode(), "application/json")
        return
    await connection.head()
    await connection.send(OpenAiWire().text("Yes."), OpenAiWire().finish())


@each_wrong
@in_loop
async def test_no_command_sends_and_the_file_is_left_alone(
    text: str, words: str, tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
):
    """One typo moved the file away, the question went past its address, and the second call did not even say so."""
    monkeypatch.setenv("WORKBENCH_PASSPHRASE", "four words as one")
    monkeypatch.setenv("SOME_KEY", "sk-1")
    settings(tmp_path, text)
    async with FaultServer({"play": answer}) as server:
        model = f"server:{server.url('play')}#m"
        for argv in (
            ("ask", "Hello?", "--model", model),
            ("ask", "Hello?", "--model", model),
            ("history", "title", "some", "--by-model"),
            ("history", "summarise", "some", "--with", model, "--yes"),
            ("models", "install"),
            ("keys", "provider", "openai", "--key-env", "SOME_KEY"),
            ("tour",),
        ):
            assert await asyncio.to_thread(run, [*argv, "--data-dir", str(tmp_path)], command_parts) == 2
            told = capsys.readouterr()
            assert words in told.err
            assert "Nothing was sent, and the file was not changed." in told.err
            assert told.err.count("settings.toml:") == 1
            assert told.out == ""
        assert server.connections == 0
    assert kept_in(tmp_path) == [("settings.toml", text)]


@pytest.mark.parametrize("linked", ["file", "folder"])
@in_loop
async def test_a_link_that_leads_nowhere_sends_nothing(linked: str, tmp_path: Path, capsys: Capture):
    """A file on a disk that is away said `offline = true`; without it the question went to the provider."""
    folder = tmp_path / "data"
    if linked == "file":
        folder.mkdir()
        (folder / "settings.toml").symlink_to(tmp_path / "unmounted" / "settings.toml")
    else:
        folder.symlink_to(tmp_path / "unmounted")
    async with FaultServer({"play": answer}) as server:
        argv = ["ask", "Hello?", "--model", f"server:{server.url('play')}#m", "--data-dir", str(folder)]
        assert await asyncio.to_thread(run, argv, command_parts) == 2
        assert "leads nowhere). Nothing was sent" in capsys.readouterr().err
        assert server.connections == 0


@in_loop
async def test_lists_and_doctor_go_on_without_asking_anybody(tmp_path: Path, capsys: Capture):
    async with FaultServer({"play": answer}) as server:
        text = f'max_tool_rounds = "many"\n[servers]\nlab = "{server.url("play")}"\n'
        settings(tmp_path, text)
        assert await asyncio.to_thread(run, ["models", "--data-dir", str(tmp_path)], command_parts) == 0
        listed = capsys.readouterr()
        assert "settings.toml:1:1: max_tool_rounds: expected an integer 0..100, found text." in listed.err
        assert "not asked: nothing is sent before settings.toml is corrected" in listed.out
        assert await asyncio.to_thread(run, ["doctor", "--data-dir", str(tmp_path)], command_parts) == 1
        shown = capsys.readouterr()
        assert ("settings.toml:1:1: max_tool_rounds: expected" in shown.out, shown.err) == (True, "")
        assert server.connections == 0
    assert kept_in(tmp_path) == [("settings.toml", text)]


def test_what_is_kept_can_be_read_with_a_word_about_the_file(
    tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("WORKBENCH_PASSPHRASE", "four words as one")
    open_kept(tmp_path)
    capsys.readouterr()
    for text, word in (("model = \n", "settings.toml:1:9: this is not valid TOML."), ('model = "x"\n', "")):
        settings(tmp_path, text)
        for argv in (("history", "list"), ("keys", "provider"), ("history", "search", "words")):
            assert run([*argv, "--data-dir", str(tmp_path)], command_parts) == 0
            told = capsys.readouterr().err
            assert (word in told, told.count("settings.toml")) == (True, bool(word))
        assert (tmp_path / "settings.toml").read_text() == text


@each_wrong
@in_loop
async def test_nothing_of_a_world_sends_until_the_file_is_mended_and_read_again(
    text: str, words: str, tmp_path: Path
):
    file = settings(tmp_path, text)
    async with FaultServer({"play": answer}) as server:
        world = make_world(
            make_builder(),
            ProgramFolder(Namespace(data_dir=str(tmp_path))),
            open_store(tmp_path / "store.db"),
            WorldOptions(),
        )
        workbench = Workbench(world)
        try:
            await workbench.begin()
            off = workbench.state.sending_off
            assert off is not None
            assert words in str(off)
            with pytest.raises(SendingOff):
                world.models.open(f"server:{server.url('play')}#m")
            with pytest.raises(CannotAttach, match="nothing may be sent now"):
                await world.attachments.read("https://example.com/page")
            assert world.rooms is not None
            tools = world.rooms.servers(Workspace("w"))
            tools.configure([McpServer("web", url=server.url("play"))], {})
            assert words in (await tools.start("web")).problem
            await workbench.dispatch(WarmModel(f"server:{server.url('play')}#m"))
            assert not any(one.usable for one in await world.models.available() if one.name != "builtin")
            with pytest.raises(SavingOff):
                await workbench.dispatch(ChangePreferences(Preferences(model="x")))
            assert (file.read_text(), server.connections) == (text, 0)

            settings(tmp_path, f'openai_url = "{server.url("play")}"\n')
            # Saved before it is read again: what was read does not know the address, so nothing is sent by it.
            await workbench.dispatch(ChangePreferences(Preferences(persona="terse")))
            with pytest.raises(SendingOff):
                world.models.open("openai:m")
            await workbench.dispatch(ReadPreferences())
            assert workbench.state.sending_off is None
            assert workbench.state.preferences == Preferences(persona="terse", openai_url=server.url("play"))
            await world.models.open("openai:m").card(world.builder.catalogue.find("openai:m"))
            assert server.connections > 0
        finally:
            await workbench.close()
