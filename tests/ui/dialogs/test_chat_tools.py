"""The tools of one chat."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest
from PySide6.QtWidgets import QWidget

from tests.fakes.catalogue import WORD_MODEL
from tests.fakes.given import TOOLS
from tests.fakes.sample_state import CHAT, sample_state
from tests.fakes.widgets import point_at
from workbench.domain.model import ModelListing
from workbench.domain.tool import ToolDefinition
from workbench.ui.dialogs.chat_tools import ToolsPopup
from workbench.ui.given import Toolroom
from workbench.ui.offers import Offer

ROOM = Toolroom("/home/me/project", TOOLS)


@pytest.fixture
def made(qtbot) -> Iterator[ToolsPopup]:
    window = QWidget()
    qtbot.addWidget(window)
    popup = ToolsPopup(None, window)
    popup.show_state(sample_state(), sample_state().open[CHAT], ROOM)
    yield popup
    window.close()


def test_each_tool_and_the_folder_are_shown(qtbot, made: ToolsPopup):
    assert list(made.checks) == ["ls", "read", "write"]
    assert "asks first" in made.checks["write"].text()
    assert made.folder.text() == "/home/me/project"


def test_all_of_them_or_single_ones_are_chosen(qtbot, made: ToolsPopup):
    with qtbot.waitSignal(made.chosen) as heard:
        made.all.click()
    assert heard.args == [TOOLS]
    with qtbot.waitSignal(made.chosen) as heard:
        made.checks["read"].click()
    assert heard.args == [(TOOLS[0], TOOLS[2])]
    made.checks["ls"].click()
    with qtbot.waitSignal(made.chosen) as heard:
        made.checks["write"].click()
    assert heard.args == [()]
    assert not made.all.isChecked()


def test_a_box_says_what_it_would_cost_before_it_is_pressed(qtbot, made: ToolsPopup):
    asked: list[tuple[str, ...]] = []

    def offer(tools: tuple[ToolDefinition, ...]) -> Offer:
        asked.append(tuple(tool.name for tool in tools))
        return Offer("Tools", ())

    made.offer = offer
    made.all.setChecked(False)
    with qtbot.waitSignal(made.wishes.offered):
        point_at(made.all)
    made.checks["read"].setChecked(True)
    point_at(made.checks["write"])
    point_at(made.checks["read"])
    assert asked == [("ls", "read", "write"), ("read", "write"), ()]


def test_a_model_that_takes_no_tools_is_said(qtbot, made: ToolsPopup):
    assert made.note.isHidden()
    state = sample_state()
    model = state.open[CHAT].chat.settings.model
    blind = ModelListing(model, replace(WORD_MODEL, tools=False), True)
    made.show_state(replace(state, models=(blind,)), state.open[CHAT], ROOM)
    assert "takes no tools" in made.note.text()
