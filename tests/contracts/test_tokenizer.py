"""What every tokenizer does, the remembering one and the fake included."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.fakes.effort import tries
from tests.fakes.real_encodings import CL100K, O200K
from tests.fakes.tokenizer import WordTokenizer
from workbench.context.count.memo import CountMemo, is_safe_cut
from workbench.ports.counting import Tokenizer

every_tokenizer = pytest.mark.parametrize(
    "tokenizer",
    [CL100K, O200K, CountMemo(CL100K), CountMemo(O200K), WordTokenizer(), CountMemo(WordTokenizer())],
    ids=lambda one: f"{type(one).__name__}-{one.name}",
)
few = settings(max_examples=tries(30))

# fmt: off
PIECES = [
    "\n", "\n\n", "\r\n", " \n", " ", "   ", "\t", "\xa0", "\u3000", "/", "//", "!/\n", ");\n", "a", "word", " word",
    "'s", "HTTPServer", "é", "\u0301", "12345", "漢字", "😀", "👩\u200d👧", "\0", "\ud800", "<|endoftext|>",
]
# fmt: on
texts = st.lists(st.one_of(st.sampled_from(PIECES), st.text(max_size=4)), max_size=12).map("".join)
# Long enough that a remembering tokenizer counts only the difference.
long_texts = texts.map(lambda text: f"{text}\n" + "line of words\n" * 200 + text)


@every_tokenizer
def test_nothing_is_no_token(tokenizer: Tokenizer):
    assert tokenizer.count("") == 0


@every_tokenizer
@few
@given(text=texts)
def test_the_same_text_always_costs_the_same(tokenizer: Tokenizer, text: str):
    assert tokenizer.count(text) == tokenizer.count(text)


@every_tokenizer
@few
@given(text=texts)
def test_a_text_that_is_something_costs_something_and_no_more_than_its_bytes(tokenizer: Tokenizer, text: str):
    tokens = tokenizer.count(text)
    assert bool(tokens) == bool(text)
    assert tokens <= len(text.encode("utf-8", "surrogatepass"))


@every_tokenizer
@few
@given(left=texts, right=texts)
def test_counts_add_up_at_a_safe_cut(tokenizer: Tokenizer, left: str, right: str):
    """The whole of exact counting rests on it: segments are counted apart and sum to the request."""
    left, right = left + "\n", "x" + right
    assert is_safe_cut(left, right)
    assert tokenizer.count(left) + tokenizer.count(right) == tokenizer.count(left + right)


@every_tokenizer
@few
@given(text=texts)
def test_a_text_shares_all_with_itself(tokenizer: Tokenizer, text: str):
    assert tokenizer.common_prefix(text, text) == tokenizer.count(text)


@every_tokenizer
@few
@given(left=texts, right=texts)
def test_what_is_shared_is_the_same_from_both_sides_and_no_more_than_either(
    tokenizer: Tokenizer, left: str, right: str
):
    shared = tokenizer.common_prefix(left, right)
    assert shared == tokenizer.common_prefix(right, left)
    assert 0 <= shared <= min(tokenizer.count(left), tokenizer.count(right))


@every_tokenizer
@few
@given(left=texts, right=texts)
def test_what_follows_a_safe_cut_leaves_the_shared_start_alone(tokenizer: Tokenizer, left: str, right: str):
    start = left + "\n"
    assert tokenizer.common_prefix(start + "x" + right, start) == tokenizer.count(start)


@pytest.mark.parametrize("tokenizer", [CL100K, O200K, WordTokenizer()], ids=lambda one: one.name)
@settings(max_examples=tries(40))
@given(versions=st.lists(long_texts, min_size=2, max_size=4))
def test_remembering_never_changes_a_count(tokenizer: Tokenizer, versions: list[str]):
    memo = CountMemo(tokenizer)
    assert [memo.count(text) for text in versions] == [tokenizer.count(text) for text in versions]
