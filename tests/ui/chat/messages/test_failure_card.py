"""A failed turn: what happened, what to do, and details for those who want them."""

from __future__ import annotations

from dataclasses import replace

import pytest
from pytestqt.qtbot import QtBot

from tests.ui.chat.chat_samples import turn
from workbench.domain.answer import FAILURE_KINDS, Failure, FailureKind
from workbench.engine.state import Fix
from workbench.ui.chat.messages.failure_card import (
    FailureCard,
    FailureView,
    UnansweredView,
    details_of,
    failure_look,
    interruption,
    remedy_words,
)
from workbench.ui.chat.messages.feed import Failed, Unanswered
from workbench.ui.chat.text.ink import Ink
from workbench.ui.look.icons import has_icon
from workbench.ui.model_button import model_name

ITEM = Failed("failed:1", Failure("network", "Tried 3 times. Nothing was charged."), "q", turn(1, "q", None))


def card(qtbot: QtBot, item: Failed) -> FailureCard:
    made = FailureCard(item)
    qtbot.addWidget(made)
    made.resize(548, 200)
    made.show()
    return made


@pytest.mark.parametrize("kind", FAILURE_KINDS)
def test_every_kind_has_a_card(qtbot: QtBot, kind: FailureKind):
    made = card(qtbot, replace(ITEM, failure=Failure(kind, "It did not work.")))
    assert made.head.title()
    assert made.buttons
    assert made.sentence.text() == "It did not work."
    assert sum(button.kind == "primary" for button in made.buttons.values()) <= 1
    assert not made.grab().isNull()


def test_a_remedy_is_asked_for_with_its_question(qtbot: QtBot):
    made = card(qtbot, ITEM)
    with qtbot.waitSignal(made.asked) as told:
        made.buttons["retry"].click()
    assert told.args == ["retry", "q"]


def test_what_was_not_kept_cannot_be_tried_again(qtbot: QtBot):
    assert "retry" not in card(qtbot, replace(ITEM, question="")).buttons


def test_a_refused_key_leads_to_the_keys(qtbot: QtBot):
    made = card(qtbot, replace(ITEM, failure=Failure("auth", "Refused.")))
    assert made.buttons["key"].kind == "primary"


def test_a_request_that_fits_is_offered_first(qtbot: QtBot):
    made = card(qtbot, replace(ITEM, failure=Failure("context", "Too long."), proposed_tokens=6_100))
    button = made.buttons["rebuild"]
    assert (button.text(), button.kind) == ("Send again with 6,100 tokens", "primary")


def test_fixes_are_rows_that_are_applied_by_their_place(qtbot: QtBot):
    fixes = (Fix("detach", "a.py", 9, True), Fix("leave", "", 8, False))
    made = card(qtbot, replace(ITEM, failure=Failure("context", "Too long."), fixes=fixes))
    assert made.fixes is not None
    with qtbot.waitSignal(made.asked) as told:
        made.fixes.fix_rows()[1].apply.click()
    assert told.args == ["fix", "1"]


def test_details_unfold(qtbot: QtBot):
    made = card(qtbot, ITEM)
    assert not made.is_unfolded()
    made.fold.click()
    assert made.is_unfolded()
    assert "turn 1" in made.details.text()
    made.fold.click()
    assert not made.is_unfolded()


def test_a_message_of_a_server_is_only_text(qtbot: QtBot):
    made = card(qtbot, replace(ITEM, failure=Failure("server", "<img src=x>\n\u202e" + "a" * 5_000)))
    assert made.sentence.textFormat().name == "PlainText"
    assert "\u202e" not in made.sentence.text()
    assert len(made.sentence.text()) <= 600


def test_the_view_makes_a_card_anew_only_where_it_differs(qtbot: QtBot):
    view = FailureView(Ink())
    qtbot.addWidget(view)
    view.show_item(ITEM)
    first = view.card
    view.show_item(replace(ITEM))
    assert view.card is first
    view.show_item(replace(ITEM, question=""))
    assert view.card is not first
    assert view.card is not None
    with qtbot.waitSignal(view.asked) as told:
        view.card.buttons["model"].click()
    assert told.args == ["model", ""]


def test_a_key_that_is_missing_is_not_one_that_was_refused(qtbot: QtBot):
    said = "api.openai.com needs a key, and none is kept for it yet. Nothing was sent."
    made = card(qtbot, replace(ITEM, failure=Failure("auth", said, keyless=True)))
    assert made.head.title() == "No key yet"
    assert made.sentence.text() == f"{said} Your question is kept: press “Add key…”, then “Retry”."
    assert (made.buttons["add_key"].text(), made.buttons["add_key"].kind) == ("Add key…", "primary")
    assert "retry" in made.buttons


def test_what_was_stopped_before_its_first_word_can_be_answered(qtbot: QtBot):
    made = UnansweredView(Ink())
    qtbot.addWidget(made)
    made.show_item(Unanswered("unanswered:1", "q"))
    made.resize(548, made.heightForWidth(548))
    made.show()
    assert made.words.text() == "You stopped it before the answer started. Your question is kept."
    with qtbot.waitSignal(made.asked) as told:
        made.answer.click()
    assert told.args == ["regenerate", "q"]
    made.show_item(Unanswered("unanswered:1", "q", stopped=False))
    assert made.words.text().startswith("The program ended")


@pytest.mark.parametrize("kind", FAILURE_KINDS)
def test_every_kind_has_a_title_an_icon_and_a_way_out(qapp: object, kind: FailureKind):
    look = failure_look(Failure(kind, "x"))
    assert look.title
    assert has_icon(look.icon)
    assert look.remedies
    for remedy in look.remedies:
        icon, words = remedy_words(remedy)
        assert words
        assert has_icon(icon)


def test_a_refused_key_is_replaced_first(qapp: object):
    assert failure_look(Failure("auth", "x")).remedies[0] == "key"


def test_details_have_the_figures_that_are_known(qapp: object):
    failure = Failure("context", "x", retry_after_s=60, limit_tokens=8_192, asked_tokens=11_686)
    said = details_of(failure, turn(3, "q", None))
    for part in ("context", "8,192", "11,686", "1 min 0 s", "openai:gpt-4.1-mini", "turn 3", "14:08"):
        assert part in said
    assert details_of(Failure("network", "x"), None) == "kind: network"


def test_an_interruption_says_what_is_kept(qapp: object):
    assert interruption(Failure("network", "The line is down."), turn(1, "q", "a")) == (
        "The line is down. 312 tokens are kept."
    )
    assert interruption(None, None) == "The answer was cut off. What arrived is kept."


def test_a_model_is_called_by_its_short_name_and_cannot_play_tricks(qapp: object):
    assert model_name("openai:gpt-4.1-mini") == "gpt-4.1-mini"
    assert "\u202e" not in model_name("openai:\u202egnp")
