"""Settings kept under a name: new chats start from them, and never with tools that nobody asked for."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from tests.cli.ask.test_command import Setup
from tests.cli.test_doctor import NoStoreYet
from tests.fakes.engine import SETTINGS
from workbench.domain.settings.preferences import ContextSettings, FilterSettings, PersonaSources
from workbench.domain.tool import ToolDefinition

Capture = pytest.CaptureFixture[str]
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
