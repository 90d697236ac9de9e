"""Labels show text, never markup; figures stand still."""

from __future__ import annotations

import re

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QPalette
from PySide6.QtWidgets import QWidget

from tests.architecture.source_tree import modules, relative
from workbench.ui.look.space import columns
from workbench.ui.look.theme import Theme
from workbench.ui.widgets.labels import ElidedLabel, FigureLabel, IconSpot, KeyCap, label, set_text, set_token


def test_a_label_takes_text_for_text(qtbot):
    made = label("<b>bold</b>")
    qtbot.addWidget(made)
    assert made.textFormat() == Qt.TextFormat.PlainText


def test_no_label_is_made_elsewhere_and_none_guesses():
    """Qt takes a text for markup where it looks like it, and then fetches what the markup names."""
    ui = {relative(path): path.read_text(encoding="utf-8") for path in modules() if "/ui/" in str(path)}
    making = re.compile(r"\bQLabel\(|\(QLabel\)|\bQMessageBox\b|\bQTextBrowser\(|setOpenExternalLinks\(True")
    assert [path for path, text in ui.items() if making.search(text)] == ["workbench/ui/widgets/labels.py"]
    own_words = ["workbench/ui/explain/overlay.py", "workbench/ui/inspector/lesson.py"]
    assert sorted(path for path, text in ui.items() if "TextFormat.RichText" in text) == own_words
    assert [path for path, text in ui.items() if re.search(r"TextFormat\.(Auto|Markdown)", text)] == []


def test_a_label_has_its_tokens_colour(theme: Theme, qtbot):
    made = label("words", "small", "warn")
    qtbot.addWidget(made)
    made.ensurePolished()
    assert made.palette().color(QPalette.ColorRole.WindowText) == QColor(theme.warn)
    set_token(made, "ok")
    assert made.palette().color(QPalette.ColorRole.WindowText) == QColor(theme.ok)


def test_the_same_text_again_changes_nothing(qtbot):
    made = label("words")
    qtbot.addWidget(made)
    set_text(made, "other words")
    assert made.text() == "other words"


def test_a_long_line_is_shortened_and_whole_in_its_tooltip(qtbot):
    made = ElidedLabel("a very long name that does not fit.md")
    qtbot.addWidget(made)
    made.show()
    made.resize(100, 18)
    assert made.shown_text().endswith("…")
    assert "does not fit.md" in made.toolTip()
    made.resize(400, 18)
    assert made.shown_text() == made.text()
    assert made.toolTip() == ""


def test_a_shortened_line_gives_way(qtbot):
    made = ElidedLabel("a very long name that does not fit.md")
    qtbot.addWidget(made)
    assert made.minimumSizeHint().width() < 20


@pytest.mark.parametrize("name", ["notes.md", "שלום.md", "ملف عربي"])
def test_a_name_stands_at_the_beginning_whichever_way_its_letters_run(qtbot, name: str):
    made = ElidedLabel(name)
    qtbot.addWidget(made)
    made.resize(400, 18)
    image = made.grab().toImage()
    ground = image.pixelColor(399, 17)
    inked = [x for x in range(400) if any(image.pixelColor(x, y) != ground for y in range(18))]
    assert made.shown_text() == name
    assert inked[0] < 5
    assert inked[-1] < 150


@pytest.fixture
def beside(qtbot):
    """A figure with a neighbour on each side."""
    row = QWidget()
    qtbot.addWidget(row)
    across = columns(row)
    figure, neighbour = FigureLabel("11,686", "strip"), label("tokens")
    across.addWidget(figure)
    across.addWidget(neighbour)
    across.addStretch(1)
    row.resize(300, 30)
    row.show()
    return row, figure, neighbour


@pytest.mark.parametrize("text", ["11,111", "99,999", "9", "0"])
def test_a_figure_that_changes_does_not_move_its_neighbour(beside, qtbot, text: str):
    _, figure, neighbour = beside
    before = neighbour.x()
    figure.set_figure(text)
    qtbot.wait(1)
    assert neighbour.x() == before


def test_room_can_be_kept_for_a_wider_figure(qtbot):
    made = FigureLabel("1", reserve="1,000,000")
    qtbot.addWidget(made)
    assert made.sizeHint().width() > 50


def test_a_figure_is_read_aloud(qtbot):
    made = FigureLabel("11,686")
    qtbot.addWidget(made)
    assert (made.accessibleName(), made.figure()) == ("11,686", "11,686")


def test_a_figure_is_painted_in_its_colour(theme: Theme, qtbot):
    made = FigureLabel("888", "figure", "err")
    qtbot.addWidget(made)
    made.resize(made.sizeHint())
    image = made.grab().toImage()
    found = {
        image.pixelColor(x, y).name().upper() for x in range(image.width()) for y in range(image.height())
    }
    assert theme.err in found


def test_a_key_is_square_at_least(qtbot):
    one, long = KeyCap("+"), KeyCap("Ctrl+F")
    qtbot.addWidget(one)
    qtbot.addWidget(long)
    assert one.sizeHint().width() == one.sizeHint().height() == 18
    assert long.sizeHint().width() > 40
    assert long.accessibleName() == "Ctrl+F"
    assert not long.grab().isNull()


def inked(spot: IconSpot) -> bytes:
    return bytes(spot.grab().toImage().convertToFormat(spot.grab().toImage().format()).constBits())


def test_it_is_as_large_as_its_icon_and_shows_another_one_when_told(qtbot):
    spot = IconSpot("file", "t2", 20)
    qtbot.addWidget(spot)
    assert (spot.width(), spot.height()) == (20, 20)
    before = inked(spot)
    spot.show_icon("chat")
    assert inked(spot) != before
    coloured = inked(spot)
    spot.show_icon("chat", "err")
    assert inked(spot) != coloured
