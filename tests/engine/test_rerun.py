"""Playing a chat again builds only the requests that matter, and gives what building all of them gives."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from hypothesis import example, given
from hypothesis import strategies as st

from tests.fakes.turns import fake_builder
from workbench.domain.files.attachment import Artifact
from workbench.domain.message import Message
from workbench.domain.settings.context_settings import ContextSettings
from workbench.domain.turn import Tuning, TurnInputs
from workbench.domain.variant import Variant
from workbench.engine.assembly.prepare import Ask, Builder, prepare_turn
from workbench.engine.conversation import Conversation, after_turn
from workbench.engine.rerun import Rerun

WORDS = ("the", "log", "says", "that", "the", "clock", "of", "the", "server", "stands", "still")
FILES = tuple(Artifact(f"{name}.md", "file", f"About {name}.\n" * 6) for name in ("one", "two", "three"))


class EveryRequest(Rerun):
    """Builds the request of every turn."""

    def _goes_on(self, asked: TurnInputs, at: str) -> bool:
        return False


def a_chat(
    steps: list[tuple[int, int, int, int]], settings: ContextSettings, builder: Builder
) -> tuple[list[TurnInputs], list[str]]:
    """A chat as it was held: words of question and answer, what is done before it, minutes until it."""
    chat, minute = Conversation("talk"), 0
    turns, times = [], []
    for number, (asked, answered, change, pause) in enumerate(steps):
        attached = chat.attached
        if change < len(FILES):
            key = FILES[change].key
            held = [one for one in attached if one.key != key]
            attached = tuple(held) if len(held) < len(attached) else (*attached, FILES[change])
        tuning = Tuning(pinned=frozenset({"q0"})) if change == len(FILES) else chat.tuning
        chat = replace(chat, attached=attached, tuning=tuning)
        question = Message(f"q{number}", "user", (said(number, asked),))
        minute += pause
        at = f"2026-11-{1 + minute // 1440:02d}T{minute // 60 % 24:02d}:{minute % 60:02d}:00+00:00"
        built = prepare_turn(chat, Ask(settings, question), builder).built
        turns.append(built.inputs)
        times.append(at)
        chat = after_turn(
            chat, built, [Message(f"a{number}", "assistant", (said(number + 1, answered),))], at
        )
    return turns, times


def said(start: int, words: int) -> str:
    return " ".join(WORDS[(start + place) % len(WORDS)] for place in range(words))


CHANGES = (0, 1, 2, 3, *[9] * 40)
STEPS = st.tuples(
    st.integers(1, 30), st.integers(1, 60), st.sampled_from(CHANGES), st.sampled_from([1] * 12 + [90])
)
PATCHES: dict[str, Any] = {
    "layout": st.sampled_from(["layered", "append_only"]),
    "context_window": st.sampled_from([150, 400, 900, 1500, 2500]),
    "history.when_full": st.sampled_from(["placeholders", "exchanges"]),
    "counter": st.sampled_from(["exact", "rfc"]),
    "model": st.sampled_from(["word-1", "word-cached"]),
    "history.keep_last_n_assistant": st.sampled_from([0, 2, 10]),
}


@example(
    # All of history left, and the line about that makes the request a token too large for a file to stay.
    [*[(1, 1, 0, 1)] * 6, (1, 1, 1, 1), (1, 1, 0, 1), (15, 1, 9, 1), (29, 1, 9, 1), *[(1, 1, 0, 1)] * 2],
    {"context_window": 150, "history.when_full": "exchanges", "layout": "append_only"},
)
@given(st.lists(STEPS, min_size=2, max_size=30), st.fixed_dictionaries({}, optional=PATCHES))
def test_what_is_passed_by_changes_nothing(steps: list[tuple[int, int, int, int]], patch: dict[str, Any]):
    builder = fake_builder()
    turns, times = a_chat(steps, ContextSettings(context_window=900, reserved_output_tokens=50), builder)
    variant = Variant("other", patch)
    quick, slow = Rerun(builder, variant), EveryRequest(builder, variant)
    found, wanted = quick.play(turns, times), slow.play(turns, times)
    assert [(one.role, one.content) for one in found.built.envelope.messages] == [
        (one.role, one.content) for one in wanted.built.envelope.messages
    ]
    assert found.built.envelope.total_tokens == wanted.built.envelope.total_tokens
    assert found.built.envelope.cuts == wanted.built.envelope.cuts
    assert found.forecast == wanted.forecast
    assert found.report["violations"] == wanted.report["violations"] == []
    assert quick.conversation.library == slow.conversation.library
    assert quick.conversation.trim == slow.conversation.trim


def test_a_long_chat_that_fits_is_built_a_few_times():
    builder = fake_builder()
    steps = [(3, 5, 9, 1)] * 200
    turns, times = a_chat(steps, ContextSettings(context_window=100_000), builder)
    rerun = Rerun(builder, Variant("other", {"context_window": 50_000}))
    rerun.play(turns, times)
    assert len(rerun.played) == 199
    assert rerun.built < 10


def test_it_stops_at_a_turn_that_is_cut_so_that_others_have_a_turn():
    builder = fake_builder()
    turns, times = a_chat([(9, 20, 9, 1)] * 40, ContextSettings(context_window=9000), builder)
    for layout in ("layered", "append_only"):
        patch = {"context_window": 700, "history.when_full": "exchanges", "layout": layout}
        rerun, stops = Rerun(builder, Variant("small", patch)), 0
        rest = iter([(place, asked, at) for place, (asked, at) in enumerate(zip(turns, times, strict=True))])
        while rerun.go_on(rest):
            stops += 1
        assert len(rerun.played) == 40
        assert rerun.built + 2 < stops


def test_one_that_goes_on_from_where_it_stood_is_as_one_that_was_played_at_once():
    builder = fake_builder()
    turns, times = a_chat([(9, 20, 9, 1)] * 30, ContextSettings(context_window=4000), builder)
    variant = Variant("small", {"context_window": 400})
    once, often = Rerun(builder, variant), Rerun(builder, variant)
    for place, (asked, at) in enumerate(zip(turns[:-1], times, strict=False)):
        often.ask(asked, at)
        often.take(place, asked, at)
    shown = often.ask(turns[-1], times[-1])
    assert once.play(turns, times).built.envelope.total_tokens == shown.built.envelope.total_tokens


def test_a_text_that_is_longer_when_it_is_sent_is_not_passed_by():
    builder = fake_builder()
    builder.neutraliser.hide("secretly")
    chat, turns, times = Conversation("talk"), [], []
    for number in range(16):
        question = Message(f"q{number}", "user", ("What now?",))
        built = prepare_turn(chat, Ask(ContextSettings(context_window=50_000), question), builder).built
        at = f"2026-11-01T00:{number:02d}:00+00:00"
        turns.append(built.inputs)
        times.append(at)
        chat = after_turn(chat, built, [Message(f"a{number}", "assistant", ("secretly " * 12,))], at)
    variant = Variant("small", {"context_window": 900, "reserved_output_tokens": 0})
    quick, slow = Rerun(builder, variant), EveryRequest(builder, variant)
    found, wanted = quick.play(turns, times), slow.play(turns, times)
    assert wanted.built.envelope.cuts.trimmed_messages
    assert found.built.envelope.cuts == wanted.built.envelope.cuts


def test_who_builds_for_it_may_change_between_turns():
    """One that is made for another model counts with its tokenizer, and knows what must not go out to it."""
    first, second = fake_builder(), fake_builder()
    second.neutraliser.hide("secretly")
    turns, times = a_chat([(9, 20, 9, 1)] * 6, ContextSettings(context_window=5000), first)
    rerun = Rerun(first, Variant("other", {"context_window": 4000}))
    for place, (asked, at) in enumerate(zip(turns[:-1], times, strict=False)):
        rerun.take(place, asked, at)
    rerun.builder = second
    asked = replace(turns[-1], question=Message("q5", "user", ("secretly",)))
    shown = rerun.ask(asked, times[-1])
    assert "secretly" not in shown.built.envelope.messages[-1].content
