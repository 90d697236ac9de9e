from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tests.fakes.turns import artifact, build, user
from workbench.context.influence.pieces import MOST, Sentence, pieces_of, sentences_of, units_of


def found_in(text: str) -> tuple[Sentence, ...]:
    built = build(attached=(artifact("a.md", text),), question=user("q", "What?"))
    return sentences_of(units_of(pieces_of(built), 32)[0], built)


def test_sentences_and_lines_with_where_they_begin():
    found = found_in("First of all this.\nThen that, e.g. here. And more!\n\nLast line without an end\n")
    assert [(one.line, one.text) for one in found] == [
        (1, "First of all this."), (2, "Then that, e.g."), (2, "here. And more!"), (4, "Last line without an end"),
    ]  # fmt: skip


def test_one_sentence_is_not_looked_into():
    assert found_in("Only one sentence here.") == ()
    assert found_in("") == ()


def test_long_texts_are_looked_at_in_runs():
    found = found_in("\n".join(f"This is line number {n}." for n in range(500)))
    assert len(found) == MOST
    assert found[0].text.startswith("This is line number 0.\n")
    assert "This is line number 499." in found[-1].text


@given(st.text("ab. \n!", max_size=60))
def test_sentences_stand_in_the_text_in_order_and_do_not_overlap(text: str):
    at = 0
    for one in found_in(text):
        at = text.index(one.text, at) + len(one.text)
        assert one.text.strip() == one.text != ""
