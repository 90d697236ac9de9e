"""Counting: sums that are exact wherever the cut falls, and estimates to the token."""

from __future__ import annotations

import gc
from weakref import ref

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.fakes.catalogue import WORD_MODEL
from tests.fakes.effort import tries
from tests.fakes.real_encodings import CL100K, GPT_4O, O200K
from tests.fakes.tokenizer import WordTokenizer
from tests.fakes.turns import segment, wire, word_counter
from workbench.context.count.counting import CharsCounter, RfcCounter, TokenizerCounter, joined_costs
from workbench.domain.envelope import WireMessage
from workbench.domain.message import Image, ToolCall
from workbench.domain.segment import Segment
from workbench.domain.tool import ToolDefinition
from workbench.providers.tokenizer import TiktokenTokenizer

# fmt: off
PIECES = [
    "\n", "\n\n", "\r\n", "\r", " \n", "\n ", " ", "  ", "\t", "\xa0", "/", "//", "/\n", "!\n", ");\n", "}\n/", "'",
    "s", "'LL", "a", "Word", " word", "HTTP", "é", "\u0301", "12", "345", "漢字", "😀", "\u200d", "<|endoftext|>", "",
]
# fmt: on
pieces = st.lists(st.sampled_from(PIECES), max_size=4).map("".join)
cut_texts = st.lists(st.tuples(pieces, pieces), min_size=1, max_size=6)
BYTES_400 = "x" * 400


def rfc(*messages: WireMessage) -> int:
    counter = RfcCounter()
    return counter.total(sum(sum(counter.costs(message)) for message in messages))


@pytest.mark.parametrize("tokenizer", [CL100K, O200K], ids=lambda one: one.name)
@settings(max_examples=tries(200))
@given(texts=cut_texts)
def test_segments_sum_to_the_joined_text_wherever_it_is_cut(
    tokenizer: TiktokenTokenizer, texts: list[tuple[str, str]]
):
    costs, _ = joined_costs(texts, tokenizer.count)
    assert sum(costs) == tokenizer.count("".join(lead + text for lead, text in texts))
    assert len(costs) == len(texts)


@settings(max_examples=tries(100))
@given(texts=cut_texts, more=st.tuples(pieces, pieces))
def test_what_follows_does_not_change_a_segment_s_price(texts: list[tuple[str, str]], more: tuple[str, str]):
    alone, open_line = joined_costs(texts, O200K.count)
    more_costs, _ = joined_costs([more], O200K.count, open_line)
    assert joined_costs([*texts, more], O200K.count)[0] == [*alone, *more_costs]


def test_segments_that_end_their_line_are_counted_by_themselves():
    """Then their counts are found in the memo, and a keystroke does not count the library again."""
    tokenizer = WordTokenizer()
    joined_costs([("", "one\n"), ("head\n", "two\n"), ("", "three")], tokenizer.count)
    assert tokenizer.asked == ["one\n", "head\n", "two\n", "three"]


def test_a_message_costs_its_framing_its_role_and_its_text():
    assert word_counter().costs(wire("m", "user", "one two")) == (3 + 1 + 2,)


def test_each_result_of_a_merged_group_is_a_message_on_the_wire():
    results = (segment("r1", "one", tool_call_id="c1"), segment("r2", "two three", tool_call_id="c2"))
    assert word_counter().costs(wire("r1", "tool", *results, merged=True)) == (4 + 1, 4 + 2)


def test_calls_and_pictures_cost_extra():
    called = segment("m", "one", tool_calls=(ToolCall("c", "read", "a b"),))
    assert word_counter().costs(wire("m", "assistant", called)) == (4 + 1 + 8 + 1 + 2,)
    shown = segment("m", "one", images=(Image("d", 85), Image("e")))
    assert word_counter().costs(wire("m", "user", shown)) == (4 + 1 + 85 + 765,)


def test_a_message_is_counted_once():
    tokenizer = WordTokenizer()
    counter, message = TokenizerCounter(tokenizer, WORD_MODEL), wire("m", "user", "one two")
    assert counter.costs(message) == counter.costs(message)
    assert tokenizer.asked.count("one two") == 1


def test_the_exact_count_of_openai_s_chat_format():
    """Their cookbook: 3 a message, the role and the content, 3 to open the answer."""
    counter = TokenizerCounter(O200K, GPT_4O)
    messages = [wire("s", "system", "You are terse."), wire("u", "user", "Hello world")]
    assert sum(sum(counter.costs(message)) for message in messages) + counter.reply_cost == 17


def test_a_message_that_differs_shares_its_opening_and_its_start():
    left, right = wire("m", "user", "one two three"), wire("m", "user", "one two four")
    assert word_counter().common_cost(left, right) == 4 - 1 + 2


def test_messages_of_different_roles_share_nothing():
    for counter in (word_counter(), RfcCounter(), CharsCounter()):
        assert counter.common_cost(wire("m", "user", "same"), wire("m", "assistant", "same")) == 0


@settings(max_examples=tries(150))
@given(shared=cut_texts, left=pieces, right=pieces, tail=pieces)
def test_shared_tokens_are_those_of_the_joined_texts(
    shared: list[tuple[str, str]], left: str, right: str, tail: str
):
    """Also where the last shared segment does not end its line, as a system prompt before the library."""
    start = [segment(str(n), text, lead=lead) for n, (lead, text) in enumerate(shared)]
    one = wire("m", "user", *start, segment("x", left), segment("y", tail))
    other = wire("m", "user", *start, segment("x", right), segment("y", tail))
    opening = GPT_4O.message_tokens + 1 - 1
    found = TokenizerCounter(O200K, GPT_4O).common_cost(one, other)
    assert found == opening + O200K.common_prefix(one.content, other.content)


@pytest.mark.parametrize(
    ("messages", "tokens"),
    [
        ([wire("m", "user", "Hello world")], 13),
        ([wire("m", "user", "Hello"), wire("n", "assistant", "World")], 21),
        ([wire("r", "tool", segment("r", BYTES_400, tool_call_id="c"))], 141),
        ([], 0),
    ],
    ids=["Hello world", "two messages", "400-byte result", "nothing"],
)
def test_the_rfc_s_own_numbers(messages: list[WireMessage], tokens: int):
    assert rfc(*messages) == tokens


def test_an_rfc_call_is_its_name_its_arguments_and_30_bytes():
    called = segment("m", "", tool_calls=(ToolCall("c", "read", '{"a":1}'),))
    # (4 + 7 + 30) / 3.5 up is 12, 3 for the part, 8 for the message.
    assert RfcCounter().costs(wire("m", "assistant", called)) == (23,)


def test_an_rfc_message_of_one_string_shares_its_bytes_among_its_segments():
    parts = wire("m", "user", segment("a", "x" * 3), segment("b", "x" * 4))
    # 7 bytes are 2 tokens: 1 for the first 3 bytes, 1 for the rest.
    assert RfcCounter().costs(parts) == (8 + 1, 1)


def test_an_rfc_merged_message_is_a_list_of_parts():
    parts = wire("m", "user", segment("a", "x" * 7), segment("b", "x" * 7, lead="\n\n"), merged=True)
    assert RfcCounter().costs(parts) == (8 + 2 + 3, 2 + 3)


def test_an_rfc_picture_is_2000():
    assert RfcCounter().costs(wire("m", "user", segment("m", "", images=(Image("d", 85),)))) == (2011,)


def test_an_rfc_tool_is_its_bytes_with_a_fifth_for_json():
    # 1.2 × (4 + 5 + 2) up is 14, / 3.5 is 4, and 8 for the message.
    assert RfcCounter().tool_tokens(ToolDefinition("read", "reads")) == 12


def test_characters_over_four_are_rounded_up_a_segment():
    parts = wire("m", "user", segment("a", "12345"), segment("b", "1", lead="\n\n"))
    assert CharsCounter().costs(parts) == (2, 1)


def test_exactness_is_the_model_s_and_estimates_have_none():
    assert (word_counter().exact, RfcCounter().exact, CharsCounter().exact) == (True, False, False)


def test_equal_tool_results_before_a_different_one_are_shared_whole():
    """Each result is a message of its own on the wire, though several are merged into one here."""
    counter = TokenizerCounter(O200K, GPT_4O)
    first, second, other = (
        Segment(id=key, layer="L4_STRIP", kind="tool", text=text, content_digest="", tool_call_id=key)
        for key, text in (("c1", "one result"), ("c2", "second"), ("c3", "third"))
    )
    left = WireMessage("m", "tool", (first, second), merged=True)
    right = WireMessage("m", "tool", (first, other), merged=True)
    assert counter.common_cost(left, right) == counter.costs(right)[0] + 3


def test_what_a_message_cost_goes_with_it():
    """Every letter of a draft makes a message: were they all remembered, a long draft would fill the memory."""
    counter = TokenizerCounter(WordTokenizer(), WORD_MODEL)

    def written(number: int) -> ref[WireMessage]:
        draft = wire("draft", "user", "word " * number)
        counter.costs(draft)
        return ref(draft)

    drafts = [*map(written, range(50))]
    kept = wire("kept", "user", "some words")
    assert counter.costs(kept) is counter.costs(kept)
    gc.collect()
    assert [draft() for draft in drafts] == [None] * 50


def test_a_message_keeps_few_of_those_who_counted_it():
    """Every comparison has counters of its own: were they all kept, each would stay as long as the chat is open."""
    message = wire("kept", "user", "some words")

    def counted(_number: int) -> ref[TokenizerCounter]:
        counter = TokenizerCounter(WordTokenizer(), WORD_MODEL)
        counter.costs(message)
        return ref(counter)

    counters = [*map(counted, range(50))]
    gc.collect()
    assert sum(one() is not None for one in counters) <= 4
