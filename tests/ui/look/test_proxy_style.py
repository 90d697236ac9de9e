"""Our style: what it answers instead of Fusion."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import (
    QApplication,
    QComboBox,
    QLabel,
    QMenu,
    QProxyStyle,
    QScrollArea,
    QStyle,
    QToolTip,
    QWidget,
)

Hint, Metric = QStyle.StyleHint, QStyle.PixelMetric


@pytest.fixture
def style(qapp: QApplication) -> QStyle:
    return qapp.style()


def test_a_tooltip_comes_after_half_a_second(style: QStyle):
    assert style.styleHint(Hint.SH_ToolTip_WakeUpDelay) == 500


def test_no_key_is_underlined(style: QStyle):
    assert style.styleHint(Hint.SH_UnderlineShortcut) == 0


def test_the_rest_is_fusions(style: QStyle):
    assert style.pixelMetric(Metric.PM_ToolBarIconSize) > 0
    assert style.styleHint(Hint.SH_ScrollBar_ContextMenu) == 1


def test_python_is_not_asked_about_a_scroll_bar_that_is_never_seen(style: QStyle, qtbot):
    """Every layout asks; an upright one may be wanted again, as in the composer, and looks like all others then."""
    area = QScrollArea()
    qtbot.addWidget(area)
    area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    area.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    area.ensurePolished()
    assert type(area.horizontalScrollBar().style()) is QProxyStyle
    assert area.verticalScrollBar().style() is style


def test_a_menus_corners_are_clear(qtbot):
    parent = QWidget()
    qtbot.addWidget(parent)
    menu = QMenu(parent)
    menu.addAction("Copy")
    menu.ensurePolished()
    assert menu.testAttribute(Qt.WidgetAttribute.WA_TranslucentBackground)


def test_a_tooltips_corners_are_clear(qapp: QApplication, qtbot):
    parent = QWidget()
    qtbot.addWidget(parent)
    parent.show()
    QToolTip.showText(QPoint(5, 5), "words", parent)
    tips = [each for each in qapp.topLevelWidgets() if isinstance(each, QLabel)]
    assert tips
    assert all(each.testAttribute(Qt.WidgetAttribute.WA_TranslucentBackground) for each in tips)
    QToolTip.hideText()


def test_a_combo_boxs_list_drops_down_below_it(qtbot):
    box = QComboBox()
    qtbot.addWidget(box)
    assert box.style().styleHint(Hint.SH_ComboBox_Popup, None, box) == 0
