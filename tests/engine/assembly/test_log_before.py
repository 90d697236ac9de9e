"""A log does not go on with what must not be sent any more, and knows again what it left out."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.fakes.catalogue import WORD_MODEL
from tests.fakes.engine import SETTINGS
from tests.fakes.turns import artifact, assistant, fake_builder, user
from workbench.context.outgoing import model_request
from workbench.domain.files.attachment import Artifact
from workbench.domain.message import Image
from workbench.domain.recall import Found
from workbench.domain.settings.context_settings import ContextSettings, Edits, SectionSettings
from workbench.engine.assembly.building import Preview
from workbench.engine.assembly.prepare import Ask, Builder, Prepared, prepare_turn
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


KEY = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
LINES = "".join(f"mode of part {number} = test\n" for number in range(60))
CLEAN, MARKED, CLEANED = (
    artifact("c.env", text) for text in (LINES, f"{LINES}KEY={KEY}\n", f"{LINES}DEBUG=1\n")
)


class Talk:
    """A chat whose attachments change from turn to turn."""

    def __init__(self, settings: ContextSettings = LOG) -> None:
        self.builder, self.settings = (
            fake_builder(replace(WORD_MODEL, context_window_tokens=100_000)),
            settings,
        )
        self.builder.guard.prefer("warn")
        self.conversation = Conversation("talk")

    def ask(self, *attached: Artifact) -> Prepared:
        stands = replace(self.conversation, attached=attached)
        number = stands.turn + 1
        made = prepare_turn(stands, Ask(self.settings, user(f"q{number}", "And?")), self.builder)
        assert made.report["violations"] == []
        self.conversation = after_turn(stands, made.built, [assistant(f"a{number}", "So.")])
        return made


@pytest.mark.parametrize("edits", ["full", "changes"])
def test_a_key_that_was_edited_out_of_a_file_is_not_sent_any_more(edits: Edits):
    """Only the current copies were looked through: the old one went out with every request, and nothing was marked."""
    talk = Talk(replace(LOG, edits=edits))
    talk.ask(CLEAN)
    marked = talk.ask(MARKED)
    assert (KEY in texts(marked), list(marked.secrets)) == (True, ["c.env"])
    after = talk.ask(CLEANED)
    assert (after.built.envelope.rebuilt, KEY in texts(after), dict(after.secrets)) == ("secret", False, {})
    # In the names of the headless contract it is something left out.
    assert after.report["rebuilt"] == "excluded"
    assert talk.ask(CLEANED).built.envelope.rebuilt is None


def test_an_edit_that_leaves_the_key_where_it_is_begins_nothing_anew():
    talk = Talk()
    talk.ask(MARKED)
    after = talk.ask(artifact("c.env", MARKED.text + "DEBUG=1\n"))
    assert (after.built.envelope.rebuilt, list(after.secrets)) == (None, ["c.env"])


def test_a_file_with_a_key_that_was_detached_is_not_sent_any_more():
    """Whoever detached it: a purge is noted by the window only."""
    talk = Talk()
    talk.ask(MARKED, artifact("b", "text"))
    after = talk.ask(artifact("b", "text"))
    assert (after.built.envelope.rebuilt, KEY in texts(after)) == ("secret", False)


def test_where_nothing_is_looked_for_an_old_copy_stays():
    talk = Talk()
    talk.builder.guard.prefer("off")
    talk.ask(MARKED)
    assert talk.ask(CLEANED).built.envelope.rebuilt is None


def test_a_frozen_library_shows_no_old_copy_with_a_key_either():
    talk = Talk(replace(SETTINGS, layout="layered", freshness="freeze"))
    talk.ask(MARKED)
    after = talk.ask(CLEANED)
    assert (KEY in texts(after), dict(after.secrets)) == (False, {})
    assert "DEBUG=1" in texts(after)


def test_keys_that_are_looked_for_from_now_on_begin_the_log_anew_in_what_is_shown_too():
    """A keystroke only changed the question of the request before, and what was sent was another one."""
    talk = Talk()
    talk.builder.guard.prefer("off")
    talk.ask(MARKED)
    talk.ask(CLEANED)
    preview = Preview(talk.builder)
    first = preview.prepare(talk.conversation, Ask(LOG, user("q3", "A")))
    assert first.built.envelope.rebuilt is None
    talk.builder.guard.prefer("warn")
    assert preview.unchanged(talk.conversation, Ask(LOG, user("q3", "A"))) is None
    shown = preview.prepare(talk.conversation, Ask(LOG, user("q3", "An")))
    assert (shown.built.envelope.rebuilt, KEY in texts(shown)) == ("secret", False)


def test_a_model_that_cannot_see_any_more_gets_no_pictures_of_the_log():
    """Only texts were looked at: the pictures went on, and the report said that they were left out."""
    builder = fake_builder()
    seen = replace(WORD_MODEL, images=True)
    looked = replace(user("q1", "Look."), images=(Image("a" * 64, 50),))
    conversation = Conversation("talk")
    first = prepare_turn(conversation, Ask(LOG, looked, card=seen), builder)
    stands = after_turn(conversation, first.built, [assistant("a1", "So.")])
    assert pictures(prepare_turn(stands, Ask(LOG, user("q2"), card=seen), builder)) == (None, 1)
    blind = replace(seen, images=False)
    after = prepare_turn(stands, Ask(LOG, user("q2"), card=blind), builder)
    assert pictures(after) == ("settings", 0)
    assert after.report["violations"] == []


def pictures(prepared: Prepared) -> tuple[str | None, int]:
    sent = model_request(prepared.built).messages
    return prepared.built.envelope.rebuilt, sum(len(message.images) for message in sent)


def test_a_piece_of_a_long_key_that_a_log_quotes_is_known_by_its_file():
    """A slice of a key looks like nothing: a log went on with it, whatever was decided about keys since."""
    lines = [
        f"{n:02}" + "QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVphYmNkZWZnaGlqa2xtbm9wcXJz"[n % 9 :] for n in range(50)
    ]
    key = "\n".join(("-----BEGIN RSA PRIVATE KEY-----", *lines, "-----END RSA PRIVATE KEY-----"))
    around = "words of the notes\n" * 99
    notes = artifact("notes.md", f"{around}{key}\n{around}", by_relevance=True)
    part = "\n".join(lines[20:24]) + "\n"
    found = (Found("notes.md#L120-123", 1.0, "retrieved", text=part, artifact="notes.md", title="notes.md"),)
    rules = replace(LOG, sections=SectionSettings(by_relevance=True))
    conversation = Conversation("talk", attached=(notes,))
    builder = fake_builder()
    builder.guard.prefer("warn")
    first = prepare_turn(conversation, Ask(rules, user("q1", "Well?"), found=found), builder)
    assert part in texts(first)
    assert "private_key" in [one.kind for one in first.secrets["notes.md#L120-123"]]
    assert next_one(first, conversation, builder, rules).built.envelope.rebuilt is None
    without = replace(conversation, attached=(replace(notes, text=around * 2),))
    edited = next_one(first, without, builder, rules)
    assert (edited.built.envelope.rebuilt, part in texts(edited)) == ("secret", False)
    builder.guard.prefer("replace")
    after = next_one(first, conversation, builder, rules)
    assert (after.built.envelope.rebuilt, part in texts(after)) == ("settings", False)
