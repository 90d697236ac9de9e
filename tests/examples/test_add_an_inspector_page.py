"""A page of one's own in the inspector: it draws values of the request that is looked at, under a tab of its own."""

from PySide6.QtWidgets import QVBoxLayout
from pytestqt.qtbot import QtBot

from tests.fakes.sample_state import CHAT, sample_state
from workbench.engine.state import ChatState, WorkbenchState
from workbench.ui.inspector.pages import Page, PageSpec
from workbench.ui.inspector.pane import InspectorPane
from workbench.ui.widgets.labels import label, set_text
from workbench.ui.wishes import Wishes


class LargestPage(Page):
    def __init__(self, wishes: Wishes) -> None:
        super().__init__(wishes)
        self.words = label("", "ui")
        QVBoxLayout(self).addWidget(self.words)

    def show_state(self, state: WorkbenchState, chat: ChatState | None) -> None:
        layers = chat.shown.layers if chat is not None and chat.shown is not None else ()
        rows = [row for layer in layers for row in layer.rows if row.counted]
        largest = max(rows, key=lambda row: row.tokens, default=None)
        set_text(self.words, f"{largest.name}: {largest.tokens}" if largest is not None else "")


def test_it_shows_the_largest_row_of_the_next_request(qtbot: QtBot):
    pane = InspectorPane(more=[PageSpec("largest", "Largest", LargestPage)])
    qtbot.addWidget(pane)
    state = sample_state()
    pane.show_state(state, state.open[CHAT])
    pane.show_page("largest")
    page = pane.pages.currentWidget()
    assert isinstance(page, LargestPage)
    assert page.words.text() == "src/auth.py: 6120"
