"""`workbench settings keys`: what `--set` takes."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from tests.fakes.parts import parts_with
from tests.fakes.preferences import MemoryPreferences
from workbench.cli.main import run
from workbench.cli.settings import set_settings
from workbench.domain.errors import InvalidInput
from workbench.domain.model import ModelFacts
from workbench.domain.settings.app_preferences import Preferences, SettingsProblem
from workbench.domain.settings.context_settings import ContextSettings, HistorySettings
from workbench.domain.settings.preset import apply_overrides

NEW = replace(ContextSettings(), history=HistorySettings(when_full="exchanges"), system_prompt="word " * 40)
Capture = pytest.CaptureFixture[str]


def listed(*argv: str) -> int:
    return run(["settings", *argv], lambda _: parts_with(new_chat_settings=lambda tools: NEW))


def test_every_key_is_listed_with_what_a_new_chat_has(capsys: Capture):
    assert listed("keys") == 0
    lines = dict(line.split(maxsplit=1) for line in capsys.readouterr().out.splitlines() if " " in line)
    assert (lines["history.when_full"], lines["history.keep_last_n_assistant"]) == ("exchanges", "10")
    assert lines["system_prompt"].endswith("…")


def test_whatever_is_listed_can_be_set(capsys: Capture):
    assert listed("--json") == 0
    found = json.loads(capsys.readouterr().out)
    assert {"key": "history.when_full", "new_chat": "exchanges", "trajectory": "placeholders"} in found
    assert apply_overrides(ContextSettings(), {one["key"]: one["new_chat"] for one in found}) == NEW


@pytest.mark.parametrize(
    ("wrong", "near"),
    [
        ("history.treshold", '"history.threshold"'),
        ("keep_last_n_assistant", '"history.keep_last_n_assistant"'),
    ],
)
def test_a_wrong_key_names_the_near_ones_and_the_list(wrong: str, near: str):
    with pytest.raises(InvalidInput, match="workbench settings keys") as told:
        apply_overrides(ContextSettings(), {wrong: 1})
    assert f"did you mean {near}" in str(told.value)


# `workbench settings show` and `set`: what the window's settings can do, without a window.


def settings(kept: MemoryPreferences, *argv: str) -> int:
    return run(["settings", *argv], lambda _: parts_with(preferences=lambda: kept))


def test_what_was_set_is_shown_as_it_can_be_set_again(capsys: Capture):
    kept = MemoryPreferences()
    given = [
        "servers.gpu1.lab=https://gpu1.lab.example/v1", "sessions.gpu1.lab=X-Session-ID", "offline=true",
        "models.anthropic:claude-opus-4.8.cache_lifetime=1h", "timeouts.idle_s=5", "context.history.headroom=0.5",
        "plain_http=[\"http://nas:80\"]", "workspace=4",
    ]  # fmt: skip
    assert settings(kept, "set", *given) == 0
    assert kept.kept == Preferences(
        servers={"gpu1.lab": "https://gpu1.lab.example/v1"},
        sessions={"gpu1.lab": "X-Session-ID"},
        offline=True,
        models={"anthropic:claude-opus-4.8": ModelFacts(cache_lifetime="1h")},
        timeouts=Preferences().timeouts.__class__(idle_s=5),
        context={"history": {"headroom": 0.5}},
        plain_http=("http://nas:80",),
        workspace="4",
    )
    capsys.readouterr()
    assert settings(kept, "show") == 0
    again = MemoryPreferences()
    assert set_settings(again, capsys.readouterr().out.splitlines(), as_json=False) == 0
    assert again.kept == kept.kept


def test_null_takes_an_entry_back():
    kept = MemoryPreferences(Preferences(sessions={"lab": "user"}, proxy="http://p:1", offline=True))
    assert settings(kept, "set", "sessions.lab=null", "proxy=null", "offline=null") == 0
    assert kept.kept == Preferences()


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ("sessions.lab=Authorization", "sessions.lab: this header has a meaning of its own"),
        ("sessions.lab=Host", "sessions.lab: this header has a meaning of its own"),
        ("sesions.lab=user", 'sesions: unknown setting; did you mean "sessions"?'),
        ("models.claude.lifetime=1h", "models.claude.lifetime: expected models.NAME.FACT"),
        ("models.claude.cache_lifetime=2h", 'models.claude.cache_lifetime: expected one of "5m", "1h"'),
        ("offline=maybe", "offline: expected"),
        ("offline.x=true", "offline.x: there is no such table"),
        ("offline", "expected KEY=VALUE"),
    ],
)
def test_what_is_wrong_is_named_and_nothing_is_kept(given: str, why: str, capsys: Capture):
    kept = MemoryPreferences()
    assert settings(kept, "set", "proxy=http://p:1", given) == 2
    assert why in capsys.readouterr().err
    assert kept.kept == Preferences()


def test_everything_is_json_for_machines(capsys: Capture):
    kept = MemoryPreferences(Preferences(sessions={"lab": "user"}))
    assert settings(kept, "show", "--json") == 0
    assert json.loads(capsys.readouterr().out)["sessions"] == {"lab": "user"}
    assert settings(kept, "set", "offline=true", "--json") == 0
    assert json.loads(capsys.readouterr().out)["offline"] is True


def test_a_file_that_cannot_be_understood_is_left_alone(capsys: Capture):
    wrong = SettingsProblem("settings.toml", "this is not valid TOML")
    kept = MemoryPreferences(None, wrong)
    assert settings(kept, "set", "offline=true") != 0
    assert kept.kept == Preferences()
    assert settings(kept, "show") == 0
    assert "not valid TOML" in capsys.readouterr().err


@pytest.mark.parametrize("argv", [("set",), ("show", "offline=true"), ("keys", "x=1")])
def test_only_set_takes_values(argv: tuple[str, ...]):
    assert settings(MemoryPreferences(), *argv) == 2
