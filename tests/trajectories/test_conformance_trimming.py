"""Facts about trimming, each as a trajectory: the reference's numbers, and where we do better."""

from __future__ import annotations

import json
from itertools import pairwise
from typing import Any

import pytest

from tests.trajectories.support import Json, causes, exchange, forms, layer, replayed, said, segment

ASK = {"user": "Hello world"}
LOOK: Json = {}
"""A turn without a question: build and report."""


def rfc(window: int = 200_000, keep: int = 10, headroom: float = 1.0) -> dict[str, Any]:
    """The RFC's own behaviour under a window."""
    history = {"keep_last_n_assistant": keep, "headroom": headroom}
    return {"counter": "rfc", "context_window": window, "reserved_output_tokens": 0, "history": history}


def total(*turns: Json, before: Any = (), **settings: Any) -> int:
    tokens: int = replayed(*turns, before=before, **(rfc() | settings))[-1]["total_tokens"]
    return tokens


def message(role: str, content: Any, **more: Any) -> Json:
    return {"role": role, "content": content, **more}


def call(call_id: str, name: str = "r", arguments: str = "") -> Json:
    return {"id": call_id, "name": name, "arguments": arguments}


def test_hello_world_is_13():
    """Bytes/3.5 rounded up, +8 a message, × 1.05 rounded up: 4 + 8 = 12 → 13."""
    assert total(ASK) == 13


def test_hello_and_world_as_two_messages_are_21():
    """(2 + 8) × 2 = 20 → 21."""
    assert total(LOOK, before=[message("user", "Hello"), message("assistant", "World")]) == 21


def test_a_400_byte_tool_result_is_141():
    """A result is content + 30 bytes, +3 a part: 123 + 3 + 8 = 134 → 141; beside it a call of exactly 20 → 21."""
    talk = [message("assistant", "", tool_calls=[call("c")]), message("tool", "x" * 400, tool_call_id="c")]
    assert total(LOOK, before=talk) == 141 + 21


def test_a_call_is_its_name_its_arguments_and_30_bytes():
    """(4 + 14 + 30) / 3.5 → 14, +3 a part, +8; the result (0 + 30) / 3.5 → 9, +3, +8: 45 → 48."""
    asked = message("assistant", "", tool_calls=[call("c", "read", '{"path": "ab"}')])
    assert total(LOOK, before=[asked, message("tool", "", tool_call_id="c")]) == 48


def test_merged_messages_are_a_list_of_parts():
    """A merged message is a list: 8 + (2 + 3) × 2 = 18 → 19."""
    assert total(LOOK, before=[message("user", "Hello"), message("user", "World")]) == 19


def test_an_image_is_2000():
    """8 + (2 + 3) + (2000 + 3) = 2016 → 2117, whatever the message says it costs."""
    parts = [{"type": "text", "text": "Hello"}, {"type": "image", "digest": "d", "tokens": 7}]
    assert total(LOOK, before=[message("user", parts)]) == 2117


def test_a_tool_definition_is_its_bytes_with_a_fifth_more():
    """1.2 × (4 + 9 + 17) = 36 → 36 / 3.5 → 11, + 8 = 19; it is not multiplied by 1.05."""
    tool = {"name": "read", "description": "Reads it.", "input_schema": {"type": "object"}}
    assert len("read" + "Reads it." + json.dumps(tool["input_schema"], separators=(",", ":"))) == 30
    assert total(ASK, tools=[tool]) == 13 + 19


@pytest.mark.parametrize(
    ("window", "threshold", "expected"), [(333, 0.8, 266), (350, 0.8, 280), (10, 0.7, 7)]
)
def test_the_threshold_is_rounded_down(window: int, threshold: float, expected: int):
    """An integer, and not 6 where binary fractions make 10 × 0.7 a little less than 7."""
    (turn,) = replayed(ASK, context_window=window, reserved_output_tokens=0, history={"threshold": threshold})
    assert (turn["window_tokens"], turn["threshold_tokens"]) == (window, expected)


@pytest.mark.parametrize("state", [None, {}])
def test_ten_short_turns_under_200k_are_unchanged(state: Json | None):
    """Unchanged, no state written; `{}` as state never triggers trimming."""
    turns = [{"user": f"Question {n}", "reply": f"Answer {n}"} for n in range(10)]
    reports = replayed(*turns, trim_state=state, **rfc())
    assert [one["trim"] for one in reports] == [
        {"boundary": 0, "boundary_message": None, "trimmed_messages": []}
    ] * 10
    assert said(reports[-1])[:2] == [("user", "Question 0"), ("assistant", "Answer 0")]
    assert {one["prefix"]["change"] for one in reports[1:]} == {"extended"}


def six_turns() -> list[Json]:
    return [one for n in range(6) for one in exchange(n, "Response {}: " + "x" * 500)]


def test_six_turns_keep_3_window_500():
    """Boundary 10, 1040 → 284: keep_last_n is best effort, the budget is hard."""
    assert total(LOOK, before=six_turns()) == 1040
    (turn,) = replayed(LOOK, before=six_turns(), **rfc(500, keep=3))
    assert (turn["total_tokens"], turn["trim"]["boundary"]) == (284, 10)
    assert turn["trim"]["boundary_message"] == "u5"
    assert turn["trim"]["trimmed_messages"] == ["a0", "a1", "a2", "a3", "a4"]


def test_three_turns_keep_1_window_350():
    """Boundary 5; only the last answer untouched; 329 → 153."""
    asked = ("Hi", "More", "Go")
    talk = [one for n in range(3) for one in exchange(n, "A{}" + "y" * 300, question=asked[n])]
    assert total(LOOK, before=talk) == 329
    (turn,) = replayed(LOOK, before=talk, **rfc(350, keep=1))
    assert (turn["total_tokens"], turn["trim"]["boundary"]) == (153, 5)
    assert [form for _, form in forms(turn, "L4")] == ["full", "trimmed", "full", "trimmed", "full", "full"]


@pytest.mark.parametrize("keep", [1, 10, 50])
def test_a_boundary_of_20_stays(keep: int):
    """It stays 20, and stays trimmed, when the window is later 200k; a larger keep_last_n does not move it back."""
    talk = [one for n in range(12) for one in exchange(n, "Long answer {}" + " and on" * 9)]
    turns = ({"user": "a", "reply": "b"}, {"user": "c", "reply": "d"}, {"user": "e"})
    for turn in replayed(*turns, before=talk, trim_state={"boundary": 20}, **rfc(keep=keep)):
        assert (turn["trim"]["boundary"], turn["trim"]["boundary_message"]) == (20, "u10")
        assert turn["trim"]["trimmed_messages"] == [f"a{n}" for n in range(10)]


def test_trimming_starts_when_50_tool_schemas_alone_push_it_over():
    schema = {"type": "object", "properties": {"path": {"type": "string", "description": "where " * 20}}}
    tools = [{"name": f"tool_{n}", "description": "does " * 10, "input_schema": schema} for n in range(50)]
    (without,) = replayed(LOOK, before=six_turns(), **rfc(4_000, keep=1))
    (with_tools,) = replayed(LOOK, before=six_turns(), tools=tools, **rfc(4_000, keep=1))
    assert (without["trim"]["boundary"], with_tools["trim"]["boundary"]) == (0, 10)
    assert sum(one["tokens"] for one in layer(with_tools, "L1")["segments"]) > 3_200


def tools_used(*results: Json) -> list[Json]:
    calls = [call("c1", "read", '{"a": 1}'), call("c2", "grep", '{"b": 2}')]
    return [message("user", "Look", id="u"), message("assistant", "", id="a", tool_calls=calls), *results]


def result(call_id: str, content: str, key: str) -> Json:
    return message("tool", content, tool_call_id=call_id, id=key)


def test_consecutive_tool_results_merge():
    """One message in the list that the boundary counts, two on the wire: 20 + 11 + (24 + 12) … by the RFC's parts."""
    talk = tools_used(
        result("c1", "x" * 400, "r1"), result("c2", "y" * 400, "r2"), message("assistant", "ok", id="b")
    )
    (turn,) = replayed({"user": "And?"}, before=talk, trim_state={"boundary": 3}, **rfc())
    assert turn["trim"]["boundary_message"] == "b"
    assert [(m["role"], m.get("tool_call_id")) for m in turn["messages"]][2:4] == [
        ("tool", "c1"),
        ("tool", "c2"),
    ]
    merged = total(LOOK, before=talk[:4])
    assert merged == -(-105 * ((8 + 2) + (8 + 2 * (12 + 3)) + (8 + 2 * (123 + 3))) // 100)


def test_of_two_results_for_one_call_the_last_wins():
    talk = tools_used(result("c1", "old", "r1"), result("c2", "other", "r2"), result("c1", "new", "r3"))
    (turn,) = replayed(LOOK, before=talk, **rfc())
    assert said(turn)[2:] == [("tool", "other"), ("tool", "new")]
    assert [one["id"] for one in turn["repaired"]] == ["r1"]
    assert "r1" in turn["excluded_ids"]


def test_call_ids_and_names_survive_trimming():
    talk = tools_used(result("c1", "x" * 900, "r1"), result("c2", "y" * 900, "r2"))
    talk += exchange(1, "z" * 900)
    (turn,) = replayed(LOOK, before=talk, **rfc(500, keep=1))
    assert turn["trim"]["trimmed_messages"] == ["r1", "r2"]
    assert turn["messages"][1]["tool_calls"] == [
        call("c1", "read", '{"a": 1}'),
        call("c2", "grep", '{"b": 2}'),
    ]
    assert [(m["tool_call_id"], m["content"]) for m in turn["messages"][2:4]] == [
        ("c1", "[trimmed]"),
        ("c2", "[trimmed]"),
    ]


def test_a_dangling_call_and_an_orphan_result_are_removed_and_reported():
    talk = tools_used(result("c1", "found", "r1"), result("c7", "nobody asked", "r7"))
    (turn,) = replayed(LOOK, before=talk, **rfc())
    assert turn["messages"][1]["tool_calls"] == [call("c1", "read", '{"a": 1}')]
    assert said(turn)[2:] == [("tool", "found")]
    assert sorted(one["id"] for one in turn["repaired"]) == ["a", "r7"]
    assert segment(turn, "L4", "r7")["form"] == "excluded"


def test_checkpoint_ids_are_removed_from_content():
    mark = "<checkpoint_id>1f\n2e</checkpoint_id>"
    talk = [
        message("user", f"a{mark}b{mark}c"),
        message("assistant", f"{mark}answer"),
        message("user", "<checkpoint_id>x"),
    ]
    (turn,) = replayed({"user": f"{mark}Go on"}, before=talk, **rfc())
    assert said(turn) == [
        ("user", "abc"),
        ("assistant", "answer"),
        ("user", "<checkpoint_id>x"),
        ("user", "Go on"),
    ]


# --- better than the reference ----------------------------------------------------------------------


def test_nothing_is_trimmed_where_the_placeholder_is_not_smaller():
    """(1) The reference grows 210 → 221 on short texts."""
    talk = [one for n in range(10) for one in exchange(n, "ok {}")]
    (before,) = replayed(LOOK, before=talk, **rfc())
    (turn,) = replayed(LOOK, before=talk, **rfc(100, keep=0))
    assert before["total_tokens"] == turn["total_tokens"] == 210
    assert turn["trim"]["trimmed_messages"] == []
    assert said(turn) == said(before)


@pytest.mark.parametrize("deleted", [1, 2, 3])
def test_deleting_earlier_messages_does_not_shift_what_is_trimmed(deleted: int):
    """(2) State is a message id with its index."""
    state = {"boundary": 8, "boundary_message": "u4"}
    (turn,) = replayed(LOOK, before=six_turns()[2 * deleted :], trim_state=state, **rfc(keep=0))
    assert turn["trim"]["boundary_message"] == "u4"
    assert turn["trim"]["trimmed_messages"] == [f"a{n}" for n in range(deleted, 4)]


@pytest.mark.parametrize("excluded", [["m1", "m2"], ["m1", "m2", "m3", "m4"]])
def test_excluding_messages_does_not_trim_others_when_all_of_history_was_trimmed(excluded: list[str]):
    """(2) With an index alone, a boundary at the end of history moves on to the answer that came after it."""
    turns = [{"user": f"Question {n}", "reply": "Answer " * 60} for n in range(6)]
    *_, before, after = replayed(
        *turns,
        {"user": "Next", "exclude_messages": excluded, "settings": {"context_window": 100_000}},
        **rfc(160),
    )
    assert before["trim"]["trimmed_messages"][-1] == "m10"
    assert segment(after, "L4", "m12")["form"] == "full"
    assert after["trim"]["trimmed_messages"] == [f"m{n}" for n in range(2, 11, 2) if f"m{n}" not in excluded]


def test_the_newest_exchange_is_never_trimmed_and_the_overshoot_is_exact():
    """(3) The reference sends 1,071 tokens against a limit of 80 without a word."""
    (turn,) = replayed(LOOK, before=exchange(1, "x" * 3510, "Hi"), **rfc(80, keep=0))
    assert (turn["total_tokens"], turn["fits"], turn["over_by_tokens"]) == (1071, False, 1071 - 80)
    assert turn["trim"]["trimmed_messages"] == []


def test_headroom_freezes_the_boundary_for_many_turns():
    """(4) Without it the boundary moves every turn once the limit is reached, and the cache is lost every turn."""
    turns = [{"user": f"Question {n}", "reply": f"Answer {n} " * 60} for n in range(30)]

    def moves(headroom: float) -> int:
        reports = replayed(*turns, **rfc(3_000, keep=50, headroom=headroom))
        boundaries = [one["trim"]["boundary"] for one in reports]
        moved = [after["turn"] for before, after in pairwise(reports) if before["trim"] != after["trim"]]
        assert boundaries == sorted(boundaries)
        assert [one["turn"] for one in reports if "trimmed" in dict(causes(one))] == moved
        assert [one["turn"] for one in reports if one["prefix"]["change"] == "diverged"] == moved
        return len(moved)

    assert (moves(1.0), moves(0.5)) == (17, 3)


def test_trimming_is_reversible():
    """(5) Originals are kept: a pinned message is back, word for word."""
    pin = {"pin_messages": ["a1"]}
    before, after = replayed(LOOK, pin, before=six_turns(), **rfc(500, keep=3))
    assert segment(before, "L4", "a1")["form"] == "trimmed"
    assert segment(after, "L4", "a1")["form"] == "full"
    assert ("assistant", "Response 1: " + "x" * 500) in said(after)


def test_the_system_prompt_counts_in_the_total():
    """Instead of being subtracted from the window: it alone can start trimming."""
    for prompt, boundary in (("", 0), ("Careful. " * 200, 11)):
        (turn,) = replayed(LOOK, before=six_turns(), system_prompt=prompt, **rfc(1_310, keep=1))
        assert turn["trim"]["boundary"] == boundary
        assert turn["window_tokens"] == 1_310


def test_the_margin_is_shared_out_so_that_segments_sum_to_the_total():
    (turn,) = replayed(ASK, before=six_turns(), system_prompt="Be brief.", **rfc())
    shares = [one["tokens"] for name in ("L1", "L4", "L5") for one in layer(turn, name)["segments"]]
    assert sum(shares) == turn["total_tokens"] == -(-105 * (990 + (3 + 8) + (4 + 8)) // 100)
