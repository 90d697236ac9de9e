"""The order in which things fall is the builder's own, and the room that brings them back is enough."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.fakes.effort import tries
from tests.fakes.steps_taken import lines_run
from tests.fakes.turns import artifact, assistant, build, selection, shelved, user
from tests.fakes.views import around, layers_of
from workbench.context.assembly.retype import retype
from workbench.context.explain.attachment_rows import drop_cards, drop_order
from workbench.domain.change import Built
from workbench.domain.files.attachment import Artifact
from workbench.domain.message import Image
from workbench.domain.settings.context_settings import CompactionSettings, ContextSettings
from workbench.domain.shown.envelope_view import DropCard, DropOrder, RowKey
from workbench.domain.turn import LibraryEntry, Tuning

SETTINGS = ContextSettings(model="word-1", reserved_output_tokens=0, system_prompt="Be kind.")


def cards(built: Built) -> tuple[DropCard, ...]:
    seen = around(built)
    return drop_cards(layers_of(seen), seen)


def order(built: Built) -> DropOrder:
    return drop_order(layers_of(around(built)), cards(built))


def request(window: int = 1000, **changes: Any) -> Built:
    return build(replace(SETTINGS, context_window=window), **{"question": user("q"), **changes})


def names(built: Built) -> list[str]:
    return [card.name for card in cards(built)]


def test_higher_numbers_fall_first_then_what_is_no_longer_attached_then_what_is_larger():
    library = (shelved(artifact("shelf", "x")),)
    files = (artifact("low", "x", priority=9), artifact("small", "x"), artifact("large", "x " * 9))
    assert names(request(library=library, attached=files)) == ["low", "shelf", "large", "small"]


def test_a_card_says_what_falls_with_it_in_every_layer():
    known = artifact("a", "one two three")
    built = request(library=(shelved(known, attached=True),), attached=(known,))
    layers = {layer.name: layer for layer in built.envelope.layers}
    (card,) = cards(built)
    assert card.key == RowKey("L2_PREVIOUS", "a")
    assert card.tokens == layers["L2_PREVIOUS"].total_tokens + layers["L3_TURN"].tokens[0]
    assert (card.priority, card.out, card.back_with_tokens) == (5, False, 0)


def test_what_is_pinned_or_locked_never_falls_and_is_summed():
    files = (artifact("a"), artifact("p", essential=True), selection("s"))
    pinned_talk = (user("u"), assistant("m", "an answer"))
    built = request(attached=files, history=pinned_talk, tuning=Tuning(pinned=frozenset({"m"})))
    found = order(built)
    assert [card.name for card in found.cards] == ["a"]
    rows = [row for layer in layers_of(around(built)) for row in layer.rows if row.pinned]
    assert sorted(row.key.id for row in rows) == ["p", "q", "s", "system", "u"]
    assert (found.pinned, found.pinned_tokens) == (5, sum(row.tokens for row in rows))


def test_a_pinned_artifact_in_two_layers_is_one():
    known = artifact("a", essential=True)
    built = request(library=(shelved(known, attached=True),), attached=(known,))
    assert order(built).pinned == 3  # with the instructions and the question


def test_what_was_left_out_by_hand_does_not_fall():
    assert names(request(attached=(artifact("a"),), tuning=Tuning(excluded=frozenset({"a"})))) == []


def test_what_fell_says_how_much_more_room_it_needs():
    built = request(60, attached=(artifact("big", "word " * 100, priority=9), artifact("a")))
    big, small = cards(built)
    assert (big.name, big.out, small.out) == ("big", True, False)
    envelope = built.envelope
    free = envelope.budget.window_tokens - envelope.total_tokens
    assert big.back_with_tokens == big.tokens - free


def test_what_falls_later_comes_back_earlier():
    files = (artifact("first", "word " * 50, priority=9), artifact("second", "word " * 40, priority=8))
    first, second = cards(request(40, attached=files))
    assert first.out
    assert second.out
    assert first.back_with_tokens == second.back_with_tokens + first.tokens


def test_what_fell_to_the_attachment_budget_needs_room_in_that():
    small = replace(SETTINGS, attachment_budget_tokens=30)
    built = build(
        small, question=user("q"), attached=(artifact("a", "word " * 40), artifact("b", priority=3))
    )
    fallen, kept = cards(built)
    assert (fallen.name, fallen.out) == ("a", True)
    assert fallen.back_with_tokens == fallen.tokens - (30 - kept.tokens)
    more = replace(small, attachment_budget_tokens=30 + fallen.back_with_tokens)
    again = build(more, question=user("q"), attached=built.inputs.attached)
    assert not any(card.out for card in cards(again))


def test_what_the_library_only_shows_shortened_falls_by_what_it_costs_there():
    compact = replace(SETTINGS, compaction=CompactionSettings(200, 10, 2))
    library = (shelved(artifact("short", "word " * 40)), shelved(artifact("long", "word " * 60)))
    built = build(compact, question=user("q"), library=library)
    assert {s.id: s.form for s in built.envelope.layer("L2_PREVIOUS").segments}["long"] == "compacted"
    long, short = (next(card for card in cards(built) if card.name == name) for name in ("long", "short"))
    assert long.tokens < short.tokens
    assert names(built) == ["short", "long"]


def test_things_fall_by_their_size_when_all_are_as_short_as_they_can_be():
    """Compaction comes before dropping: of two long texts the one that is longer may be the shorter one then."""
    compact = replace(SETTINGS, compaction=CompactionSettings(60, 10, 2))
    parts: dict[str, Any] = {
        "attached": (artifact("b", "word " * 30), artifact("a", "word " * 40)),
        "question": user("q"),
    }
    wide = build(replace(compact, context_window=1000), **parts)
    tight = build(replace(compact, context_window=55), **parts)
    assert names(wide) == names(tight) == ["b", "a"]
    assert [card.name for card in cards(tight) if card.out] == ["b"]


files = st.lists(
    st.builds(
        artifact,
        st.sampled_from(["a", "b", "c", "d", "e"]),
        st.integers(1, 40).map(lambda words: "word " * words),
        priority=st.sampled_from([3, 5, 5, 10]),
        essential=st.sampled_from([False, False, False, True]),
    ),
    max_size=5,
    unique_by=lambda one: one.key,
)


rules = st.builds(
    replace, st.just(SETTINGS), freshness=st.sampled_from(["refresh", "freeze"]),
    compaction=st.sampled_from([CompactionSettings(), CompactionSettings(60, 10, 2)]),
)  # fmt: skip


@settings(max_examples=tries(300))
@given(files, files, st.integers(30, 250), rules)
def test_things_fall_in_the_order_that_was_shown(
    attached: list[Artifact], shelf: list[Artifact], window: int, rules: ContextSettings
):
    """Or the rail lies: whatever the room, what has fallen is the beginning of the order that all of it has."""
    library: tuple[LibraryEntry, ...] = tuple(shelved(one) for one in shelf)
    parts: dict[str, Any] = {"attached": tuple(attached), "library": library, "question": user("q")}
    wide = build(replace(rules, context_window=100_000), **parts)
    tight = build(replace(rules, context_window=window), **parts)
    fallen = [card.name for card in cards(tight) if card.out]
    assert fallen == names(wide)[: len(fallen)]
    assert names(tight) == names(wide)


@settings(max_examples=tries(150))
@given(files, st.integers(30, 250))
def test_the_room_that_is_named_brings_back(attached: list[Artifact], window: int):
    tight = request(window, attached=tuple(attached))
    for card in cards(tight):
        if card.out and tight.envelope.fits:
            wider = request(window + card.back_with_tokens + 8, attached=tuple(attached))
            assert card.name not in [other.name for other in cards(wider) if other.out]


def test_many_that_fell_are_ordered_with_work_that_grows_as_they_do():
    """A sum for each of them would be four times the work for twice as many."""

    def work(number: int) -> int:
        built = request(500, attached=[artifact(str(n), "some words") for n in range(number)])
        seen = around(built)
        layers = layers_of(seen)
        fallen = [card.back_with_tokens for card in drop_cards(layers, seen) if card.out]
        assert len(fallen) > number / 2
        assert fallen == sorted(fallen, reverse=True)
        return lines_run(lambda: drop_cards(layers, seen))

    assert work(600) < 2.8 * work(300)


PHOTO = artifact("p", "[photo.png]", kind="image")
ASKED = replace(user("q"), images=(Image("d", 300, source="p"),))


def test_what_a_picture_frees_is_what_it_costs():
    built = request(attached=(PHOTO,), question=ASKED)
    without = request(question=user("q"))
    [card] = cards(built)
    assert card.tokens >= 300
    smaller = request(window=built.envelope.total_tokens - 1, attached=(PHOTO,), question=ASKED)
    assert smaller.envelope.total_tokens <= without.envelope.total_tokens + 10
    [pruned] = smaller.envelope.cuts.pruned
    assert pruned.tokens >= 300


def test_a_picture_that_falls_or_is_left_out_is_not_sent():
    small = request(window=100, attached=(PHOTO,), question=ASKED)
    left_out = request(attached=(PHOTO,), question=ASKED, tuning=Tuning(excluded=frozenset({"p"})))
    kept = request(attached=(PHOTO,), question=ASKED)
    for built, images in ((small, 0), (left_out, 0), (kept, 1)):
        assert [len(one.images) for one in built.envelope.layer("L5_USER").segments] == [images]


def test_while_one_types_a_picture_that_fell_does_not_come_back():
    left_out = request(attached=(PHOTO,), question=ASKED, tuning=Tuning(excluded=frozenset({"p"})))
    typed = retype(left_out, replace(ASKED, texts=("questions",)), around(left_out).counter)
    assert typed is not None
    assert [one.images for one in typed.envelope.layer("L5_USER").segments] == [()]
