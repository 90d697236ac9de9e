"""Two requests side by side: where they part, and what that costs."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given, settings

from tests.fakes.catalogue import WORD_MODEL
from tests.fakes.effort import tries
from tests.fakes.turns import artifact, assistant, build, fake_builder, result, shelved, user, word_counter
from tests.trajectories.prepared_turns import prepared_turns
from tests.trajectories.strategies import trajectories
from tests.trajectories.support import Json
from workbench.context.compare import compare
from workbench.context.explain.differences import TimedRequest, diff_view
from workbench.domain.change import Built
from workbench.domain.settings.context_settings import ContextSettings
from workbench.domain.shown.diff_view import DiffSide, DiffView
from workbench.domain.usage import Price
from workbench.engine.assembly.prepare import Ask, prepare_turn
from workbench.engine.conversation import Conversation, after_turn

SETTINGS = ContextSettings(model=WORD_MODEL.name, system_prompt="Be kind, and brief.")
TALK = (user("q1", "one"), assistant("a1", "words " * 20))
PRICE = Price("word-1", 0.40, 1.60, "2026-01-01", cached=0.10)


def seen(before: Built, after: Built, price: Price | None = None) -> DiffView:
    return diff_view(
        TimedRequest(before, "14:01"), TimedRequest(after), compare(before, after, word_counter()), price
    )


def turn(number: int, question: str, **changes: object) -> Built:
    given = {"turn": number, "history": TALK, "question": user(f"q{number}", question), **changes}
    return build(given.pop("settings", SETTINGS), **given)  # type: ignore[arg-type]


def test_a_request_that_goes_on_loses_nothing():
    before = turn(2, "two")
    after = turn(3, "three", history=(*TALK, user("q2", "two"), assistant("a2", "so")))
    view = seen(before, after, PRICE)
    assert (view.change, view.first_difference_token, view.lost_tokens) == ("extended", None, 0)
    assert view.reused_tokens == before.envelope.total_tokens
    assert view.extra_cost_usd == 0
    assert [(one.layer, one.breaks) for one in view.causes] == [("L4_STRIP", False), ("L5_USER", False)]


def test_sides_say_what_they_are_made_of_in_wire_order():
    before = turn(2, "two", attached=(artifact("a.md", "Alpha."),))
    view = seen(before, turn(3, "three"))
    assert (view.before.turn, view.before.sent_utc, view.after.sent_utc) == (2, "14:01", "")
    assert [layer for layer, _ in view.before.parts] == [
        "L1_SYSTEM", "L4_STRIP", "L4_STRIP", "L3_TURN", "L5_USER",
    ]  # fmt: skip
    assert sum(tokens for _, tokens in view.before.parts) == view.before.total_tokens


def test_the_parts_of_a_log_stand_as_they_were_sent_with_every_copy_of_a_file():
    """Two copies of a file had the tokens of the last one, and layers stood one after the other."""
    log = replace(SETTINGS, layout="append_only")
    builder, conversation = fake_builder(), Conversation("talk")
    for number, text in enumerate(("Alpha.", "Beta, and more of it.", "Gamma."), 1):
        conversation = replace(conversation, attached=(artifact("a.md", text),))
        made = prepare_turn(conversation, Ask(log, user(f"q{number}", "Well?")), builder)
        conversation = after_turn(conversation, made.built, [assistant(f"a{number}", "So.")])
    built = conversation.previous
    assert built is not None
    side = seen(turn(1, "one"), built).after
    assert [layer for layer, _ in side.parts] == [
        "L1_SYSTEM", "L2_PREVIOUS", "L4_STRIP", "L4_STRIP", "L2_PREVIOUS", "L4_STRIP", "L4_STRIP", "L3_TURN", "L5_USER",
    ]  # fmt: skip
    assert sum(tokens for _, tokens in side.parts) == side.total_tokens


def test_what_was_said_within_a_turn_stands_after_its_question():
    rounds = (assistant("a2", "", "c1"), result("r2", "c1"))
    parts = seen(turn(2, "two", rounds=rounds), turn(3, "three")).before.parts
    assert [layer for layer, _ in parts][-3:] == ["L5_USER", "L3_TURN", "L3_TURN"]


def test_that_a_turns_context_leaves_its_question_is_no_loss():
    """Every turn with a file would be shown as a broken cache."""
    before = turn(2, "two", attached=(artifact("s", "Alpha.", kind="selection", recoverable=False),))
    after = turn(3, "three", history=(*TALK, user("q2", "two"), assistant("a2", "so")))
    view = seen(before, after, PRICE)
    assert (view.change, view.lost_tokens, view.extra_cost_usd) == ("diverged", 0, 0)
    assert view.first_difference_token == view.reused_tokens


def read_again(before: Built, after: Built, view: DiffView) -> int:
    """By hand, token by token: what stands behind the common beginning, as far as the earlier one had as much of it.

    A reference to a file is no second copy of it: what the earlier request had once is read again once.
    """
    had = Counter(key for key, tokens in _priced(before, view.before) for _ in range(tokens))
    again = 0
    for place, key in enumerate(key for key, tokens in _priced(after, view.after) for _ in range(tokens)):
        known = had[key] > 0
        had[key] -= known
        again += known and place >= view.reused_tokens
    return again


def _priced(built: Built, side: DiffSide) -> list[tuple[str, int]]:
    ids = [segment.id for message in built.envelope.messages for segment in message.segments]
    return [(key, tokens) for key, (_, tokens) in zip(ids, side.parts, strict=True)]


def test_what_a_change_costs_is_what_is_read_again():
    """Behind a file that changed everything is read again, at the full price."""
    shelf = shelved(artifact("api.md", "old " * 30))
    history = (*TALK, user("q2", "two"), assistant("a2", "so"))
    attached = (artifact("now.py", "code"),)
    before = turn(2, "two", library=(shelf,), attached=attached)
    changed = shelved(artifact("api.md", "old " * 29 + "new"))
    after = turn(3, "three", history=history, library=(changed,))
    view = seen(before, after, PRICE)
    lasting = sum(tokens for layer, tokens in view.before.parts if layer not in ("L3_TURN", "L5_USER"))
    assert view.lost_tokens == read_again(before, after, view) > 0
    assert view.lasting_tokens == lasting
    assert view.extra_cost_usd == pytest.approx(view.lost_tokens * 0.30 / 1_000_000)
    assert [one.lost_tokens for one in view.causes if one.breaks] == [view.lost_tokens]


def test_a_file_that_moves_to_the_library_is_read_again():
    """“−2 tokens lost” stood where a file and all that was said were read again: they had not been in the library."""
    file = artifact("api.md", "word " * 300)
    before = turn(2, "two", attached=(file,))
    history = (*TALK, user("q2", "two"), assistant("a2", "so"))
    after = turn(3, "three", history=history, library=(shelved(file, attached=True),), attached=(file,))
    view = seen(before, after)
    assert view.lost_tokens == read_again(before, after, view) > 320
    assert [one.lost_tokens for one in view.causes if one.breaks] == [view.lost_tokens]


def test_what_is_no_longer_sent_is_not_read_again():
    shelf = shelved(artifact("api.md", "old " * 300))
    before = turn(2, "two", library=(shelf,))
    after = turn(3, "three")
    view = seen(before, after)
    assert view.change == "diverged"
    assert 0 < view.lost_tokens == read_again(before, after, view) < 40 < view.lasting_tokens


def test_without_a_price_nobody_knows_and_here_it_is_free():
    before = turn(2, "two")
    assert (
        seen(before, turn(3, "x", settings=replace(SETTINGS, system_prompt="Other."))).extra_cost_usd is None
    )
    here = replace(WORD_MODEL, provider="builtin")
    after = turn(3, "x", settings=replace(SETTINGS, system_prompt="Other."), model=here)
    assert seen(before, after).extra_cost_usd == 0


def by_another_model(number: int = 3, **changes: object) -> Built:
    return turn(number, "x", settings=replace(SETTINGS, model="word-2"), **changes)


def test_another_model_reads_everything_that_was_read_before():
    before, after = (
        turn(2, "two"),
        by_another_model(history=(*TALK, user("q2", "two"), assistant("a2", "so"))),
    )
    view = seen(before, after)
    assert view.lost_tokens == read_again(before, after, view)
    assert view.lasting_tokens == before.envelope.total_tokens


def test_a_question_under_a_label_does_not_last():
    """The label goes when the question is history; what stood before it lasts."""
    before = turn(2, "two", now="12:00")
    asked = before.envelope.layer("L5_USER").total_tokens
    assert seen(before, by_another_model()).lasting_tokens == before.envelope.total_tokens - asked


def test_what_was_said_within_a_turn_lasts():
    """It is history in the next request, where it stands."""
    before = turn(2, "two", rounds=(assistant("a2", "", "c1"), result("r2", "c1")))
    assert seen(before, by_another_model()).lasting_tokens == before.envelope.total_tokens


@settings(max_examples=tries(150))
@given(trajectories())
def test_whatever_happens_between_two_requests_it_is_explained_once(document: Json):
    for one, other in pairwise(prepared_turns(document)):
        view = diff_view(TimedRequest(one.built), TimedRequest(other.built), other.change, None)
        parted = view.change in ("diverged", "shrunk")
        assert sum(cause.breaks for cause in view.causes) == parted
        assert (view.first_difference_token is None) == (not parted)
        assert (
            0
            <= view.lost_tokens
            <= view.after.total_tokens - min(view.reused_tokens, view.after.total_tokens)
        )
        for side in (view.before, view.after):
            assert sum(tokens for _, tokens in side.parts) == side.total_tokens
        for cause in view.causes:
            before, after = cause.texts()
            assert isinstance(before, str)
            assert isinstance(after, str)
