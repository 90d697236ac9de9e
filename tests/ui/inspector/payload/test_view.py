"""The text of a request in the view: choosing, unfolding, finding and copying."""

from __future__ import annotations

from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QTextCursor
from PySide6.QtTest import QTest

from tests.fakes.requests_shown import AUTH, QUESTION, scripted_state, view_of
from workbench.domain.shown.envelope_view import EnvelopeView, RowKey
from workbench.ui.inspector.payload.document import document_of
from workbench.ui.inspector.payload.view import LINE_WIDTH, PayloadView
from workbench.ui.inspector.payload.written import json_text, messages_text
from workbench.ui.look.theme import LIGHT, Theme, colour

LONG = "".join(f"line {n}\n" for n in range(200))


def shown(qtbot, request: EnvelopeView, write=messages_text) -> PayloadView:
    form = request.wire()
    assert form is not None
    view = PayloadView()
    qtbot.addWidget(view)
    view.resize(560, 500)
    view.show()
    view.show_payload(document_of(request, form, write(form), {}))
    return view


def scripted(qtbot) -> PayloadView:
    _, chat = scripted_state()
    assert chat.view is not None
    return shown(qtbot, chat.view)


def text_at(view: PayloadView, number: int) -> str:
    return view.document().findBlockByNumber(number).text()


def band_of(view: PayloadView, words: str) -> tuple[int, int]:
    found = [band for band in view.bands() if words in text_at(view, band.number)]
    return found[0].top, found[0].height


def test_choosing_a_row_marks_its_bytes_and_brings_them_into_view(qtbot):
    view = scripted(qtbot)
    view.select(AUTH)
    grounds = {text_at(view, band.number): view.ground_of(band.number) for band in view.bands()}
    assert grounds["import asyncio"] == "sel"
    assert grounds["[User query]:"] == ""


def test_the_chosen_bytes_have_their_ground_across_the_view(qtbot):
    view = scripted(qtbot)
    view.select(AUTH)
    top, height = band_of(view, "import asyncio")
    seen = view.viewport().grab().toImage().pixelColor(view.viewport().width() - 20, top + height // 2)
    assert seen == colour(LIGHT.sel)


def test_a_click_into_the_text_tells_whose_it_is(qtbot):
    view = scripted(qtbot)
    view.select(QUESTION)
    picked: list[RowKey] = []
    view.picked.connect(picked.append)
    top, height = band_of(view, "import asyncio")
    QTest.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(30, top + height // 2))
    assert picked == [AUTH]
    assert view.selected_key() == AUTH


def test_the_arrow_keys_choose_too_and_what_the_program_does_is_no_choice(qtbot):
    view = scripted(qtbot)
    picked: list[RowKey] = []
    view.picked.connect(picked.append)
    view.select(QUESTION)
    view.reveal(0, 3)
    assert picked == []
    view.setFocus()
    for _ in range(2):
        QTest.keyClick(view, Qt.Key.Key_Down)
    assert picked == [RowKey("L1_SYSTEM", "persona"), RowKey("L1_SYSTEM", "memory")]


def test_a_click_on_a_fold_brings_out_what_it_hides(qtbot):
    view = shown(qtbot, view_of(LONG))
    assert [text_at(view, n) for n in range(5)] == [
        "user, message 1",
        "line 0",
        "line 1",
        "line 2",
        "⋯ 197 more lines",
    ]
    top, height = band_of(view, "more lines")
    QTest.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(20, top + height // 2))
    assert view.document().blockCount() == 201
    assert text_at(view, 200) == "line 199"


def test_enter_on_a_fold_does_the_same(qtbot):
    view = shown(qtbot, view_of(LONG))
    cursor = QTextCursor(view.document().findBlockByNumber(4))
    view.setTextCursor(cursor)
    QTest.keyClick(view, Qt.Key.Key_Return)
    assert view.document().blockCount() == 201


def test_what_is_found_in_a_fold_is_brought_out_with_a_few_lines_around_it(qtbot):
    view = shown(qtbot, view_of(LONG))
    start = LONG.index("line 150")
    view.reveal(start, start + len("line 150"))
    assert view.textCursor().selectedText() == "line 150"
    assert view.document().blockCount() < 60


def test_a_copy_is_what_is_sent_and_not_what_is_shown(qtbot):
    """Role lines, folds and marks are ours: none of them may come out with the text, and no hidden byte be lost."""
    view = shown(qtbot, view_of("a\u202eb\u200d", LONG, "end"))
    view.selectAll()
    assert view.createMimeDataFromSelection().text() == f"a\u202eb\u200d\n\n{LONG}\n\nend"


def test_a_part_of_a_mark_copies_the_character_it_stands_for(qtbot):
    view = shown(qtbot, view_of("a\u202eb"))
    block = view.document().findBlockByNumber(1)
    assert block.text() == "a⟨RLO⟩b"
    cursor = QTextCursor(block)
    cursor.setPosition(block.position() + 1)
    cursor.setPosition(block.position() + 6, QTextCursor.MoveMode.KeepAnchor)
    view.setTextCursor(cursor)
    assert view.selected_text() == "\u202e"


def test_json_can_be_chosen_and_copied_as_well(qtbot):
    request = view_of("one\ntwo", "three")
    view = shown(qtbot, request, json_text)
    view.select(RowKey("L4_STRIP", "m1"))
    assert [text_at(view, band.number) for band in view.bands() if view.ground_of(band.number) == "sel"] == [
        "three"
    ]
    view.selectAll()
    payload = view.payload()
    assert payload is not None
    assert view.selected_text() == payload.written.text


def test_a_request_that_grows_leaves_the_view_where_it_is(qtbot):
    view = shown(qtbot, view_of(*[f"message {n}" for n in range(60)], "draft"))
    view.verticalScrollBar().setValue(40)
    grown = view_of(*[f"message {n}" for n in range(60)], "draft, longer")
    form = grown.wire()
    assert form is not None
    view.show_payload(document_of(grown, form, messages_text(form), {}))
    assert view.verticalScrollBar().value() == 40
    assert text_at(view, view.document().blockCount() - 1) == "draft, longer"


def test_a_row_far_below_is_reached_once_it_is_laid_out(qtbot):
    view = shown(qtbot, view_of(*["words"] * 400))
    view.select(RowKey("L4_STRIP", "m390"))
    qtbot.waitUntil(lambda: any(view.ground_of(band.number) == "sel" for band in view.bands()))


def test_another_theme_recolours_what_is_laid_out(qtbot, qapp, appearance):
    view = scripted(qtbot)
    before = text_at(view, 3)
    appearance.apply(qapp, "dark")
    assert text_at(view, 3) == before
    light = colour(LIGHT.surface)
    assert view.viewport().grab().toImage().pixelColor(300, 490) != light


def test_it_reads_from_left_to_right(qtbot):
    assert scripted(qtbot).layoutDirection() == Qt.LayoutDirection.LeftToRight


def test_nothing_can_be_chosen_where_nothing_is_shown(qtbot):
    view = PayloadView()
    qtbot.addWidget(view)
    view.show()
    view.select(AUTH)
    view.reveal(0, 3)
    QTest.keyClick(view, Qt.Key.Key_Down)
    assert view.selected_text() == ""
    assert list(view.bands()) == []


def view_of_all(qtbot) -> PayloadView:
    _, chat = scripted_state()
    assert chat.view is not None
    form = chat.view.wire()
    assert form is not None
    view = PayloadView()
    qtbot.addWidget(view)
    view.resize(500, 400)
    view.show_payload(document_of(chat.view, form, messages_text(form), {}))
    view.show()
    return view


def test_each_line_has_the_colour_of_its_layer(qtbot, theme: Theme):
    view = view_of_all(qtbot)
    gutter = view._gutter
    picture = gutter.grab().toImage()
    places = view.places()
    assert places is not None
    for band in list(view.bands())[:8]:
        layer = places.payload.layer_of(places.section(band.number))
        if layer is not None:
            seen = picture.pixelColor(LINE_WIDTH - 2, band.top + band.height // 2)
            assert seen == colour(theme.layers[layer].fill)


def test_a_click_chooses_what_stands_beside_it(qtbot):
    view = view_of_all(qtbot)
    gutter = view._gutter
    picked: list[RowKey] = []
    view.picked.connect(picked.append)
    band = list(view.bands())[1]
    QTest.mouseClick(gutter, Qt.MouseButton.LeftButton, pos=QPoint(15, band.top + 5))
    assert picked == [RowKey("L1_SYSTEM", "persona")]
