"""The page of variants: what it asks for, what it says, and what it does with the chosen one."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import QPointF

from tests.fakes.compared import COMPARISON, GONE, MINI, SMALL, compared
from tests.fakes.read_aloud import unspoken
from tests.fakes.requests_shown import sent_view
from tests.fakes.sample_state import CHAT
from workbench.domain.shown.comparison import Comparison
from workbench.engine.state import ChatState
from workbench.engine.tuning_intents import CompareVariants, DiffVariant
from workbench.ui.inspector.compare.page import FOOT_HEIGHT, LINE_HEIGHT, SIDE, ComparePage
from workbench.ui.steps import Step, apply_variant
from workbench.ui.widgets.labels import tell_roles
from workbench.ui.wishes import KeepPreset


class Shown:
    """A page, and what it told."""

    def __init__(self, qtbot) -> None:
        tell_roles()  # before it is made: Qt asks what a widget is only once
        self.page = ComparePage()
        qtbot.addWidget(self.page)
        self.page.resize(718, 640)
        self.page.show()
        self.intents: list[object] = []
        self.wishes: list[object] = []
        self.steps: list[Step] = []
        self.page.wishes.intent.connect(self.intents.append)
        self.page.wishes.wish.connect(self.wishes.append)
        self.page.wishes.step.connect(self.steps.append)
        self.state, self.chat = compared()

    def show(self, chat: ChatState | None = None, comparison: Comparison | None = COMPARISON) -> None:
        self.chat = replace(chat or self.chat, comparison=comparison)
        self.page.show_state(self.state, self.chat)


@pytest.fixture
def shown(qtbot) -> Shown:
    return Shown(qtbot)


def test_the_request_that_is_shown_is_compared(shown: Shown, qtbot):
    shown.show()
    assert shown.intents == [CompareVariants(CHAT)]
    shown.show(replace(shown.chat, opened=sent_view(7)))
    assert [one for one in shown.intents if isinstance(one, CompareVariants)][1:] == [
        CompareVariants(CHAT, 7)
    ]
    assert shown.page.title.text() == "Turn 7 under other settings"


def test_while_somebody_writes_it_is_compared_once_a_moment_later(shown: Shown, qtbot):
    shown.show()
    for words in ("a", "ab", "abc"):
        shown.show(replace(shown.chat, draft=words))
    assert len(shown.intents) == 1  # the request itself is the same
    for _ in range(3):
        assert shown.chat.view is not None
        shown.show(replace(shown.chat, view=replace(shown.chat.view)))
    assert len(shown.intents) == 1
    qtbot.waitUntil(lambda: not shown.page._settle.isActive())
    assert len(shown.intents) == 2


def test_nothing_is_asked_while_the_page_is_hidden(shown: Shown):
    shown.page.hide()
    shown.show()
    assert shown.intents == []
    shown.page.show()
    assert len(shown.intents) == 1


def test_it_says_what_is_there_and_what_is_not(shown: Shown):
    page = shown.page
    page.show_state(shown.state, None)
    assert page.empty.title.text() == "No chat is open"
    shown.show(comparison=Comparison(CHAT, None, COMPARISON.columns[:1]))
    assert page.empty.isVisible()
    assert page.empty.title.text() == "Next request under other settings"
    assert page.entry() is page.empty.button
    assert page.empty.line.text().endswith("Its column shows what would be sent.")
    number = shown.chat.turns[-1].number
    shown.show(
        replace(shown.chat, opened=sent_view(number)), Comparison(CHAT, number, COMPARISON.columns[:1])
    )
    assert page.empty.line.text().endswith("Its column shows what would have been sent.")
    shown.show(replace(shown.chat, turns=(), opened=None), comparison=None)
    assert page.empty.line.text().startswith("No turn was sent yet")
    shown.show(comparison=replace(COMPARISON, played=4))
    assert page.line.text() == "4 of 9 requests built"
    assert page.entry() is page.view


def test_the_foot_is_about_the_chosen_column(shown: Shown):
    shown.show()
    page = shown.page
    page.view.choose(0)
    assert (page.name.text(), page.apply.isEnabled()) == ("Choose a variant to apply it", False)
    page.view.choose(1)
    assert (page.name.text(), page.price.text()) == (
        "GPT-4.1 nano",
        "3,771 tokens not cached, $0.0022",
    )
    page.view.choose(2)
    assert page.price.text() == "doesn’t fit: over by 120 tokens"
    assert page.keep.isEnabled()
    page.view.choose(3)
    assert page.name.text() == "Gone"
    assert not page.keep.isEnabled()
    assert "It changes only attachments or priorities" in page.keep.toolTip()
    assert not page.apply.isEnabled()
    assert not page.diff.isEnabled()
    assert unspoken(page) == []


def test_the_price_of_a_turn_says_of_which(shown: Shown):
    shown.show(comparison=replace(COMPARISON, turn=8))
    shown.page.view.choose(1)
    assert shown.page.price.text() == "at turn 8: 3,771 tokens not cached, $0.0022"


def test_it_is_applied_as_one_step_kept_as_a_preset_and_shown_in_diff(shown: Shown):
    shown.show()
    page = shown.page
    page.view.choose(1)
    page.apply.click()
    assert shown.steps == [apply_variant(shown.chat, MINI)]
    page.keep.click()
    page.diff.click()
    assert shown.wishes == [KeepPreset(MINI.apply_to_settings(shown.chat.chat.settings), MINI.name), "diff"]
    assert shown.intents[-1] == DiffVariant(CHAT, MINI.name)
    offer = page._offer()
    assert offer is not None
    assert offer.step == shown.steps[0].do


def test_one_that_the_chat_is_already_is_not_applied(shown: Shown):
    chat = replace(shown.chat.chat, settings=MINI.apply_to_settings(shown.chat.chat.settings))
    shown.show(replace(shown.chat, chat=chat))
    shown.page.view.choose(1)
    assert not shown.page.apply.isEnabled()


def test_a_column_is_removed_and_another_one_added_up_to_six(shown: Shown):
    shown.show()
    page = shown.page
    page.view.removed.emit(2)
    assert shown.intents[-1] == CompareVariants(CHAT, None, (MINI, GONE))
    page.add.click()
    assert page.sheet is not None
    page.sheet.name.setText("As sent")
    assert page.sheet.variant().name == "As sent 2"  # else its answers would stand in the first column
    page.sheet.made.emit(replace(MINI, name="Another"))
    assert shown.intents[-1] == CompareVariants(
        CHAT, None, (MINI, SMALL, GONE, replace(MINI, name="Another"))
    )
    page.sheet.reject()
    many = tuple(replace(MINI, name=str(number)) for number in range(6))
    shown.show(comparison=replace(COMPARISON, variants=many))
    assert not page.add.isEnabled()


def test_where_there_is_little_room_the_chosen_column_is_scrolled_to_and_the_foot_has_two_lines(
    shown: Shown, qtbot
):
    many = tuple(replace(MINI, name=str(number)) for number in range(6))
    page = shown.page
    page.resize(480, 500)
    shown.show(comparison=replace(COMPARISON, variants=many))
    assert page.view.place() == 6
    bar = page._scroll.horizontalScrollBar()
    qtbot.waitUntil(lambda: bar.value() == bar.maximum() > 0)
    # Titles of rows stay in sight, and what is under them cannot be pressed.
    assert page.view._offset == bar.value() - SIDE
    assert page.view.place_at(QPointF(page.view._offset + 40, 100)) is None
    page.view.choose(0)
    qtbot.waitUntil(lambda: bar.value() == 0)
    assert page._foot.height() == FOOT_HEIGHT + LINE_HEIGHT
    assert page.price.y() < page.apply.y()
