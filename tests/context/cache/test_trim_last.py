"""The plain way that our layouts are compared with."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from tests.fakes.turns import RENDERERS, artifact, assistant, turn_inputs, user, word_counter
from workbench.context.assemble import Assembly
from workbench.context.cache.shares import trim_last
from workbench.domain.envelope import Envelope
from workbench.domain.message import Message
from workbench.domain.settings.context_settings import ContextSettings, FilterSettings, HistorySettings
from workbench.domain.turn import Tuning, TurnInputs

SETTINGS = ContextSettings(
    model="word-1", context_window=120, reserved_output_tokens=20, system_prompt="Be brief.",
    history=HistorySettings(threshold=0.8),
)  # fmt: skip


def said(exchanges: int, words: int = 3) -> tuple[Message, ...]:
    text = " ".join(["word"] * words)
    pairs = ((user(f"q{n}", text), assistant(f"a{n}", text)) for n in range(exchanges))
    return tuple(message for pair in pairs for message in pair)


def plain(inputs: TurnInputs) -> Envelope:
    return trim_last(inputs, Assembly(word_counter(), RENDERERS))


def test_all_files_stand_before_the_conversation_in_full():
    files = (artifact("a.md", "Alpha beta."), artifact("b.md", "Gamma."))
    envelope = plain(turn_inputs(SETTINGS, attached=files, history=said(1), question=user("q", "Well?")))
    system, first, answer, question = envelope.messages
    assert (system.role, first.role, answer.role, question.content) == (
        "system",
        "user",
        "assistant",
        "Well?",
    )
    assert system.content.index("Alpha beta.") < system.content.index("Gamma.")
    assert sum(layer.total_tokens for layer in envelope.layers) == envelope.total_tokens


def test_only_the_newest_messages_that_fit_are_sent_and_they_begin_with_a_question():
    envelope = plain(turn_inputs(SETTINGS, history=said(20), question=user("q", "Well?")))
    assert envelope.budget.threshold_tokens is not None
    assert envelope.total_tokens <= envelope.budget.threshold_tokens
    assert envelope.messages[1].role == "user"
    assert [message.id for message in envelope.messages[-3:]] == ["q19", "a19", "q"]


def test_what_a_person_left_out_is_not_sent_this_way_either():
    tuning = Tuning(excluded=frozenset({"a.md", "a0"}))
    files = (artifact("a.md", "Alpha."),)
    envelope = plain(
        turn_inputs(SETTINGS, attached=files, history=said(2), question=user("q"), tuning=tuning)
    )
    assert "Alpha." not in envelope.messages[0].content
    bare = replace(SETTINGS, filters=FilterSettings(include_system=False))
    assert plain(turn_inputs(bare, question=user("q"))).messages[0].role == "user"


@given(st.integers(0, 40), st.integers(1, 60), st.integers(0, 4))
def test_it_is_within_its_threshold_wherever_the_rest_leaves_room(exchanges: int, words: int, files: int):
    attached = tuple(artifact(f"f{n}", "one two three") for n in range(files))
    history = said(exchanges, words)
    envelope = plain(turn_inputs(SETTINGS, attached=attached, history=history, question=user("q", "Well?")))
    alone = plain(turn_inputs(SETTINGS, attached=attached, question=user("q", "Well?")))
    limit = envelope.budget.threshold_tokens or 0
    assert envelope.total_tokens <= max(limit, alone.total_tokens)
    kept = [message.id for message in envelope.messages if message.role != "system"]
    assert kept == [*[message.id for message in history], "q"][len(history) + 1 - len(kept) :]
