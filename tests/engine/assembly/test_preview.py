"""The preview gives, keystroke by keystroke, the very report a full build would give."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.fakes.catalogue import WORD_MODEL, FakeCatalogue
from tests.fakes.clock import SteppingClock
from tests.fakes.effort import tries
from tests.fakes.real_encodings import O200K
from tests.fakes.tokenizer import WordTokenizer
from tests.fakes.turns import RENDERERS, artifact, assistant, fake_builder, selection, user
from tests.fakes.writing import RULES, SETTINGS, Writing
from workbench.domain.settings.context_settings import CompactionSettings, HistorySettings
from workbench.domain.tool import ToolDefinition
from workbench.engine.assembly.building import Preview
from workbench.engine.assembly.counters import Counters
from workbench.engine.assembly.prepare import Ask, Builder, Prepared, prepare_turn
from workbench.engine.conversation import Conversation, after_turn
from workbench.ports.counting import Tokenizer

WORDS = "word" + " word" * 99

# Short, long, and all that is near a limit or a cut that is not safe.
questions = st.one_of(
    st.none(),
    st.sampled_from(["", "a", "a b", "/a", "\na", "a\n", " ", WORDS, WORDS * 3]),
    st.text(alphabet="ab \n/.", max_size=8),
)
windows = st.sampled_from([None, 60, 130, 200, 320])
rules = st.sampled_from(RULES)
any_settings = st.builds(
    replace, st.just(SETTINGS), context_window=windows, history=rules,
    model=st.sampled_from(["word-1", "word-cached"]),
    counter=st.sampled_from(["exact", "exact", "rfc", "chars4"]),
    attachment_budget_tokens=st.sampled_from([None, None, 30]), freshness=st.sampled_from(["refresh", "freeze"]),
    layout=st.sampled_from(["layered", "layered", "append_only"]), edits=st.sampled_from(["full", "changes"]),
    compaction=st.just(CompactionSettings(100, 10, 2)), tools=st.sampled_from([(), (ToolDefinition("read"),)]),
)  # fmt: skip
artifacts = st.sampled_from(
    [
        artifact("a"),
        artifact("a", "changed"),
        artifact("b", WORDS),
        artifact("c", WORDS, priority=9),
        selection(),
    ]
)
typing = st.tuples(st.just("type"), questions)
steps = st.one_of(
    *[typing] * 8,
    st.tuples(st.just("attach"), artifacts),
    st.tuples(st.just("detach"), st.sampled_from(["a", "b", "c", "selection"])),
    st.tuples(st.just("settings"), any_settings),
    st.tuples(st.just("now"), st.sampled_from([None, "noon", "one"])),
    st.tuples(st.just("exclude"), st.sampled_from(["m0", "m1", "m2", "m3"])),
    st.tuples(st.just("trim"), st.integers(0, 4)),
    st.tuples(st.just("recall"), st.lists(st.sampled_from(["m0", "m1", "m2", "m3"]), unique=True)),
    st.tuples(st.just("send"), st.sampled_from(["ok", WORDS])),
)


def report(prepared: Prepared) -> dict[str, Any]:
    found = dict(prepared.report)
    found["metrics"] = {name: value for name, value in found["metrics"].items() if name != "build_ms"}
    return found


def check(writing: Writing, actions: list[tuple[str, Any]]) -> None:
    for action, what in actions:
        writing.do(action, what)
        shown, built = writing.shown_and_built()
        assert report(shown) == report(built)
        assert shown.report["violations"] == []


@settings(max_examples=tries(250))
@given(actions=st.lists(steps, max_size=12))
def test_every_step_of_writing_shows_the_report_of_a_full_build(actions: list[tuple[str, Any]]):
    check(Writing(fake_builder(), fake_builder), actions)


def exact_builder(tokenizer: Tokenizer = O200K) -> Builder:
    return Builder(FakeCatalogue(), Counters(lambda name: tokenizer), SteppingClock(), RENDERERS)


@settings(max_examples=tries(50))
@given(actions=st.lists(steps, max_size=10))
def test_it_does_so_with_the_model_s_own_tokens(actions: list[tuple[str, Any]]):
    check(Writing(exact_builder(), exact_builder), actions)


def test_crossing_a_limit_while_typing_and_coming_back():
    writing = Writing(fake_builder(), fake_builder)
    writing.do("settings", replace(SETTINGS, context_window=200))
    check(writing, [("type", "q"), ("send", WORDS), ("attach", artifact("a", "word " * 40))])
    typed = [WORDS[:n] for n in range(0, len(WORDS), 25)]
    check(writing, [("type", text) for text in (*typed, *reversed(typed))])


def test_a_keystroke_counts_only_what_was_typed():
    tokenizer = WordTokenizer()
    preview = Preview(exact_builder(tokenizer))
    history = tuple(
        m for n in range(50) for m in (user(f"u{n}", f"{n} " + WORDS), assistant(f"a{n}", f"{n} " + WORDS))
    )
    conversation = Conversation("talk", history=history, attached=(artifact("a", WORDS),))
    wide = replace(SETTINGS, context_window=10**6)
    preview.prepare(conversation, Ask(wide, user("q", "a")))
    tokenizer.asked.clear()
    preview.prepare(conversation, Ask(wide, user("q", "ab")))
    assert sum(map(len, tokenizer.asked)) < 100


def test_a_keystroke_builds_no_message_but_the_last():
    preview = Preview(fake_builder(WORD_MODEL))
    conversation = Conversation("talk", history=(user("u"), assistant("a")))
    first, second = (preview.prepare(conversation, Ask(SETTINGS, user("q", text))) for text in ("a", "ab"))
    before, after = first.built.envelope.messages, second.built.envelope.messages
    assert [one is other for one, other in zip(before, after, strict=True)] == [True, True, True, False]


def test_the_same_request_asked_for_again_is_not_built_again():
    preview = Preview(fake_builder())
    conversation = Conversation("talk", history=(user("u"), assistant("a")))
    assert Preview(fake_builder()).last is None
    first = preview.prepare(conversation, Ask(SETTINGS))
    assert preview.last is first
    assert preview.unchanged(conversation, Ask(SETTINGS)) is first
    assert preview.unchanged(replace(conversation), Ask(SETTINGS)) is None
    assert preview.unchanged(conversation, Ask(SETTINGS, user("q"))) is None


def test_a_guess_and_a_secret_learned_since_are_built_again():
    builder = fake_builder()
    preview = Preview(builder)
    guess = replace(SETTINGS, counter="chars4")
    conversation = Conversation("talk", history=(user("u", "my-secret-key"),))
    preview.prepare(conversation, Ask(guess))
    assert preview.unchanged(conversation, Ask(guess)) is None
    preview.prepare(conversation, Ask(SETTINGS))
    assert preview.unchanged(conversation, Ask(SETTINGS)) is not None
    builder.neutraliser.hide("my-secret-key")
    assert preview.unchanged(conversation, Ask(SETTINGS)) is None


def test_typing_goes_on_from_a_request_that_was_built_elsewhere():
    preview = Preview(fake_builder())
    conversation, ask = (
        Conversation("talk", history=(user("u"), assistant("a"))),
        Ask(SETTINGS, user("q", "a")),
    )
    elsewhere = prepare_turn(conversation, ask, fake_builder())
    preview.keep(conversation, ask, elsewhere)
    typed = preview.retyped(conversation, Ask(SETTINGS, user("q", "ab")))
    assert typed is not None
    assert typed.built.envelope.messages[0] is elsewhere.built.envelope.messages[0]
    assert typed.previous is elsewhere.previous


def test_letters_in_a_request_that_must_be_cut_are_built_quickly_once_a_longer_question_was_looked_at():
    """Every letter in a chat that is trimmed with the next request was a build of everything."""
    builder = fake_builder()
    preview = Preview(builder)
    history = tuple(
        one for n in range(20) for one in (user(f"u{n}", "why"), assistant(f"a{n}", "word " * 20))
    )
    conversation = Conversation("talk", history=history)
    settings_ = replace(SETTINGS, context_window=400)

    def ask(text: str) -> Ask:
        return Ask(settings_, user("q", text))

    first = preview.prepare(conversation, ask("well"))
    assert first.built.envelope.cuts.forced
    assert preview.retyped(conversation, ask("well so")) is None
    longer = ask("well" + " x" * 10)
    assert preview.widen(conversation, longer, prepare_turn(conversation, longer, builder))
    quick = preview.retyped(conversation, ask("well so"))
    assert quick is not None
    assert report(quick) == report(prepare_turn(conversation, ask("well so"), builder))
    assert preview.retyped(conversation, ask("well" + " x" * 11)) is None
    much = ask("well" + " x" * 150)
    assert not preview.widen(conversation, much, prepare_turn(conversation, much, builder))


def test_the_first_letter_goes_on_from_a_request_that_was_expected():
    builder = fake_builder()
    preview, conversation = Preview(builder), Conversation("talk", history=(user("u", "why"),))
    preview.prepare(conversation, Ask(SETTINGS))
    asked = Ask(SETTINGS, user("q", "x"))
    preview.expect(conversation, asked, prepare_turn(conversation, asked, builder))
    first = Ask(SETTINGS, user("q", "w"))
    quick = preview.retyped(conversation, first)
    assert quick is not None
    assert report(quick) == report(prepare_turn(conversation, first, builder))


def test_a_log_begun_anew_for_its_size_is_not_retyped_from_a_long_question_to_a_short_one():
    """Its reason and its cut depend on the question: pasted and taken away, history stayed shown as cut."""
    builder = fake_builder()
    preview = Preview(builder)
    conversation = Conversation("talk")
    log = replace(
        SETTINGS, layout="append_only", context_window=130, history=HistorySettings(last_n_messages=4)
    )
    for number in range(3):
        asked = Ask(log, user(f"u{number}", "why is that so"))
        built = prepare_turn(conversation, asked, builder).built
        conversation = after_turn(conversation, built, [assistant(f"a{number}", "because it is so")])
    for text in ("well", WORDS[:400], "", "so", WORDS[:300], "so", "so it is"):
        ask = Ask(log, user("q", text) if text else None)
        shown = preview.prepare(conversation, ask)
        assert report(shown) == report(prepare_turn(conversation, ask, fake_builder()))


def test_a_keystroke_leaves_the_age_of_the_request_before():
    """Without it, prices of trials took a cache that has aged for a fresh one, from the second key on."""
    builder, talk = fake_builder(), Conversation("talk", history=(user("u"), assistant("a")))
    preview = Preview(builder)
    preview.prepare(talk, Ask(SETTINGS, user("q", "a"), age_s=90.0))
    typed = preview.retyped(talk, Ask(SETTINGS, user("q", "a b"), age_s=90.0))
    assert typed is not None
    built = prepare_turn(talk, Ask(SETTINGS, user("q", "a b"), age_s=90.0), builder)
    assert (typed.age_s, typed.forecast) == (90.0, built.forecast)
