"""The document behind the view: always the paragraphs of the request, however it came to be so."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QObject

from tests.fakes.requests_shown import view_of
from tests.fakes.wire_forms import few
from workbench.ui.inspector.payload.document import PayloadDocument, document_of
from workbench.ui.inspector.payload.paragraphs import SECTIONS_AT_ONCE, Paragraphs
from workbench.ui.inspector.payload.written import messages_text

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
