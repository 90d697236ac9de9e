"""Long text is counted in pieces, and the sum is the count of the whole."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tests.fakes.real_encodings import O200K
from tests.fakes.tokenizer import WordTokenizer
from workbench.context.count.memo import InPieces, pieces

texts = st.lists(st.sampled_from(["word ", "a\n", "\n", "  b", "/", "\t", "(x)\n", "é", "\r\n"]), max_size=40)


@given(texts.map("".join), st.integers(1, 9))
def test_the_pieces_are_the_text_and_their_counts_its_count(text: str, least: int):
    cut = list(pieces(text, least))
    assert "".join(cut) == text
    assert all(len(piece) >= least for piece in cut[:-1])
    assert sum(map(O200K.count, cut)) == O200K.count(text)


def test_only_long_text_is_cut():
    asked = WordTokenizer()
    counter = InPieces(asked)
    assert counter.count("one line\n" * 3) == 9
    assert asked.asked == ["one line\n" * 3]
    asked.asked.clear()
    line = "ten words are in this line, and no more of\n"
    assert counter.count(line * 6_000) == 6_000 * 11
    assert len(asked.asked) > 3
    assert max(map(len, asked.asked)) < 65_000


def test_it_is_the_same_tokenizer_otherwise():
    counter = InPieces(WordTokenizer())
    assert counter.name == "words"
    assert counter.common_prefix("a b c", "a b d") == 2


def test_a_text_without_a_place_to_cut_is_counted_whole():
    assert InPieces(WordTokenizer()).count("x" * 200_000) == 1
