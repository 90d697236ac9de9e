"""The strip beside the text."""

from __future__ import annotations

from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest

from tests.fakes.requests_shown import scripted_state
from workbench.domain.shown.envelope_view import RowKey
from workbench.ui.inspector.payload.document import document_of
from workbench.ui.inspector.payload.gutter import LINE_WIDTH
from workbench.ui.inspector.payload.view import PayloadView
from workbench.ui.inspector.payload.written import messages_text
from workbench.ui.look.theme import Theme, colour


def shown(qtbot) -> PayloadView:
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
    view = shown(qtbot)
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
    view = shown(qtbot)
    gutter = view._gutter
    picked: list[RowKey] = []
    view.picked.connect(picked.append)
    band = list(view.bands())[1]
    QTest.mouseClick(gutter, Qt.MouseButton.LeftButton, pos=QPoint(15, band.top + 5))
    assert picked == [RowKey("L1_SYSTEM", "persona")]
