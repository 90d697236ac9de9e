"""The draft prices what cuts to artifacts change, exactly as the sealed envelope will."""

from __future__ import annotations

from typing import Any

from tests.fakes.turns import RENDERERS, artifact, selection, shelved, turn_inputs, user, wire, word_counter
from workbench.context.assembly.draft import AttachmentPricing, Draft, WindowPricing
from workbench.context.assembly.memory import BuildMemory, shortener_for
from workbench.context.assembly.references import Placement, Places, freshness_of
from workbench.context.assembly.render import system_segments
from workbench.domain.chunk import EnvironmentChunk
from workbench.domain.envelope import budget_for
from workbench.domain.settings.context_settings import ContextSettings, FilterSettings
from workbench.domain.tool import ToolDefinition

RESULT = EnvironmentChunk("e", "output", "tool_result")


def draft(settings: ContextSettings | None = None, **changes: Any) -> Draft:
    inputs = turn_inputs(settings, **changes)
    budget = budget_for(inputs.settings, inputs.model.context_window_tokens)
    return Draft(inputs, budget, system_segments(inputs.settings), word_counter(), RENDERERS)


def placements(one: Draft) -> tuple[Placement, ...]:
    settings = one.inputs.settings
    shortener = shortener_for(settings, BuildMemory(), one.counter)
    return Places(shortener, freshness_of(settings, one.inputs.model), lambda artifact: True).place(
        one.inputs.library, one.inputs.attached
    )


def test_the_ends_are_the_system_message_and_the_user_s():
    one = draft(ContextSettings(system_prompt="Be kind."), question=user("q", "why?"))
    system, last = one.ends(())
    assert system is not None
    assert last is not None
    assert (system.id, system.content, last.id, last.content) == ("system", "Be kind.", "q", "why?")


def test_without_instructions_library_or_question_there_are_none():
    assert draft().ends(()) == (None, None)
    assert draft().messages(()) == ()


def test_artifacts_without_a_question_stand_in_a_message_of_their_own():
    one = draft(attached=(artifact("a"),))
    assert [message.id for message in one.messages(placements(one))] == ["turn"]


def test_what_tools_gave_back_stands_before_what_is_attached():
    one = draft(attached=(artifact("a"),), tool_results=(RESULT,), question=user("q"))
    (message,) = one.messages(placements(one))
    assert [segment.id for segment in message.segments] == ["e", "a", "q"]


def test_history_stands_between_the_ends():
    one = draft(ContextSettings(system_prompt="p"), question=user("q")).with_history(
        (wire("m", "user", "x"),)
    )
    assert [message.id for message in one.messages(())] == ["system", "m", "q"]


def test_the_raw_cost_is_all_but_history():
    one = draft(ContextSettings(system_prompt="two words"), question=user("q", "why?"))
    assert one.raw(()) == (4 + 2) + (4 + 1) + 2
    assert one.with_history((wire("m", "user", "x"),)).raw(()) == one.raw(())


def test_tool_results_of_the_turn_go_with_the_environment():
    shown = draft(tool_results=(RESULT,), question=user("q"))
    hidden = draft(
        ContextSettings(filters=FilterSettings(include_environment=False)),
        tool_results=(RESULT,),
        question=user("q"),
    )
    assert [[s.id for s in message.segments] for message in shown.messages(())] == [["e", "q"]]
    assert [[s.id for s in message.segments] for message in hidden.messages(())] == [["q"]]


def test_tools_cost_outside_the_messages():
    one = draft(ContextSettings(tools=(ToolDefinition("read", "reads a file"), ToolDefinition("ls"))))
    assert one.tool_tokens == (8 + 1 + 3 + 1) + (8 + 1 + 0 + 1)


def test_the_window_pays_for_everything():
    settings = ContextSettings(tools=(ToolDefinition("ls"),))
    one = draft(settings, question=user("q", "why?"), attached=(artifact("a"),))
    history = one.counter.raw_cost((wire("m", "user", "x"),))
    expected = one.raw(placements(one)) + (4 + 1) + one.tool_tokens
    assert WindowPricing(one, history).together(placements(one)) == expected


def test_the_attachment_budget_pays_for_artifacts_in_both_layers_and_nothing_else():
    one = draft(
        ContextSettings(system_prompt="many words that do not count"),
        library=(shelved(artifact("a", "one two")),),
        attached=(artifact("b", "three"),),
        tool_results=(RESULT,),
        question=user("q", "nor do these"),
    )
    system, last = one.ends(placements(one))
    assert system is not None
    assert last is not None
    expected = one.counter.costs(system)[1] + one.counter.costs(last)[1]
    assert AttachmentPricing(one).together(placements(one)) == expected


def test_an_artifact_alone_costs_both_its_copies():
    one = draft(library=(shelved(artifact("a", "one two")),), attached=(selection("a", "one two"),))
    (both,) = placements(one)
    pricing = AttachmentPricing(one)
    shelf = pricing.alone(
        Placement(both.artifact, True, 0, library_copy=both.library_copy, library_form="full")
    )
    turn = pricing.alone(Placement(both.artifact, True, 0, in_turn="full"))
    assert pricing.alone(both) == shelf + turn


def test_what_is_not_shown_costs_nothing():
    assert AttachmentPricing(draft()).alone(Placement(artifact("a"), True, 0)) == 0
