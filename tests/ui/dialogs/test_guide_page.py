"""A page of the guide: its pictures come with the program, and keys scroll it wherever the focus is."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel
from pytestqt.qtbot import QtBot

from tests.fakes.widgets import all_of
from workbench.domain.guide import GuideText
from workbench.showroom.pictures import png_of
from workbench.ui.chat.text.ink import Ink
from workbench.ui.chat.text.safe_browser import SafeBrowser
from workbench.ui.dialogs.guide import WIDEST_PX, GuidePicture, GuideView
from workbench.ui.widgets.found_words import wanted

LONG = "".join(f"Line {number}.\n\n" for number in range(60))


def shown(qtbot: QtBot, text: str) -> tuple[GuideView, list[str]]:
    asked: list[str] = []

    def load(name: str) -> bytes:
        asked.append(name)
        image = QImage(1200, 300, QImage.Format.Format_RGB32)
        image.fill(QColor("red"))
        return png_of(image)

    view = GuideView(GuideText("a", "A page", text), load, Ink())
    qtbot.addWidget(view)
    view.resize(640, 400)
    view.show()
    return view, asked


def test_a_picture_on_its_own_line_is_drawn_as_wide_as_there_is_room(qtbot: QtBot):
    view, asked = shown(qtbot, "# A\n\nOne.\n\n![The bar](pictures/bar.png)\n\nTwo.\n")
    (picture,) = all_of(GuidePicture, view)
    assert (asked, picture.accessibleName()) == (["pictures/bar.png"], "The bar")
    assert picture.width() * 300 == picture.height() * 1200
    assert [one.text() for one in all_of(QLabel, view)] == ["The bar"]
    assert len(view.texts) == 2


def test_a_picture_from_elsewhere_is_only_text(qtbot: QtBot):
    view, asked = shown(qtbot, "# A\n\n![x](https://example.org/x.png)\n\n![y](../x.png)\n")
    assert (asked, all_of(GuidePicture, view)) == ([], [])


def test_keys_scroll_even_while_a_link_has_the_focus(qtbot: QtBot):
    view, _ = shown(qtbot, f"# A\n\n[budget](budget.md)\n\n{LONG}")
    browser = all_of(SafeBrowser, view)[0]
    bar = view.verticalScrollBar()
    QTest.keyClick(browser, Qt.Key.Key_End)
    assert bar.value() == bar.maximum() > 0
    QTest.keyClick(browser, Qt.Key.Key_Home)
    assert bar.value() == 0


def test_a_word_far_down_is_brought_into_sight(qtbot: QtBot):
    view, _ = shown(qtbot, f"# A\n\n{LONG}")
    view.mark_words(wanted(["59"]))
    assert view.verticalScrollBar().value() > 0


def test_text_stays_in_the_middle_when_the_window_is_made_larger(qtbot: QtBot):
    """What was as high as before stayed where it was, wider than what is read with ease."""
    view, _ = shown(qtbot, "# A\n\nOne.\n\n```sh\nworkbench\n```\n")
    view.resize(1000, 400)
    QApplication.processEvents()
    left = (view.viewport().width() - WIDEST_PX) // 2
    assert (view.texts[0].x(), view.texts[0].width()) == (left, view.viewport().width() - 2 * left)
