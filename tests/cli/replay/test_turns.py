"""Turns are read in order: settings, attachments and message ids of one turn hold in the next."""

from __future__ import annotations

import pytest

from workbench.cli.replay.trajectory import parse_trajectory, read_attach, read_detach, read_moment
from workbench.domain.errors import InvalidInput
from workbench.domain.files.attachment import ARTIFACT_KINDS, EPHEMERAL_KINDS, Artifact
from workbench.domain.message import Message
from workbench.domain.reading.node import Node
from workbench.domain.text import digest_text
from workbench.domain.trajectory import TrajectoryTurn


def turns(*given: object, **more: object) -> tuple[TrajectoryTurn, ...]:
    overrides = more.pop("overrides", {})
    assert isinstance(overrides, dict)
    return parse_trajectory(
        {"format": "workbench-trajectory/1", "turns": list(given), **more}, overrides
    ).turns


def refusal(*given: object, **more: object) -> str:
    with pytest.raises(InvalidInput) as caught:
        turns(*given, **more)
    return str(caught.value)


def test_an_empty_turn_builds_without_asking() -> None:
    assert turns({}) == (TrajectoryTurn(),)
    assert turns({"user": None, "reply": None, "now": None, "reload": False}) == (TrajectoryTurn(),)


def test_questions_and_replies_get_their_ids_in_order_of_appearance() -> None:
    first, second = turns({"user": "a", "reply": "b"}, {"reply": "d", "user": "c"})

    assert (first.question, first.reply) == (
        Message("m1", "user", ("a",)),
        (Message("m2", "assistant", ("b",)),),
    )
    assert (second.question, second.reply) == (
        Message("m3", "user", ("c",)),
        (Message("m4", "assistant", ("d",)),),
    )


def test_settings_hold_from_their_turn_on() -> None:
    read = turns(
        {},
        {"settings": {"model": "gpt-4", "history": {"headroom": 0.5}}},
        {},
        {"settings": {"history": {"threshold": None}}},
        settings={"history": {"max_tokens": 7}},
    )

    assert [one.settings.model for one in read] == ["gpt-4o", "gpt-4", "gpt-4", "gpt-4"]
    assert [one.settings.history.headroom for one in read] == [None, 0.5, 0.5, 0.5]
    assert [one.settings.history.threshold for one in read] == [0.8, 0.8, 0.8, None]
    assert [one.settings.history.max_tokens for one in read] == [7, 7, 7, 7]


def test_overrides_win_in_every_turn_and_leave_the_rest() -> None:
    read = turns(
        {}, {"settings": {"model": "other", "counter": "rfc"}}, {}, overrides={"model": "gpt-4"}
    )  # fmt: skip

    assert [one.settings.model for one in read] == ["gpt-4"] * 3
    assert [one.settings.counter for one in read] == ["exact", "rfc", "rfc"]


def test_detaching_comes_before_attaching() -> None:
    read = turns(
        {"attach": [{"id": "a", "text": "1"}]},
        {"detach": ["a"], "attach": [{"id": "a", "text": "2"}]},
        {"detach": ["a"]},
    )

    assert [one.detach for one in read] == [(), ("a",), ("a",)]
    assert [[artifact.text for artifact in one.attach] for one in read] == [["1"], ["2"], []]


def test_an_id_that_was_made_can_be_detached() -> None:
    assert turns({"attach": [{"kind": "selection", "text": "x"}]}, {"detach": ["selection"]})[1].detach == (
        "selection",
    )


def test_what_the_user_decides_about_earlier_messages() -> None:
    _, turn = turns(
        {"user": "a", "reply": "b"},
        {
            "exclude_messages": ["m1"], "include_messages": ["m2"],
            "pin_messages": ["h"], "unpin_messages": ["m1", "h"],
        },
        history=[{"role": "user", "content": "x", "id": "h"}],
    )  # fmt: skip

    assert (turn.exclude_messages, turn.include_messages) == (("m1",), ("m2",))
    assert (turn.pin_messages, turn.unpin_messages) == (("h",), ("m1", "h"))


@pytest.mark.parametrize("field", ["exclude_messages", "include_messages", "pin_messages", "unpin_messages"])
def test_only_earlier_messages_can_be_named(field: str) -> None:
    assert refusal({"user": "a"}, {field: ["m99"]}) == (
        f'turns[1].{field}[0]: no earlier message has the id "m99"'
    )
    assert refusal({"user": "a", field: ["m1"]}) == f'turns[0].{field}[0]: no earlier message has the id "m1"'


@pytest.mark.parametrize(
    ("turn", "line"),
    [
        ({"reload": 1}, "turns[0].reload: expected true or false, got 1"),
        ({"user": 5}, "turns[0].user: expected a string, got 5"),
        ({"user": ["a"]}, 'turns[0].user: expected a string, got ["a"]'),
        ({"atach": []}, 'turns[0].atach: unknown field; did you mean "attach"?'),
        ({"detach": ["x.md"]}, 'turns[0].detach[0]: "x.md" is not attached'),
        ({"detach": "x.md"}, 'turns[0].detach: expected a list, got "x.md"'),
        ({"attach": [{}]}, "turns[0].attach[0].text: missing"),
        (
            {"settings": {"history": {"recall": "yes"}}},
            'turns[0].settings.history.recall: expected true or false, got "yes"',
        ),
        ({"settings": None}, "turns[0].settings: expected an object, got null"),
        (
            {"now": "today"},
            'turns[0].now: expected a time with its UTC offset, such as "2026-01-01T12:00:00Z", got "today"',
        ),
        ({"now": 1}, "turns[0].now: expected a string, got 1"),
        ([], "turns[0]: expected an object, got []"),
    ],
)  # fmt: skip
def test_what_is_refused_and_how(turn: object, line: str) -> None:
    assert refusal(turn) == line


def test_names_and_descriptions_are_remarks_in_turns() -> None:
    assert turns({"name": "x", "description": ["y"], "comment": 1, "_z": 2}) == (TrajectoryTurn(),)


@pytest.mark.parametrize(
    ("written", "moment"),
    [
        ("2026-01-01T12:00:00Z", "2026-01-01T12:00:00Z"),
        ("2026-01-01T12:00:00+00:00", "2026-01-01T12:00:00Z"),
        ("2026-01-01T01:30+02:00", "2025-12-31T23:30:00Z"),
        ("2026-01-01T12:00:00.250-05:00", "2026-01-01T17:00:00.250000Z"),
    ],
)
def test_times_are_kept_as_utc(written: str, moment: str) -> None:
    assert read_moment(Node(written)) == moment


@pytest.mark.parametrize(
    "written", ["2026-01-01T12:00:00", "2026-01-01", "12:00Z", "", "0001-01-01T00:00+14:00"]
)
def test_a_time_without_its_offset_is_no_time(written: str) -> None:
    """It would mean another moment on another machine."""
    with pytest.raises(InvalidInput):
        read_moment(Node(written))


# What a turn attaches gets its id, its priority and its rights; what it detaches must be attached.


def attach(*items: object) -> tuple[Artifact, ...]:
    return read_attach(Node(list(items), "turns[0].attach"))


def refusal_attachments(*items: object) -> str:
    with pytest.raises(InvalidInput) as caught:
        attach(*items)
    return str(caught.value)


def test_everything_given() -> None:
    assert attach(
        {"id": "docs/api.md", "kind": "note", "title": "api", "text": "…", "priority": 3, "essential": True}
    ) == (Artifact("docs/api.md", "note", "…", "api", 3, True, True),)


def test_text_is_all_that_is_needed_and_may_be_empty() -> None:
    assert attach({"text": ""}) == (Artifact(f"unparsed:{digest_text('')}", "file", ""),)


def test_lone_surrogates_are_repaired_in_text_title_and_id() -> None:
    (artifact,) = attach({"id": "a\ud800", "text": "b\ud800", "title": "c\ud800"})

    assert (artifact.key, artifact.text, artifact.title) == ("a\ufffd", "b\ufffd", "c\ufffd")


@pytest.mark.parametrize("kind", ARTIFACT_KINDS)
def test_what_exists_nowhere_else_is_essential_and_cannot_be_recovered(kind: str) -> None:
    (artifact,) = attach({"kind": kind, "text": "x"})

    assert artifact.essential is (kind in EPHEMERAL_KINDS)
    assert artifact.recoverable is (kind not in EPHEMERAL_KINDS)


@pytest.mark.parametrize(
    ("given", "essential"),
    [
        ({"kind": "selection", "essential": False}, False),
        ({"kind": "selection", "essential": False, "priority": 0}, True),
        ({"kind": "file", "priority": 0}, True),
        ({"kind": "file", "priority": 0, "essential": False}, True),
        ({"kind": "file", "pinned": True}, True),
        ({"kind": "file", "pinned": True, "essential": False}, True),
        ({"kind": "file", "pinned": False}, False),
        ({"kind": "file", "essential": True}, True),
        ({"kind": "file", "priority": 1}, False),
    ],
)
def test_what_is_essential(given: dict[str, object], essential: bool) -> None:
    (artifact,) = attach({"text": "x", **given})

    assert artifact.essential is essential


def test_recoverable_may_be_said() -> None:
    assert [one.recoverable for one in attach(
        {"id": "a", "kind": "file", "text": "", "recoverable": False},
        {"id": "b", "kind": "clipboard", "text": "", "recoverable": True},
    )] == [False, True]  # fmt: skip


def test_selections_without_an_id_are_numbered_within_the_turn() -> None:
    keys = [one.key for one in attach(*({"kind": "selection", "text": text} for text in ("a", "a", "b")))]

    assert keys == ["selection", "selection:2", "selection:3"]


def test_no_selection_without_an_id_is_overwritten_by_one_that_has_its_name() -> None:
    """Otherwise the user's selection would be lost without a word."""
    given = attach(
        {"kind": "selection", "text": "mine"}, {"id": "selection", "kind": "selection", "text": "named"}
    )

    assert [(one.key, one.text) for one in given] == [("selection:2", "mine"), ("selection", "named")]


def test_the_same_id_twice_is_the_last_one_at_the_place_of_the_first() -> None:
    given = attach(
        {"id": "a", "text": "old"}, {"id": "b", "text": "b"}, {"id": "a", "text": "new", "kind": "note"}
    )

    assert [(one.key, one.text, one.kind) for one in given] == [("a", "new", "note"), ("b", "b", "file")]


@pytest.mark.parametrize(
    ("item", "line"),
    [
        ({"kind": "file"}, "turns[0].attach[0].text: missing"),
        ({"text": None}, "turns[0].attach[0].text: expected a string, got null"),
        ({"text": "", "priority": "high"}, 'turns[0].attach[0].priority: expected an integer 0..10, got "high"'),
        ({"text": "", "priority": 11}, "turns[0].attach[0].priority: expected an integer 0..10, got 11"),
        ({"text": "", "priority": 5.0}, "turns[0].attach[0].priority: expected an integer 0..10, got 5.0"),
        ({"text": "", "priority": True}, "turns[0].attach[0].priority: expected an integer 0..10, got true"),
        ({"text": "", "id": ""}, 'turns[0].attach[0].id: expected a string that is not empty, got ""'),
        ({"text": "", "id": 7}, "turns[0].attach[0].id: expected a string, got 7"),
        ({"text": "", "essential": "yes"}, 'turns[0].attach[0].essential: expected true or false, got "yes"'),
        ({"text": "", "name": "x"}, "turns[0].attach[0].name: unknown field"),
        ({"text": "", "prioritiy": 1}, 'turns[0].attach[0].prioritiy: unknown field; did you mean "priority"?'),
        ("a.md", 'turns[0].attach[0]: expected an object, got "a.md"'),
    ],
)  # fmt: skip
def test_what_is_refused_and_how_attachments(item: object, line: str) -> None:
    assert refusal_attachments(item) == line


def test_an_unknown_kind_lists_the_known_ones() -> None:
    assert refusal_attachments({"text": "", "kind": "video"}).startswith(
        'turns[0].attach[0].kind: expected one of "file", "note", "url", "pdf", '
    )


def test_detaching_takes_the_id_out() -> None:
    attached = {"a", "b"}

    assert read_detach(Node(["a"]), attached) == ("a",)
    assert attached == {"b"}


def test_what_is_not_attached_cannot_be_detached_nor_twice() -> None:
    with pytest.raises(InvalidInput, match=r'^turns\[2\]\.detach\[0\]: "x\.md" is not attached$'):
        read_detach(Node(["x.md"], "turns[2].detach"), set())
    with pytest.raises(InvalidInput, match=r'^turns\[2\]\.detach\[1\]: "a" is not attached$'):
        read_detach(Node(["a", "a"], "turns[2].detach"), {"a"})
