"""From characters to places in the view and back, through folds, marks and letters of two units."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tests.fakes.requests_shown import view_of
from tests.fakes.wire_forms import few, wire_forms
from workbench.domain.request import WireForm
from workbench.ui.inspector.payload.document import PayloadDocument, document_of
from workbench.ui.inspector.payload.places import Places, TextPosition
from workbench.ui.inspector.payload.written import json_text, messages_text


def places_of(document: PayloadDocument) -> Places:
    return Places(document, [document.lines(number) for number in range(len(document.sections.all))])


@few
@given(wire_forms(), st.booleans(), st.integers(0, 2_000))
def test_a_character_that_is_shown_is_found_again(form: WireForm, as_json: bool, character: int):
    written = json_text(form) if as_json else messages_text(form)
    places = places_of(document_of(view_of("x"), form, written, {}))
    if character < len(written.text) and places.shows(character):
        assert places.character(places.of(character)) == character


@few
@given(wire_forms())
def test_every_paragraph_belongs_to_the_section_that_made_it(form: WireForm):
    document = document_of(view_of("x"), form, messages_text(form), {})
    places = places_of(document)
    for section in range(len(document.sections.all)):
        for number, line in enumerate(places.lines[section], places.first_line(section)):
            assert (places.section(number), places.line(number)) == (section, line)


def test_a_fold_stands_for_all_that_it_hides():
    places = places_of(shown("".join(f"{n}\n" for n in range(100))))
    text = places.payload.written.text
    fold = next(number for number in range(places.count) if places.line(number).kind == "fold")
    hidden = text.index("50\n")
    assert not places.shows(hidden)
    assert places.of(hidden) == TextPosition(fold, 0)
    assert places.character(TextPosition(fold, 3)) == text.index("3\n")
    assert places.character(TextPosition(fold, 3), end=True) == len(text)


def test_marks_and_letters_of_two_units_are_counted_as_they_are_shown():
    places = places_of(shown("a😀\u202eb"))
    assert [places.of(character) for character in range(4)] == [
        TextPosition(1, 0),
        TextPosition(1, 1),
        TextPosition(1, 3),
        TextPosition(1, 8),
    ]
    assert [places.character(TextPosition(1, units)) for units in (0, 1, 3, 5, 8)] == [0, 1, 2, 2, 3]


def test_what_is_not_laid_out_yet_is_not_shown():
    document = shown("first", "second")
    places = Places(document, [document.lines(0), document.lines(1)])
    assert places.shows(0)
    assert not places.shows(document.written.text.index("second"))


def shown(*texts: str) -> PayloadDocument:
    view = view_of(*texts)
    form = view.wire()
    assert form is not None
    return document_of(view, form, messages_text(form), {})
