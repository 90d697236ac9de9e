"""A walkthrough: a spec in turn 1, API docs beside it in turn 2, only the spec in turn 3."""

from __future__ import annotations

import pytest

from tests.trajectories.support import Json, causes, forms, layer, replayed, said, segment
from tests.trajectories.wire_reading import read_wire

SPEC = (
    "# Project spec\n\nPeople sign in with a token.\n\n## Auth flow\n\nThe token is sent with every request."
)
DOCS = "# API\n\nGET /users lists users.\nPOST /users makes one."
ASKED = ["Summarize this", "What endpoints does the API support?", "Explain the auth flow from the spec"]
ANSWERED = ["Here is a summary of the project spec...", "The API supports the following endpoints..."]


@pytest.fixture(scope="module")
def turns() -> list[Json]:
    spec = {"id": "project-spec.md", "kind": "note", "title": "project-spec", "text": SPEC}
    docs = {"id": "docs/api-docs.md", "kind": "note", "title": "api-docs", "text": DOCS}
    return replayed(
        {"attach": [spec], "user": ASKED[0], "reply": ANSWERED[0]},
        {"attach": [docs], "user": ASKED[1], "reply": ANSWERED[1]},
        {"detach": ["docs/api-docs.md"], "user": ASKED[2]},
        system_prompt="You are a careful reader.",
        project_instructions="Answer from the documents.",
        user_memory="Prefers short answers.",
    )


def test_the_layers_stand_in_wire_order_in_every_turn(turns: list[Json]):
    order = ["L1_SYSTEM", "L2_PREVIOUS", "L4_STRIP", "L3_TURN", "L5_USER"]
    assert [[one["name"] for one in turn["layers"]] for turn in turns] == [order] * 3


def test_the_system_layer_is_the_same_in_every_turn_stable_part_first(turns: list[Json]):
    expected = [("system", "full"), ("project", "full"), ("memory", "full")]
    assert [forms(turn, "L1") for turn in turns] == [expected] * 3
    assert len({turn["prefix"]["l1_digest"] for turn in turns}) == 1


def test_turn_1_has_the_spec_in_full_and_nothing_else(turns: list[Json]):
    assert forms(turns[0], "L2") == []
    assert forms(turns[0], "L4") == []
    assert forms(turns[0], "L3") == [("project-spec.md", "full")]
    assert forms(turns[0], "L5") == [("m1", "full")]


def test_turn_2_refers_to_the_spec_and_carries_the_new_docs(turns: list[Json]):
    assert forms(turns[1], "L2") == [("project-spec.md", "full")]
    assert forms(turns[1], "L4") == [("m1", "full"), ("m2", "full")]
    assert forms(turns[1], "L3") == [("project-spec.md", "reference"), ("docs/api-docs.md", "full")]
    assert forms(turns[1], "L5") == [("m3", "full")]


def test_turn_3_keeps_the_dropped_docs_in_the_library_after_the_spec(turns: list[Json]):
    assert forms(turns[2], "L2") == [("project-spec.md", "full"), ("docs/api-docs.md", "full")]
    assert forms(turns[2], "L4") == [(f"m{number}", "full") for number in (1, 2, 3, 4)]
    assert forms(turns[2], "L3") == [("project-spec.md", "reference")]
    assert forms(turns[2], "L5") == [("m5", "full")]


def test_history_is_display_text_only(turns: list[Json]):
    talk = [("user", ASKED[0]), ("assistant", ANSWERED[0]), ("user", ASKED[1]), ("assistant", ANSWERED[1])]
    assert [role for role, _ in said(turns[0])] == ["system", "user"]
    assert said(turns[1])[1:-1] == talk[:2]
    assert said(turns[2])[1:-1] == talk


def test_the_wire_holds_each_text_once(turns: list[Json]):
    sources = [
        ["project-spec.md"],
        ["project-spec.md", "docs/api-docs.md"],
        ["project-spec.md", "docs/api-docs.md"],
    ]
    texts = {"project-spec.md": SPEC, "docs/api-docs.md": DOCS}
    for turn, expected in zip(turns, sources, strict=True):
        read = [body for _, text in (said(turn)[0], said(turn)[-1]) for body in read_wire(text).bodies]
        artifacts = [(source, body) for source, body in read if source in texts]
        assert artifacts == [(source, texts[source]) for source in expected]


def test_the_question_stands_last_after_its_label(turns: list[Json]):
    assert [read_wire(said(turn)[-1][1]).question for turn in turns] == ASKED


def test_what_stays_in_the_library_is_byte_for_byte_what_was_there(turns: list[Json]):
    """A changed byte in the first entry would lose the cache for everything after it."""
    digests = [segment(turn, "L2", "project-spec.md")["digest"] for turn in turns[1:]]
    assert digests[0] == digests[1]
    system = [said(turn)[0][1] for turn in turns]
    assert system[1].startswith(system[0])
    assert system[2].startswith(system[1])


def test_each_turn_moves_the_prefix_only_where_something_was_promoted(turns: list[Json]):
    assert [turn["prefix"]["change"] for turn in turns] == ["first", "diverged", "diverged"]
    assert causes(turns[1]) == [("promoted", "project-spec.md"), ("turn_context", "m1")]
    assert causes(turns[2]) == [("promoted", "docs/api-docs.md"), ("turn_context", "m3")]
    assert turns[1]["prefix"]["diverges_at"]["segment"] == "project-spec.md"
    assert turns[2]["prefix"]["diverges_at"]["segment"] == "docs/api-docs.md"
    assert turns[2]["prefix"]["reused_tokens"] > layer(turns[2], "L1")["tokens"]
