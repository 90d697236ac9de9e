"""Whatever people attach, edit, ask, exclude and set: what every request satisfies, checked from outside."""

from __future__ import annotations

import json
from collections.abc import Callable
from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.fakes.effort import tries
from tests.trajectories.bookkeeping import (
    Kept,
    keep_books,
    own_message,
    read_library,
    read_turn,
    sendable,
    sha256,
)
from tests.trajectories.strategies import MARK, trajectories
from tests.trajectories.support import Json, layer, run
from tests.trajectories.wire_reading import QUESTION_LABEL, request_tokens

SAME = ("messages", "trim", "total_tokens", "repaired", "included_ids", "excluded_ids")
Turns = list[tuple[Json, Kept]]
"""Every turn's report, beside what is known about the turn without it."""

examples = settings(max_examples=tries(100))


def pairs(document: Json) -> Turns:
    """A conversation, replayed."""
    return list(zip(run(document), list(keep_books(document)), strict=True))


# What holds for any conversation at all. Replaying one is the slow part, so each is replayed once for all of them.


def ids_are_unique_in_a_layer_and_no_invariant_is_broken(turns: Turns) -> None:
    for report, _ in turns:
        for one in report["layers"]:
            ids = [segment["id"] for segment in one["segments"]]
            assert len(ids) == len(set(ids))
        positions = [segment["position"] for one in report["layers"] for segment in one["segments"]]
        assert positions == list(range(len(positions)))
        assert report["violations"] == []


def a_reference_has_a_full_and_equal_copy_in_the_library(turns: Turns) -> None:
    """Or the model is pointed to text that is not there, or not what the user has."""
    for report, kept in turns:
        library = {one["id"]: one for one in layer(report, "L2")["segments"]}
        shown = {block.attributes["source"]: block.body for block in read_library(report, kept)}
        for one in layer(report, "L3")["segments"]:
            if one["form"] == "reference":
                text = sendable(kept.attached[one["id"]]["text"])
                assert library[one["id"]]["form"] == "full"
                assert library[one["id"]]["content_digest"] == one["content_digest"] == sha256(text)
                assert shown[one["id"]] == text


def what_is_attached_is_in_full_exactly_once_unless_a_limit_cut_it(turns: Turns) -> None:
    for report, kept in turns:
        on_wire = [*read_library(report, kept), *read_turn(report, kept).blocks]
        cut = {one["id"] for one in (*report["pruned"], *report["compacted"])}
        for key, artifact in kept.attached.items():
            body = sendable(artifact["text"])
            copies = [
                b
                for b in on_wire
                if b.body == body and key in (b.attributes.get("source"), b.attributes.get("id"))
            ]
            assert len(copies) <= 1
            assert copies or key in cut


@examples
@given(trajectories(context_window=None, attachment_budget_tokens=None))
def test_without_limits_everything_attached_is_in_full_and_nothing_is_dropped(document: Json):
    for report, kept in pairs(document):
        blocks = [*read_library(report, kept), *read_turn(report, kept).blocks]
        bodies = [body.body for body in blocks]
        assert all(bodies.count(sendable(one["text"])) >= 1 for one in kept.attached.values())
        assert (report["pruned"], report["fits"]) == ([], True)


def history_holds_what_was_said_and_nothing_that_was_attached(turns: Turns) -> None:
    for report, kept in turns:
        own = own_message(report, kept) is not None
        first = 1 if report["messages"] and report["messages"][0]["id"] == "system" else 0
        earlier = report["messages"][first : len(report["messages"]) - own]
        sent = {one["id"]: one for one in layer(report, "L4")["segments"]}
        assert set(sent) == set(kept.said)
        assert MARK not in "".join(message["content"] for message in earlier)
        for message in earlier:
            starts = [said_as(sent[message["id"]], kept.said[message["id"]])]
            assert message["content"].startswith(starts[0])


def said_as(segment: Json, entry: Json) -> str:
    """How a message must go out; of a chunk only that it begins with its tag."""
    if "chunk" in entry:
        return "<"
    return "[trimmed]" if segment["form"] == "trimmed" else sendable(entry["content"])


def sums_are_exact_and_the_overshoot_is_the_true_one(turns: Turns) -> None:
    for report, _ in turns:
        for one in report["layers"]:
            assert one["tokens"] == sum(segment["tokens"] for segment in one["segments"])
            assert all(segment["tokens"] >= 0 for segment in one["segments"])
        total, window = report["total_tokens"], report["window_tokens"]
        assert total == sum(one["tokens"] for one in report["layers"])
        assert report["over_by_tokens"] == max(0, total - window)
        assert report["fits"] == (total <= window)


@examples
@given(trajectories(counter="exact"))
def test_an_exact_total_is_what_openais_format_costs(document: Json):
    for report, kept in pairs(document):
        model = kept.settings.get("model", "gpt-4o")
        native = any(set(message) - {"id", "role", "content"} for message in report["messages"])
        exact = model != "nobody-knows-it" and not native and not kept.settings.get("tools")
        assert report["count"] == ("exact" if exact else "estimated")
        if exact:
            encoding = "cl100k_base" if model == "gpt-4" else "o200k_base"
            assert report["total_tokens"] == len(request_tokens(report["messages"], encoding))


@examples
@given(trajectories(tuned=False))
def test_the_boundary_never_goes_back(document: Json):
    boundaries = [report["trim"]["boundary"] for report in run(document)]
    assert boundaries == sorted(boundaries)


def what_cannot_be_recovered_is_verbatim_in_its_turn_and_never_in_the_library(turns: Turns) -> None:
    for report, kept in turns:
        blocks = read_turn(report, kept).blocks
        bodies = {b.attributes["id"]: b.body for b in blocks if b.tag != "recalled"}
        for key, artifact in kept.attached.items():
            if artifact["kind"] in ("selection", "clipboard"):
                assert bodies[key] == sendable(artifact["text"])
                assert key not in [one["id"] for one in layer(report, "L2")["segments"]]


def the_newest_question_survives_every_limit(turns: Turns) -> None:
    for report, kept in turns:
        if kept.question is not None:
            text = own_message(report, kept)
            alone = text == kept.question
            assert alone or (text or "").endswith(QUESTION_LABEL + kept.question)
            assert read_turn(report, kept).question == kept.question


def no_text_can_forge_structure(turns: Turns) -> None:
    """A reader who knows only the fence rule recovers the bodies that are there, in order, and nothing else."""
    for report, kept in turns:
        for name, blocks in (
            ("L2", read_library(report, kept)),
            ("L3", [block for block in read_turn(report, kept).blocks if block.tag != "recalled"]),
        ):
            segments = [one for one in layer(report, name)["segments"] if one["kind"] != "recalled"]
            shown = [one for one in segments if one["form"] in ("full", "compacted")]
            attribute = "source" if name == "L2" else "id"
            assert [block.attributes[attribute] for block in blocks] == [one["id"] for one in shown]
            for block, one in zip(blocks, shown, strict=True):
                assert one["form"] == "compacted" or sha256(block.body) == one["content_digest"]
        said = {one["content_digest"] for one in layer(report, "L3")["segments"] if one["kind"] == "recalled"}
        quoted = [block for block in read_turn(report, kept).blocks if block.tag == "recalled"]
        assert all(sha256(block.body) in said for block in quoted)
        references = [line for line in read_turn(report, kept).lines if line.startswith("- ")]
        assert len(references) == sum(one["form"] == "reference" for one in layer(report, "L3")["segments"])


# What the first artifact in the library, and the first reference to one, cost besides their own text.
HEADING_TOKENS = 40


def what_remains_over_the_window_could_not_be_cut(turns: Turns) -> None:
    """`fits: false` means that every permitted cut was made, not that somebody stopped early."""
    for report, kept in turns:
        essential = [s["essential"] for name in ("L2", "L3") for s in layer(report, name)["segments"]]
        assert report["fits"] or all(essential)
        dropped = {one["id"] for one in report["pruned"]}
        for key, one in kept.attached.items():
            assert key not in dropped or (
                one.get("priority", 5) > 0 and one["kind"] not in ("selection", "clipboard")
            )


def limits_hold_for_all_that_may_be_cut(turns: Turns) -> None:
    """The attachment budget is over artifacts as rendered, the cap over earlier messages; neither cuts without need."""
    for report, kept in turns:
        rows = [row for name in ("L2", "L3") for row in layer(report, name)["segments"]]
        spent, budget = sum(row["tokens"] for row in rows), kept.settings.get("attachment_budget_tokens")
        if budget is not None:
            assert spent <= budget or all(row["essential"] for row in rows)
        dropped = [one for one in report["pruned"] if one["reason"] == "over attachment budget"]
        assert not dropped or spent + dropped[-1]["tokens"] + HEADING_TOKENS > (budget or 0)
        cap = kept.settings.get("history", {}).get("max_tokens")
        earlier = layer(report, "L4")["segments"]
        cuttable = [row for row in earlier if row["kind"] != "system"]
        if cap is not None and own_message(report, kept) is not None and not kept.pinned:
            assert sum(row["tokens"] for row in cuttable) <= cap


ALWAYS: tuple[Callable[[Turns], None], ...] = (
    ids_are_unique_in_a_layer_and_no_invariant_is_broken,
    a_reference_has_a_full_and_equal_copy_in_the_library,
    what_is_attached_is_in_full_exactly_once_unless_a_limit_cut_it,
    history_holds_what_was_said_and_nothing_that_was_attached,
    sums_are_exact_and_the_overshoot_is_the_true_one,
    what_cannot_be_recovered_is_verbatim_in_its_turn_and_never_in_the_library,
    the_newest_question_survives_every_limit,
    no_text_can_forge_structure,
    what_remains_over_the_window_could_not_be_cut,
    limits_hold_for_all_that_may_be_cut,
)


@settings(max_examples=tries(300))
@given(trajectories())
def test_whatever_is_done_all_of_it_holds(document: Json):
    turns = pairs(document)
    for holds in ALWAYS:
        holds(turns)


@examples
@given(trajectories(tuned=False))
def test_trimming_can_be_resumed_from_the_report(document: Json):
    """What was said so far and the last report's `trim` give the next request, byte for byte."""
    bare = {**document, "turns": [{**turn, "attach": [], "detach": []} for turn in document["turns"]]}
    for (before, _), (report, kept) in pairwise(pairs(bare)):
        said = [{"id": key, **entry} for key, entry in kept.said.items()]
        resumed = {"settings": kept.settings, "history": said, "trim_state": before["trim"]}
        (again,) = run({**bare, **resumed, "turns": [kept.turn]})
        assert [again[name] for name in SAME] == [report[name] for name in SAME]


@examples
@given(trajectories(), st.booleans())
def test_equal_inputs_give_equal_bytes_whatever_was_built_before(document: Json, swap: bool):
    names = ("shared", "second") if swap else ("second", "shared")
    assert without_times(run(document, names[0])) == without_times(run(document, names[1]))


def without_times(turns: list[Json]) -> str:
    for turn in turns:
        del turn["metrics"]["build_ms"]
    return json.dumps(turns)
