"""The log that only grows: every request goes on from the last one, or says why it could not."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.fakes.effort import tries
from tests.trajectories.strategies import trajectories
from tests.trajectories.support import Json, causes, file, forms, layer, replayed, run, said

LOG = {"model": "gpt-4o", "layout": "append_only", "system_prompt": "Be kind."}
ALPHA, BETA = "Alpha.\n" * 60, "Beta.\n" * 60
HUNDRED = "word " * 100


def ask(text: str = "Go", **more: Any) -> Json:
    return {"user": text, "reply": "Done.", **more}


def played(*turns: Json, **more: Any) -> list[Json]:
    reports = replayed(*turns, **{**LOG, **more})
    assert [one["violations"] for one in reports] == [[] for _ in reports]
    return reports


def rebuilt(reports: list[Json]) -> list[str | None]:
    return [one["rebuilt"] for one in reports]


def goes_on(before: Json, after: Json) -> bool:
    """Whether every message of a request is the first thing in the next one, byte for byte."""
    begins: bool = after["messages"][: len(before["messages"])] == before["messages"]
    return begins


def test_files_that_come_go_and_change_never_break_the_prefix():
    reports = played(
        ask("One?", attach=[file("a", ALPHA), file("b", BETA)]),
        ask("Two?"),
        ask("Three?", attach=[file("a", ALPHA + "newer")]),
        ask("Four?", detach=["b"]),
        ask("Five?", attach=[file("b", BETA)], now="2026-01-01T12:00:00Z"),
        ask("Six?"),
    )
    assert rebuilt(reports) == ["first", None, None, None, None, None]
    assert all(goes_on(one, other) for one, other in pairwise(reports))
    assert [one["prefix"]["change"] for one in reports[1:]] == ["extended"] * 5
    assert [one["prefix"]["causes"] for one in reports[1:]] == [[]] * 5
    texts = [text for _, text in said(reports[-1])]
    assert 'status="replaces the copy sent in turn 1"' in texts[5]
    assert texts[7] == "No longer attached: b.\n[User query]:\nFour?"
    assert texts[9].startswith("Attached to this message, in full in the context library above:\n- b\n")
    assert texts[11] == "Six?"


def test_the_older_copy_says_so_and_exactly_one_is_current():
    first, _, third = played(
        ask(attach=[file("a", ALPHA)]), ask(attach=[file("a", ALPHA + "newer")]), ask(detach=["a"])
    )
    assert forms(first, "L3") == [("a", "full")]
    rows = [(s["id"], s["superseded"], s["position"]) for s in layer(third, "L2")["segments"]]
    assert [(key, old) for key, old, _ in rows] == [("a", True), ("a", True)]
    assert rows[0][2] < rows[1][2]


def test_changes_are_sent_in_place_of_a_long_text_and_their_base_stays_current():
    long = "".join(f"line {number} of the file\n" for number in range(200))
    edited = long.replace("line 100 of", "line one hundred of")
    again = edited.replace("line 50 of", "line fifty of")
    reports = played(
        ask(attach=[file("a", long)]), ask(attach=[file("a", edited)]), ask(attach=[file("a", again)]),
        ask(attach=[file("a", "Something else.")]), ask(), edits="changes",
    )  # fmt: skip
    assert rebuilt(reports) == ["first", None, None, None, None]
    text = said(reports[1])[-1][1]
    assert 'status="changes to the copy sent in turn 1"' in text
    assert "-line 100 of the file\n+line one hundred of the file\n" in text
    assert len(text) < len(long) // 4
    assert forms(reports[2], "L3") == [("a", "changes")]
    current = [[s["superseded"] for s in layer(one, "L2")["segments"]] for one in reports[2:]]
    assert current == [[False, False], [True, True, True], [True, True, True, False]]


@pytest.mark.parametrize(
    ("turn", "reason"),
    [
        ({"rebuild": True}, "asked"),
        ({"cold": True}, "cold"),
        ({"settings": {"model": "gpt-4"}}, "model"),
        ({"settings": {"tools": [{"name": "read"}]}}, "tools"),
        ({"settings": {"user_memory": "Likes tea."}}, "instructions"),
        ({"settings": {"attachment_budget_tokens": 5_000}}, "settings"),
        ({"settings": {"include_environment": False}}, "settings"),
        ({"exclude_messages": ["m1"]}, "excluded"),
        ({"unpin_messages": ["m2"]}, "history_edited"),
        ({"settings": {"layout": "layered"}}, None),
    ],
    ids=str,
)
def test_it_is_begun_anew_only_for_a_reason_that_is_named(turn: Json, reason: str | None):
    first = ask("One?", attach=[file("a", ALPHA), file("b", BETA)])
    *_, last = played(first, ask("Two?", pin_messages=["m2"], detach=["b"]), ask("Three?", **turn))
    assert last["rebuilt"] == reason
    if reason is None:
        assert last["layout"] == "layered"
        return
    assert ("rebuilt", reason) in causes(last) or last["prefix"]["change"] == "extended"
    # Promoted and purged: what is attached opens the log, what was detached is gone.
    assert forms(last, "L2") == [("a", "full")]
    texts = [text for _, text in said(last)]
    assert not any("Beta." in text for text in texts)
    opened = next(text for role, text in said(last) if role == "user")
    assert opened.startswith("Context library")
    assert opened.endswith("[User query]:\nOne?" if reason != "excluded" else "[User query]:\nTwo?")


def test_over_the_threshold_it_goes_down_to_its_headroom_and_then_grows_again():
    answers = [{"user": f"{n}?", "reply": HUNDRED} for n in range(12)]
    reports = played(*answers, context_window=1_000, reserved_output_tokens=0, history={"headroom": 0.5})
    reasons = rebuilt(reports)
    assert reasons.count("over_threshold") >= 1
    assert set(reasons[1:]) <= {None, "over_threshold"}
    for one in reports:
        assert one["total_tokens"] <= 800
        if one["rebuilt"] == "over_threshold":
            assert one["total_tokens"] <= 400 + 110


def test_a_budget_for_attachments_and_a_cap_on_history_are_met_with_headroom():
    copies = [ask(f"{n}?", attach=[file("a", f"Version {n}. " * 40)]) for n in range(8)]
    reports = played(*copies, attachment_budget_tokens=500)
    assert "over_budget" in rebuilt(reports)
    capped = played(*(ask(f"{n}?") for n in range(12)), history={"last_n_messages": 8})
    assert "over_budget" in rebuilt(capped)
    sent = [sum(s["form"] != "excluded" for s in layer(one, "L4")["segments"]) for one in capped]
    assert max(sent) <= 8
    assert rebuilt(capped).count("over_budget") <= 4


def test_auto_is_a_log_where_there_is_a_cache_to_spare():
    (cached,), (plain,) = (
        replayed(ask(), model=name, layout="auto") for name in ("gpt-4o", "nobody-knows-it")
    )
    assert (cached["layout"], plain["layout"]) == ("append_only", "layered")


@settings(max_examples=tries(300))
@given(trajectories(layout="append_only", context_window=None), st.sampled_from(["full", "changes"]))
def test_whatever_is_done_it_goes_on_or_says_why_not(document: Json, edits: str):
    document["settings"]["edits"] = edits
    reports = run(document)
    sent = None
    for one, turn in zip(reports, document["turns"], strict=True):
        assert one["violations"] == []
        assert sum(part["tokens"] for part in one["layers"]) == one["total_tokens"]
        positions = sorted(s["position"] for part in one["layers"] for s in part["segments"])
        assert positions == list(range(len(positions)))
        if sent is not None and one["rebuilt"] is None:
            assert goes_on(sent, one)
        sent = one if "user" in turn else None


@settings(max_examples=tries(150))
@given(trajectories(layout="append_only"))
def test_with_limits_that_bite_no_rule_is_broken_either(document: Json):
    for one in run(document):
        assert one["violations"] == []
        assert one["rebuilt"] is not None or one["prefix"]["change"] in ("extended", "identical")


LONG = "".join(f"line {number} of the file\n" for number in range(700))


def test_what_is_attached_again_after_it_was_cut_is_there_in_full_or_cut_anew():
    """A reference said "in full" of a copy that was cut."""
    tight = {"context_window": 3_000, "reserved_output_tokens": 0}
    turns = (ask(attach=[file("a", LONG)]), ask(detach=["a"]), ask(attach=[file("a", LONG)]))
    *_, last = played(*turns, **tight)
    assert "in full in the context library" not in said(last)[-1][1]
    copies = [s for name in ("L2", "L3") for s in layer(last, name)["segments"] if not s["superseded"]]
    assert [(s["id"], s["form"]) for s in copies] == [("a", "compacted")]


def test_begun_anew_it_holds_what_was_attached_again_once():
    turns = (ask(attach=[file("a", LONG)]), ask(detach=["a"]), ask(attach=[file("a", LONG)], rebuild=True))
    *_, last = played(*turns)
    assert [forms(last, "L2"), forms(last, "L3")] == [[], [("a", "full")]]


def test_a_selection_is_never_told_as_changes():
    def picked(text: str) -> Json:
        return {"kind": "selection", "text": text}

    turns = (ask(attach=[picked(LONG)]), ask(attach=[picked(LONG.replace("line 9 ", "line nine "))]))
    *_, last = played(*turns, edits="changes")
    assert forms(last, "L3") == [("selection", "full")]


def test_caps_are_halved_only_where_they_are_over():
    turns = [ask(f"{n}?") for n in range(5)]
    *_, last = played(*turns, ask("5?", settings={"user_memory": "Tea."}), history={"last_n_messages": 12})
    assert last["rebuilt"] == "instructions"
    assert [s["form"] for s in layer(last, "L4")["segments"]] == ["full"] * 10


def test_switching_recall_on_does_not_begin_a_log_anew():
    """What comes back stands after everything that was sent: a cache must not be lost for it."""
    turns = [{"user": f"question {n}", "reply": f"answer {n}"} for n in range(3)]
    turns[2]["settings"] = {"history": {"recall": True, "recall_tokens": 50}}  # type: ignore[assignment]
    last = run({"format": "workbench-trajectory/1", "settings": {"layout": "append_only"}, "turns": turns})[
        -1
    ]
    assert (last["rebuilt"], last["prefix"]["change"]) == (None, "extended")
