"""Facts about attachments, each as a trajectory; paths and workspaces belong to `sources`, not to replay."""

from __future__ import annotations

from typing import Any

import pytest

from tests.trajectories.support import Json, file, forms, last_text, layer, replayed, segment
from tests.trajectories.wire_reading import read_wire

LOW, MEDIUM, HIGH, ESSENTIAL = 10, 5, 3, 0
LONG = "A sentence about nothing in particular. " * 150


def sized(key: str, tokens: int, priority: int = MEDIUM, **more: Any) -> Json:
    """A file of so many tokens by characters / 4, without its wrapper."""
    return file(key, "abc " * tokens, priority=priority, **more)


def kept(*attach: Json, budget: int, **settings: Any) -> tuple[list[str], list[str]]:
    """What is in the request, and what was pruned, in the order it was."""
    turn = {"attach": list(attach), "user": "Go"}
    (report,) = replayed(turn, counter="chars4", attachment_budget_tokens=budget, **settings)
    assert {one["reason"] for one in report["pruned"]} <= {"over attachment budget"}
    return [key for key, _ in forms(report, "L3")], [one["id"] for one in report["pruned"]]


def test_only_the_low_one_is_dropped():
    """100 essential + 200 low + 150 medium, limit 300."""
    files = (sized("e", 100, ESSENTIAL), sized("l", 200, LOW), sized("m", 150))
    assert kept(*files, budget=300) == (["e", "m"], ["l"])


def test_the_same_key_twice_is_one_entry_with_the_newest_content():
    turn = {"attach": [file("a", "old"), file("b", "x"), file("a", "new")], "user": "Go"}
    (report,) = replayed(turn)
    assert read_wire(last_text(report)).bodies == [("a", "new"), ("b", "x")]


@pytest.mark.parametrize(
    ("files", "budget", "pruned"),
    [
        ([sized("high", 100, HIGH), sized("medium", 100), sized("low", 100, LOW)], 130, ["low", "medium"]),
        ([sized("small", 90), sized("large", 110)], 130, ["large"]),
        ([sized("older", 100), sized("newer", 100)], 130, ["older"]),
        ([sized("large", 100), sized("z", 50, LOW)], 60, ["z", "large"]),
    ],
    ids=["priority, higher first", "then larger", "then older", "priority before size"],
)
def test_the_order_of_dropping(files: list[Json], budget: int, pruned: list[str]):
    assert kept(*files, budget=budget)[1] == pruned


def test_what_is_no_longer_attached_goes_before_what_is():
    """Though it is smaller, and newer."""
    turns = (
        {"attach": [sized("held", 120)], "user": "1", "reply": "1"},
        {"attach": [sized("gone", 100)], "user": "2", "reply": "2"},
        {"detach": ["gone"], "settings": {"attachment_budget_tokens": 220}, "user": "3"},
    )
    *_, report = replayed(*turns, counter="chars4")
    assert [one["id"] for one in report["pruned"]] == ["gone"]
    assert forms(report, "L2") == [("held", "full")]


def test_at_last_the_id_decides():
    """Two that are equal in everything else cannot have been seen at the same time, except in the same turn."""
    assert kept(sized("b", 100), sized("a", 100), budget=130)[1] == ["b"]
    assert kept(sized("a", 100), sized("b", 100), budget=130)[1] == ["a"]


@pytest.mark.parametrize(
    "protected",
    [
        sized("e", 500, ESSENTIAL),
        sized("e", 500, LOW, essential=True),
        sized("e", 500, LOW, pinned=True),
        {"id": "e", "kind": "selection", "text": "abc " * 500, "priority": LOW},
        {"id": "e", "kind": "clipboard", "text": "abc " * 500},
    ],
    ids=["priority 0", "essential", "pinned", "selection", "clipboard"],
)
@pytest.mark.parametrize("limit", [{"attachment_budget_tokens": 0}, {"context_window": 50}])
def test_essential_is_never_dropped(protected: Json, limit: Json):
    turn = {"attach": [protected, sized("other", 100)], "user": "Go"}
    (report,) = replayed(turn, counter="chars4", reserved_output_tokens=0, **limit)
    assert forms(report, "L3") == [("e", "full")]
    assert [one["id"] for one in report["pruned"]] == ["other"]


def test_a_selection_that_says_otherwise_can_be_dropped_but_not_compacted():
    selection = {"kind": "selection", "text": LONG, "essential": False, "priority": LOW}
    assert kept(selection, sized("m", 100), budget=300) == (["m"], ["selection"])


def test_the_budget_is_over_all_artifact_text_as_rendered_library_and_turn_together():
    """Wrappers count: 100 + 100 tokens of text alone would fit."""
    turns = (
        {"attach": [sized("old", 100)], "user": "1", "reply": "1"},
        {"attach": [sized("new", 100)], "user": "2"},
    )
    for budget, pruned in ((400, []), (200, ["old"])):
        report = replayed(*turns, counter="chars4", attachment_budget_tokens=budget)[-1]
        spent = layer(report, "L2")["tokens"] + layer(report, "L3")["tokens"]
        assert spent <= budget
        assert spent > (200 if not pruned else 100)
        assert [one["id"] for one in report["pruned"]] == pruned


def test_what_is_over_budget_is_compacted_first_and_dropped_next():
    turn = {"attach": [file("a", LONG), file("b", LONG, priority=LOW)], "user": "Go"}
    forms_by_budget = {
        budget: forms(replayed(turn, counter="chars4", attachment_budget_tokens=budget)[0], "L3")
        for budget in (4_000, 2_500, 1_200, 450, 100)
    }
    assert forms_by_budget == {
        4_000: [("a", "full"), ("b", "full")],
        2_500: [("a", "full"), ("b", "compacted")],
        1_200: [("a", "compacted"), ("b", "compacted")],
        450: [("a", "compacted")],
        100: [],
    }


def test_counts_come_from_the_text_actually_sent():
    """Not from the original: a compacted file costs what its preview costs."""
    turn = {"attach": [file("a", LONG)], "user": "Go"}
    (full,) = replayed(turn, counter="chars4")
    (short,) = replayed(turn, counter="chars4", attachment_budget_tokens=1_000)
    (said_so,) = short["compacted"]
    assert said_so["from_tokens"] == segment(full, "L3", "a")["tokens"]
    assert said_so["to_tokens"] == segment(short, "L3", "a")["tokens"]
    block = last_text(short).removesuffix("[User query]:\nGo")
    assert said_so["to_tokens"] == -(-len(block) // 4)
    assert full["total_tokens"] - short["total_tokens"] == said_so["from_tokens"] - said_so["to_tokens"]


def test_what_was_dropped_says_what_it_would_have_cost():
    (whole,) = replayed({"attach": [sized("a", 200)], "user": "Go"}, counter="chars4")
    (cut,) = replayed(
        {"attach": [sized("a", 200)], "user": "Go"}, counter="chars4", attachment_budget_tokens=9
    )
    (dropped,) = cut["pruned"]
    assert dropped == {
        "id": "a",
        "tokens": segment(whole, "L3", "a")["tokens"],
        "priority": MEDIUM,
        "reason": "over attachment budget",
    }
    assert "a" in cut["excluded_ids"]
