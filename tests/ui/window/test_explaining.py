"""What is this?: the cards point at the parts of the window that are seen, and say what those show."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

import pytest
from PySide6.QtCore import QRect, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QDialog, QWidget
from pytestqt.qtbot import QtBot

from tests.fakes.qt_loop import in_qt_loop, until
from tests.fakes.sample_envelope import over_view, sample_view
from tests.fakes.sample_state import CHAT, NOW, sample_state
from tests.fakes.widgets import all_of
from tests.ui.window.test_session import at_work
from workbench.domain.shown.envelope_view import EnvelopeView
from workbench.engine.state import ChatState, WorkbenchState
from workbench.ui.chat.composer.strip import StripFigure
from workbench.ui.explain.cards import Topic
from workbench.ui.explain.overlay import ExplainOverlay
from workbench.ui.inspector.bar import Headline
from workbench.ui.inspector.layers.cells import Column
from workbench.ui.memory import WindowMemory
from workbench.ui.widgets.badge import Badge
from workbench.ui.widgets.guided import page_of
from workbench.ui.widgets.labels import FigureLabel, SumFigure
from workbench.ui.window.explaining import Explaining, mapped, spots
from workbench.ui.window.main_window import MainWindow


class Stage:
    """The window with a state that a test can change."""

    def __init__(self) -> None:
        self.state, self.chat_id = sample_state(), CHAT
        self.window = MainWindow(WindowMemory(None))
        self.window.resize(1600, 1000)
        self.window.show()
        self.explaining = Explaining(self.window, lambda: self.state.open.get(self.chat_id))
        self.draw()

    def draw(self) -> None:
        self.window.show_state(self.state, self.chat_id, NOW)
        self.explaining.refresh_soon()

    def with_chat(self, chat: ChatState) -> None:
        self.state = replace(self.state, open={CHAT: chat})
        self.draw()

    def open(self) -> ExplainOverlay:
        self.explaining.toggle()
        assert self.explaining.overlay is not None
        QApplication.processEvents()
        return self.explaining.overlay

    def holes(self) -> dict[Topic, QRect]:
        return {part.topic: box for part, box in spots(self.window, self.window.columns)}


@pytest.fixture
def stage(qapp: QApplication) -> Iterator[Stage]:
    made = Stage()
    QApplication.processEvents()
    yield made
    made.window.let_go()
    made.window.deleteLater()


def text_of(overlay: ExplainOverlay, title: str) -> str:
    return next(card.accessibleDescription() for card in overlay.cards if card.title.text() == title)


def test_each_hole_is_where_its_part_is(stage: Stage):
    window, holes = stage.window, stage.holes()
    layers = window.inspector.layers
    parts = {
        "drop": layers.drop_fold,
        "turns": layers.turns_fold,
        "what_if": layers.what_if_fold,
        "figures": window.inspector.block.figures,
        "cached": window.chat.composer.strip.place("cached"),
        "message": window.chat.composer.text,
        "attachments": window.left.attachments,
    }
    for topic, widget in parts.items():
        box = QRect(mapped(widget, widget.rect().topLeft(), window.columns), widget.size())
        assert holes[topic].contains(box.center()), topic  # type: ignore[index]
        assert abs(holes[topic].width() - box.width()) <= 12, topic  # type: ignore[index]
        assert abs(holes[topic].height() - box.height()) <= 8, topic  # type: ignore[index]
    row = layers.tree.layer_box("L4_STRIP")
    assert holes["layer"].contains(mapped(layers.tree.viewport(), row.center(), window.columns))


def test_holes_follow_the_window(stage: Stage):
    overlay = stage.open()
    stage.window.resize(1400, 900)
    QApplication.processEvents()
    assert overlay.size() == stage.window.columns.size()
    drawn = [one.hole for page in overlay.pages for one in page.cards]
    assert drawn == list(stage.holes().values())


def test_figures_are_those_of_the_state_and_follow_it(stage: Stage):
    overlay = stage.open()
    assert "11,686 tokens of 16,000" in text_of(overlay, "Budget bar")
    stage.with_chat(replace(stage.state.open[CHAT], view=over_view()))
    QApplication.processEvents()
    assert "over by 14,486" in text_of(overlay, "Budget bar")


def test_without_a_chat_it_says_where_a_request_will_be(stage: Stage):
    stage.state, stage.chat_id = WorkbenchState(), ""
    stage.draw()
    overlay = stage.open()
    assert [card.title.text() for card in overlay.cards] == [
        "Your message",
        "Attachments",
        "The next request",
    ]


def test_while_an_answer_is_written_it_speaks_of_the_request_being_answered(stage: Stage):
    flying = replace(sample_view(), standing="in_flight")
    stage.with_chat(replace(stage.state.open[CHAT], draft="", view=None, in_flight=flying))
    assert text_of(stage.open(), "Budget bar").startswith("The request being answered is 11,686 tokens")


def test_a_narrow_window_is_explained_without_what_it_hides(stage: Stage):
    stage.window.resize(1000, 700)
    QApplication.processEvents()
    assert set(stage.holes()) == {"budget", "cached", "message", "inspector"}


def test_what_lies_under_the_inspector_is_not_pointed_at(stage: Stage):
    stage.window.resize(1000, 700)
    QApplication.processEvents()
    stage.window.columns.open_inspector()
    QApplication.processEvents()
    seen = set(stage.holes())
    assert {"budget", "layer", "drop"} <= seen
    assert not seen & {"message", "inspector"}


def test_a_folded_panel_is_pointed_at_by_its_heading(stage: Stage):
    fold = stage.window.inspector.layers.what_if_fold
    fold.set_folded(True)
    QApplication.processEvents()
    assert stage.holes()["what_if"].height() < 40


def test_on_another_page_its_rows_are_not_explained(stage: Stage):
    stage.window.inspector.show_page("payload")
    QApplication.processEvents()
    assert not set(stage.holes()) & {"layer", "drop", "priority", "state", "turns", "what_if"}
    assert "pages" in stage.holes()


def test_it_is_gone_with_what_the_lock_covers(stage: Stage):
    overlay = stage.open()
    stage.window.set_covered(True)
    assert not overlay.isVisible()


@in_qt_loop
async def test_shift_f1_opens_it_and_gives_the_focus_back(qapp):
    async with at_work() as working:
        window = working.session.window
        window.resize(1600, 1000)
        await until(window.inspector.block.isVisible)
        window.chat.composer.setFocus()
        before = QApplication.focusWidget()
        QTest.keyClick(before, Qt.Key.Key_F1, Qt.KeyboardModifier.ShiftModifier)
        overlay = working.actions.explaining.overlay
        assert overlay is not None
        assert QApplication.focusWidget() is overlay.cards[0]
        QTest.keyClick(overlay.cards[0], Qt.Key.Key_Escape)
        assert QApplication.focusWidget() is before
        assert working.actions.explaining.overlay is None


@in_qt_loop
async def test_the_question_mark_in_the_head_opens_it_and_any_command_closes_it(qapp):
    async with at_work() as working:
        window = working.session.window
        window.resize(1600, 1000)
        await until(window.inspector.block.isVisible)
        window.inspector.head.explain.click()
        assert working.actions.explaining.overlay is not None
        working.actions.run("next-pane")
        assert working.actions.explaining.overlay is None


def test_it_can_be_opened_again(qtbot: QtBot, stage: Stage):
    stage.open()
    stage.explaining.toggle()
    assert stage.explaining.overlay is None
    assert stage.open().isVisible()


def told(figure: QWidget) -> tuple[str, str]:
    """The sentence and the last line of a tip."""
    *sentence, last = figure.toolTip().split("\n")
    return " ".join(sentence), last


@pytest.mark.parametrize(
    "view", [sample_view(), over_view(), replace(sample_view(), exact=False, cost_usd=None)]
)
def test_every_figure_has_a_tip_of_one_sentence_that_leads_into_the_guide(stage: Stage, view: EnvelopeView):
    stage.window.resize(1800, 1000)  # room for all: an estimate has a sign before every figure
    stage.with_chat(replace(stage.state.open[CHAT], view=view))
    QApplication.processEvents()
    kinds = (Headline, FigureLabel, Badge, StripFigure, SumFigure)
    within = (stage.window.inspector.block, stage.window.chat.composer.strip)
    figures = [
        one for pane in within for one in all_of(QWidget, pane) if isinstance(one, kinds) and one.isVisible()
    ]
    assert len(figures) > 8
    for figure in figures:
        sentence, more = told(figure)
        assert more == "More (F1)", figure.accessibleName()
        assert re.fullmatch(r"[^.]+(\.\d[^.]*)*\.", sentence), sentence
        assert page_of(figure, None)


def test_f1_over_a_number_opens_its_page(stage: Stage):
    tree = stage.window.inspector.layers.tree
    for column, page in ((Column.TOKENS, "budget"), (Column.PRIORITY, "priorities"), (Column.CACHE, "cache")):
        at = tree.viewport().mapToGlobal(tree.column_box(column).center())
        assert page_of(tree.viewport(), at) == page
    assert page_of(tree, None) == "request"
    assert page_of(stage.window.inspector.layers.turns.timeline, None) == "cache"
    assert page_of(stage.window.inspector.layers.rail.list, None) == "priorities"
    assert page_of(stage.window.chat.composer.text, None) == ""


@in_qt_loop
async def test_f1_on_a_card_opens_the_page_about_it_and_leads_back(qapp):
    async with at_work() as working:
        window = working.session.window
        window.resize(1600, 1000)
        await until(window.inspector.block.isVisible)
        opened: list[str] = []
        working.openings.guide = opened.append  # type: ignore[method-assign, assignment]
        working.actions.run("explain")
        overlay = working.actions.explaining.overlay
        assert overlay is not None
        overlay.go(1)
        working.actions.run("guide")
        overlay.bar.guide.click()
        assert opened == ["request", "request"]
        assert overlay.isVisible()


@in_qt_loop
async def test_the_tour_can_be_taken_again_from_there(qapp):
    async with at_work() as working:
        window = working.session.window
        window.resize(1600, 1000)
        await until(window.inspector.block.isVisible)
        working.actions.run("lesson-read")
        assert not window.inspector.lesson_line.isVisible()
        window.inspector.head.explain.click()
        overlay = working.actions.explaining.overlay
        assert overlay is not None
        overlay.bar.tour.click()
        assert working.actions.explaining.overlay is None
        assert window.inspector.lesson_line.isVisible()
        assert QApplication.focusWidget() is window.inspector.lesson_line.done


def test_an_inspector_in_its_own_window_is_explained_there(qtbot: QtBot, stage: Stage):
    stage.window.columns.float_inspector("Inspector")
    floating = stage.window.inspector.window()
    floating.resize(800, 900)
    floating.activateWindow()
    qtbot.waitUntil(floating.isActiveWindow)
    overlay = stage.open()
    assert overlay.parent() is floating
    titles = {card.title.text() for card in overlay.cards}
    assert {"Budget bar", "Drop order"} <= titles
    assert "Your message" not in titles
    stage.explaining.close()
    stage.window.columns.dock()


@in_qt_loop
async def test_whoever_closes_the_guide_is_back_at_the_card(qapp):
    async with at_work() as working:
        window = working.session.window
        window.resize(1600, 1000)
        await until(window.inspector.block.isVisible)
        working.actions.run("explain")
        overlay = working.actions.explaining.overlay
        assert overlay is not None
        overlay.go(1)
        working.actions.run("guide")
        dialog = next(
            one for one in QApplication.topLevelWidgets() if isinstance(one, QDialog) and one.isVisible()
        )
        assert overlay.isVisible()
        dialog.close()
        await until(lambda: QApplication.focusWidget() is overlay.cards[1])
