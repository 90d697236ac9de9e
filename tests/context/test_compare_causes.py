"""Why a prefix moved: one test a cause of the contract, and what each must not be taken for."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from tests.fakes.turns import artifact, assistant, build, result, shelved, user
from workbench.context.compare import find_causes
from workbench.domain.change import Built
from workbench.domain.parameters import Parameters
from workbench.domain.settings.context_settings import (
    CompactionSettings,
    ContextSettings,
    FilterSettings,
    HistorySettings,
)
from workbench.domain.tool import ToolDefinition
from workbench.domain.turn import Tuning

LONG = "word " * 100
SETTINGS = ContextSettings(
    model="word-1",
    system_prompt="Be kind.",
    compaction=CompactionSettings(verbatim_chars=100, section_chars=10),
)
A, B = artifact("a", "alpha"), artifact("b", "beta")
TALK = (user("u1"), assistant("a1", LONG), user("u2"), assistant("a2"))


def request(settings: ContextSettings = SETTINGS, **changes: Any) -> Built:
    return build(settings, **changes)


def causes(before: Built, after: Built) -> list[tuple[str, str | None]]:
    return [(found.cause, found.subject) for found in find_causes(before, after)]


def changed(**changes: Any) -> list[tuple[str, str | None]]:
    """The causes of nothing but a change of settings."""
    return causes(request(question=user("q")), request(replace(SETTINGS, **changes), question=user("q")))[:1]


def test_settings():
    assert changed(system_prompt="Be brief.") == [("settings", "system")]


def test_settings_when_the_persona_changed():
    persona = replace(SETTINGS.persona, user="a pirate")
    assert changed(persona=persona) == [("settings", "persona")]


def test_model():
    assert changed(model="word-2") == [("model", "word-2")]


def test_tools():
    assert changed(tools=(ToolDefinition("read"),)) == [("tools", "read")]


def test_tools_in_another_order_have_no_subject():
    one, other = ToolDefinition("ls"), ToolDefinition("read")
    before, after = (request(replace(SETTINGS, tools=tools)) for tools in ((one, other), (other, one)))
    assert causes(before, after) == [("tools", None)]


def test_memory():
    assert changed(user_memory="likes tea") == [("memory", "memory")]


def test_project():
    assert changed(project_instructions="use tabs") == [("project", "project")]


def test_attached():
    assert causes(request(attached=(A,)), request(attached=(B, A))) == [("attached", "b")]


def test_detached():
    assert causes(request(attached=(A, B)), request(attached=(B,))) == [("detached", "a")]


def test_detached_when_the_library_then_compacts_it():
    long = artifact("a", LONG)
    library = (shelved(long, attached=True),)
    before, after = request(library=library, attached=(long,)), request(library=library)
    assert causes(before, after)[0] == ("detached", "a")


def test_file_changed_on_the_shelf():
    library = (shelved(A),)
    before = request(library=library, attached=(A,), question=user("q"))
    after = request(library=library, attached=(artifact("a", "new"),), history=(user("q"),))
    assert causes(before, after)[0] == ("file_changed", "a")


def test_file_changed_before_it_was_ever_sent():
    assert causes(request(attached=(A,)), request(attached=(artifact("a", "new"),))) == [
        ("file_changed", "a")
    ]


def test_promoted():
    before = request(attached=(A,), question=user("q"))
    after = request(library=(shelved(A, attached=True),), attached=(A,), history=(user("q"), assistant("r")))
    assert causes(before, after) == [("promoted", "a"), ("turn_context", "q")]


def test_pruned():
    tight = replace(SETTINGS, attachment_budget_tokens=40)
    library = (shelved(artifact("a", "alpha", priority=10)),)
    before = request(tight, library=library)
    after = request(tight, library=library, attached=(artifact("b", "word " * 19),))
    assert [pruned.id for pruned in after.envelope.cuts.pruned] == ["a"]
    assert causes(before, after) == [("pruned", "a")]


def test_a_changed_limit_is_the_settings_doing():
    library = (shelved(A),)
    tight = replace(SETTINGS, attachment_budget_tokens=0)
    assert causes(request(library=library), request(tight, library=library)) == [("settings", "a")]


def test_a_filter_is_the_settings_doing():
    without = replace(SETTINGS, filters=FilterSettings(exclude_kinds=frozenset({"file"})))
    library = (shelved(A),)
    assert causes(request(library=library), request(without, library=library)) == [("settings", "a")]


def test_priority():
    tight = replace(SETTINGS, attachment_budget_tokens=46)
    library = (shelved(A), shelved(B))
    before, after = (
        request(tight, library=library, attached=(artifact("a", "alpha", priority=p),)) for p in (3, 10)
    )
    assert [[p.id for p in one.envelope.cuts.pruned] for one in (before, after)] == [["b"], ["a"]]
    assert ("priority", "a") in causes(before, after)


def test_trimmed_names_the_last_message_that_was():
    small = replace(SETTINGS, context_window=150, reserved_output_tokens=0)
    before = request(SETTINGS, history=TALK)
    after = request(small, history=TALK, question=user("q"))
    assert after.envelope.cuts.trimmed_messages == ("a1",)
    assert causes(before, after) == [("trimmed", "a1")]


def test_trimmed_by_the_last_n():
    capped = replace(SETTINGS, history=HistorySettings(last_n_messages=2))
    before = request(capped, history=TALK[:2])
    assert causes(before, request(capped, history=TALK)) == [("trimmed", "a1")]


def test_excluded():
    after = request(history=TALK, tuning=Tuning(excluded=frozenset({"a1"})))
    assert causes(request(history=TALK), after) == [("excluded", "a1")]


def test_excluded_when_it_is_an_artifact():
    out = Tuning(excluded=frozenset({"a"}))
    shelf = (shelved(A), shelved(B))
    assert causes(request(library=shelf), request(library=shelf, tuning=out)) == [("excluded", "a")]
    assert causes(request(library=shelf, tuning=out), request(library=shelf)) == [("excluded", "a")]
    assert causes(request(attached=(A, B)), request(attached=(A, B), tuning=out)) == [("excluded", "a")]


def test_excluded_when_it_is_taken_back():
    before = request(history=TALK, tuning=Tuning(excluded=frozenset({"a1"})))
    assert causes(before, request(history=TALK)) == [("excluded", "a1")]


def test_history_edited():
    edited = (user("u1", "edited"), *TALK[1:])
    assert causes(request(history=TALK), request(history=edited)) == [("history_edited", "u1")]


def test_history_edited_when_a_message_is_deleted():
    assert causes(request(history=TALK), request(history=TALK[2:])) == [
        ("history_edited", "u1"),
        ("history_edited", "a1"),
    ]


def test_history_edited_when_a_result_lost_its_call():
    called = (user("u"), assistant("a", "", "c"), result("r", "c"), assistant("b"))
    after = request(history=(called[0], *called[2:]))
    assert causes(request(history=called), after) == [("history_edited", "a"), ("history_edited", "r")]


def test_turn_context_when_what_stood_around_the_question_is_gone():
    before = request(attached=(A,), library=(shelved(A),), question=user("q"))
    after = request(library=(shelved(A),), history=(user("q"), assistant("r")), question=user("q2"))
    assert causes(before, after) == [("turn_context", "q")]


def test_turn_context_when_the_time_stood_before_the_question():
    before = request(question=user("q"), now="noon")
    after = request(history=(user("q"), assistant("r")), question=user("q2"), now="one")
    assert causes(before, after) == [("turn_context", "q")]


def test_turn_context_when_only_the_time_changed():
    assert causes(request(now="noon"), request(now="one")) == [("turn_context", "time")]


def test_a_request_built_in_another_way_names_what_is_other_and_not_its_question():
    """It was said that an earlier message was edited, and that the last question's context is gone."""
    before = request(attached=(A, B), history=TALK, question=user("q"))
    without = request(
        attached=(A, B), history=TALK, question=user("q"), tuning=Tuning(excluded=frozenset({"a"}))
    )
    assert causes(before, without) == [("excluded", "a")]
    assert causes(without, before) == [("excluded", "a")]
    log = replace(SETTINGS, layout="append_only")
    begun = request(log, attached=(A, B), question=user("q"))
    out = request(log, attached=(A, B), question=user("q"), tuning=Tuning(excluded=frozenset({"a"})))
    assert (begun.envelope.rebuilt, out.envelope.rebuilt) == ("first", "first")
    assert causes(begun, out) == [("excluded", "a")]  # both begin a log
    moved = replace(B, priority=9)
    small = replace(SETTINGS, attachment_budget_tokens=1)
    fewer = request(small, attached=(A, moved), history=TALK, question=user("q"))
    assert {name for name, _ in causes(before, fewer)} <= {"settings", "priority"}


def test_causes_stand_in_wire_order():
    before = request(library=(shelved(A),), history=TALK, question=user("q"), now="noon")
    after = request(
        replace(SETTINGS, system_prompt="Be brief.", tools=(ToolDefinition("read"),)),
        library=(shelved(artifact("a", "new")),), history=(user("u1", "edited"), *TALK[1:], user("q")),
    )  # fmt: skip
    assert [cause for cause, _ in causes(before, after)] == [
        "tools", "settings", "file_changed", "history_edited", "turn_context",
    ]  # fmt: skip


def test_a_difference_nobody_knows_the_reason_of_still_has_one():
    assert causes(request(), request()) == [("history_edited", None)]
    assert causes(request(), request(replace(SETTINGS, attachment_budget_tokens=9))) == [("settings", None)]
    warmer = replace(SETTINGS, parameters=Parameters(temperature=1.5))
    assert causes(request(), request(warmer)) == [("history_edited", None)]  # no parameter moves a prefix
