"""What the patterns of the timeline mean."""

from __future__ import annotations

from workbench.ui.inspector.turns.timeline_legend import TimelineLegend


def test_it_names_every_pattern_and_asks_for_room_for_all(qtbot):
    legend = TimelineLegend()
    qtbot.addWidget(legend)
    assert legend.accessibleDescription() == "cached, fresh, output, predicted, reported"
    assert 250 < legend.sizeHint().width() < 420


def test_without_room_it_paints_what_fits(qtbot):
    legend = TimelineLegend()
    qtbot.addWidget(legend)
    legend.resize(legend.sizeHint())
    whole = legend.grab().toImage()
    legend.resize(80, 16)
    part = legend.grab().toImage()
    assert part.copy(12, 0, 68, 16) == whole.copy(whole.width() - 68, 0, 68, 16)
