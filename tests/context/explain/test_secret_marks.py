"""Where secrets stand in what is really sent."""

from __future__ import annotations

from tests.fakes.catalogue import WORD_MODEL
from tests.fakes.secret_texts import GITHUB
from tests.fakes.turns import artifact, fake_builder, user
from workbench.context.clean.guard import SecretGuard
from workbench.context.explain.row_facts import SecretPlace, secret_places, sent_secrets
from workbench.domain.secrets import FoundSecret
from workbench.domain.segment import Segment
from workbench.domain.settings.context_settings import ContextSettings
from workbench.engine.assembly.prepare import Ask, prepare_turn
from workbench.engine.conversation import Conversation

TEXT = f"A=1\nTOKEN={GITHUB}\n"
FOUND = (FoundSecret("github", 2, 10, 10 + len(GITHUB), "ghp_…"),)


def _segment(form: str, text: str) -> Segment:
    return Segment(id=".env", layer="L3_TURN", kind="file", text=text, content_digest="", form=form)  # type: ignore[arg-type]


def test_only_what_goes_out_counts():
    whole = artifact(".env", TEXT)
    assert sent_secrets(_segment("full", TEXT), FOUND, whole) == FOUND
    assert sent_secrets(_segment("reference", "see above"), FOUND, whole) == ()
    assert sent_secrets(_segment("compacted", "A=1\n…"), FOUND, whole) == ()
    assert sent_secrets(_segment("compacted", TEXT), FOUND, whole) == FOUND
    assert sent_secrets(_segment("trimmed", "[trimmed]"), FOUND, None) == ()


def test_places_are_named_as_a_person_knows_them():
    builder = fake_builder(WORD_MODEL)
    builder.guard.prefer("warn")
    talk = Conversation("talk", attached=(artifact("/home/ada/app/.env", TEXT),))
    ask = Ask(
        ContextSettings(model=WORD_MODEL.name, user_memory=f"mine: {GITHUB}"), user("q", f"Is {GITHUB} old?")
    )
    prepared = prepare_turn(talk, ask, builder)
    places = secret_places(prepared.built, prepared.secrets)
    assert [(one.where, one.line, one.hint) for one in places] == [
        ("memory", 1, "ghp_…"),
        ("app/.env", 2, "ghp_…"),
        ("question", 1, "ghp_…"),
    ]
    assert all(GITHUB[4:] not in one.sentence and GITHUB[4:12] not in repr(one) for one in places)


def test_a_sentence_says_what_happens_to_it():
    sent = SecretPlace("github", ".env", 2, "ghp_…", replaced=False).sentence
    assert sent == ".env, line 2: looks like a GitHub key (ghp_…), and is sent with the request"
    gone = SecretPlace("password", "question", 1, "", replaced=True).sentence
    assert gone == "question, line 1: a password was replaced before sending"


def test_a_guard_that_is_off_costs_and_says_nothing():
    builder = fake_builder(WORD_MODEL)
    assert isinstance(builder.guard, SecretGuard)
    prepared = prepare_turn(
        Conversation("talk", attached=(artifact("a", TEXT),)),
        Ask(ContextSettings(model=WORD_MODEL.name)),
        builder,
    )
    assert secret_places(prepared.built, prepared.secrets) == ()
