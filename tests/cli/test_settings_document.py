"""Settings as a trajectory writes them."""

from __future__ import annotations

import json
from dataclasses import replace

from workbench.cli.settings import settings_document, settings_lines
from workbench.domain.reading.node import Node
from workbench.domain.settings.context_settings import (
    CompactionSettings,
    ContextSettings,
    FilterSettings,
    HistorySettings,
    PersonaSources,
)
from workbench.domain.settings.preset import apply_overrides, merge_settings, parse_override
from workbench.domain.tool import ToolDefinition

EVERYTHING = ContextSettings(
    model="openai:gpt-4o",
    counter="rfc",
    context_window=4096,
    reserved_output_tokens=100,
    system_prompt="Be kind.",
    persona=PersonaSources("a", "b", "c"),
    project_instructions="Use tabs.",
    user_memory="Likes tea.",
    attachment_budget_tokens=7,
    history=HistorySettings(None, 0.5, 3, 4, 5),
    freshness="freeze",
    compaction=CompactionSettings(1, 2, 3),
    tools=(ToolDefinition("look", "Looks.", '{"type":"object"}'),),
    tool_guidelines="Look first.",
    filters=FilterSettings(False, False, frozenset({"file"}), frozenset({"note"}), frozenset({"m2", "m1"})),
)


def test_what_is_written_is_read_back_the_same():
    document = json.loads(json.dumps(settings_document(EVERYTHING)))
    assert merge_settings(ContextSettings(), Node(document, "settings")) == EVERYTHING


def test_lines_are_what_set_takes():
    settings = replace(EVERYTHING, tools=())
    overrides = dict(parse_override(line) for line in settings_lines(settings))
    assert apply_overrides(ContextSettings(), overrides) == settings


def test_only_what_is_not_the_default_is_a_line():
    assert list(settings_lines(ContextSettings())) == ["model=gpt-4o"]
    changed = replace(
        ContextSettings(), history=HistorySettings(threshold=None), system_prompt="one\ntwo\x1b"
    )
    assert list(settings_lines(changed)) == [
        "model=gpt-4o", "system_prompt=one\\ntwo\\u001b", "history.threshold=null",
    ]  # fmt: skip
