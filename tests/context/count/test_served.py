"""A request priced by its server: exact once everything was learned, honest before, quick in between."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.fakes.catalogue import WORD_MODEL
from tests.fakes.effort import tries
from tests.fakes.served import FRAMING, framed, gpt2_count, prompt_of, teach, untaught
from tests.fakes.tokenizer import WordTokenizer
from tests.fakes.turns import segment, wire, word_counter
from workbench.context.count.served import ServedCounter, ServedCounts, is_strict_cut
from workbench.domain.envelope import WireMessage
from workbench.domain.message import ROLES, Image, ToolCall
from workbench.domain.tool import ToolDefinition

SYSTEM = wire("s", "system", "Be kind.\n")
QUESTION = wire(
    "u", "user", segment("f", "<file>\ntext\n</file>\n"), segment("q", "What now?", lead="[Query]:\n")
)

texts = st.lists(
    st.sampled_from(["a", "word ", "\n", " ", "/", "é", "漢", "😀", "12", ").\n", "\n\n", "#", "'s", ""]),
    max_size=6,
).map("".join)


@st.composite
def messages(draw: st.DrawFn) -> WireMessage:
    role = draw(st.sampled_from(ROLES))
    bodies = draw(st.lists(texts, min_size=1, max_size=4))
    if role == "tool":
        return wire("m", role, *(segment(f"r{n}", b, tool_call_id=f"c{n}") for n, b in enumerate(bodies)))
    leads = ["", *draw(st.lists(st.sampled_from(["", "\n\n", "head\n"]), min_size=3, max_size=3))]
    return wire("m", role, *(segment(f"s{n}", body, lead=leads[n]) for n, body in enumerate(bodies)))


def taught(*request: WireMessage) -> ServedCounter:
    counter = framed()
    for _ in range(2):
        for message in request:
            counter.costs(message)
        teach(counter)
    return counter


@settings(max_examples=tries(300))
@given(rest=st.lists(messages(), max_size=3))
def test_what_was_learned_adds_up_to_what_the_server_counts(rest: list[WireMessage]):
    request = (SYSTEM, *rest, QUESTION)
    counter = taught(*request)
    assert counter.missing() == ()
    total = sum(sum(counter.costs(message)) for message in request) + counter.reply_cost
    assert total == gpt2_count(prompt_of(request))
    assert counter.knows(request)
    assert all(min(counter.costs(message)) >= 0 for message in request)


def test_one_round_of_questions_is_enough():
    counter = framed()
    for message in (SYSTEM, QUESTION):
        counter.costs(message)
    assert teach(counter) == (
        "<|s|>system\n", "Be kind.\n", "<|e|>\n",
        "<|s|>user\n", "<file>\ntext\n</file>\n", "[Query]:\nWhat now?", "<|s|>assistant\n",
    )  # fmt: skip
    assert counter.knows((SYSTEM, QUESTION))


def test_typing_asks_for_the_changed_segment_only():
    counter = taught(SYSTEM, QUESTION)
    typed = wire("u", "user", QUESTION.segments[0], segment("q", "What now? And", lead="[Query]:\n"))
    counter.costs(SYSTEM)
    counter.costs(typed)
    assert counter.missing() == ("[Query]:\nWhat now? And",)


def test_before_the_server_was_asked_counts_are_those_of_the_nearest_encoding():
    counter, words = untaught(), word_counter()
    assert counter.costs(QUESTION) == words.costs(QUESTION)
    assert counter.reply_cost == words.reply_cost
    assert (counter.exact, counter.framed, counter.knows((SYSTEM, QUESTION))) == (False, False, False)
    assert counter.missing() == ()


def test_a_server_whose_template_has_no_parts_leaves_estimates():
    counter = untaught()
    counter.frame(None)
    assert (counter.framed, counter.exact) == (True, False)
    assert counter.costs(QUESTION) == word_counter().costs(QUESTION)
    assert counter.missing() == ()


def test_estimates_are_replaced_when_the_counts_come():
    counter = framed()
    message = wire("u", "user", "internationalisation")
    guess = counter.costs(message)
    assert not counter.knows((SYSTEM, message))
    teach(counter)
    assert counter.costs(message) != guess
    assert counter.costs(message) == (gpt2_count("<|s|>user\ninternationalisation<|e|>\n"),)


def test_a_new_framing_replaces_the_old():
    counter = taught(QUESTION)
    before = counter.costs(QUESTION)
    counter.frame(None)
    assert counter.costs(QUESTION) != before
    counter.frame(FRAMING)
    assert counter.costs(QUESTION) == before


def test_a_request_without_a_system_message_is_not_known_where_the_template_writes_one():
    counter = taught(SYSTEM, QUESTION)
    assert counter.knows((SYSTEM, QUESTION))
    assert not counter.knows((QUESTION,))
    assert not counter.knows(())


def test_a_request_that_ends_with_the_beginning_of_the_answer_is_not_known():
    """It is neither closed nor opened anew, which only the whole prompt tells."""
    begun = wire("a", "assistant", "Once upon")
    counter = taught(SYSTEM, QUESTION, begun)
    assert not counter.knows((SYSTEM, QUESTION, begun))


def test_calls_and_pictures_are_estimates():
    call = wire("a", "assistant", segment("a", "x", tool_calls=(ToolCall("c", "read", "{}"),)))
    picture = wire("u", "user", segment("u", "x", images=(Image("d", 85),)))
    counter = taught(SYSTEM, call, picture)
    assert not counter.knows((SYSTEM, call))
    assert not counter.knows((SYSTEM, picture))


def test_a_message_is_priced_once():
    counter = taught(SYSTEM, QUESTION)
    assert counter.costs(QUESTION) is counter.costs(QUESTION)


def test_a_control_token_is_a_cut():
    """Text that does not end a line, before the template's end of message: what follows cannot change its count."""
    counter = taught(wire("u", "user", "no line end"))
    assert "no line end" in counter._counts._hot


def test_tools_are_estimated():
    tool = ToolDefinition("read", "reads a file", "{}")
    assert framed().tool_tokens(tool) == word_counter().tool_tokens(tool)


def test_what_is_common_is_known_for_whole_segments_and_estimated_after_them():
    counter = taught(SYSTEM, QUESTION)
    other = wire("u", "user", QUESTION.segments[0], segment("q", "Quite else", lead="[Query]:\n"))
    counter.costs(other), teach(counter)
    shared = counter.common_cost(QUESTION, other)
    assert counter.costs(QUESTION)[0] <= shared < sum(counter.costs(QUESTION))
    assert counter.common_cost(QUESTION, QUESTION) == sum(counter.costs(QUESTION))
    assert counter.common_cost(QUESTION, SYSTEM) == 0
    assert shared == counter.common_cost(other, QUESTION)


@given(left=texts, right=texts)
def test_a_strict_cut_never_changes_the_count(left: str, right: str):
    if is_strict_cut(left, right):
        assert gpt2_count(left + right) == gpt2_count(left) + gpt2_count(right)


def test_a_blank_line_is_no_strict_cut():
    """GPT-2's pattern takes two line feeds as one piece at the end of a text, and as two before a word."""
    assert gpt2_count("a\n\nb") != gpt2_count("a\n\n") + gpt2_count("b")
    assert not is_strict_cut("a\n\n", "b")
    assert not is_strict_cut("a\n", " b")
    assert not is_strict_cut("a\n", "/b")
    assert not is_strict_cut("a", "b")
    assert not is_strict_cut("", "b")
    assert is_strict_cut("\n", "b")
    assert is_strict_cut("a\n", "b")


def test_it_says_what_kind_of_counter_it_is():
    assert (ServedCounter.additive, untaught().settled, framed().settled) == (True, True, False)
    assert framed().total(7) == 7
    assert not WORD_MODEL.tokenizer.startswith("server:")


def test_a_counter_apart_gives_the_same_costs_and_asks_for_itself():
    counts = ServedCounts(WordTokenizer())
    counter = ServedCounter(counts, word_counter())
    counter.frame(FRAMING)
    counter.costs(QUESTION)
    teach(counter)
    apart = counter.copy(counts.copy(WordTokenizer()), word_counter())
    assert apart.costs(QUESTION) == counter.costs(QUESTION)
    apart.costs(SYSTEM)
    assert (bool(apart.missing()), counter.missing()) == (True, ())
    alone = untaught().copy(counts, word_counter())
    assert (alone.framed, alone.exact) == (False, False)
