"""How a line of the outline looks."""

from __future__ import annotations

from tests.fakes.requests_shown import AUTH
from tests.fakes.sample_envelope import sample_view
from workbench.ui.inspector.payload.outline import Outline
from workbench.ui.inspector.payload.outline_row import ACCENT_WIDTH, item_name
from workbench.ui.look.theme import Theme, colour


def test_lines_are_called_as_in_the_rest_of_the_window():
    layer = sample_view().layers[2]
    assert item_name(layer) == "History"
    assert [item_name(row) for row in layer.rows] == ["turns 1–6", "turn 7", "turn 8"]


def test_the_chosen_row_has_its_ground_and_an_edge_and_a_heading_its_own(qtbot, theme: Theme):
    outline = Outline()
    qtbot.addWidget(outline)
    outline.resize(188, 420)
    outline.show_view(sample_view())
    outline.select(AUTH)
    outline.show()
    seen = outline.viewport().grab().toImage()
    row = outline.visualRect(outline.selectedIndexes()[0])
    assert seen.pixelColor(row.left() + ACCENT_WIDTH - 1, row.top() + 3) == colour(theme.accent)
    assert seen.pixelColor(row.left() + ACCENT_WIDTH + 2, row.top() + 3) == colour(theme.sel)
    assert seen.pixelColor(3, 3) == colour(theme.sunken)
