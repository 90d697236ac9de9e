"""A whole trajectory is read, or refused with one line that says where it is wrong."""

from __future__ import annotations

import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.cli.replay.trajectory import parse_trajectory
from workbench.domain.envelope import TrimState
from workbench.domain.errors import InvalidInput
from workbench.domain.settings.preset import parse_override
from workbench.domain.trajectory import Trajectory

FORMAT = "workbench-trajectory/1"


def read(**given: object) -> Trajectory:
    return parse_trajectory({"format": FORMAT, **given})


def refusal(document: object) -> str:
    with pytest.raises(InvalidInput) as caught:
        parse_trajectory(document)
    return str(caught.value)


def user(content: str, **more: object) -> dict[str, object]:
    return {"role": "user", "content": content, **more}


def test_only_the_format_is_needed() -> None:
    trajectory = read()

    assert (trajectory.history, trajectory.turns, trajectory.trim) == ((), (), TrimState())
    assert re.fullmatch("trajectory:[0-9a-f]{16}", trajectory.conversation)


@pytest.mark.parametrize(
    ("document", "line"),
    [
        ({}, "format: missing"),
        ([], "$: expected an object, got []"),
        (None, "$: expected an object, got null"),
        ({"format": "x/2"}, 'format: expected "workbench-trajectory/1", got "x/2"'),
        ({"format": FORMAT, "turn": []}, 'turn: unknown field; did you mean "turns"?'),
        ({"format": FORMAT, "turns": {}}, "turns: expected a list, got {}"),
        ({"format": FORMAT, "history": ["x"]}, 'history[0]: expected an object, got "x"'),
        ({"format": FORMAT, "history": None}, "history: expected a list, got null"),
        ({"format": FORMAT, "settings": []}, "settings: expected an object, got []"),
        ({"format": FORMAT, "conversation": ""}, 'conversation: expected a string that is not empty, got ""'),
        ({"format": FORMAT, "trim_state": []}, "trim_state: expected an object, got []"),
        (
            {"format": FORMAT, "trim_state": {"boundary": -1}},
            "trim_state.boundary: expected an integer >= 0, got -1",
        ),
        (
            {"format": FORMAT, "trim_state": {"boundry": 1}},
            'trim_state.boundry: unknown field; did you mean "boundary"?',
        ),
    ],
)  # fmt: skip
def test_what_is_refused_and_how(document: object, line: str) -> None:
    assert refusal(document) == line


def test_remarks_are_ignored() -> None:
    assert read(name="x", description="y", comment="z", _a=1, **{"$schema": "s"}) == read()


@pytest.mark.parametrize(
    ("given", "state"),
    [
        (None, TrimState()),
        ({}, TrimState()),
        ({"boundary": 20}, TrimState(20)),
        ({"boundary": 5, "boundary_message": None, "trimmed_messages": []}, TrimState(5)),
        ({"boundary": 5, "boundary_message": "m6", "trimmed_messages": ["m1"]}, TrimState(5, "m6")),
    ],
)
def test_trimming_resumes_from_a_reports_state(given: object, state: TrimState) -> None:
    assert read(trim_state=given).trim == state


def test_ids_count_on_from_history_through_the_turns() -> None:
    trajectory = read(
        history=[user("a"), {"chunk": "output"}, user("b")],
        turns=[{"user": "c", "reply": "d"}, {"user": "e"}],
    )

    assert [entry.id for entry in trajectory.history] == ["m1", "m2", "m3"]
    assert [turn.question.id for turn in trajectory.turns if turn.question] == ["m4", "m6"]
    assert trajectory.turns[0].reply[0].id == "m5"


def test_generated_ids_pass_over_ids_that_history_gives_later() -> None:
    trajectory = read(history=[user("a"), user("b", id="m1"), user("c"), {"chunk": "output", "id": "m3"}])

    assert [entry.id for entry in trajectory.history] == ["m2", "m1", "m4", "m3"]


def test_an_id_given_twice_names_both_places() -> None:
    history = [user("a", id="x"), {"chunk": "output", "id": "x"}]

    assert (
        refusal({"format": FORMAT, "history": history})
        == 'history[1].id: "x" is already the id of history[0]'
    )


def test_a_reply_cannot_take_an_id_that_was_made() -> None:
    turn = {"user": "a", "reply": [{"role": "assistant", "content": "b", "id": "m1"}]}

    assert refusal({"format": FORMAT, "turns": [turn]}) == (
        'turns[0].reply[0].id: "m1" is already the id of turns[0].user'
    )


def test_a_later_turn_never_renames_an_earlier_message() -> None:
    """Otherwise the ids of an earlier report would mean other messages once the file has grown."""
    turns: list[object] = [{"user": "a", "reply": "b"}]
    grown = [*turns, {"user": "c", "reply": [{"role": "assistant", "content": "d", "id": "m9"}]}]

    assert read(turns=grown).turns[:1] == read(turns=turns).turns


def test_a_conversation_is_named_by_what_was_said_alone() -> None:
    said = {"history": [user("a")], "turns": [{"user": "b"}]}
    name = read(**said).conversation

    assert read(**said, settings={"model": "gpt-4"}).conversation == name
    assert parse_trajectory({"format": FORMAT, **said}, {"model": "gpt-4"}).conversation == name
    assert read(history=[user("a")], turns=[{"user": "c"}]).conversation != name
    assert read(history=[user("x")], turns=[{"user": "b"}]).conversation != name
    assert read(**said, conversation="mine").conversation == "mine"


def test_overrides_are_checked_even_without_turns() -> None:
    with pytest.raises(InvalidInput, match=r"^settings\.nonsense: unknown setting; "):
        parse_trajectory({"format": FORMAT}, dict([parse_override("nonsense=1")]))


FULL: dict[str, object] = {
    "format": FORMAT,
    "settings": {
        "model": "gpt-4o", "counter": "rfc", "context_window": 500, "system_prompt": "s",
        "history": {"threshold": 0.8, "last_n_messages": None, "recall": False},
        "layout": "layered", "freshness": "refresh", "compaction": {"section_chars": 5},
        "tools": [{"name": "read", "description": "d", "input_schema": {"type": "object"}}],
        "include_kinds": ["file"], "exclude_kinds": [], "persona": {"user": "u"},
    },
    "history": [
        {"role": "user", "content": [{"type": "text", "text": "t"}, {"type": "image", "digest": "d", "tokens": 3}]},
        {"role": "assistant", "content": None, "tool_calls": [{"id": "c1", "name": "read", "arguments": "{}"}]},
        {"role": "tool", "tool_call_id": "c1", "content": "x", "id": "result"},
        {"chunk": "workflow", "action": "tool_call", "tool": "t", "call_id": "c", "content": {"a": 1}},
        {"chunk": "environment", "tool": "t", "success": True, "error": False},
        {"chunk": "working_flow", "compacted_at": 1, "original_count": 2, "custom": {"k": "v"}},
        {"chunk": "delegation", "subagent_id": "a", "agent_type": "b"},
        {"chunk": "agent", "role": "assistant", "action": "clarification"},
    ],
    "trim_state": {"boundary": 1, "boundary_message": "result", "trimmed_messages": []},
    "turns": [
        {"attach": [{"id": "a", "kind": "file", "title": "t", "text": "x", "priority": 5, "essential": False}],
         "user": "q", "reply": [{"role": "assistant", "content": "r"}], "now": "2026-01-01T12:00:00Z"},
        {"settings": {"model": "gpt-4"}, "detach": ["a"], "pin_messages": ["m1"], "reload": False, "user": "q"},
    ],
}  # fmt: skip

KEYS = st.sampled_from(
    [
        "id",
        "role",
        "content",
        "chunk",
        "kind",
        "text",
        "settings",
        "turns",
        "history",
        "user",
        "reply",
        "attach",
    ]
)
WEIRD = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text()
    | st.sampled_from([10**30, "m1", "a", "auto", "tool", "\ud800", "a\nb", "\u2028"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text() | KEYS, inner, max_size=3),
    max_leaves=6,
)  # fmt: skip


def places(value: object, path: tuple[str | int, ...] = ()) -> list[tuple[str | int, ...]]:
    inner: list[tuple[str | int, object]] = []
    if isinstance(value, dict):
        inner = list(value.items())
    elif isinstance(value, list):
        inner = list(enumerate(value))
    return [path, *(place for key, child in inner for place in places(child, (*path, key)))]


PLACES = places(FULL)[1:]


def mutated(value: object, place: tuple[str | int, ...], data: st.DataObject) -> object:
    """A copy with something else at that place; the same where the place is gone already."""
    if not place:
        return data.draw(WEIRD)
    key, rest = place[0], place[1:]
    if isinstance(value, list) and isinstance(key, int):
        return [mutated(item, rest, data) if index == key else item for index, item in enumerate(value)]
    if not isinstance(value, dict) or key not in value:
        return value
    kept = {name: inner for name, inner in value.items() if name != key}
    change = "replace" if rest else data.draw(st.sampled_from(["replace", "remove", "rename"]))
    if change == "replace":
        return {**kept, key: mutated(value[key], rest, data)}
    return kept if change == "remove" else {**kept, data.draw(st.text() | KEYS): value[key]}


def said_about(document: object) -> str:
    """The line that refuses a document; nothing where it is read. Anything else raised fails the test."""
    try:
        parse_trajectory(document)
    except InvalidInput as error:
        return str(error)
    return ""


def test_the_document_that_is_mutated_is_valid() -> None:
    assert said_about(FULL) == ""


@given(st.lists(st.sampled_from(PLACES), min_size=1, max_size=3), st.data())
def test_a_mutated_trajectory_is_read_or_refused_on_one_line(
    chosen: list[tuple[str | int, ...]], data: st.DataObject
) -> None:
    document: object = FULL
    for place in chosen:
        document = mutated(document, place, data)

    said = said_about(document)

    assert said.isprintable()
    assert said == "" or re.fullmatch(r"[^ ].*: .+", said)


@given(WEIRD)
def test_any_json_is_read_or_refused_on_one_line(document: object) -> None:
    assert said_about(document).isprintable()


@given(
    st.dictionaries(st.sampled_from(["settings", "history", "turns", "trim_state", "conversation"]), WEIRD)
)
def test_any_fields_are_read_or_refused_on_one_line(fields: dict[str, object]) -> None:
    assert said_about({"format": FORMAT, **fields}).isprintable()


def test_reading_changes_nothing_in_the_document() -> None:
    before = json.dumps(FULL)
    parse_trajectory(FULL, {"model": "gpt-4"})

    assert json.dumps(FULL) == before
