"""`workbench settings keys`: what `--set` takes."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from tests.fakes.parts import parts_with
from workbench.cli.main import run
from workbench.domain.errors import InvalidInput
from workbench.domain.settings.preferences import ContextSettings, HistorySettings
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
