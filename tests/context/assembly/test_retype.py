"""A changed question: the last message is built again, and only where nothing else can depend on it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from tests.fakes.served import FRAMING, framed, teach, untaught
from tests.fakes.turns import artifact, assistant, build, selection, user, word_counter
from workbench.context.assembly.retype import keeps_its_prefix, retype
from workbench.context.compare import compare
from workbench.context.count.counting import RfcCounter
from workbench.context.count.served import ServedCounter
from workbench.domain.change import Built, Divergence, PrefixChange
from workbench.domain.message import Image, Message
from workbench.domain.settings.context_settings import ContextSettings, HistorySettings

SETTINGS = ContextSettings(model="word-1", system_prompt="Be kind.", reserved_output_tokens=0)
TALK = (user("u"), assistant("a"))
WORDS = "word" + " word" * 99


def request(text: str, settings: ContextSettings = SETTINGS, **changes: Any) -> Built:
    return build(settings, history=TALK, question=user("q", text), **changes)


def facts(built: Built | None) -> Any:
    assert built is not None
    envelope = built.envelope
    layers = [(layer.name, layer.segments, layer.tokens) for layer in envelope.layers]
    messages = [(message.id, message.role, message.segments) for message in envelope.messages]
    return (built.inputs, layers, messages, envelope.total_tokens, envelope.cuts, envelope.exact)


@pytest.mark.parametrize("text", ["", "b", "two words", "/slash", "\nline", "a\n\n", " "])
@pytest.mark.parametrize(
    "around",
    [
        {},
        {"attached": (artifact("a"), selection())},
        {"now": "noon"},
        {"now": "noon", "attached": (artifact("a"),)},
    ],
    ids=["nothing", "artifacts", "time", "both"],
)
def test_it_is_the_request_a_full_build_gives(text: str, around: dict[str, Any]):
    before, after = request("before", **around), request(text, **around)
    assert facts(retype(before, user("q", text), word_counter())) == facts(after)


def test_what_stands_before_the_question_stays_the_same_object():
    before = request("before")
    after = retype(before, user("q", "after"), word_counter())
    assert after is not None
    assert all(
        one is other
        for one, other in zip(before.envelope.messages[:-1], after.envelope.messages[:-1], strict=True)
    )


def test_without_a_question_before_there_is_nothing_to_change():
    assert retype(build(SETTINGS), user("q"), word_counter()) is None


def test_a_picture_asks_for_a_full_build():
    assert retype(request("x"), Message("q", "user", ("x",), (Image("d"),)), word_counter()) is None


def test_an_estimate_with_a_margin_asks_for_a_full_build():
    before = request("x", counter=RfcCounter())
    assert retype(before, user("q", "y"), RfcCounter()) is None


def test_over_the_threshold_it_asks_for_a_full_build():
    small = replace(SETTINGS, context_window=100)
    assert retype(request("x", small), user("q", WORDS), word_counter()) is None


def test_back_under_the_threshold_it_asks_for_a_full_build_once():
    small = replace(SETTINGS, context_window=100)
    assert retype(request(WORDS, small), user("q", "x"), word_counter()) is None


def test_without_a_threshold_the_window_is_the_limit():
    never = replace(SETTINGS, context_window=100, history=HistorySettings(threshold=None))
    assert retype(request("x", never), user("q", WORDS), word_counter()) is None
    assert retype(request("x", never), user("q", "y"), word_counter()) is not None


def test_after_a_forced_cut_it_asks_for_a_full_build():
    """What was dropped may have room again; only the whole line can tell."""
    small = replace(SETTINGS, context_window=100)
    before = request("x", small, attached=(artifact("big", WORDS),))
    assert before.envelope.cuts.pruned
    assert retype(before, user("q", "y"), word_counter()) is None


def test_a_first_request_has_no_prefix_to_lose():
    assert keeps_its_prefix(None, request("x"), PrefixChange())


@pytest.mark.parametrize(
    ("layer", "keeps"),
    [("L1_SYSTEM", True), ("L2_PREVIOUS", True), ("L4_STRIP", True), ("L3_TURN", False), ("L5_USER", False)],
)
def test_a_divergence_before_the_last_message_stays_where_it_is(layer: Any, keeps: bool):
    change = PrefixChange("diverged", Divergence(layer, "x", 3))
    assert keeps_its_prefix(request("x"), request("y"), change) is keeps


def test_a_request_that_grew_by_messages_keeps_its_comparison():
    previous = build(SETTINGS, question=user("u"))
    assert keeps_its_prefix(previous, request("x"), PrefixChange("extended"))


def test_a_request_that_grew_by_letters_is_compared_again():
    change = compare(request("x"), request("xy"), word_counter())
    assert change.change == "extended"
    assert not keeps_its_prefix(request("x"), request("xyz"), change)


def served_request(text: str, counter: ServedCounter) -> Built:
    return request(text, counter=counter)


def test_with_a_server_s_counts_it_is_the_request_a_full_build_gives():
    counter = framed()
    served_request("before", counter), teach(counter)
    before = served_request("before", counter)
    assert before.envelope.exact
    typed = retype(before, user("q", "after"), counter)
    assert typed is not None
    assert not typed.envelope.exact  # the new text is a guess until the server has counted it
    assert facts(typed) == facts(served_request("after", counter))
    teach(counter)
    again = retype(before, user("q", "after"), counter)
    assert again is not None
    assert again.envelope.exact
    assert facts(again) == facts(served_request("after", counter))


def test_a_template_that_became_known_asks_for_a_full_build():
    counter = untaught()
    before = served_request("before", counter)
    assert retype(before, user("q", "after"), counter) is not None
    longer = (("system", "<|s|>the system says\n"), *FRAMING.heads[1:])
    counter.frame(replace(FRAMING, heads=longer))
    assert retype(before, user("q", "after"), counter) is None


def test_guesses_that_became_counts_ask_for_a_full_build():
    """The rest of the request was built with estimates; keeping them beside exact counts would be neither."""
    counter = framed()
    before = served_request("internationalisation", counter)
    teach(counter)
    assert retype(before, user("q", "internationalisation!"), counter) is None
