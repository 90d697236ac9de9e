"""The guide: a page with its links and pictures, and the dialog that shows, finds and turns pages."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QWidget
from pytestqt.qtbot import QtBot

from tests.fakes.widgets import all_of
from workbench.domain.guide import GuideText, guide_pages
from workbench.showroom.pictures import png_of
from workbench.ui.chat.text.ink import Ink
from workbench.ui.chat.text.safe_browser import SafeBrowser
from workbench.ui.commands import specs
from workbench.ui.dialogs.guide import NAME, WIDEST_PX, GuideDialog, GuidePicture, GuideView
from workbench.ui.dialogs.shortcut_list import KeysEdit, ShortcutList
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


PAGES = guide_pages(
    {
        "shortcuts": "# Shortcuts\n\n| New chat | Ctrl+N |\n",
        "request": "# What a request is\n\nLayers, and [the budget](budget.md).\n",
        "budget": "# Budget\n\nA request has a limit.\n\nIt is never silent.\n",
        "cache": "# Cache\n\nWarm or lukewarm.\n",
    }
)
ALT = Qt.KeyboardModifier.AltModifier


@pytest.fixture
def guide(qtbot: QtBot) -> GuideDialog:
    dialog = GuideDialog(PAGES, lambda _name: b"", lambda: ShortcutList(specs(), {}))
    qtbot.addWidget(dialog)
    dialog.show_page("")
    dialog.show()
    return dialog


def listed(guide: GuideDialog) -> list[str]:
    return [str(guide.nav.item(row).data(NAME)) for row in range(guide.nav.count())]


def test_it_opens_at_the_shortcuts_with_the_search_ready(guide: GuideDialog):
    assert guide.page() == "shortcuts"
    assert guide.focusWidget() is guide.search
    assert listed(guide) == ["shortcuts", "request", "budget", "cache"]


def test_a_link_leads_to_its_page_and_alt_and_arrows_back_and_forward(guide: GuideDialog):
    guide.show_page("request")
    view = guide.view("request")
    assert isinstance(view, GuideView)
    view.texts[0].link_wished.emit("budget.md")
    assert (guide.page(), guide.nav.currentRow()) == ("budget", 2)
    QTest.keyClick(guide, Qt.Key.Key_Left, ALT)
    assert guide.page() == "request"
    QTest.keyClick(guide, Qt.Key.Key_Left, ALT)
    assert (guide.page(), guide.back.isEnabled()) == ("shortcuts", False)
    QTest.keyClick(guide, Qt.Key.Key_Right, ALT)
    QTest.keyClick(guide, Qt.Key.Key_Right, ALT)
    assert (guide.page(), guide.forward.isEnabled()) == ("budget", False)


def test_a_link_to_no_page_turns_nothing(guide: GuideDialog):
    guide.show_page("request")
    guide.show_page("nowhere")
    assert guide.page() == "request"


def test_typing_lists_pages_best_first_and_marks_the_words(guide: GuideDialog):
    guide.show_page("cache")
    guide.search.setText("budget")
    assert (listed(guide), guide.page()) == (["budget", "request"], "budget")
    guide.search.setText("limit")
    view = guide.view("budget")
    assert isinstance(view, GuideView)
    assert sum(len(browser.extraSelections()) for browser in view.texts[0]._browsers()) == 1
    guide.search.setText("limit cold")
    assert (listed(guide), guide.page(), guide.nothing.isHidden()) == ([], "budget", False)
    guide.search.clear()
    assert (listed(guide), guide.nothing.isHidden()) == (["shortcuts", "request", "budget", "cache"], True)


def test_shortcuts_that_were_asked_for_stay_while_one_of_them_fits(guide: GuideDialog):
    """Opened by F1 they were only the first page, and stayed before the page that a search found best."""
    guide.search.setText("request")
    assert guide.page() == "request"
    guide.search.clear()
    guide.show_page("shortcuts")
    guide.search.setText("request")
    assert guide.page() == "shortcuts"
    guide.search.setText("lukewarm")
    assert guide.page() == "cache"


def test_enter_goes_to_the_first_of_the_shortcuts(guide: GuideDialog):
    QTest.keyClick(guide.focusWidget(), Qt.Key.Key_Return)
    listed = guide.view("shortcuts")
    assert isinstance(listed, ShortcutList)
    assert guide.focusWidget() is listed.table
    assert listed.lines.line(listed.table.currentIndex()).id == specs()[0].id
    QTest.keyClick(listed.table, Qt.Key.Key_Return)
    assert isinstance(guide.focusWidget(), KeysEdit)


def test_the_keyboard_alone_goes_from_the_search_to_a_link_and_along_it(guide: GuideDialog):
    QTest.keyClick(guide.search, Qt.Key.Key_Down)
    assert guide.page() == "request"
    QTest.keyClick(guide.search, Qt.Key.Key_Return)
    view = guide.view("request")
    assert view.hasFocus()
    for key in (Qt.Key.Key_Tab, Qt.Key.Key_Tab, Qt.Key.Key_Return):
        QTest.keyClick(guide.focusWidget(), key)
    assert guide.page() == "budget"
    QTest.keyClick(guide, Qt.Key.Key_Escape)
    assert not guide.isVisible()


def test_whatever_takes_the_focus_has_a_name(guide: GuideDialog):
    guide.show_page("request")
    takers = [
        widget
        for widget in all_of(QWidget, guide)
        if widget.isVisible() and widget.focusPolicy() & Qt.FocusPolicy.TabFocus
    ]
    assert len(takers) > 5
    assert [
        widget for widget in takers if not (widget.accessibleName() or getattr(widget, "text", str)())
    ] == []
