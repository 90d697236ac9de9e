"""Lines and folds: everything is there, in order, and what is long is not laid out before it is asked for."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tests.fakes.sample_payload import wire_form
from tests.fakes.wire_forms import few, wire_forms
from workbench.domain.request import PayloadMessage, Piece, WireForm
from workbench.ui.inspector.payload.lines import (
    HEAD_LINES,
    LONGEST_LINE,
    OPENED_CHARACTERS,
    Line,
    Sections,
    Windows,
    cut,
    line_ends,
    merged,
    opened_around,
    opened_from,
    section_lines,
)
from workbench.ui.inspector.payload.written import WrittenText, json_text, messages_text

written_texts = st.one_of(wire_forms().map(messages_text), wire_forms().map(json_text))


def lines_of(sections: Sections) -> list[tuple[int, Line]]:
    return [(number, line) for number in range(len(sections.all)) for line in section_lines(sections, number)]


def text_of(sections: Sections, number: int, line: Line) -> str:
    start = sections.all[number].start
    return sections.written.text[start + line.start : start + line.end]


def shown(sections: Sections, number: int, opened: Windows = ()) -> list[str]:
    lines = section_lines(sections, number, opened)
    return [text_of(sections, number, line) for line in lines if line.kind == "text"]


def kinds(sections: Sections, number: int, opened: Windows = ()) -> list[str]:
    return [line.kind for line in section_lines(sections, number, opened)]


@few
@given(written_texts)
def test_no_character_is_lost_between_lines_and_folds(written: WrittenText):
    sections = cut(written)
    text = "".join(
        text_of(sections, number, line) for number, line in lines_of(sections) if line.kind != "role"
    )
    if written.between:
        assert text == written.text
    else:
        assert text == "".join(written.text[span.start : span.end] for span in written.spans)


@few
@given(written_texts)
def test_lines_are_short_and_end_where_the_text_does(written: WrittenText):
    sections = cut(written)
    for number, line in lines_of(sections):
        if line.kind == "text":
            assert 0 < line.end - line.start <= LONGEST_LINE
            assert "\n" not in text_of(sections, number, line)[:-1]


def test_a_short_piece_is_whole_and_a_long_one_keeps_its_first_lines():
    sections = cut(messages_text(form_of("1\n2\n3\n", "\n".join(str(n) for n in range(90)))))
    assert shown(sections, 1) == ["1\n", "2\n", "3\n"]
    assert shown(sections, 2) == ["0\n", "1\n", "2\n"]
    fold = list(section_lines(sections, 2))[-1]
    start = sections.all[2].start
    assert line_ends(sections.written, start + fold.start, start + fold.end) == 86


def test_a_text_without_line_ends_folds_too():
    """A megabyte in one line must not be laid out: Qt takes half a minute for it."""
    sections = cut(messages_text(form_of("x" * 1_000_000)))
    assert kinds(sections, 1) == ["text", "fold"]
    assert len(shown(sections, 1)[0]) <= LONGEST_LINE


def test_a_click_brings_out_a_part_of_what_is_hidden():
    sections = cut(messages_text(form_of("line\n" * 100_000)))
    fold = list(section_lines(sections, 1))[-1]
    window = opened_from(sections, 1, (fold.start, fold.end))
    assert window[0] == fold.start
    assert 0 < window[1] - window[0] <= OPENED_CHARACTERS
    assert kinds(sections, 1, (window,)).count("fold") == 1
    assert len(shown(sections, 1, (window,))) > HEAD_LINES


def test_a_place_in_the_middle_is_brought_out_with_folds_on_both_sides():
    text = "".join(f"{n}\n" for n in range(1_000))
    sections = cut(messages_text(form_of(text)))
    number, window = opened_around(sections, text.index("500\n"))
    assert kinds(sections, number, (window,)).count("fold") == 2
    assert "500\n" in shown(sections, number, (window,))


@given(st.integers(0, 4_000), st.integers(0, 4_000))
def test_windows_of_a_text_that_became_shorter_are_cut(start: int, length: int):
    """What was unfolded stays so while the text changes; it must not reach beyond its end."""
    sections = cut(messages_text(form_of("word\n" * 300)))
    lines = list(section_lines(sections, 1, ((start, start + length),)))
    assert [line.start for line in lines[1:]] == [line.end for line in lines[:-1]]
    assert lines[-1].end == 1_500


def test_in_a_json_string_a_written_line_end_begins_a_line():
    sections = cut(json_text(form_of('one\ntwo \\n still two\nthree "x"')))
    piece = next(n for n, section in enumerate(sections.all) if section.span == 0)
    assert shown(sections, piece) == ["one\\n", "two \\\\n still two\\n", 'three \\"x\\"']


@few
@given(wire_forms(in_blocks=False))
def test_written_line_ends_are_counted_as_the_pieces_have_them(form: WireForm):
    written = json_text(form)
    for span in written.spans:
        piece = form.messages[span.message].pieces[span.piece].text
        assert line_ends(written, span.start, span.end) == piece.count("\n")


@few
@given(written_texts, st.integers(0, 400))
def test_every_place_belongs_to_the_section_it_stands_in(written: WrittenText, place: int):
    sections = cut(written)
    for number, section in enumerate(sections.all):
        if section.message is None and section.start <= place < section.end:
            assert sections.at(place) == number


def test_a_message_without_words_has_its_head():
    form = WireForm(lambda: (PayloadMessage("assistant", (), calls=("read",)), *wire_form().messages[:1]), {})
    assert [section.message for section in cut(messages_text(form)).all][:3] == [0, 1, None]


def test_windows_that_touch_become_one():
    assert merged(((5, 9), (0, 2), (2, 4), (8, 12))) == ((0, 4), (5, 12))


def form_of(*texts: str) -> WireForm:
    pieces = tuple(Piece("L5_USER", str(number), text) for number, text in enumerate(texts))
    return WireForm(lambda: (PayloadMessage("user", pieces),), {"m": "".join(texts)}, places=(("m",),))
