"""The document behind the view: always the paragraphs of the request, however it came to be so."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QObject, QRectF
from PySide6.QtGui import QImage, QPainter, QTextCursor, QTextDocument

from tests.fakes.requests_shown import view_of
from tests.fakes.wire_forms import few
from workbench.ui.inspector.payload.document import PayloadDocument, document_of
from workbench.ui.inspector.payload.view import SECTIONS_AT_ONCE, Paragraphs, insert_lines, paint_head
from workbench.ui.inspector.payload.written import json_text, messages_text
from workbench.ui.look.theme import LIGHT, colour

LONG = "".join(f"line {n}\n" for n in range(40))
texts = st.lists(st.sampled_from(("", "a", "b\nc", LONG, "😀\u202e", "last\n")), max_size=5)


def shown(*words: str, opened=None) -> PayloadDocument:
    view = view_of(*words)
    form = view.wire()
    assert form is not None
    return document_of(view, form, messages_text(form), {} if opened is None else opened)


def paragraphs(document: Paragraphs) -> list[str]:
    return [document.findBlockByNumber(number).text() for number in range(document.blockCount())]


def expected(payload: PayloadDocument) -> list[str]:
    lines = [line.text for number in range(len(payload.sections.all)) for line in payload.lines(number)]
    return lines or [""]


@few
@given(st.lists(texts, min_size=2, max_size=4))
def test_after_any_changes_the_document_is_that_of_the_last_request(qapp, versions: list[list[str]]):
    """An edit that is off by one line would show one row's bytes as another's."""
    parent = QObject()
    document = Paragraphs(parent)
    for words in versions:
        payload = shown(*words)
        document.show(payload)
        assert paragraphs(document) == expected(payload)
        assert document.is_whole


def test_what_stays_the_same_is_not_touched(qapp):
    parent = QObject()
    document = Paragraphs(parent)
    document.show(shown("first", LONG, "draft"))
    changes: list[tuple[int, int, int]] = []
    document.contentsChange.connect(lambda *change: changes.append(change))
    document.show(shown("first", LONG, "draft!"))
    assert len(changes) == 1
    assert changes[0][0] >= document.findBlockByNumber(document.blockCount() - 1).position() - 1


def test_nothing_is_laid_out_before_someone_can_see_it(qtbot):
    """Two thousand segments at once would hold the window up."""
    parent = QObject()
    document = Paragraphs(parent)
    payload = shown(*["words"] * SECTIONS_AT_ONCE)
    document.show(payload)
    assert not document.is_whole
    qtbot.waitUntil(lambda: document.is_whole)
    assert paragraphs(document) == expected(payload)


def test_what_is_asked_for_is_laid_out_now(qapp):
    parent = QObject()
    document = Paragraphs(parent)
    payload = shown(*["words"] * SECTIONS_AT_ONCE)
    document.show(payload)
    document.lay_out(len(payload.sections.all) - 1)
    assert document.is_whole


def test_unfolding_replaces_only_the_section(qapp):
    parent = QObject()
    document = Paragraphs(parent)
    payload = shown("first", LONG, "last")
    document.show(payload)
    payload.open(3, (0, len(LONG)))
    document.show(payload)
    assert paragraphs(document) == expected(payload)
    assert "line 39" in paragraphs(document)


def test_positions_and_characters_lead_to_each_other(qapp):
    parent = QObject()
    document = Paragraphs(parent)
    payload = shown("a😀b", "c\u202ed")
    document.show(payload)
    for character in (0, 1, 2, 5, 6, 7):
        assert document.character_at(document.position_of(character)) == character


def test_another_theme_writes_everything_anew_and_changes_no_word(qapp):
    parent = QObject()
    document = Paragraphs(parent)
    document.show(shown("a", LONG))
    before = paragraphs(document)
    document.restyle()
    assert paragraphs(document) == before


def test_nothing_is_shown_as_nothing(qapp):
    parent = QObject()
    document = Paragraphs(parent)
    document.show(shown("a"))
    document.show(None)
    assert paragraphs(document) == [""]
    assert document.character_at(0) == 0
    assert document.position_of(3) == 0


def written(*texts: str) -> QTextDocument:
    view = view_of(*texts)
    form = view.wire()
    assert form is not None
    payload = document_of(view, form, json_text(form), {})
    document = QTextDocument()
    lines = [(n, line) for n in range(len(payload.sections.all)) for line in payload.lines(n)]
    insert_lines(QTextCursor(document), lines, payload)
    return document


def colours(document: QTextDocument, words: str) -> tuple[str, bool]:
    cursor = document.find(words)
    letters = cursor.charFormat()
    return letters.foreground().color().name(), letters.background().style().value != 0


def test_text_stands_out_from_what_is_between_it(qapp):
    document = written("said")
    assert colours(document, "said")[0] == colour(LIGHT.t1).name()
    assert colours(document, '"role"')[0] == colour(LIGHT.t3).name()


def test_a_mark_is_tinted_and_a_text_that_looks_like_one_is_not(qapp):
    """Otherwise a file could pretend to hold a character that it does not hold, or hide one among such words."""
    document = written("a ⟨ZWSP⟩ b \u202e c")
    assert colours(document, "⟨RLO⟩") == (colour(LIGHT.warn).name(), True)
    assert colours(document, "⟨ZWSP⟩") == (colour(LIGHT.t1).name(), False)


def test_a_head_has_its_role_at_the_beginning_and_its_tokens_at_the_end(qapp):
    image = QImage(300, 22, QImage.Format.Format_RGB32)
    image.fill(0xFFFFFF)
    painter = QPainter(image)
    paint_head(painter, QRectF(8, 0, 284, 22), "system", "message 1 of 8", "1,835 tokens")
    painter.end()
    inked = [x for x in range(300) if any(image.pixelColor(x, y).lightness() < 150 for y in range(3, 19))]
    assert inked[0] <= 12
    assert inked[-1] >= 285
