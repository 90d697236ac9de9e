"""Progress: known, unknown, and a way to stop."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor
from PySide6.QtTest import QTest

from workbench.ui.look.theme import Theme
from workbench.ui.widgets.progress import ProgressLine, ProgressRow


@pytest.fixture
def line(qtbot) -> ProgressLine:
    made = ProgressLine()
    qtbot.addWidget(made)
    made.resize(200, 4)
    made.show()
    return made


def accent_columns(line: ProgressLine, theme: Theme) -> list[int]:
    image = line.grab().toImage()
    return [x for x in range(line.width()) if image.pixelColor(x, 2) == QColor(theme.accent)]


def test_the_part_that_is_done_is_filled(line: ProgressLine, theme: Theme):
    line.set_fraction(0.4)
    columns = accent_columns(line, theme)
    assert (columns[0], columns[-1]) == (1, 78), "but for its round ends"
    assert line.accessibleDescription() == "40 %"


@pytest.mark.parametrize(("asked", "shown"), [(-1.0, 0.0), (2.0, 1.0), (0.5, 0.5)])
def test_it_stays_between_nothing_and_all(line: ProgressLine, asked: float, shown: float):
    line.set_fraction(asked)
    assert line.fraction() == shown


def test_without_motion_the_runner_stands_in_the_middle(line: ProgressLine, theme: Theme):
    line.set_fraction(None)
    columns = accent_columns(line, theme)
    assert len(columns) == pytest.approx(34, abs=2)
    assert sum(columns) / len(columns) == pytest.approx(99.5, abs=1)
    assert line.accessibleDescription() == "under way"


def test_the_runner_runs_while_it_is_seen(line: ProgressLine, moving, qtbot, theme: Theme):
    line.set_fraction(None)
    before = accent_columns(line, theme)
    qtbot.waitUntil(lambda: accent_columns(line, theme) != before)
    line.hide()
    assert not line._timer.isActive()
    line.show()
    assert line._timer.isActive()
    line.set_fraction(1.0)
    assert not line._timer.isActive()


def test_a_row_says_what_it_is_and_can_be_stopped(qtbot):
    row = ProgressRow("folder", "Scanning auth-service", "13 of 31 files")
    qtbot.addWidget(row)
    row.resize(400, 52)
    row.show()
    row.show_progress(0.42, "14 of 31 files")
    assert (row.bar.fraction(), row.amount.text()) == (0.42, "14 of 31 files")
    assert row.cancel.accessibleName() == "Cancel: Scanning auth-service"
    with qtbot.waitSignal(row.cancelled):
        QTest.mouseClick(row.cancel, Qt.MouseButton.LeftButton)
    assert not row.grab().isNull()
