"""Tuning by key: only what is named changes, whatever else became of the chat meanwhile."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tests.fakes.turns import artifact
from workbench.domain.summary import Summary
from workbench.domain.turn import Tuning
from workbench.engine.tuning_intents import (
    AttachedChange,
    PutBackAttached,
    TuneAttached,
    TuneMessages,
    TuneSummaries,
)

A, B, C = artifact("a"), artifact("b", priority=7, essential=True), artifact("c")
KEYS = st.frozensets(st.sampled_from("abcdef"))


def test_what_is_not_said_stays_and_what_is_not_attached_is_passed_over():
    changes = (
        AttachedChange("b", priority=2),
        AttachedChange("c", pinned=True),
        AttachedChange("gone", 1, True),
    )
    after = TuneAttached("talk", changes).of((A, B, C))
    assert [(one.key, one.priority, one.essential) for one in after] == [
        ("a", 5, False),
        ("b", 2, True),
        ("c", 5, True),
    ]


def test_zero_and_unpinned_are_values():
    (after,) = TuneAttached("talk", (AttachedChange("b", 0, False),)).of((B,))
    assert (after.priority, after.essential) == (0, False)


def test_priority_zero_pins_and_another_lets_go_of_that():
    """It pinned in --priority and in the folder dialog, and not in the menus."""
    (pinned,) = TuneAttached("talk", (AttachedChange("a", priority=0),)).of((A,))
    assert (pinned.priority, pinned.essential) == (0, True)
    (loose,) = TuneAttached("talk", (AttachedChange("a", priority=3),)).of((pinned,))
    assert (loose.priority, loose.essential) == (3, False)
    (kept,) = TuneAttached("talk", (AttachedChange("b", priority=3),)).of((B,))
    assert kept.essential, "it was pinned by hand"


def test_what_is_put_back_comes_to_its_place_and_what_is_new_stays_at_the_end():
    back = PutBackAttached("talk", (B,), ("a", "b", "c"))
    new, newer = artifact("z"), artifact("y")
    assert back.of((new, A, newer, C)) == (A, B, C, new, newer)


def test_what_is_attached_again_gets_the_old_content_and_keeps_how_it_is_tuned():
    held = artifact("a", "New.", priority=9, essential=True, title="Mine")
    (after,) = PutBackAttached("talk", (artifact("a", "Old."),), ("a",)).of((held,))
    assert after == artifact("a", "Old.", priority=9, essential=True, title="Mine")


@given(KEYS, KEYS, KEYS)
def test_messages_are_pinned_and_left_out_by_their_ids(
    before: frozenset[str], ids: frozenset[str], out: frozenset[str]
):
    tuning = Tuning(before, out)
    pinned = TuneMessages("talk", pin=ids, put_back=ids).of(tuning)
    assert pinned == Tuning(before | ids, out - ids)
    assert TuneMessages("talk", unpin=ids, leave_out=ids).of(pinned) == Tuning(before - ids, out | ids)


def test_summaries_are_added_replaced_and_removed_by_their_ids():
    run, file = Summary("s", "Short.", ("u1",)), Summary("f", "Short.", ("a.md",), content_digest="d")
    tuning = TuneSummaries("c", (run, file)).of(Tuning(pinned=frozenset({"p"})))
    assert tuning.summaries == (run, file)
    assert tuning.pinned == {"p"}
    newer = Summary("g", "Shorter.", ("a.md",), content_digest="e")
    assert TuneSummaries("c", (newer,)).of(tuning).summaries == (run, newer), "a text has one summary"
    assert TuneSummaries("c", remove=frozenset({"s"})).of(tuning).summaries == (file,)
