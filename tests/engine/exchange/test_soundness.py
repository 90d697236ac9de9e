"""A chat from a file cannot write into another, name what is not there, or hold a request that nothing can show."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.fakes.archives import full_archive, plain_archive
from tests.fakes.turns import assistant, build, result, user
from workbench.domain.errors import InvalidInput
from workbench.domain.record import ChatArchive
from workbench.engine.exchange.soundness import holds_together, make_sound, renamed

FULL = full_archive()


def test_a_good_chat_is_not_changed():
    archive = plain_archive(user("q"), assistant("a"))
    assert make_sound(archive) == (archive, ())
    assert make_sound(FULL)[1] == ()


def test_a_message_that_names_another_chat_stays_in_its_own():
    """Otherwise a file could append to a chat that is kept already, by naming its id."""
    archive = plain_archive(user("q"), assistant("a"))
    forged = replace(archive, records=(archive.records[0], replace(archive.records[1], chat="victim")))
    sound, problems = make_sound(forged)
    assert [record.chat for record in sound.records] == ["talk", "talk"]
    assert len(problems) == 1


def test_a_request_that_names_another_chat_is_renamed():
    """A continued chat is kept under the name of its last request: a forged one would write elsewhere."""
    turn = FULL.turns[0]
    inputs = replace(turn.built.inputs, conversation="victim")
    forged = replace(FULL, turns=(replace(turn, built=replace(turn.built, inputs=inputs)),))
    sound, problems = make_sound(forged)
    assert sound.turns[0].built.inputs.conversation == "talk"
    assert len(problems) == 1


def test_a_renamed_chat_is_renamed_everywhere():
    chat = renamed(FULL, "new")
    assert chat.chat.id == "new"
    assert {record.chat for record in chat.records} == {"new"}
    assert {taken.chat for taken in chat.snapshots} == {"new"}
    for turn in chat.turns:
        assert (turn.chat, turn.built.inputs.conversation, turn.built.envelope.conversation) == ("new",) * 3
    assert renamed(chat, "talk").records == FULL.records


def test_a_request_that_does_not_hold_together_is_left_out():
    turn = FULL.turns[0]
    envelope = replace(turn.built.envelope, messages=turn.built.envelope.messages[1:])
    broken = replace(FULL, turns=(replace(turn, built=replace(turn.built, envelope=envelope)),))
    sound, problems = make_sound(broken)
    assert sound.turns == ()
    assert sound.records == FULL.records
    assert "turn 1 does not hold together" in problems[0]


def test_an_envelope_needs_all_layers_and_counts():
    built = FULL.turns[0].built
    layers = built.envelope.layers
    assert holds_together(built)
    for wrong in (layers[1:], (replace(layers[0], tokens=()), *layers[1:])):
        assert not holds_together(replace(built, envelope=replace(built.envelope, layers=wrong)))


def test_a_request_with_rounds_holds_together_in_its_own_order():
    """What was said in a turn is sent after its question, but stands in a layer before it."""
    rounds = (assistant("a", "", "c1"), result("r", "c1"))
    built = build(question=user("q"), rounds=rounds)
    assert [message.id for message in built.envelope.messages] == ["q", "a", "r"]
    assert holds_together(built)
    swapped = replace(built.envelope, messages=built.envelope.messages[::-1])
    assert not holds_together(replace(built, envelope=swapped))


def test_only_the_newest_turn_of_a_question_may_be_running():
    """A file that says otherwise would be refused as a whole by the store."""
    running = tuple(replace(FULL.turns[0], state=state) for state in ("running", "failed", "running"))
    sound, _ = make_sound(replace(FULL, turns=running))
    assert [turn.state for turn in sound.turns] == ["interrupted", "failed", "running"]


@pytest.mark.parametrize(
    "archive",
    [
        plain_archive(user("same"), assistant("same")),
        plain_archive(user("q"), chat=""),
        plain_archive(user("\ud800")),
        replace(FULL, records=FULL.records[1:]),
        replace(FULL, records=()),
        replace(FULL, turns=(replace(FULL.turns[0], number=10**30),)),
        replace(FULL, turns=(replace(FULL.turns[0], reply="nobody"),)),
    ],
    ids=["same id", "no id", "half a character", "no parent", "turns of nothing", "huge number", "no reply"],
)
def test_a_chat_that_does_not_hold_together_is_refused(archive: ChatArchive):
    with pytest.raises(InvalidInput):
        make_sound(archive)


def test_a_message_in_view_that_is_not_there_is_replaced():
    archive = plain_archive(user("q"), assistant("a"))
    sound, problems = make_sound(replace(archive, chat=replace(archive.chat, leaf="nowhere")))
    assert sound.chat.leaf == "a"
    assert len(problems) == 1


def test_half_characters_in_a_title_a_draft_and_a_growing_answer_are_replaced():
    archive = plain_archive(user("q", "\ud800"), title="\ud800", state="running")
    sound, _ = make_sound(replace(archive, draft="\udfff"))
    assert (sound.chat.title, sound.draft) == ("\ufffd", "\ufffd")
    assert sound.records[0].entry == user("q", "\ufffd")


def test_a_model_at_an_address_and_a_deleted_chat_are_pointed_out():
    archive = plain_archive(user("q"))
    settings = replace(archive.chat.settings, model="server:https://evil.example#m")
    chat = replace(archive.chat, settings=settings, deleted_utc="2026-01-01T00:00:00Z")
    _, problems = make_sound(replace(archive, chat=chat))
    assert "Check it before you go on" in problems[0]
    assert "deleted" in problems[1]
