"""A formula that stands alone: its picture, and its source where there is none."""

from __future__ import annotations

import pytest
from PySide6.QtGui import QGuiApplication, QKeySequence
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from workbench.ui.chat.text.blocks import Formula
from workbench.ui.chat.text.formula_view import FormulaView
from workbench.ui.chat.text.ink import Ink
from workbench.ui.look.appearance import Appearance

WIDE = r"\frac{a+b+c+d+e+f}{g+h+i+j+k} = \sum_{n=0}^{\infty} x_n + y_n + z_n"


@pytest.fixture
def ink(qapp: object) -> Ink:
    return Ink()


def view(qtbot: QtBot, ink: Ink, source: str) -> FormulaView:
    made = FormulaView(ink)
    qtbot.addWidget(made)
    made.show_formula(Formula(source))
    made.resize(400, made.heightForWidth(400))
    made.show()
    return made


def test_the_source_is_shown_until_the_picture_is_there(qtbot: QtBot, ink: Ink):
    made = view(qtbot, ink, r"\frac{a}{b}")
    assert not made.is_drawn()
    assert not made.grab().isNull()
    ink.finish()
    assert made.is_drawn()
    assert not made.grab().isNull()


def test_what_cannot_be_drawn_stays_source(qtbot: QtBot, ink: Ink):
    made = view(qtbot, ink, r"\frac{a")
    ink.finish()
    assert not made.is_drawn()
    assert made.accessibleName() == r"Formula: \frac{a"


def test_a_wide_one_shrinks_with_the_column(qtbot: QtBot, ink: Ink):
    made = view(qtbot, ink, WIDE)
    ink.finish()
    assert made.heightForWidth(120) < made.heightForWidth(2_000)


def test_its_source_can_be_copied(qtbot: QtBot, ink: Ink):
    made = view(qtbot, ink, "x^2")
    made.setFocus()
    QTest.keySequence(made, QKeySequence(QKeySequence.StandardKey.Copy))
    assert QGuiApplication.clipboard().text() == "x^2"


def test_it_is_drawn_again_in_another_theme(
    qtbot: QtBot, ink: Ink, qapp: QApplication, appearance: Appearance
):
    made = view(qtbot, ink, "x")
    ink.finish()
    light = made.grab().toImage()
    appearance.apply(qapp, "dark")
    assert made.is_drawn()
    assert made.grab().toImage() != light
