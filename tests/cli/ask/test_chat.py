"""The arguments of `workbench ask` as values."""

from __future__ import annotations

import argparse
import asyncio
from dataclasses import replace

import pytest

from tests.cli.ask.test_command import Setup
from tests.cli.test_doctor import NoStoreYet
from tests.fakes.engine import SETTINGS
from tests.fakes.history import MemoryHistory
from tests.fakes.loop import in_loop
from tests.fakes.parts import parts_with
from workbench.cli.ask import command
from workbench.cli.ask.asking import Text
from workbench.cli.ask.chat import Patience
from workbench.cli.ask.question import read_question
from workbench.domain.errors import InvalidInput, StoreInUse
from workbench.domain.record import Chat, TurnLine
from workbench.domain.settings.context_settings import ContextSettings, FilterSettings, PersonaSources
from workbench.domain.tool import ToolDefinition


def given(*argv: str) -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    command.add_arguments(parser)
    return parser.parse_args(argv)


def test_a_bare_question_leaves_everything_as_it_is():
    question = read_question(given("Why?"))
    assert (question.texts, question.chat, question.attach, question.overrides) == (
        (Text("Why?"),),
        None,
        (),
        {},
    )
    assert not question.tools
    assert (question.preset, question.save_preset) == (None, None)


def test_the_model_is_a_setting_like_others_and_wins():
    question = read_question(
        given("Why?", "--set", "model=a", "--model", "b", "--set", "history.threshold=0.5")
    )
    assert question.overrides == {"model": "b", "history.threshold": 0.5}


def test_a_path_may_hold_an_equals_sign():
    assert read_question(given("Q", "--attach", "a=b.md", "--priority", "a=b.md=0")).priorities == {
        "a=b.md": 0
    }


@pytest.mark.parametrize("text", ["gone.md=3", "=3", "a.md=", "a.md=-1", "a.md=x", "a.md=1.5"])
def test_a_priority_is_a_path_and_a_number(text: str):
    with pytest.raises(InvalidInput):
        read_question(given("Q", "--attach", "a.md", "--priority", text))


@pytest.mark.parametrize("text", ["gone.md=300", "=300", "a.md=", "a.md=-1", "a.md=99", "a.md=x"])
def test_a_length_is_a_path_and_a_number_of_tokens(text: str):
    with pytest.raises(InvalidInput, match="--shorten"):
        read_question(given("Q", "--attach", "a.md", "--shorten", text))


def test_a_length_may_be_all_of_it():
    given_twice = ("--attach", "a.md", "--attach", "b.md", "--shorten", "a.md=300", "--shorten", "b.md=0")
    assert read_question(given("Q", *given_twice)).lengths == {"a.md": 300, "b.md": 0}


def test_a_preset_is_named_and_may_be_none_at_all():
    assert read_question(given("Q", "--preset", "terse")).preset == "terse"
    assert read_question(given("Q", "--preset", "")).preset == ""
    assert read_question(given("Q", "--chat", "c", "--save-preset", "mine")).save_preset == "mine"


# Waiting for another writer: as long as was said, and told once.


Capture = pytest.CaptureFixture[str]


class Sleeps:
    """Takes no time, and says how much it would have been."""

    def __init__(self) -> None:
        self.slept_s = 0.0

    async def __call__(self, seconds: float) -> None:
        self.slept_s += seconds


class Asked(MemoryHistory):
    """A chat in which another program asks for a while."""

    def __init__(self, looks: int) -> None:
        super().__init__()
        self.looks = looks

    async def turn_lines(
        self, chat: str, leaf: str | None = None, newest: int | None = None, *, notes: bool = True
    ) -> tuple[TurnLine, ...]:
        self.looks -= 1
        line = TurnLine(1, "q", "2026-01-01T00:00:00Z")
        return (line if self.looks >= 0 else replace(line, state="complete"),)


@in_loop
async def test_a_history_that_is_changed_by_another_is_waited_for(capsys: Capture):
    setup, sleeps = Setup(), Sleeps()
    setup.access.busy = 3
    services = parts_with(history=lambda: setup.access)
    assert await Patience(30, sleeps).open(services) is setup.access.store
    assert sleeps.slept_s == pytest.approx(0.6)
    assert capsys.readouterr().err.count("waiting up to 30 s") == 1


@in_loop
async def test_waiting_ends_with_what_stands_in_the_way():
    setup, sleeps = Setup(), Sleeps()
    setup.access.busy = 1000
    with pytest.raises(StoreInUse, match="Another process is using the folder"):
        await Patience(1, sleeps).open(parts_with(history=lambda: setup.access))
    assert sleeps.slept_s == pytest.approx(1)


@in_loop
async def test_two_do_not_ask_in_one_chat_at_the_same_time():
    chat, sleeps = Chat("talk", "2026-01-01T00:00:00Z"), Sleeps()
    await Patience(30, sleeps).until_quiet(chat, Asked(5))
    assert sleeps.slept_s == pytest.approx(1)
    with pytest.raises(StoreInUse, match="--wait more seconds"):
        await Patience(0, sleeps).until_quiet(chat, Asked(1))


@pytest.mark.parametrize("wait", ["-1", "nan", "inf"])
def test_a_time_that_is_none_is_refused(wait: str, capsys: Capture):
    assert Setup().ask("Q", "--wait", wait) == 2
    assert "--wait: expected a number of seconds" in capsys.readouterr().err


# Settings kept under a name: new chats start from them, and never with tools that nobody asked for.


LOOK = ToolDefinition("look", "Looks.")


class WithTools(Setup):
    """A program whose own persona is another one with tools."""

    def settings(self, tools: bool) -> ContextSettings:
        persona = PersonaSources(default="Helper with tools." if tools else "Helper.")
        more = {"tools": (LOOK,), "tool_guidelines": "Look first."} if tools else {}
        return replace(SETTINGS, persona=persona, **more)  # type: ignore[arg-type]


def presets(setup: Setup) -> dict[str, ContextSettings]:
    return dict(asyncio.run(setup.access.store.presets()))


def keep(setup: Setup, name: str, settings: ContextSettings) -> None:
    asyncio.run(setup.access.store.save_preset(name, settings))


def chat_settings(setup: Setup) -> ContextSettings:
    return asyncio.run(setup.access.store.chat("chat1")).settings


def test_what_a_chat_is_set_to_can_be_kept_and_started_from(capsys: Capture):
    first = Setup()
    given = ("--set", "system_prompt=Be brief.", "--set", "history.threshold=0.5", "--model", "other-1")
    assert first.ask("Well?", *given, "--save-preset", "terse") == 0
    assert "workbench: the preset terse is kept\n" in capsys.readouterr().err
    second = Setup()
    keep(second, "terse", presets(first)["terse"])
    assert second.ask("Well?", "--preset", "terse") == 0
    settings = chat_settings(second)
    assert (settings.system_prompt, settings.history.threshold, settings.model) == (
        "Be brief.",
        0.5,
        "other-1",
    )


def test_what_is_asked_for_wins_over_the_preset():
    setup = Setup()
    keep(setup, "terse", replace(SETTINGS, system_prompt="Be brief.", user_memory="Likes tea."))
    assert setup.ask("Well?", "--preset", "terse", "--set", "system_prompt=Be long.") == 0
    settings = chat_settings(setup)
    assert (settings.system_prompt, settings.user_memory) == ("Be long.", "Likes tea.")


def test_a_chat_that_goes_on_can_be_kept_and_a_name_used_again(capsys: Capture):
    setup = Setup()
    setup.ask("One?", "--save-preset", "mine")
    assert setup.ask("Two?", "--chat", "chat1", "--set", "user_memory=tea", "--save-preset", "mine") == 0
    assert "the preset mine was replaced" in capsys.readouterr().err
    assert presets(setup)["mine"].user_memory == "tea"


def test_it_is_kept_even_where_the_model_does_not_answer():
    from workbench.domain.answer import Failure

    setup = Setup([Failure("network", "Cut off.")])
    assert setup.ask("Well?", "--save-preset", "mine") == 1
    assert list(presets(setup)) == ["mine"]


@pytest.mark.parametrize("asked", [True, False])
def test_tools_are_never_switched_on_by_a_preset(asked: bool):
    """A preset that brought tools along would let a model change files that nobody spoke of."""
    setup = WithTools()
    keep(setup, "armed", replace(setup.settings(True), user_memory="Likes tea."))
    assert setup.ask("Well?", "--preset", "armed", *(["--tools"] if asked else [])) == 0
    settings = chat_settings(setup)
    assert (settings.tools, settings.tool_guidelines) == (((LOOK,), "Look first.") if asked else ((), ""))
    assert settings.user_memory == "Likes tea."


def test_neither_tools_nor_ids_of_messages_are_kept():
    setup = WithTools()
    assert setup.ask("Well?", "--tools", "--set", 'include_only=["m1"]', "--save-preset", "mine") == 0
    kept = presets(setup)["mine"]
    assert (kept.tools, kept.tool_guidelines, kept.filters) == ((), "", FilterSettings())
    assert kept.persona.default == "Helper."


@pytest.mark.parametrize(
    ("kept", "used"),
    [("Helper.", "Helper with tools."), ("A pirate.", "A pirate."), ("", "")],
    ids=["the program's own", "one's own", "none at all"],
)
def test_the_programs_persona_fits_the_tools_and_ones_own_stays(kept: str, used: str):
    setup = WithTools()
    keep(setup, "p", replace(setup.settings(False), persona=PersonaSources(default=kept)))
    assert setup.ask("Well?", "--preset", "p", "--tools") == 0
    assert chat_settings(setup).persona.default == used


def test_new_chats_start_with_the_preset_of_the_settings_file():
    setup = Setup()
    setup.preset = "mine"
    keep(setup, "mine", replace(SETTINGS, user_memory="Likes tea."))
    assert setup.ask("Well?") == 0
    assert chat_settings(setup).user_memory == "Likes tea."
    asyncio.run(setup.access.store.save_preset("mine", None))
    assert setup.ask("And?", "--chat", "chat1") == 0


def test_an_empty_name_starts_without_any():
    setup = Setup()
    setup.preset = "gone"
    assert setup.ask("Well?", "--preset", "") == 0
    assert chat_settings(setup) == SETTINGS


@pytest.mark.parametrize(
    ("named", "given", "complaint"),
    [
        ("", ("--preset", "gone"), "--preset: there is no preset 'gone'; known: a, b\n"),
        ("gone", (), "persona: there is no preset 'gone', which the settings file names; known: a, b\n"),
    ],
)
def test_a_name_nobody_knows_is_wrong_usage(
    named: str, given: tuple[str, ...], complaint: str, capsys: Capture
):
    setup = Setup()
    setup.preset = named
    for name in ("a", "b"):
        keep(setup, name, SETTINGS)
    assert setup.ask("Well?", *given) == 2
    assert capsys.readouterr() == ("", f"workbench ask: {complaint}")
    assert (setup.model.requests, setup.access.store.closed) == ([], True)
    assert asyncio.run(setup.access.store.chats()) == ()


def test_no_store_is_made_for_a_preset_that_cannot_be_there(capsys: Capture):
    setup = Setup()
    setup.keys = NoStoreYet()
    assert setup.ask("Well?", "--preset", "mine") == 2
    assert "known: none yet" in capsys.readouterr().err
    assert setup.access.opened == []
