"""The view of prose: as high as its text, the same widget while it grows, in the colours of the theme."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QPalette
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from workbench.ui.chat.text.blocks import Line, Span
from workbench.ui.chat.text.ink import Ink
from workbench.ui.chat.text.prose import ProseView
from workbench.ui.look.appearance import Appearance
from workbench.ui.look.theme import DARK, LIGHT, Theme


@pytest.fixture
def view(qtbot: QtBot) -> ProseView:
    ink = Ink()
    made = ProseView(ink)
    made.ink_kept = ink  # type: ignore[attr-defined]
    qtbot.addWidget(made)
    return made


def line(text: str, **more: object) -> Line:
    return Line((Span(text),), **more)  # type: ignore[arg-type]


def shown(view: ProseView, *lines: Line, width: int = 400) -> ProseView:
    view.show_lines(lines)
    view.resize(width, view.heightForWidth(width))
    view.show()
    return view


def test_it_is_as_high_as_its_text(view: ProseView):
    shown(view, line("one line"))
    assert view.height() == 22
    view.show_lines((line("words " * 60),))
    assert view.heightForWidth(400) == 22 * round(view.heightForWidth(400) / 22)
    assert view.heightForWidth(200) > view.heightForWidth(400)
    assert view.hasHeightForWidth()


def test_lines_that_go_on_are_added(view: ProseView):
    shown(view, line("a"))
    revision = view.document().revision()
    view.show_lines((line("a"), line("b")))
    assert view.toPlainText() == "a\nb"
    assert view.document().revision() > revision
    view.show_lines((line("c"),))
    assert view.toPlainText() == "c"
    assert view.lines() == (line("c"),)


def test_the_same_lines_are_not_written_again(view: ProseView):
    shown(view, line("a"))
    revision = view.document().revision()
    view.show_lines((line("a"),))
    assert view.document().revision() == revision


def test_it_is_reached_by_tab_only_where_it_has_links(view: ProseView):
    shown(view, line("plain"))
    assert view.focusPolicy() == Qt.FocusPolicy.ClickFocus
    view.show_lines((Line((Span("x", link="https://a.example/"),)),))
    assert view.focusPolicy() == Qt.FocusPolicy.StrongFocus


def test_a_formula_takes_the_place_of_its_source(view: ProseView, qtbot: QtBot):
    shown(view, Line((Span("so "), Span("x^2", math=True))))
    assert "x^2" in view.toPlainText()
    qtbot.waitUntil(lambda: "\ufffc" in view.toPlainText())
    assert "x^2" not in view.toPlainText()


def test_it_follows_the_theme(view: ProseView, qapp: QApplication, appearance: Appearance):
    shown(view, Line((Span("x", link="https://a.example/"),)))

    def ink() -> QColor:
        return view.document().begin().begin().fragment().charFormat().foreground().color()

    assert ink() == QColor(LIGHT.accent_text)
    appearance.apply(qapp, "dark")
    assert ink() == QColor(DARK.accent_text)


def test_a_token_colours_the_text_in_both_themes(view: ProseView, theme: Theme):
    view.set_token("t3")
    shown(view, line("quiet"))
    assert view.palette().color(QPalette.ColorRole.Text) == QColor(theme.t3)


def test_inline_code_stands_on_a_ground(view: ProseView):
    shown(view, Line((Span("see "), Span("code", code=True))))
    picture = view.grab().toImage()
    colours = {picture.pixelColor(x, 8).name() for x in range(picture.width())}
    assert QColor(LIGHT.sunken).name() in colours


def test_everything_beside_the_text_can_be_painted(view: ProseView):
    shown(
        view,
        line("a", quote=2),
        line("b", marker="1.", indent=1),
        Line((), "rule"),
        line("سلام", marker="•", indent=1, quote=1),
        line("head", kind="heading", level=4),
    )
    assert not view.grab().isNull()
