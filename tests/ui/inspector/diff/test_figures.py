"""Four figures in a row."""

from __future__ import annotations

from tests.fakes.sample_state import sample_diff
from workbench.ui.inspector.diff.figures import DiffFigures
from workbench.ui.inspector.diff.words import figures
from workbench.ui.look.theme import Theme, colour


def test_what_is_lost_has_a_ground_of_its_own_at_the_beginning(qtbot, theme: Theme):
    made = DiffFigures()
    qtbot.addWidget(made)
    made.resize(720, 54)
    made.show_figures(figures(sample_diff()))
    assert made.grab().toImage().pixelColor(170, 40) == colour(theme.err_tint)
    assert made.grab().toImage().pixelColor(350, 40) == colour(theme.raised)


def test_the_figures_are_spoken(qtbot):
    made = DiffFigures()
    qtbot.addWidget(made)
    made.show_figures(figures(sample_diff()))
    assert made.accessibleDescription().startswith(
        "−2,723 tokens lost from the cache, 1,482 tokens still reused"
    )
