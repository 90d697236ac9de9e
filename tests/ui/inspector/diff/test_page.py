"""The diff page: what is compared, and when."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.fakes.compared import COMPARISON
from tests.fakes.requests_shown import AUTH, scripted_state
from tests.fakes.sample_state import sample_diff
from workbench.domain.shown.diff_view import DiffView
from workbench.domain.shown.envelope_view import EnvelopeView
from workbench.engine.intents import CompareTurns
from workbench.engine.state import WorkbenchState
from workbench.engine.tuning_intents import DiffVariant
from workbench.ui.inspector.diff.page import DiffPage


@pytest.fixture
def page(qtbot) -> DiffPage:
    made = DiffPage()
    qtbot.addWidget(made)
    made.resize(752, 700)
    return made


def watched(view: EnvelopeView, looked: list[int]) -> EnvelopeView:
    def diff() -> DiffView:
        looked.append(view.turn)
        return sample_diff()

    return replace(view, diff=diff)


def choose(page: DiffPage, before: str, after: str) -> None:
    page.before.choose(before)
    page.after.choose(after)
    page.after.activated.emit(page.after.currentIndex())


def test_nothing_is_compared_while_the_page_is_hidden(page: DiffPage, qtbot):
    state, chat = scripted_state()
    looked: list[int] = []
    assert chat.view is not None
    chat = replace(chat, view=watched(chat.view, looked))
    page.show_state(state, chat)
    assert looked == []
    page.show()
    page.show_state(state, chat)
    page.show_state(state, replace(chat, draft="typed"))
    qtbot.waitUntil(lambda: not page._settle.isActive())
    assert looked == [9]


def test_it_compares_with_the_last_request_unless_told_otherwise(page: DiffPage):
    state, chat = scripted_state()
    page.show()
    page.show_state(state, chat)
    assert (page.before.chosen(), page.after.chosen()) == ("8", "next")
    assert page.before.currentText().startswith("Turn 8, sent ")


def test_two_turns_are_compared_by_choosing_them(page: DiffPage):
    state, chat = scripted_state()
    page.show()
    page.show_state(state, chat)
    intents: list[object] = []
    page.wishes.intent.connect(intents.append)
    choose(page, "5", "7")
    choose(page, "5", "next")
    choose(page, "8", "next")
    key = chat.chat.id
    assert intents == [CompareTurns(key, 5, 7), CompareTurns(key, 5, None), CompareTurns(key, None, None)]


def test_a_comparison_that_was_asked_for_takes_the_place(page: DiffPage):
    state, chat = scripted_state()
    page.show()
    page.show_state(state, chat)
    diff = sample_diff()
    asked = replace(
        diff,
        before=diff.before._replace(turn=5),
        after=diff.after._replace(turn=7, sent_utc="2026-11-12T13:57:00Z"),
    )
    page.show_state(state, replace(chat, compared=asked))
    assert (page.before.chosen(), page.after.chosen()) == ("5", "7")
    page.show_state(state, chat)
    assert (page.before.chosen(), page.after.chosen()) == ("8", "next")


def test_the_first_request_has_nothing_to_be_compared_with(page: DiffPage):
    state, chat = scripted_state()
    assert chat.view is not None
    page.show()
    page.show_state(state, replace(chat, view=replace(chat.view, diff=lambda: None), turns=()))
    assert page.empty.isVisible()
    assert page.empty.title.text() == "Nothing to compare yet"
    page.show_state(WorkbenchState(), None)
    assert page.empty.isVisible()


def test_the_way_to_the_payload_selects_and_turns_the_page(page: DiffPage):
    state, chat = scripted_state()
    page.show()
    page.show_state(state, chat)
    told: list[object] = []
    page.selected.connect(told.append)
    page.wishes.wish.connect(told.append)
    page.body.payload_wanted.emit(AUTH)
    assert told == [AUTH, "payload"]


def test_a_row_chosen_elsewhere_is_handed_on(page: DiffPage):
    state, chat = scripted_state()
    page.show()
    page.show_state(state, chat)
    page.select(AUTH)
    assert page.body.chosen() == 2


def test_a_page_that_gets_the_focus_hands_it_to_what_can_be_read(page: DiffPage):
    assert page.focusProxy() is page.body.causes


def test_a_variant_is_the_later_one_and_another_choice_ends_that(page: DiffPage):
    state, chat = scripted_state()
    diff = sample_diff()
    of_turn = replace(diff, after=diff.after._replace(name="Small"))
    page.show()
    page.show_state(state, replace(chat, compared=of_turn))
    assert (page.before.chosen(), page.after.currentText()) == ("8", "Small")
    of_next = replace(of_turn, before=diff.before._replace(sent_utc="", turn=9))
    page.show_state(state, replace(chat, compared=of_next))
    assert (page.before.chosen(), page.after.currentText()) == ("next", "Small")
    sent: list[object] = []
    page.wishes.intent.connect(sent.append)
    choose(page, "7", "variant:Small")
    choose(page, "next", "next")
    choose(page, "next", "6")
    key = chat.chat.id
    assert sent == [CompareTurns(key, 7), CompareTurns(key, None), CompareTurns(key, None, 6)]


def test_beside_an_opened_turn_the_last_one_is_compared_with_the_next_as_chosen(page: DiffPage):
    """The opened turn's own difference was shown instead, or that there is none."""
    state, chat = scripted_state()
    page.show()
    page.show_state(state, replace(chat, opened=chat.view, compared=sample_diff()))
    sent: list[object] = []
    page.wishes.intent.connect(sent.append)
    last = max(turn.number for turn in chat.turns if turn.state != "running")
    choose(page, str(last), "next")
    assert sent == [CompareTurns(chat.chat.id, last, None)]


def test_any_two_columns_of_a_comparison_can_be_chosen(page: DiffPage):
    """Only the first column could be the earlier one."""
    state, chat = scripted_state()
    held = replace(COMPARISON, turn=8)
    names = [one.name for one in held.columns[1:]]
    diff = sample_diff()
    shown = replace(diff, after=diff.after._replace(name=names[0]))
    page.show()
    page.show_state(state, replace(chat, compared=shown, comparison=held))
    for choice in (page.before, page.after):
        assert [choice.itemText(n) for n in range(choice.count()) if ":" in choice.itemData(n)] == names
    sent: list[object] = []
    page.wishes.intent.connect(sent.append)
    choose(page, f"variant:{names[1]}", f"variant:{names[0]}")
    choose(page, "8", f"variant:{names[1]}")
    choose(page, f"variant:{names[1]}", "8")
    key = chat.chat.id
    assert sent == [
        DiffVariant(key, names[0], names[1]),
        DiffVariant(key, names[1]),
        DiffVariant(key, "", names[1]),
    ]
    turned = replace(shown, before=diff.after._replace(name=names[1]))
    page.show_state(state, replace(chat, compared=turned, comparison=held))
    assert (page.before.currentText(), page.after.currentText()) == (names[1], names[0])
