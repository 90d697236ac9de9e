"""The quote marks its words where they stand, also behind signs that Qt counts as two."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtGui import QTextCharFormat
from pytestqt.qtbot import QtBot

from workbench.domain.recall import MatchedWord
from workbench.domain.shown.influence_view import MarkedWord, Neighbour, NeighbourState, WhyView
from workbench.ui.inspector.why import (
    MOST_LINES,
    QuoteFrame,
    neighbour_note,
    parts_that_add_up,
    place_words,
    score_figure,
    word_lines,
)

PARTS = st.lists(st.floats(0.0, 50.0), max_size=12)


def test_words_are_marked_where_they_stand_exact_ones_otherwise_than_near_ones(qtbot: QtBot):
    frame = QuoteFrame()
    qtbot.addWidget(frame)
    text = "😀 the key, decided"
    frame.quote.show_quote(text, (MarkedWord(6, 9, "exact"), MarkedWord(11, 18, "near")))
    marked = frame.quote.extraSelections()
    assert [one.cursor.selectedText() for one in marked] == ["key", "decided"]  # type: ignore[attr-defined]
    styles = [one.format.underlineStyle() for one in marked]  # type: ignore[attr-defined]
    line = QTextCharFormat.UnderlineStyle
    assert styles == [line.SingleUnderline, line.DashUnderline]


@given(PARTS)
def test_rounded_parts_sum_to_the_rounded_sum_and_none_is_off_by_more_than_a_step(parts: list[float]):
    rounded = parts_that_add_up(parts)
    assert sum(rounded) == round(sum(parts) * 100)
    assert all(abs(one - part * 100) <= 1 for one, part in zip(rounded, parts, strict=True))


@given(PARTS)
def test_the_lines_add_up_to_the_score_however_many_words_there_are(qapp, parts: list[float]):
    words = tuple(MatchedWord(f"w{n}", f"w{n}", "exact", part) for n, part in enumerate(parts))
    why = WhyView("m", "text", sum(parts), words)
    lines = word_lines(why)
    assert len(lines) <= MOST_LINES
    if words:
        whole = round(sum(float(line.part) for line in lines) * 100)
        assert whole == round(float(score_figure(why)) * 100)


def test_a_place_and_a_neighbour_in_words(qapp):
    assert place_words(WhyView("m", "")) == ""
    assert place_words(WhyView("m", "", place=1, messages=40)) == "best of 40 messages"
    assert place_words(WhyView("m", "", place=3, messages=40)) == "number 3 of 40 messages"
    states: tuple[NeighbourState, ...] = ("cut", "along", "recalled", "sent")
    told = [neighbour_note(Neighbour("n", "user", 1, "Hi", 26, state)) for state in states]
    assert told == ["+26", "+26", "recalled", "sent anyway"]
