"""Rows of the library and the turn: what is sent in its form, what fell, what was left out."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from tests.fakes.turns import artifact, assistant, build, result, selection, shelved, user
from tests.fakes.views import around, rows_of
from workbench.context.explain.artifact_rows import artifact_key
from workbench.context.explain.row_facts import RowFacts
from workbench.domain.segment import LayerName
from workbench.domain.settings.context_settings import CompactionSettings, ContextSettings, FilterSettings
from workbench.domain.shown.envelope_view import RowKey, SegmentRow
from workbench.domain.turn import Tuning

SETTINGS = ContextSettings(model="word-1")
LONG = "word " * 60


def request(settings: ContextSettings = SETTINGS, **changes: Any) -> RowFacts:
    return around(build(settings, **{"question": user("q"), **changes}))


def listed(surroundings: RowFacts, name: LayerName) -> list[tuple[str, str, bool]]:
    return [(row.key.id, row.state, row.counted) for row in rows_of(surroundings, name)]


def row(surroundings: RowFacts, name: LayerName, key: str) -> SegmentRow:
    return next(one for one in rows_of(surroundings, name) if one.key.id == key)


def test_an_attached_file_is_a_row_that_can_be_tuned():
    seen = request(attached=(artifact("docs/a.md", "x", title="Notes", priority=3),))
    found = row(seen, "L3_TURN", "docs/a.md")
    assert (found.key, found.members) == (RowKey("L3_TURN", "docs/a.md"), ("docs/a.md",))
    assert (found.name, found.kind, found.state) == ("Notes", "file", "sent")
    assert (found.priority, found.pinned, found.tunable, found.excludable) == (3, False, True, True)
    assert found.digest == seen.built.envelope.layer("L3_TURN").segments[0].digest


def test_a_pinned_one_is_pinned_and_one_without_a_title_goes_by_its_key():
    found = row(request(attached=(selection("s"),)), "L3_TURN", "s")
    assert (found.name, found.pinned) == ("s", True)


def test_library_and_reference_are_two_rows_of_one_artifact():
    known = artifact("a")
    seen = request(library=(shelved(known, attached=True),), attached=(known,))
    assert listed(seen, "L2_PREVIOUS") == [("a", "sent", True)]
    assert listed(seen, "L3_TURN") == [("a", "reference", True)]


def test_what_only_the_library_has_cannot_be_tuned():
    found = row(request(library=(shelved(artifact("a")),)), "L2_PREVIOUS", "a")
    assert (found.tunable, found.excludable) == (False, True)


def test_a_compacted_one_knows_what_it_would_cost_whole():
    tight = replace(SETTINGS, context_window=75, reserved_output_tokens=0)
    settings = replace(tight, compaction=CompactionSettings(50, 10, 2))
    found = row(request(settings, attached=(artifact("a", LONG),)), "L3_TURN", "a")
    whole = row(request(attached=(artifact("a", LONG),)), "L3_TURN", "a")
    assert (found.state, found.full_tokens, whole.full_tokens) == ("compacted", whole.tokens, None)
    assert found.tokens < whole.tokens


def test_what_fell_is_listed_after_what_is_sent_where_it_would_stand():
    tight = replace(SETTINGS, context_window=75, reserved_output_tokens=0)
    files = (artifact("big", LONG, priority=9), artifact("small"))
    seen = request(tight, attached=files, library=(shelved(artifact("old", LONG, priority=10)),))
    assert listed(seen, "L3_TURN") == [("small", "sent", True), ("big", "dropped", False)]
    assert listed(seen, "L2_PREVIOUS") == [("old", "dropped", False)]
    found = row(seen, "L3_TURN", "big")
    pruned = {one.id: one.tokens for one in seen.built.envelope.cuts.pruned}
    assert (found.tokens, found.priority, found.cache) == (pruned["big"], 9, "none")


def test_what_falls_to_the_attachment_budget_is_listed_too():
    seen = request(replace(SETTINGS, attachment_budget_tokens=5), attached=(artifact("a", LONG),))
    assert listed(seen, "L3_TURN") == [("a", "dropped", False)]


def test_what_was_left_out_is_listed_at_what_it_would_cost():
    seen = request(attached=(artifact("a", "two words"),), tuning=Tuning(excluded=frozenset({"a"})))
    found = row(seen, "L3_TURN", "a")
    assert (found.state, found.counted, found.tokens) == ("excluded", False, 2)
    filtered = replace(SETTINGS, filters=FilterSettings(exclude_kinds=frozenset({"file"})))
    assert listed(request(filtered, attached=(artifact("a"),)), "L3_TURN") == [("a", "excluded", False)]


def test_a_whole_text_that_changed_on_the_disk_is_stale():
    known = artifact("a")
    kept = request(library=(shelved(known, attached=True),), attached=(known,))
    seen = replace(kept, disk={"a": ("changed", "14:02")})
    assert listed(seen, "L2_PREVIOUS") == [("a", "stale", True)]
    assert listed(seen, "L3_TURN") == [("a", "reference", True)]


def test_what_was_said_after_the_question_ends_the_request():
    """Or the cached run would have a hole: the rounds are part of L3, but stand after L5 on the wire."""
    rounds = (assistant("a", "", "c1"), result("r", "c1", "one two"))
    seen = request(attached=(artifact("f"),), rounds=rounds)
    file, call, answer = rows_of(seen, "L3_TURN")
    asked = seen.built.envelope.layer("L5_USER").total_tokens
    read = file.tokens + asked + 1
    marks = [(one.cache, one.cached_tokens) for one in rows_of(seen, "L3_TURN", read)]
    assert marks == [("hit", file.tokens), ("part", 1), ("new", 0)]
    assert [one.cache for one in rows_of(seen, "L5_USER", read)] == ["hit"]
    assert (call.state, call.name, answer.kind) == ("locked", "read", "tool")


def test_the_key_changes_with_what_the_rows_depend_on():
    def key(surroundings: RowFacts) -> tuple[object, ...]:
        return artifact_key(surroundings.built.envelope.layer("L3_TURN"), surroundings)

    one = request(attached=(artifact("a"),))
    assert key(one) == key(request(attached=(artifact("a"),), question=user("q", "another")))
    others = [
        request(attached=(artifact("a", priority=9),)),
        request(attached=(artifact("a"),), library=(shelved(artifact("b")),)),
        replace(one, disk={"a": ("changed", "14:02")}),
        replace(one, attached_in={"a": 3}),
        request(replace(SETTINGS, context_window=15, reserved_output_tokens=0), attached=(artifact("a"),)),
    ]
    assert all(key(other) != key(one) for other in others)
    tight = replace(SETTINGS, context_window=20, reserved_output_tokens=0)
    fits, over = (
        request(tight, attached=(selection("s", "a"),), question=user("q", "why " * n)) for n in (1, 30)
    )
    assert (fits.built.envelope.fits, over.built.envelope.fits) == (True, False)
    assert key(fits) != key(over)
