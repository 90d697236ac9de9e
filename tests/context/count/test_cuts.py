"""Safe cuts never change a count, and counts of edits are exact: fuzzed against tiktoken in both encodings."""

from __future__ import annotations

from base64 import b64encode
from hashlib import sha256
from itertools import pairwise
from operator import itemgetter
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.fakes.effort import tries
from workbench.context.count import memo as memo_module
from workbench.context.count.memo import (
    common_tokens,
    delta_count,
    first_safe_cut,
    is_safe_cut,
    last_safe_cut,
)
from workbench.context.text.changed_text import common_length
from workbench.providers.tokenizer import TiktokenTokenizer

ENCODINGS = Path(__file__).resolve().parents[3] / "resources" / "encodings"
CL100K = TiktokenTokenizer("cl100k_base", ENCODINGS)
O200K = TiktokenTokenizer("o200k_base", ENCODINGS)
both = pytest.mark.parametrize("tokenizer", [CL100K, O200K], ids=lambda tokenizer: tokenizer.name)

# What the two patterns treat differently, and what has tripped other cut rules.
# fmt: off
FRAGMENTS = [
    "\n", "\n", "\n", "\n\n", "\r\n", "\r", "\n\r", " \n", "\n ", "\n\t", "\t", " ", "  ", " " * 40, "\n" * 20,
    "\x0b", "\x0c", "\x1c", "\x1f", "\x85", "\xa0", "\u2028", "\u2029", "\u3000", "\u200b", "\u200d", "\ufeff", "\0",
    "/", "//", "/\n", "!/\n", "!\n", "...\n", ");\n", "}\n/", ");\n//", "*\n/*", "-" * 30, "#", "<a>", "</a>\n",
    "'", "'s", "'LL", "'re", "\n's", "a", "A", "word", " word", "Hello", "McDonald's", "HTTPServer", "ABC",
    "ǅ", "ʰ", "é", "e\u0301", "\u0301", "\n\u0301", "1", "12", "1234567", "٣", "²", "漢字", "かな", "한글", "ไทย",
    "עברית", "😀", "👩\u200d👩\u200d👧", "🇩🇪", "\ufffd", "\ud800", "\ud83d\ude00", "<|endoftext|>", "<|im_start|>",
    "def f(x):\n    return x\n", "if (a) {\n\tb();\n}\n",
]
# fmt: on

fragments = st.one_of(st.sampled_from(FRAGMENTS), st.sampled_from(FRAGMENTS), st.text(max_size=6))
nasty_text = st.lists(fragments, max_size=40).map("".join)


@st.composite
def edits(draw: st.DrawFn) -> tuple[str, str]:
    """A text and the same text with one stretch replaced."""
    old = draw(nasty_text)
    start = draw(st.integers(0, len(old)))
    end = draw(st.integers(start, min(len(old), start + 12)))
    return old, old[:start] + "".join(draw(st.lists(fragments, max_size=3))) + old[end:]


def all_safe_cuts(text: str) -> list[int]:
    return [index for index in range(1, len(text)) if is_safe_cut(text[:index], text[index:])]


@both
@settings(max_examples=tries(400))
@given(text=nasty_text)
def test_pieces_between_safe_cuts_sum_to_the_whole(tokenizer: TiktokenTokenizer, text: str):
    pieces = [text[start:end] for start, end in pairwise([0, *all_safe_cuts(text), len(text)])]
    assert sum(map(tokenizer.count, pieces)) == tokenizer.count(text)


@both
@settings(max_examples=tries(150))
@given(left=nasty_text, right=nasty_text)
def test_segments_that_end_a_line_sum_to_the_joined_text(tokenizer: TiktokenTokenizer, left: str, right: str):
    left, right = left + "\n", "<" + right
    assert tokenizer.count(left) + tokenizer.count(right) == tokenizer.count(left + right)


@pytest.mark.parametrize(
    ("left", "right", "tokenizer"),
    [
        ("}\n", "/", O200K),
        ("a\n", "\n", O200K),
        ("a\n", " \nb", CL100K),
        ("a", "b", CL100K),
    ],
)
def test_what_the_rule_forbids_does_change_a_count(left: str, right: str, tokenizer: TiktokenTokenizer):
    """Each condition of the rule is needed: without it, these would be summed wrongly."""
    assert not is_safe_cut(left, right)
    assert tokenizer.count(left) + tokenizer.count(right) != tokenizer.count(left + right)


@pytest.mark.parametrize(
    "right", ["a", "<", "1", "漢", "\u0301", "'s", "\ud800", "\0", "  indented", "\t}", " /"]
)
def test_after_a_line_feed_a_cut_is_safe_before_a_line_that_says_something(right: str):
    assert is_safe_cut("a\n", right)


@pytest.mark.parametrize("right", ["", "/", "\n", "\r\n", " ", "  \nb", "\u3000", "\x1c", "\t\r"])
def test_before_an_empty_line_or_a_slash_it_is_not(right: str):
    assert not is_safe_cut("a\n", right)


@pytest.mark.parametrize("left", ["", "a", "a\r", "a\n "])
def test_without_a_line_feed_before_it_no_cut_is_safe(left: str):
    assert not is_safe_cut(left, "b")


@pytest.mark.parametrize(
    "left", ["a", "a b", "1", "!", "/", "漢", "é", "\u0301", "\u200b", "\0", "😀", "\n/"]
)
@pytest.mark.parametrize("right", [" b", " ", "  b", " \n", " 1", " /", " \u0301"])
@both
def test_a_cut_is_safe_before_a_space_that_follows_no_blank(
    tokenizer: TiktokenTokenizer, left: str, right: str
):
    assert is_safe_cut(left, right)
    assert tokenizer.count(left) + tokenizer.count(right) == tokenizer.count(left + right)


@pytest.mark.parametrize("left", ["", " ", "a ", "a\t", "\u3000", "\x1c", "a\r"])
def test_after_a_blank_it_is_not(left: str):
    assert not is_safe_cut(left, " b")


@given(text=nasty_text, start=st.integers(0, 60))
def test_the_first_and_the_last_safe_cut_are_found(text: str, start: int):
    cuts = all_safe_cuts(text)
    assert last_safe_cut(text) == max(cuts, default=0)
    assert first_safe_cut(text, start) == min((cut for cut in cuts if cut > start), default=len(text))


@given(pair=edits())
def test_the_common_length_ends_at_the_first_difference(pair: tuple[str, str]):
    left, right = pair
    length = common_length(left, right)
    assert left[:length] == right[:length]
    assert length == min(len(left), len(right)) or left[length] != right[length]


@both
@settings(max_examples=tries(500))
@given(pair=edits())
def test_a_delta_count_is_the_full_count(tokenizer: TiktokenTokenizer, pair: tuple[str, str]):
    old, new = pair
    assert delta_count(old, tokenizer.count(old), new, tokenizer.count) == tokenizer.count(new)


@both
@settings(max_examples=tries(100))
@given(old=nasty_text, new=nasty_text)
def test_a_delta_count_is_the_full_count_of_an_unrelated_text(
    tokenizer: TiktokenTokenizer, old: str, new: str
):
    assert delta_count(old, tokenizer.count(old), new, tokenizer.count) == tokenizer.count(new)


def test_a_delta_count_looks_at_the_changed_line_only():
    lines = [f"line {number} of a longer text\n" for number in range(2000)]
    old, new = "".join(lines), "".join([*lines[:1000], "line one thousand\n", *lines[1001:]])
    seen: list[str] = []

    def count(text: str) -> int:
        seen.append(text)
        return O200K.count(text)

    assert delta_count(old, O200K.count(old), new, count) == O200K.count(new)
    assert max(map(len, seen)) < 80


def test_a_delta_count_of_one_long_line_looks_at_the_changed_word_only():
    """A draft of a megabyte without a line end took half a second a key."""
    words = [f"word{number}" for number in range(5000)]
    old, new = " ".join(words), " ".join([*words[:2500], "changed", *words[2501:]])
    seen: list[str] = []

    def count(text: str) -> int:
        seen.append(text)
        return O200K.count(text)

    assert delta_count(old, O200K.count(old), new, count) == O200K.count(new)
    assert max(map(len, seen)) < 40


BASE64 = "".join(b64encode(sha256(b"%d" % number).digest()).decode() for number in range(200))
CHINESE = "我们在这里写了一些汉字，没有空格。它们都是字母！每个标点之后，"
MINIFIED = "function(a1,b){return'it's'+a1.b2['x9']||{k:\"v3\"}};"


@pytest.mark.parametrize("text", [BASE64, CHINESE * 100, MINIFIED * 100], ids=["base64", "chinese", "code"])
@both
def test_a_delta_count_of_a_line_without_spaces_looks_at_a_few_characters(
    tokenizer: TiktokenTokenizer, text: str
):
    """It was counted whole at every key."""
    seen: list[str] = []

    def count(part: str) -> int:
        seen.append(part)
        return tokenizer.count(part)

    for place in range(900, 1100):
        edited = text[:place] + "x" + text[place:]
        assert delta_count(text, tokenizer.count(text), edited, count) == tokenizer.count(edited)
    assert max(map(len, seen)) < 200


@st.composite
def edits_in_long_words(draw: st.DrawFn) -> tuple[str, str]:
    """A text almost without blanks and line ends, and the same with one stretch replaced."""
    marks = "".join(map(chr, range(0x21, 0x7F))) + "，。、！？；：（）"
    usual = st.text(st.sampled_from(marks + "0123456789aBcDzZ漢字かなカナ한글"), min_size=5, max_size=40)
    some = st.one_of(usual, usual, usual, fragments.map(lambda one: "".join(one.split())))
    old = "".join(draw(st.lists(some, min_size=1, max_size=6))) * draw(st.integers(10, 60))
    start = draw(st.integers(0, len(old)))
    end = draw(st.integers(start, min(len(old), start + 12)))
    return old, old[:start] + "".join(draw(st.lists(some, max_size=2))) + old[end:]


@both
@settings(max_examples=tries(400))
@given(pair=edits_in_long_words())
def test_a_delta_count_is_the_full_count_in_long_words(tokenizer: TiktokenTokenizer, pair: tuple[str, str]):
    old, new = pair
    assert delta_count(old, tokenizer.count(old), new, tokenizer.count) == tokenizer.count(new)


@both
@given(text=st.one_of(nasty_text, edits_in_long_words().map(itemgetter(1))))
def test_pieces_between_cuts_in_words_sum_to_the_whole(tokenizer: TiktokenTokenizer, text: str):
    cuts = [found.end() for found in memo_module._CUT_IN_WORD.finditer(text)]
    pieces = [text[start:end] for start, end in pairwise([0, *cuts, len(text)])]
    assert sum(map(tokenizer.count, pieces)) == tokenizer.count(text)


@both
@settings(max_examples=tries(250))
@given(pair=edits())
def test_common_tokens_are_those_of_the_whole_texts(tokenizer: TiktokenTokenizer, pair: tuple[str, str]):
    left, right = pair
    assert common_tokens(left, right, tokenizer) == tokenizer.common_prefix(left, right)


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("a\n\ud800\nb\nc\nd", "a\n\ufffd\nb\nc\ne"),  # different characters, equal tokens
        ("a\n漢\nb", "a\n漣\nb"),  # characters that share their first bytes
        ("a\nb\n", "a\nb\nc"),
        ("a\nb\nc", "a\nb\nc"),
        ("", "a"),
    ],
)
@both
def test_common_tokens_where_characters_and_tokens_disagree(
    tokenizer: TiktokenTokenizer, left: str, right: str
):
    assert common_tokens(left, right, tokenizer) == tokenizer.common_prefix(left, right)


@pytest.mark.parametrize("unit", ["\n", " ", "/\n", "\n ", "\r\n", "a", "a\n", "\n/", "\n  a"])
def test_hostile_megabytes_are_searched_in_linear_time(unit: str):
    """A search that starts again at every line would take minutes here, on every keystroke."""
    text = unit * (1_000_000 // len(unit))
    edited = text[:500_000] + "x" + text[500_000:]
    assert common_length(text, edited) in range(500_000, 500_003)
    assert last_safe_cut(text) in (0, len(text) - len(unit), text.rfind("\n") + 1)
    assert first_safe_cut(text) in (len(unit), len(text), text.find("\n") + 1)
    assert delta_count(text, len(text), edited, len) == len(edited)
