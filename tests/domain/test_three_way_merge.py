"""One change of a value that others change too: it sets what it changes, and nothing else."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from workbench.domain.files.attached import AttachLimits
from workbench.domain.parameters import Parameters
from workbench.domain.settings.app_preferences import Preferences
from workbench.domain.settings.context_settings import ContextSettings, HistorySettings
from workbench.domain.three_way_merge import with_change
from workbench.domain.tool import ToolDefinition

HELD = Preferences(
    tools_enabled=("read", "grep"),
    servers={"lab": "http://lab", "desk": "http://desk"},
    context={"layout": "auto", "history": {"recall": True, "threshold": 0.5}},
)
TOOLS = tuple(ToolDefinition(name) for name in ("read", "grep"))
SETTINGS = ContextSettings(tools=TOOLS, parameters=Parameters(seed=7))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"model": "word-1"}, {"redaction": "replace"}),
        ({"attach": AttachLimits(file_mb=7)}, {"attach": AttachLimits(total_mb=70)}),
        ({"tools_enabled": ("read", "grep", "edit")}, {"tools_enabled": ("grep",)}),
        ({"servers": {"lab": "http://lab"}}, {"servers": {**HELD.servers, "home": "http://home"}}),
        (
            {"context": {**HELD.context, "history": {"recall": False, "threshold": 0.5}}},
            {"context": {"history": {"recall": True, "threshold": 0.6}}},
        ),
    ],
)
def test_two_changes_from_the_same_beginning_are_both_made_in_either_order(
    one: dict[str, Any], other: dict[str, Any]
):
    first, second = replace(HELD, **one), replace(HELD, **other)
    both = with_change(first, HELD, second)
    assert both == with_change(second, HELD, first)
    assert both not in (HELD, first, second)
    assert with_change(both, first, HELD) == second, "taken back by the other way round"
    assert with_change(both, second, HELD) == first


def test_parts_within_parts_are_changed_alone():
    cooler = replace(SETTINGS, parameters=Parameters(temperature=0.1, seed=7))
    unseeded = replace(SETTINGS, parameters=Parameters())
    assert with_change(cooler, SETTINGS, unseeded).parameters == Parameters(temperature=0.1)
    recalling = replace(SETTINGS, history=HistorySettings(recall=True))
    roomy = replace(SETTINGS, history=HistorySettings(recall_tokens=500))
    assert with_change(recalling, SETTINGS, roomy).history == HistorySettings(recall=True, recall_tokens=500)


def test_of_two_changes_of_the_same_field_the_last_one_holds():
    first, last = replace(SETTINGS, system_prompt="One."), replace(SETTINGS, system_prompt="Two.")
    assert with_change(first, SETTINGS, last) == last
    assert with_change(first, SETTINGS, SETTINGS) == first
    assert with_change(SETTINGS, SETTINGS, last) == last
    unset, stops = (replace(SETTINGS, parameters=Parameters(stop=stop)) for stop in (None, ("END",)))
    assert with_change(
        stops, unset, replace(unset, parameters=Parameters(stop=("STOP",)))
    ).parameters.stop == ("STOP",)
