"""Cutting looks at what goes out: nothing without need, least harm first, and what was cut stays as it was sent."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.fakes.catalogue import WORD_MODEL
from tests.fakes.effort import tries
from tests.fakes.turns import (
    RENDERERS,
    artifact,
    assistant,
    build,
    selection,
    shelved,
    turn_inputs,
    user,
    word_counter,
)
from workbench.context.assemble import Assembly, assemble
from workbench.context.assembly.cutting import cut_to_size
from workbench.context.assembly.draft import Draft
from workbench.context.assembly.history import History
from workbench.context.assembly.memory import BuildMemory, shortener_for
from workbench.context.assembly.references import Places
from workbench.context.invariants import violations
from workbench.domain.change import Built
from workbench.domain.envelope import Envelope, Fitted, TrimState, budget_for
from workbench.domain.settings.context_settings import CompactionSettings, ContextSettings, HistorySettings
from workbench.domain.tool import ToolDefinition
from workbench.domain.turn import Tuning

WORDS = "".join(f"word{number} and more\n" for number in range(400))
SMALL = CompactionSettings(verbatim_chars=200, section_chars=20, max_sections=3)
READ = ToolDefinition("read", "Reads.", "{}")


def limits(window: int, **changes: Any) -> ContextSettings:
    given: dict[str, Any] = {"reserved_output_tokens": 0, "compaction": SMALL, **changes}
    return ContextSettings(model="word-1", context_window=window, **given)


def made(settings: ContextSettings, **changes: Any) -> Built:
    built = build(settings, **{"question": user("q"), **changes})
    assert violations(built) == ()
    return built


def form(envelope: Envelope, key: str) -> list[str]:
    return [s.form for layer in envelope.layers[1:4] for s in layer.segments if s.id == key]


def talk(number: int, length: int = 30) -> tuple[Any, ...]:
    return tuple(m for n in range(number) for m in (user(f"u{n}"), assistant(f"a{n}", "said " * length)))


def test_a_long_file_beside_a_short_answer_trims_nothing():
    """The file's uncut size used to be what trimming looked at."""
    cut = made(limits(500), history=talk(2), attached=(artifact("log", WORDS),)).envelope
    assert (cut.cuts.trim.boundary, cut.cuts.trimmed_messages, form(cut, "log")) == (0, (), ["compacted"])


@pytest.mark.parametrize(
    ("changes", "room"),
    [
        ({}, 360),
        ({"history": HistorySettings(threshold=None)}, 500),
        ({"history": HistorySettings(headroom=0.5)}, 360),
        ({"attachment_budget_tokens": 120}, 120),
    ],
    ids=["nine tenths", "no threshold", "headroom is not taken from it", "attachment budget"],
)
def test_what_comes_and_is_cut_fills_the_room_there_is(changes: Any, room: int):
    envelope = made(limits(500, **changes), attached=(artifact("log", WORDS),)).envelope
    segment_tokens = envelope.layer("L3_TURN").total_tokens
    rest = 0 if "attachment_budget_tokens" in changes else envelope.total_tokens - segment_tokens
    assert 0.9 * (room - rest) <= segment_tokens <= room - rest


def test_several_that_are_cut_share_the_room():
    attached = (artifact("a", WORDS), artifact("b", WORDS * 3, priority=9), artifact("c", "word " * 45))
    envelope = made(limits(500), attached=attached).envelope
    tokens = dict(zip("abc", envelope.layer("L3_TURN").tokens, strict=True))
    assert (form(envelope, "a"), form(envelope, "b"), form(envelope, "c")) == (
        ["compacted"],
        ["compacted"],
        ["full"],
    )
    assert abs(tokens["a"] - tokens["b"]) < 20
    assert 0.9 * 360 < envelope.total_tokens <= 360


def test_a_text_up_to_the_limit_goes_out_whole_or_not_at_all():
    short = artifact("s", "word " * 40)
    assert len(short.text) == SMALL.verbatim_chars
    envelope = made(limits(40), attached=(short,)).envelope
    assert [one.id for one in envelope.cuts.pruned] == ["s"]


def test_history_is_trimmed_only_where_shortening_is_not_enough():
    history = talk(4, 60)
    calm = made(limits(450), history=history, attached=(artifact("log", WORDS),)).envelope
    assert (calm.cuts.trim.boundary, form(calm, "log")) == (0, ["compacted"])
    tight = made(limits(250), history=history, attached=(artifact("log", WORDS),)).envelope
    assert tight.cuts.trim.boundary > 0
    assert form(tight, "log") == ["compacted"]
    assert tight.cuts.pruned == ()


def later(before: Built, settings: ContextSettings, *more: Any, **changes: Any) -> Built:
    """The next request of the same conversation."""
    attached, number = before.inputs.attached, len(before.inputs.history)
    return made(
        settings,
        attached=changes.pop("attached", attached),
        library=tuple(shelved(one, attached=True) for one in attached),
        trim=before.envelope.cuts.trim,
        history=(*before.inputs.history, user(f"u:{number}"), assistant(f"a:{number}", "short"), *more),
        **changes,
    )


def body(built: Built) -> str:
    (segment,) = (s for layer in built.envelope.layers for s in layer.segments if s.id == "log")
    return segment.text.split("\n", 1)[1].rsplit("\n", 2)[0]


def test_a_cut_stays_byte_for_byte_while_the_request_is_under_its_threshold():
    first = made(limits(500), attached=(artifact("log", WORDS),))
    second = later(first, limits(500), user("x"), assistant("y", "said " * 20))
    assert body(first) == body(second)
    assert second.envelope.layer("L2_PREVIOUS").segments[0].form == "compacted"
    assert second.envelope.cuts.trim.fitted == first.envelope.cuts.trim.fitted


def test_over_the_threshold_again_it_is_shortened_once_to_headroom_and_stays_so():
    first = made(limits(500), attached=(artifact("log", WORDS),))
    second = later(first, limits(500), user("x"), assistant("y", "said " * 60))
    assert len(body(second)) < len(body(first))
    assert (second.envelope.cuts.trim.boundary, second.envelope.cuts.trimmed_messages) == (0, ())
    assert 0.9 * 300 < second.envelope.total_tokens <= 300
    third = later(second, limits(500), user("x2"), assistant("y2", "said " * 60))
    assert body(third) == body(second)


def test_old_messages_give_way_before_a_text_and_the_newest_three_exchanges_after_it():
    first = made(limits(1_000), attached=(artifact("log", WORDS),), history=talk(3, 90))
    second = later(first, limits(1_000), user("x"), assistant("y", "said " * 30))
    assert (body(second), second.envelope.cuts.trimmed_messages) == (body(first), ())
    more = (message for n in "abc" for message in (user(f"u{n}"), assistant(f"a{n}", "said " * 25)))
    third = later(second, limits(1_000), *more)
    assert third.envelope.cuts.trimmed_messages == ("a0", "a1", "a2", "y")
    assert (body(third), third.envelope.total_tokens <= 600) == (body(second), True)
    alone = made(limits(1_000), attached=(artifact("log", WORDS),))
    spared = later(alone, limits(1_000), user("x"), assistant("y", "said " * 90))
    assert (spared.envelope.cuts.trimmed_messages, len(body(spared)) < len(body(alone))) == ((), True)


@pytest.mark.parametrize("given", ["a neighbour left out", "a larger window"])
def test_a_text_that_is_given_more_fills_the_room_there_is_now(given: str):
    log, neighbour = artifact("log", WORDS), artifact("b", WORDS * 2)
    first = made(limits(1_000), attached=(log, neighbour))
    same = later(first, limits(1_000))
    assert body(same) == body(first)
    held, window = ((log,), 1_000) if given == "a neighbour left out" else ((log, neighbour), 1_300)
    more = later(same, limits(window), attached=held)
    assert len(body(more)) > len(body(same))
    assert 0.9 * 0.72 * window < more.envelope.total_tokens <= 0.72 * window


def test_a_text_that_matters_more_now_is_not_cut_for_one_that_matters_less():
    log, neighbour = artifact("log", WORDS[: len(WORDS) // 3], priority=6), artifact("b", WORDS * 2)
    first = made(limits(1_000), attached=(log, neighbour))
    assert form(first.envelope, "log") == ["compacted"]
    more = later(first, limits(1_000), attached=(replace(log, priority=2), neighbour))
    assert (form(more.envelope, "log"), form(more.envelope, "b")) == (["full", "reference"], ["compacted"])


def test_a_few_tokens_more_do_not_move_a_text():
    log, neighbour = artifact("log", WORDS), artifact("b", "one two three four")
    first = made(limits(1_000), attached=(log, neighbour))
    second = later(first, limits(1_000), attached=(log, artifact("b", "one two")))
    assert body(second) == body(first)


def test_a_changed_file_is_chosen_anew():
    first = made(limits(500), attached=(artifact("log", WORDS),))
    changed = artifact("log", WORDS + "one more line\n")
    second = later(first, limits(500), attached=(changed,))
    assert "one more line" in body(second)


def test_it_goes_out_whole_again_when_that_leaves_headroom():
    first = made(limits(500), attached=(artifact("log", WORDS),))
    almost = later(first, limits(1_500))
    assert form(almost.envelope, "log") == ["compacted"]
    whole = later(first, limits(2_500))
    assert form(whole.envelope, "log") == ["full", "reference"]
    assert whole.envelope.cuts.trim == TrimState()


def test_in_the_same_turn_rounds_do_not_move_the_cut():
    """The library does not know the file yet: only the cut itself says how it was sent."""
    first = made(limits(500), attached=(artifact("log", WORDS),))
    state = first.envelope.cuts.trim
    again = made(limits(500), attached=(artifact("log", WORDS),), trim=state, history=talk(1, 20))
    assert body(first) == body(again)


def test_a_cut_whose_text_is_gone_or_essential_now_is_forgotten():
    state = TrimState(fitted=(Fitted("log", "other", 100), Fitted("gone", "x", 100)))
    envelope = made(limits(4_000), attached=(artifact("log", WORDS),), trim=state).envelope
    assert (form(envelope, "log"), envelope.cuts.trim) == (["full"], TrimState())
    first = made(limits(500), attached=(artifact("log", WORDS),))
    pinned = later(first, limits(2_000), attached=(artifact("log", WORDS, essential=True),))
    assert form(pinned.envelope, "log") == ["full", "reference"]


def test_how_to_have_the_rest_names_only_tools_that_there_are():
    long = (artifact("log", WORDS),)
    without = made(limits(500), attached=long)
    assert "read log" not in body(without)
    assert without.envelope.cuts.compacted[0].recover_with == "ask for log"
    with_it = made(limits(500, tools=(READ,)), attached=long)
    assert "to have it in full: read log]" in body(with_it)


def test_what_the_library_has_in_short_is_attached_again_as_far_as_there_is_room():
    library = (shelved(artifact("log", WORDS)),)
    envelope = made(limits(500), attached=(artifact("log", WORDS),), library=library).envelope
    assert [form(envelope, "log"), envelope.cuts.pruned] == [["compacted", "compacted"], ()]
    assert envelope.layer("L3_TURN").total_tokens > envelope.layer("L2_PREVIOUS").total_tokens


_artifacts = st.lists(
    st.builds(
        artifact,
        st.sampled_from("abcde"),
        st.sampled_from(["", "word " * 30, "# One\n" + "words here " * 60, WORDS]),
        priority=st.integers(1, 10),
    ),
    max_size=4,
    unique_by=lambda one: one.key,
).map(tuple)
_settings = st.builds(
    limits,
    st.integers(50, 4_000),
    attachment_budget_tokens=st.none() | st.integers(0, 1_500),
    history=st.builds(
        HistorySettings,
        threshold=st.sampled_from([None, 0.5, 0.8, 1.0]),
        headroom=st.sampled_from([0.5, 0.75, 1.0]),
        keep_last_n_assistant=st.integers(0, 3),
    ),
)
_history = st.builds(talk, st.integers(0, 5), st.integers(1, 80))


def _whole(settings: ContextSettings, built: Built) -> Envelope:
    """The same request with room for everything."""
    roomy = replace(settings, context_window=1_000_000, attachment_budget_tokens=None)
    return build(
        roomy, **{name: getattr(built.inputs, name) for name in ("question", "history", "attached")}
    ).envelope


@settings(max_examples=tries(200))
@given(chosen=_settings, history=_history, attached=_artifacts)
def test_a_request_that_would_go_out_under_its_limits_goes_out_whole(
    chosen: ContextSettings, history: Any, attached: Any
):
    """And one that would not is not trimmed where shortening was enough, and is filled as far as there is room."""
    built = made(chosen, history=history, attached=attached)
    envelope, whole = built.envelope, _whole(chosen, built)
    budget = envelope.budget
    limit = budget.window_tokens if budget.threshold_tokens is None else budget.threshold_tokens
    most = chosen.attachment_budget_tokens
    artifacts = whole.layer("L3_TURN").total_tokens
    if whole.total_tokens <= limit and (most is None or artifacts <= most):
        assert [message.content for message in envelope.messages] == [m.content for m in whole.messages]
        assert (envelope.cuts.pruned, envelope.cuts.compacted, envelope.cuts.trimmed_messages) == ((), (), ())
        return
    target = budget.fill_tokens
    if envelope.cuts.trim.boundary:
        # Trimmed, although everything that can be shortened was: what is cut now had still less before.
        floor = made(replace(chosen, attachment_budget_tokens=0), attached=attached).envelope
        said = whole.layer("L4_STRIP").total_tokens
        assert floor.total_tokens + said + 60 * len(attached) > limit
    if envelope.cuts.trim.fitted and not envelope.cuts.pruned:
        room = target - envelope.total_tokens
        if most is not None:
            room = min(room, most - envelope.layer("L3_TURN").total_tokens)
        cut = sum(one.to_tokens for one in envelope.cuts.compacted)
        assert room <= max(12, 0.1 * (cut + room))


def test_history_is_not_trimmed_for_what_falls_anyway():
    """A selection that is too long for the window took every answer with it."""
    big = selection(text="word " * 900, essential=False)
    alone, beside = (made(limits(500), history=talk(4), attached=held).envelope for held in ((), (big,)))
    assert [one.id for one in beside.cuts.pruned] == ["selection"]
    assert (beside.total_tokens, beside.cuts.trimmed_messages) == (alone.total_tokens, ())


def test_what_fell_stays_out_until_it_has_room_and_moves_no_other_cut():
    big, log = artifact("big", "word " * 40, priority=9), artifact("log", WORDS, essential=True)
    tight = limits(1_300, history=HistorySettings(threshold=None))
    first = made(tight, attached=(log, big))
    assert [one.id for one in first.envelope.cuts.pruned] == ["big"]
    second = later(first, tight)
    assert [(one.id, one.reason) for one in second.envelope.cuts.pruned] == [("big", "over the window")]
    third = later(second, limits(4_000))
    assert ("full" in form(third.envelope, "big"), third.envelope.cuts.pruned) == (True, ())


def test_an_older_copy_that_fell_does_not_move_the_cuts_of_others():
    frozen = limits(900, freshness="freeze")
    attached = (artifact("k", WORDS), artifact("log", WORDS + "more"))
    first = made(frozen, attached=attached)
    changed = (artifact("k", WORDS + "changed"), attached[1])
    second = later(first, frozen, attached=changed)
    third = later(second, frozen, user("x"), assistant("y", "short"), attached=changed)
    cuts = [{one.id: one.chars for one in b.envelope.cuts.trim.fitted if one.chars} for b in (second, third)]
    assert cuts[0]["log"] == cuts[1]["log"]


def test_a_text_slightly_longer_than_its_room_is_not_cut_to_the_least():
    text = "some words here " * 40
    whole = made(limits(10_000), attached=(artifact("log", text),)).envelope
    tight = limits(whole.total_tokens - 4, history=HistorySettings(threshold=1.0, headroom=1.0))
    cut = made(tight, attached=(artifact("log", text),)).envelope
    assert form(cut, "log") == ["compacted"]
    assert cut.total_tokens > 0.85 * whole.total_tokens


def test_with_room_for_everything_nothing_is_cut_and_nothing_kept():
    inputs = turn_inputs(limits(100_000), attached=(artifact("log", WORDS),), question=user("q"))
    draft = Draft(inputs, budget_for(inputs.settings, 100_000), (), word_counter(), RENDERERS)
    shortener = shortener_for(inputs.settings, BuildMemory(), draft.counter)
    placed = Places(shortener, "refresh", lambda one: True).place((), inputs.attached)
    cut = cut_to_size(draft, placed, History((), (), ()), shortener)
    assert (cut.placements, cut.trim, cut.forced) == (placed, TrimState(), False)


CACHED = replace(WORD_MODEL, cache_seen=True)
LOG = artifact("log", WORDS)


def held_short(window: int, card: Any = CACHED) -> tuple[Built, Built]:
    """A text that was cut for a long question, beside a short one now; and the same with the text wanted whole."""
    first = made(limits(window), attached=(LOG,), question=user("q", "ask " * 900), model=card)
    wanted = (replace(LOG, whole=True),)
    return later(first, limits(window), model=card), later(first, limits(window), attached=wanted, model=card)


@pytest.mark.parametrize(("window", "fits"), [(2_000, False), (2_100, True), (2_400, True)])
def test_a_text_that_a_cache_keeps_short_is_named_and_whole_when_somebody_wants_it(window: int, fits: bool):
    """It stayed cut with 1,055 tokens free and 1,032 missing, and no row said why."""
    short, wanted = held_short(window)
    assert (form(short.envelope, "log"), "log" in short.envelope.cuts.held) == (["compacted"], fits)
    assert form(wanted.envelope, "log") == (["full", "reference"] if fits else ["compacted"])
    assert (wanted.envelope.cuts.held, wanted.envelope.fits) == (frozenset(), True)


def test_where_no_cache_is_known_nothing_is_kept_short():
    short, _ = held_short(2_100, WORD_MODEL)
    assert (form(short.envelope, "log"), short.envelope.cuts.held) == (["full", "reference"], frozenset())


@settings(max_examples=tries(60), deadline=None)
@given(
    st.integers(1_200, 3_600),
    st.lists(st.tuples(st.integers(1, 400), st.integers(1, 250), st.booleans()), min_size=1, max_size=6),
    st.sampled_from(["layered", "append_only"]),
)
def test_what_is_said_to_have_room_whole_goes_out_whole_when_it_is_wanted(
    window: int, turns: list[tuple[int, int, bool]], layout: str
):
    rules, other = limits(window, layout=layout), artifact("b", WORDS.replace("word", "else"))
    built = None
    for number, (asked, said, both) in enumerate(turns):
        attached = (LOG, other) if both else (LOG,)
        one, wanted = (
            next_turn(built, rules, some, (f"q{number}", asked, said))
            for some in (attached, tuple(replace(one, whole=True) for one in attached))
        )
        for key in one.envelope.cuts.held:
            alone = tuple(replace(a, whole=a.key == key) for a in attached)
            there = next_turn(built, rules, alone, (f"q{number}", asked, said)).envelope
            assert form(there, key)[-1] in ("full", "reference")
            assert there.total_tokens <= there.budget.limit_tokens
        assert wanted.envelope.cuts.held == frozenset()
        built = one


def next_turn(
    before: Built | None,
    rules: ContextSettings,
    attached: tuple[Any, ...],
    asked: tuple[str, int, int],
    **changes: Any,
) -> Built:
    key, words, said = asked
    given: dict[str, Any] = {"attached": attached, "question": user(key, "ask " * words), "model": CACHED}
    if before is not None:
        answer = assistant(f"to {key}", "said " * said)
        known = before.inputs.attached
        given |= {
            "turn": before.inputs.turn + 1,
            "history": (*before.inputs.history, before.inputs.question, answer),
            "library": tuple(shelved(one, attached=True) for one in known),
            "trim": before.envelope.cuts.trim,
        }
    inputs = turn_inputs(rules, **{**given, **changes})
    built = Built(inputs, assemble(inputs, Assembly(word_counter(), RENDERERS), before))
    assert violations(built) == ()
    return built


def test_a_log_without_that_much_room_is_begun_anew_for_all_of_a_text():
    rules, other = limits(3_000, layout="append_only"), artifact("b", WORDS.replace("word", "else"))
    first = next_turn(None, rules, (LOG, other), ("q0", 1, 0))
    second = next_turn(first, rules, (LOG, other), ("q1", 1, 60))
    assert (form(second.envelope, "log"), second.envelope.cuts.held) == (["compacted"], frozenset())
    alone = next_turn(second, rules, (LOG,), ("q2", 1, 60))
    assert (alone.envelope.rebuilt, alone.envelope.cuts.held) == (None, frozenset({"log"}))
    wanted = next_turn(second, rules, (replace(LOG, whole=True),), ("q2", 1, 60)).envelope
    assert (wanted.rebuilt, form(wanted, "log"), form(wanted, "b")) == ("asked", ["full"], [])


def test_a_log_with_much_room_sends_all_of_a_text_behind_the_copy_that_it_holds():
    rules, out = limits(4_000, layout="append_only"), Tuning(excluded=frozenset({"long"}))
    said = (user("u0"), assistant("long", "said " * 2_300))
    first = next_turn(None, rules, (LOG,), ("q0", 1, 0), history=said)
    second = next_turn(first, rules, (LOG,), ("q1", 1, 9), tuning=out)
    assert (second.envelope.rebuilt, second.envelope.cuts.held) == ("excluded", frozenset({"log"}))
    third = next_turn(second, rules, (LOG,), ("q2", 1, 9), tuning=out)
    assert (third.envelope.rebuilt, third.envelope.cuts.held) == (None, frozenset({"log"}))
    wanted = next_turn(second, rules, (replace(LOG, whole=True),), ("q2", 1, 9), tuning=out)
    assert (wanted.envelope.rebuilt, form(wanted.envelope, "log")) == (None, ["compacted", "full"])
    sent = [one.content for one in second.envelope.messages]
    assert [one.content for one in wanted.envelope.messages][: len(sent)] == sent
    after = next_turn(wanted, rules, wanted.inputs.attached, ("q3", 1, 9), tuning=out).envelope
    assert (after.rebuilt, form(after, "log")) == (None, ["compacted", "full"])
