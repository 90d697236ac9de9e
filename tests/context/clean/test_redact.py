"""Whatever is sent goes through redaction; what is kept and what things are called by does not."""

from __future__ import annotations

from dataclasses import replace

from tests.fakes.kept_turns import bytes_of
from tests.fakes.turns import artifact, result, shelved, turn_inputs, user
from workbench.context.clean.redact import redacted
from workbench.domain.chunk import DelegationChunk, EnvironmentChunk, OutputChunk, SystemChunk
from workbench.domain.message import Message, ToolCall
from workbench.domain.settings.context_settings import ContextSettings, PersonaSources
from workbench.domain.tool import ToolDefinition

SECRET = "sk-sesame"
WHOLE = turn_inputs(
    ContextSettings(
        model="word-1", system_prompt=f"a {SECRET}", project_instructions=f"b {SECRET}",
        user_memory=f"c {SECRET}", persona=PersonaSources(f"d {SECRET}", f"e {SECRET}", f"f {SECRET}"),
        tools=(ToolDefinition("read", f"uses {SECRET}", f'{{"default":"{SECRET}"}}'),),
    ),
    history=(
        user("u1", f"my key is {SECRET}"),
        Message("a1", "assistant", ("one", SECRET), tool_calls=(ToolCall("c1", "read", f'["{SECRET}"]'),)),
        result("t1", "c1", f"found {SECRET}"),
        SystemChunk("s1", f"chunk {SECRET}"),
        EnvironmentChunk("e1", f"chunk {SECRET}", "tool_result", error=f"no {SECRET}"),
        OutputChunk("o1", f"chunk {SECRET}", "task_abandoned", reason=f"as {SECRET}"),
    ),
    attached=(artifact("a.md", f"text {SECRET}"),),
    library=(shelved(artifact("b.md", SECRET), artifact("b.md", f"newer {SECRET}")),),
    question=user("q", f"and {SECRET}?"),
    tool_results=(EnvironmentChunk("r1", SECRET, "tool_result"),),
)  # fmt: skip


def without(text: str) -> str:
    return text.replace(SECRET, "[redacted]")


def test_no_text_of_a_turn_is_left_out():
    assert SECRET not in bytes_of(redacted(WHOLE, without))


def test_ids_names_and_keys_stay():
    after = redacted(WHOLE, lambda text: "x")
    assert [entry.id for entry in after.history] == ["u1", "a1", "t1", "s1", "e1", "o1"]
    assert [after.attached[0].key, after.library[0].key] == ["a.md", "b.md"]
    assert after.settings.tools[0].name == "read"
    assert after.settings.model == "word-1"
    call = after.history[1]
    assert isinstance(call, Message)
    assert (call.tool_calls[0].id, call.tool_calls[0].name, call.texts) == ("c1", "read", ("x", "x"))


def test_text_without_hits_makes_no_change():
    assert redacted(WHOLE, lambda text: text) == WHOLE


def test_absent_texts_stay_absent():
    chunk = DelegationChunk("d1", "body", "subagent_result")
    bare = replace(turn_inputs(), history=(chunk, EnvironmentChunk("e", "b", "tool_result")))
    assert redacted(bare, lambda text: text) == bare
    assert redacted(bare, without).question is None
