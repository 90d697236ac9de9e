"""Shares: every token belongs to a segment, and they sum to the total."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tests.fakes.real_encodings import GPT_4O, O200K
from tests.fakes.served import framed, teach
from tests.fakes.tokenizer import WordTokenizer
from tests.fakes.turns import segment, wire, word_counter
from workbench.context.count.counting import RfcCounter, TokenizerCounter
from workbench.context.count.measure import is_exact, segment_cost, token_shares, without_negative_counts
from workbench.domain.message import Image, ToolCall
from workbench.domain.tool import ToolDefinition

MESSAGES = (wire("u", "user", "one two"), wire("a", "assistant", "three"))


def test_the_raw_cost_is_that_of_all_messages_together():
    assert word_counter().raw_cost(MESSAGES) == (4 + 2) + (4 + 1)


def test_framing_goes_to_the_first_segment_and_the_opening_to_the_last():
    parts = wire("u", "user", segment("x", "one two\n"), segment("y", "three"))
    assert token_shares([parts], word_counter()) == [4 + 3, 1 + 2]


def test_no_message_costs_nothing():
    assert token_shares([], word_counter()) == []


@given(texts=st.lists(st.text(max_size=40), min_size=1, max_size=8))
def test_shares_of_a_margin_sum_to_the_margin_on_the_sum(texts: list[str]):
    counter = RfcCounter()
    messages = [wire(str(n), "user", text) for n, text in enumerate(texts)]
    shares = token_shares(messages, counter)
    assert sum(shares) == counter.total(counter.raw_cost(messages))
    assert min(shares) >= 0


def test_plain_messages_of_a_known_model_are_exact():
    assert is_exact(MESSAGES, (), word_counter())


def test_what_the_provider_frames_in_its_own_way_is_an_estimate():
    counter = word_counter()
    called = wire("a", "assistant", segment("a", tool_calls=(ToolCall("c", "f", "{}"),)))
    shown = wire("u", "user", segment("u", images=(Image("d", 85),)))
    answered = wire("r", "tool", segment("r", tool_call_id="c"))
    assert [is_exact([one], (), counter) for one in (called, shown, answered)] == [False, False, False]
    assert not is_exact(MESSAGES, (ToolDefinition("read"),), counter)


def test_an_estimate_stays_one():
    assert not is_exact(MESSAGES, (), RfcCounter())


def test_a_segment_is_priced_by_its_own_text():
    counter = word_counter()
    assert segment_cost(segment("s", "one two", lead="head\n"), counter) == WordTokenizer().count("one two")


def test_a_text_that_saves_the_one_before_it_a_token_costs_nothing():
    """ ".*;" is two tokens and ".*;" with a blank line one: the empty message after it would cost -1."""
    counter = TokenizerCounter(O200K, GPT_4O)
    merged = wire("u", "user", segment("u", "java.util.*;"), segment("v", "", lead="\n\n"), merged=True)
    shares = token_shares([merged, wire("a", "assistant", "ok")], counter)
    assert (counter.costs(merged)[1], shares[1]) == (-1, 0)
    assert sum(shares) == counter.raw_cost([merged, wire("a", "assistant", "ok")]) + counter.reply_cost


def test_a_guess_is_not_exact_until_it_is_a_count():
    counter = framed()
    request = (wire("s", "system", "rules"), wire("u", "user", "internationalisation"))
    counter.raw_cost(request)
    assert counter.exact
    assert not is_exact(request, (), counter)
    teach(counter)
    assert is_exact(request, (), counter)
    assert not is_exact(request[1:], (), counter)
    assert not is_exact(request, (ToolDefinition("read"),), counter)


def test_debts_are_paid_by_what_stands_before():
    assert without_negative_counts([3, -1, 2, -2]) == [2, 0, 0, 0]
    assert without_negative_counts([3, 1]) == [3, 1]
    assert without_negative_counts([]) == []
