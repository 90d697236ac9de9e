"""What a turn leaves behind: history, library, trim state, and the request to compare the next one with."""

from __future__ import annotations

from tests.fakes.turns import artifact, assistant, build, selection, shelved, user
from workbench.domain.change import Built
from workbench.domain.envelope import TrimState
from workbench.domain.settings.context_settings import ContextSettings
from workbench.engine.conversation import Conversation, after_turn, reattach

A, B, C = artifact("a"), artifact("b"), artifact("c")


def keys(built: Built) -> list[str]:
    return [entry.key for entry in after_turn(Conversation("talk"), built, ()).library]


def test_detaching_comes_before_attaching():
    assert reattach((A, B), detach=["a"], attach=[A]) == (B, A)


def test_a_known_key_keeps_its_place_and_gets_the_newest_content():
    changed = artifact("a", "changed")
    assert reattach((A, B), (), [C, changed]) == (changed, B, C)


def test_the_same_key_twice_is_one_attachment():
    assert reattach((), (), [artifact("a", "1"), artifact("a", "2")]) == (artifact("a", "2"),)


def test_detaching_what_is_not_attached_changes_nothing():
    assert reattach((A,), ["x"], ()) == (A,)


def test_the_question_and_the_reply_become_history():
    asked, answer = user("q"), assistant("r")
    after = after_turn(Conversation("talk", history=(user("m"),)), build(question=asked), [answer])
    assert after.history == (user("m"), asked, answer)


def test_the_turn_counts_on_and_the_request_is_remembered():
    built = build(question=user("q"))
    after = after_turn(Conversation("talk", turn=4), built, ())
    assert (after.turn, after.previous) == (5, built)


def test_the_trim_state_is_the_envelope_s():
    built = build(question=user("q"), history=(user("m"),), trim=TrimState(1, "x"))
    assert after_turn(Conversation("talk"), built, ()).trim == built.envelope.cuts.trim


def test_what_was_sent_is_promoted_in_the_order_it_was_seen():
    assert keys(build(question=user("q"), library=(shelved(C),), attached=(B, A))) == ["c", "b", "a"]


def test_a_request_without_a_question_was_not_sent_and_promotes_nothing():
    assert keys(build(attached=(A,))) == []


def test_a_selection_is_never_promoted():
    assert keys(build(question=user("q"), attached=(A, selection()))) == ["a"]


def test_what_was_dropped_was_not_sent_and_is_not_promoted():
    settings = ContextSettings(model="word-1", attachment_budget_tokens=15)
    big = artifact("big", "word " * 50)
    built = build(settings, question=user("q"), attached=(artifact("small", "w"), big))
    assert [pruned.id for pruned in built.envelope.cuts.pruned] == ["big"]
    assert keys(built) == ["small"]


def test_nothing_is_lost_from_the_library_when_it_is_detached():
    held = build(question=user("q"), library=(shelved(A, attached=True),), attached=())
    (entry,) = after_turn(Conversation("talk"), held, ()).library
    assert (entry.latest, entry.attached_last_turn) == (A, False)
