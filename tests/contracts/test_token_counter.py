"""What every way of pricing a request does."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.fakes.counter import LetterCounter
from tests.fakes.effort import tries
from tests.fakes.real_encodings import GPT_4O, O200K
from tests.fakes.served import framed, untaught
from tests.fakes.turns import segment, wire, word_counter
from workbench.context.count.counting import CharsCounter, RfcCounter, TokenizerCounter
from workbench.context.count.memo import CountMemo
from workbench.domain.envelope import WireMessage
from workbench.domain.message import Image, Role, ToolCall
from workbench.domain.tool import ToolDefinition
from workbench.ports.counting import TokenCounter

COUNTERS = {
    "exact": TokenizerCounter(O200K, GPT_4O),
    "remembering": TokenizerCounter(CountMemo(O200K), GPT_4O),
    "words": word_counter(),
    "rfc": RfcCounter(),
    "chars4": CharsCounter(),
    "letters": LetterCounter(),
    "served": framed(),
    "not asked yet": untaught(),
}
every_counter = pytest.mark.parametrize("counter", COUNTERS.values(), ids=COUNTERS)
few = settings(max_examples=tries(30))

texts = st.lists(
    st.sampled_from(["a", "word ", "\n", " ", "/", "é", "漢", "😀", "12", ").\n", ""]), max_size=6
).map("".join)
ROLES: tuple[Role, ...] = ("system", "user", "assistant")


@st.composite
def messages(draw: st.DrawFn) -> WireMessage:
    """A message of any shape that a request may hold."""
    role = draw(st.sampled_from((*ROLES, "tool")))
    bodies = draw(st.lists(texts, min_size=1, max_size=4))
    if role == "tool":
        parts = [segment(f"r{n}", text, tool_call_id=f"c{n}") for n, text in enumerate(bodies)]
    else:
        leads = ["", *draw(st.lists(st.sampled_from(["", "\n\n", "head\n"]), min_size=3, max_size=3))]
        parts = [segment(f"s{n}", text, lead=leads[n]) for n, text in enumerate(bodies)]
        parts[0] = segment("s0", bodies[0], **draw(st.sampled_from(NATIVE)))
    return wire("m", role, *parts)


CALL: dict[str, Any] = {"tool_calls": (ToolCall("c", "read", '{"a": 1}'),)}
PICTURE: dict[str, Any] = {"images": (Image("d", 85),)}
NATIVE: list[dict[str, Any]] = [{}, CALL, PICTURE]


@every_counter
@few
@given(message=messages())
def test_every_segment_has_a_cost_and_none_is_negative(counter: TokenCounter, message: WireMessage):
    costs = counter.costs(message)
    assert len(costs) == len(message.segments)
    assert min(costs) >= 0


@every_counter
@few
@given(message=messages())
def test_an_equal_message_costs_the_same(counter: TokenCounter, message: WireMessage):
    again = wire("other id", message.role, *message.segments, merged=message.merged)
    assert counter.costs(message) == counter.costs(again)


@every_counter
@few
@given(left=messages(), right=messages())
def test_two_messages_share_no_more_than_either_costs(
    counter: TokenCounter, left: WireMessage, right: WireMessage
):
    shared = counter.common_cost(left, right)
    assert 0 <= shared <= min(sum(counter.costs(left)), sum(counter.costs(right)))


@every_counter
@few
@given(left=messages(), right=messages())
def test_what_is_shared_is_the_same_from_both_sides(
    counter: TokenCounter, left: WireMessage, right: WireMessage
):
    assert counter.common_cost(left, right) == counter.common_cost(right, left)


@every_counter
@few
@given(message=messages(), other=messages())
def test_a_message_shares_most_with_itself(counter: TokenCounter, message: WireMessage, other: WireMessage):
    assert counter.common_cost(message, message) >= counter.common_cost(message, other)


@every_counter
@pytest.mark.parametrize("text", ["word " * 40, "line\n" * 40])
def test_an_equal_message_shares_all_but_its_end(counter: TokenCounter, text: str):
    """What closes a message, and a rounded-up last token, are not shared until the message is known to be over."""
    message = wire("m", "user", text)
    assert sum(counter.costs(message)) - counter.common_cost(message, message) in (0, 1)


@every_counter
def test_the_total_grows_with_the_sum(counter: TokenCounter):
    totals = [counter.total(raw) for raw in range(500)]
    assert totals[0] == 0
    assert all(less <= more for less, more in pairwise(totals))


@every_counter
def test_additive_costs_are_tokens_already(counter: TokenCounter):
    assert counter.additive == all(counter.total(raw) == raw for raw in range(500))


@every_counter
def test_a_margin_never_takes_away(counter: TokenCounter):
    assert all(counter.total(raw) >= raw for raw in range(500))


@every_counter
def test_a_tool_costs_something_and_a_longer_one_no_less(counter: TokenCounter):
    short, long = ToolDefinition("read"), ToolDefinition("read", "reads a file " * 10, '{"type":"object"}')
    assert 0 < counter.tool_tokens(short) <= counter.tool_tokens(long)


@every_counter
def test_opening_the_answer_is_never_negative(counter: TokenCounter):
    assert counter.reply_cost >= 0
