"""While one waits: figures that are marked as guesses, and a countdown that is spoken once."""

from __future__ import annotations

from pytestqt.qtbot import QtBot

from workbench.domain.answer import Failure
from workbench.ui.chat.messages.waiting_lines import ProgressFoot, RetryCard


def test_tokens_are_a_guess_and_say_so(qtbot: QtBot):
    foot = ProgressFoot()
    qtbot.addWidget(foot)
    assert foot.words() == "waiting for the first token"
    foot.show_amount(0)
    foot.show_amount(504)
    assert foot.words().startswith("≈ 126 tokens")
    assert "first token after" in foot.words()
    foot.resize(400, 28)
    assert not foot.grab().isNull()


def test_an_answer_that_was_on_its_way_already_has_no_first_token_time(qtbot: QtBot):
    foot = ProgressFoot()
    qtbot.addWidget(foot)
    foot.show_amount(50)
    assert "first token" not in foot.words()


def test_loading_shows_how_far_it_is(qtbot: QtBot):
    foot = ProgressFoot()
    qtbot.addWidget(foot)
    foot.show_progress("Loading SmolLM2 135M", 0.4)
    assert foot.words() == "Loading SmolLM2 135M"
    assert foot.bar.fraction() == 0.4
    foot.show_amount(4)
    assert foot.bar.fraction() is None


def test_a_wait_is_counted_down(qtbot: QtBot):
    card = RetryCard(Failure("rate", "The server asks to wait.", retry_after_s=10))
    qtbot.addWidget(card)
    assert card.count.figure() == "Trying again in 10 s"
    assert card.bar.fraction() == 0
    assert card.accessibleName() == "Too many requests. The server asks to wait. Trying again in 10 s"
    with qtbot.waitSignal(card.stopped):
        card.stop.click()


def test_a_wait_of_unknown_length_is_only_said(qtbot: QtBot):
    card = RetryCard(Failure("network", "No route."))
    qtbot.addWidget(card)
    assert card.count.figure() == "Trying again"
    assert card.bar.fraction() is None
    card.resize(400, 160)
    assert not card.grab().isNull()


def test_which_attempt_follows_is_said(qtbot: QtBot):
    """After an error of the server it said that it tries again, not how often."""
    card = RetryCard(Failure("server", "Status 500."), (2, 3))
    qtbot.addWidget(card)
    assert card.count.figure() == "Trying again, 2 of 3"
    waits = RetryCard(Failure("rate", "Wait.", retry_after_s=10), (3, 3))
    qtbot.addWidget(waits)
    assert waits.count.figure() == "Trying again in 10 s, 3 of 3"
