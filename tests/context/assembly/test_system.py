"""L1: the stable part as it is, overlays fenced after it, tools as segments of their own."""

from __future__ import annotations

import json
from dataclasses import replace

from workbench.context.assembly.render import system_segments, tool_segments
from workbench.context.text.fence import wrap
from workbench.domain.settings.context_settings import ContextSettings, FilterSettings, PersonaSources
from workbench.domain.text import digest_text
from workbench.domain.tool import ToolDefinition


def test_nothing_set_is_no_segment():
    assert system_segments(ContextSettings()) == ()


def test_what_changes_more_often_stands_after_what_does_not():
    settings = ContextSettings(
        persona=PersonaSources("persona"),
        system_prompt="prompt",
        project_instructions="project",
        user_memory="memory",
    )
    assert [(s.id, s.text) for s in system_segments(settings)] == [
        ("persona", "persona"),
        ("system", "prompt"),
        ("project", wrap("project_instructions", (), "project").text),
        ("memory", wrap("user_memory", (), "memory").text),
    ]


def test_the_system_prompt_goes_out_unchanged():
    (found,) = system_segments(ContextSettings(system_prompt=" <b>$0</b>\n"))
    assert (found.text, found.kind, found.content_digest) == (
        " <b>$0</b>\n",
        "system",
        digest_text(" <b>$0</b>\n"),
    )


def test_half_characters_are_replaced():
    (found,) = system_segments(ContextSettings(system_prompt="a\ud800"))
    assert found.text == "a\ufffd"


def test_a_content_digest_is_over_the_text_without_its_fence():
    (found,) = system_segments(ContextSettings(user_memory="memory"))
    assert found.content_digest == digest_text("memory")


def test_a_tool_is_shown_as_json_with_its_schema_as_it_is():
    schema = '{"type":"object","properties":{"path":{"type":"string"}}}'
    (found,) = tool_segments((ToolDefinition("read", 'reads "é"', schema),))
    assert (found.id, found.kind, found.layer) == ("tool:read", "tool", "L1_SYSTEM")
    assert json.loads(found.text) == {
        "name": "read", "description": 'reads "é"', "input_schema": json.loads(schema),
    }  # fmt: skip
    assert found.text.endswith(f'"input_schema": {schema}}}')


def test_a_chat_may_do_without_what_is_remembered():
    settings = ContextSettings(system_prompt="Be kind.", user_memory="- likes tea")
    assert [one.id for one in system_segments(settings)] == ["system", "memory"]
    without = replace(settings, filters=FilterSettings(include_memory=False))
    assert [one.id for one in system_segments(without)] == ["system"]
