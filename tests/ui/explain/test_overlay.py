"""The overlay: Tab goes from card to card and on to the next page, Esc gives the focus back, each card can be heard."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtGui import QAccessible
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLineEdit, QWidget
from pytestqt.qtbot import QtBot

from workbench.ui.explain.cards import CardText, Piece
from workbench.ui.explain.overlay import Explained, ExplainOverlay, rich
from workbench.ui.look.theme import Theme

TITLES = ("Budget bar", "A layer row", "Drop order", "Cached", "Turns", "What if")


def explained(number: int, more: str = "") -> Explained:
    card = CardText(
        "budget", TITLES[number], (Piece("It is "), Piece(f"{number}00{more}", True), Piece(" tokens."))
    )
    return Explained(card, QRect(900, 60 + 150 * number, 400, 60))


@pytest.fixture
def window(qtbot: QtBot) -> QWidget:
    made = QWidget()
    made.resize(1400, 1000)
    made.field = QLineEdit(made)  # type: ignore[attr-defined]
    qtbot.addWidget(made)
    made.show()
    made.activateWindow()
    qtbot.waitUntil(made.isActiveWindow)
    made.field.setFocus()  # type: ignore[attr-defined]
    return made


@pytest.fixture
def overlay(window: QWidget) -> ExplainOverlay:
    made = ExplainOverlay(window)
    made.show()
    made.explain([explained(number) for number in range(6)])
    return made


def held() -> str:
    return QApplication.focusWidget().accessibleName()


def press(key: Qt.Key, modifiers: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> None:
    QTest.keyClick(QApplication.focusWidget(), key, modifiers)


def test_tab_goes_through_all_cards_then_the_bar_and_around(overlay: ExplainOverlay):
    heard = [held()]
    for _ in range(len(TITLES) + len(overlay.bar.stops())):
        press(Qt.Key.Key_Tab)
        heard.append(held())
    cards = [f"{number}. {title}" for number, title in enumerate(TITLES, start=1)]
    bar = ["Previous cards", "Next cards", "Take the tour again", "Read the guide", "Close"]
    assert heard == [*cards, *bar, cards[0]]


def test_tab_back_goes_the_same_way_back(overlay: ExplainOverlay):
    press(Qt.Key.Key_Backtab, Qt.KeyboardModifier.ShiftModifier)
    assert held() == "Close"
    for _ in range(5):
        press(Qt.Key.Key_Backtab, Qt.KeyboardModifier.ShiftModifier)
    assert (held(), overlay.page()) == ("6. What if", 1)


def test_only_the_cards_of_a_page_are_seen_and_the_bar_turns_it(overlay: ExplainOverlay):
    def seen() -> list[int]:
        return [number for number, card in enumerate(overlay.cards) if card.isVisible()]

    assert (seen(), overlay.bar.count.text()) == ([0, 1, 2, 3], "1 of 2")
    overlay.bar.forth.click()
    assert (seen(), overlay.bar.count.text(), held()) == ([4, 5], "2 of 2", "5. Turns")
    overlay.bar.forth.click()
    assert seen() == [0, 1, 2, 3]


def test_escape_closes_it_and_gives_the_focus_back(qtbot: QtBot, window: QWidget, overlay: ExplainOverlay):
    with qtbot.waitSignal(overlay.closed):
        press(Qt.Key.Key_Escape)
    assert not overlay.isVisible()
    assert isinstance(QApplication.focusWidget(), QLineEdit)


def test_a_screen_reader_gets_title_and_text_of_the_card_with_the_focus(overlay: ExplainOverlay):
    press(Qt.Key.Key_Tab)
    spoken = QAccessible.queryAccessibleInterface(QApplication.focusWidget())
    assert spoken.text(QAccessible.Text.Name) == "2. A layer row"
    assert spoken.text(QAccessible.Text.Description) == "It is 100 tokens."
    assert spoken.state().focused  # type: ignore[attr-defined]


def test_figures_change_under_the_reader_without_moving_the_focus(overlay: ExplainOverlay):
    press(Qt.Key.Key_Tab)
    overlay.explain([explained(number, "7") for number in range(6)])
    assert held() == "2. A layer row"
    assert QApplication.focusWidget().accessibleDescription() == "It is 1007 tokens."


def test_who_reads_a_card_of_another_page_goes_on_reading_it_when_others_go(overlay: ExplainOverlay):
    for _ in range(5):
        press(Qt.Key.Key_Tab)
    assert (held(), overlay.page()) == ("6. What if", 1)
    overlay.explain([explained(number) for number in range(6) if number > 1])
    assert held() in ("4. What if", "3. Turns", "1. Drop order")
    assert QApplication.focusWidget().isVisible()


def test_holes_let_what_is_explained_be_seen_and_the_rest_is_dimmed(
    theme: Theme, overlay: ExplainOverlay, window: QWidget
):
    picture = window.grab().toImage()
    hole = explained(0).hole
    inside = picture.pixelColor(hole.center())
    outside = picture.pixelColor(QPoint(1390, 500))
    assert inside == window.palette().window().color()
    assert outside != inside


def test_it_covers_its_window_also_when_that_gets_another_size(overlay: ExplainOverlay, window: QWidget):
    window.resize(1000, 700)
    assert overlay.size() == window.size()


def test_a_click_on_what_is_explained_goes_to_its_card_and_any_other_closes(
    qtbot: QtBot, overlay: ExplainOverlay
):
    QTest.mouseClick(overlay, Qt.MouseButton.LeftButton, pos=explained(2).hole.center())
    assert held() == "3. Drop order"
    with qtbot.waitSignal(overlay.closed):
        QTest.mouseClick(overlay, Qt.MouseButton.LeftButton, pos=QPoint(1390, 500))


def test_in_a_narrow_window_the_bar_gives_up_words_before_it_is_cut(overlay: ExplainOverlay, window: QWidget):
    window.resize(520, 700)
    overlay.explain([Explained(explained(0).card, QRect(20, 100, 200, 40))])
    assert overlay.bar.width() <= 520
    parts = [part for part in overlay.bar.stops() if part.width() < part.sizeHint().width()]
    assert parts == []


def test_foreign_names_are_not_taken_for_markup():
    card = CardText("drop", "Drop order", (Piece("<img src=x>", True), Piece(" is dropped first & frees 5.")))
    assert rich(card) == "<b>&lt;img src=x&gt;</b> is dropped first &amp; frees 5."
