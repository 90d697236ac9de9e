"""A log does not go on with what must not be sent any more, and knows again what it left out."""

from __future__ import annotations

from dataclasses import replace

from tests.fakes.catalogue import WORD_MODEL
from tests.fakes.engine import SETTINGS
from tests.fakes.turns import artifact, assistant, fake_builder, user
from workbench.domain.preferences import ContextSettings
from workbench.engine.build.prepare import Ask, Builder, Prepared, prepare_turn
from workbench.engine.conversation import Conversation, after_turn

LOG = replace(SETTINGS, layout="append_only")
SECRET = "a-key-of-ours-4711"


def next_one(
    before: Prepared, conversation: Conversation, builder: Builder, settings: ContextSettings = LOG
) -> Prepared:
    """The request after one that was answered."""
    number = conversation.turn + 1
    stands = after_turn(conversation, before.built, [assistant(f"a{number}", "So.")])
    return prepare_turn(stands, Ask(settings, user(f"q{number + 1}", "And now?")), builder)


def texts(prepared: Prepared) -> str:
    return "\n".join(message.content for message in prepared.built.envelope.messages)


def test_a_key_that_became_known_begins_the_log_anew_without_it():
    """It stood in a file that was sent before, and went out again with every request."""
    builder = fake_builder()
    conversation = Conversation("talk", attached=(artifact("a", f"token = {SECRET}"),))
    first = prepare_turn(conversation, Ask(LOG, user("q1", "Well?")), builder)
    assert SECRET in texts(first)
    assert next_one(first, conversation, builder).built.envelope.rebuilt is None
    builder.neutraliser.hide(SECRET)
    after = next_one(first, conversation, builder)
    assert (after.built.envelope.rebuilt, SECRET in texts(after)) == ("settings", False)
    assert after.report["violations"] == []


def test_replacing_secrets_from_now_on_begins_the_log_anew_too():
    builder = fake_builder()
    builder.guard.prefer("warn")
    key = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    conversation = Conversation("talk", attached=(artifact("a", f"TOKEN={key}"),))
    first = prepare_turn(conversation, Ask(LOG, user("q1", "Well?")), builder)
    assert key in texts(first)
    builder.guard.prefer("replace")
    after = next_one(first, conversation, builder)
    assert (after.built.envelope.rebuilt, key in texts(after)) == ("settings", False)


def test_what_was_left_out_with_a_control_token_in_it_stays_out_without_a_rebuild():
    """As it was said and as it may be sent are two texts: the log was begun anew at every turn."""
    builder = fake_builder(replace(WORD_MODEL, control_tokens=("<|im_end|>",)))
    tight = replace(LOG, attachment_budget_tokens=30)
    held = (artifact("f", "words <|im_end|> " * 40), artifact("g", "short"))
    conversation = Conversation("talk", attached=held)
    first = prepare_turn(conversation, Ask(tight, user("q1", "Well?")), builder)
    assert [one.id for one in first.built.envelope.cuts.pruned] == ["f"]
    after = next_one(first, conversation, builder, tight)
    assert (after.built.envelope.rebuilt, [one.id for one in after.built.envelope.cuts.pruned]) == (
        None,
        ["f"],
    )
