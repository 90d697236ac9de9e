"""The letters of the payload's text."""

from __future__ import annotations

from PySide6.QtCore import QRectF
from PySide6.QtGui import QImage, QPainter, QTextCursor, QTextDocument

from tests.fakes.requests_shown import view_of
from workbench.ui.inspector.payload.document import document_of
from workbench.ui.inspector.payload.formats import insert_lines, paint_head
from workbench.ui.inspector.payload.json_text import json_text
from workbench.ui.look.theme import LIGHT, colour


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
