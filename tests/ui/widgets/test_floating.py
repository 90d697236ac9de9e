"""The frame of a dialog."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QImage, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from tests.ui.widgets.children import child
from workbench.ui.look.painting import paint_shadow
from workbench.ui.look.theme import LIGHT, Theme
from workbench.ui.widgets.buttons import button
from workbench.ui.widgets.choice import Field
from workbench.ui.widgets.floating import MARGIN, Popup, Scrim, Sheet, within
from workbench.ui.widgets.labels import label


@pytest.fixture
def window(qtbot) -> QWidget:
    made = QWidget()
    qtbot.addWidget(made)
    made.resize(700, 500)
    made.show()
    made.activateWindow()
    return made


@pytest.fixture
def sheet(window: QWidget, qtbot) -> Sheet:
    made = Sheet("Add a server", 400, 240, window)
    made.body.addWidget(Field("https://"))
    made.foot.addWidget(button("Cancel"))
    made.open()
    return made


def test_what_is_seen_has_the_size_that_was_asked_for(sheet: Sheet):
    assert (sheet.width() - 2 * MARGIN, sheet.height() - 2 * MARGIN) == (400, 240)
    assert sheet.head_band.height() == 44
    assert sheet.foot_band.height() == 52


def test_it_is_laid_out_once(window: QWidget):
    """It was shown as large as it likes to be, and then made as large as it shall be: everything in it twice."""
    made = Sheet("Add a server", 400, 240, window)
    inside = Resized()
    made.body.addWidget(inside)
    made.open()
    assert len(inside.sizes) == 1


class Resized(QWidget):
    """Notes the sizes that it was given."""

    def __init__(self) -> None:
        super().__init__()
        self.sizes: list[QSize] = []

    def resizeEvent(self, event: QResizeEvent) -> None:
        self.sizes.append(event.size())


def test_it_lies_in_the_middle_of_its_window(sheet: Sheet, window: QWidget):
    assert (sheet.geometry().center() - window.geometry().center()).manhattanLength() <= 2


def test_the_focus_is_inside_and_not_on_the_cross(sheet: Sheet):
    assert sheet.focusWidget() is child(sheet, Field)


def test_escape_closes_it_and_lifts_the_veil(sheet: Sheet, window: QWidget, qtbot):
    scrim = child(window, Scrim)
    assert scrim.isVisible()
    with qtbot.waitSignal(sheet.rejected):
        QTest.keyClick(sheet, Qt.Key.Key_Escape)
    assert sheet.isHidden()
    assert scrim.isHidden()


def test_the_cross_closes_it(sheet: Sheet, qtbot):
    with qtbot.waitSignal(sheet.rejected):
        QTest.mouseClick(sheet.close_button, Qt.MouseButton.LeftButton)


def test_its_title_can_change(sheet: Sheet):
    sheet.set_title("Another")
    assert (sheet.windowTitle(), sheet.title.text()) == ("Another", "Another")


def test_without_a_height_it_is_as_high_as_its_content(window: QWidget, qtbot):
    low = Sheet("Low", 400, parent=window)
    low.body.addWidget(label("one line"))
    low.open()
    assert 44 + 52 < low.height() - 2 * MARGIN < 200
    low.close()


def test_it_is_never_larger_than_the_screen(window: QWidget, qtbot):
    large = Sheet("Large", 9000, 9000, window)
    large.open()
    room = large.screen().availableGeometry()
    assert large.width() - 2 * MARGIN < room.width()
    assert large.height() - 2 * MARGIN < room.height()
    large.close()


def test_a_sheet_without_a_window_has_no_veil(qtbot):
    alone = Sheet("Unlock", 400, 200)
    qtbot.addWidget(alone)
    alone.open()
    assert alone.isVisible()
    assert not alone.grab().isNull()


def test_the_ring_goes_on_where_the_keyboard_opened_it(window: QWidget, qtbot):
    window.setAttribute(Qt.WidgetAttribute.WA_KeyboardFocusChange)
    sheet = Sheet("Keys", 400, 200, window)
    sheet.body.addWidget(button("First"))
    sheet.open()
    assert sheet.testAttribute(Qt.WidgetAttribute.WA_KeyboardFocusChange)
    sheet.close()


def test_over_a_window_at_the_edge_of_the_screen_it_is_seen_whole(window: QWidget, qtbot):
    """In the middle of its window, half of it would be beyond the edge, with the buttons that close it."""
    screen = window.screen().availableGeometry()
    window.move(screen.right() - 60, screen.bottom() - 60)
    made = Sheet("Near the edge", 400, 240, window)
    made.open()
    box = made.geometry().adjusted(MARGIN, MARGIN, -MARGIN, -MARGIN)
    assert screen.contains(box)
    made.close()


def test_the_nearest_corner_at_which_something_is_whole():
    screen = QRect(1000, 0, 800, 600)
    size = QSize(300 + 2 * MARGIN, 200 + 2 * MARGIN)
    assert within(screen, QPoint(1200, 100), size) == QPoint(1200, 100)
    assert within(screen, QPoint(0, -500), size) == QPoint(1000 - MARGIN, -MARGIN)
    assert within(screen, QPoint(5000, 5000), size) == QPoint(1800 - 300 - MARGIN, 600 - 200 - MARGIN)
    assert within(screen, QPoint(0, 0), QSize(2000, 2000)) == QPoint(1000 - MARGIN, -MARGIN)


def test_the_veil_covers_the_window_also_when_it_grows(qtbot):
    window = QWidget()
    qtbot.addWidget(window)
    window.resize(300, 200)
    window.show()
    scrim = Scrim(window)
    assert scrim.isHidden()
    scrim.show()
    assert scrim.geometry() == window.rect()
    window.resize(500, 400)
    assert scrim.geometry() == window.rect()


def test_the_veil_darkens(qtbot, theme):
    window = QWidget()
    qtbot.addWidget(window)
    window.resize(100, 100)
    window.show()
    before = window.grab().toImage().pixelColor(50, 50)
    scrim = Scrim(window)
    scrim.show()
    after = window.grab().toImage().pixelColor(50, 50)
    assert after != before


def test_a_lifted_veil_leaves_the_window_alone(qtbot):
    window = QWidget()
    qtbot.addWidget(window)
    window.resize(300, 200)
    window.show()
    scrim = Scrim(window)
    scrim.show()
    scrim.hide()
    window.resize(500, 400)
    assert scrim.width() == 300


def test_a_popup_opens_under_its_anchor(window: QWidget):
    anchor = button("Model")
    anchor.setParent(window)
    anchor.setGeometry(200, 50, 100, 28)
    anchor.show()
    popup = Popup(window)
    popup.body.addWidget(label("words"))
    popup.open_under(anchor)
    seen = popup.pos() + QPoint(MARGIN, MARGIN)
    assert seen == anchor.mapToGlobal(QPoint(0, anchor.height() + 4))
    popup.close()


def test_a_popup_has_a_shadow_and_clear_corners(theme: Theme, window: QWidget):
    popup = Popup(window)
    popup.resize(200, 150)
    image = popup.grab().toImage()
    assert image.pixelColor(0, 0).alpha() == 0
    assert image.pixelColor(100, 75) == QColor(theme.raised)
    below = image.pixelColor(100, 150 - MARGIN + 4)
    assert 0 < below.alpha() < 120


def test_a_popup_over_a_widget_ends_where_that_ends_and_is_as_high_as_what_is_in_it(window: QWidget):
    anchor = button("Send")
    anchor.setParent(window)
    anchor.setGeometry(200, 150, 100, 28)
    anchor.show()
    popup, words = Popup(window), label("words")
    popup.body.addWidget(label("more"))
    popup.body.addWidget(words)
    popup.open_over(anchor)
    corner = QPoint(popup.x() + popup.width() - MARGIN, popup.y() + popup.height() - MARGIN)
    assert corner == anchor.mapToGlobal(QPoint(anchor.width(), -4))
    high = popup.height()
    words.hide()
    popup.fit()
    assert popup.height() < high
    popup.close()


@pytest.fixture
def image(qapp) -> QImage:
    made = QImage(200, 160, QImage.Format.Format_ARGB32_Premultiplied)
    made.fill(0)
    painter = QPainter(made)
    paint_shadow(painter, QRectF(MARGIN, MARGIN, 200 - 2 * MARGIN, 160 - 2 * MARGIN), LIGHT, 10)
    painter.end()
    return made


def test_it_fades_towards_its_margin(image: QImage):
    column = [image.pixelColor(100, y).alpha() for y in range(160 - MARGIN, 160)]
    assert column == sorted(column, reverse=True)
    assert column[0] > 15
    assert column[-1] <= 3


def test_it_lies_lower_than_the_box(image: QImage):
    assert image.pixelColor(100, 160 - MARGIN + 3).alpha() > image.pixelColor(100, MARGIN - 4).alpha()


def test_it_is_not_darker_than_the_design(image: QImage):
    assert max(image.pixelColor(100, y).alpha() for y in range(160)) <= 0.26 * 255


class Painted(QWidget):
    """Counts how often it is painted."""

    times = 0

    def paintEvent(self, _event: QPaintEvent) -> None:
        self.times += 1
        QPainter(self).fillRect(self.rect(), QColor("white"))


def test_a_veil_dims_a_window_without_painting_it_again(qtbot: QtBot):
    """The window below took longer to paint than a dialog over it; what changes there later is still seen."""
    window = QWidget()
    below = Painted(window)
    window.resize(200, 100)
    below.resize(200, 100)
    qtbot.addWidget(window)
    with qtbot.waitExposed(window):
        window.show()
    qtbot.wait(50)
    veil = Scrim(window)
    before = below.times
    veil.cover()
    qtbot.wait(50)
    assert below.times == before

    def pixel() -> QColor:
        return window.screen().grabWindow(window.winId()).toImage().pixelColor(50, 50)

    dimmed = pixel()
    assert dimmed != QColor("white")
    below.update()
    qtbot.waitUntil(lambda: below.times > before)
    assert pixel() == dimmed == window.grab().toImage().pixelColor(50, 50)
