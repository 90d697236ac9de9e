"""The first thing seen."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtWidgets import QLabel

from tests.fakes.sample_first_run import first_run_state
from tests.fakes.widgets import all_of
from workbench.engine.state import Readiness
from workbench.ui.dialogs.welcome import Welcome


@pytest.mark.parametrize(
    ("readiness", "words"),
    [
        (None, "not started"),
        (Readiness(False, "Loading", 0.4), "Loading"),
        (Readiness(True, took_ms=1400), "ready in 1.4 s"),
        (Readiness(False, problem="The file is missing."), "can’t start"),
    ],
)
def test_how_far_the_model_is_is_said(qtbot, readiness: Readiness | None, words: str):
    welcome = Welcome()
    qtbot.addWidget(welcome)
    known = {} if readiness is None else {"builtin": readiness}
    welcome.show_state(replace(first_run_state(), readiness=known), "Opens with a passphrase", False)
    assert welcome.model_badge.word() == words


def test_every_button_says_what_it_wants(qtbot):
    welcome = Welcome()
    qtbot.addWidget(welcome)
    wishes: list[str] = []
    welcome.wishes.wish.connect(wishes.append)
    for button in (welcome.sample, welcome.new, welcome.folder):
        button.click()
    assert wishes == ["go-on", "new-chat", "attach-folder"]


def test_what_was_found_and_what_is_missing(qtbot):
    welcome = Welcome()
    qtbot.addWidget(welcome)
    welcome.show_state(first_run_state(), "Opens with a passphrase", False)
    assert welcome.ollama_badge.word() == "2 models"
    assert welcome.code_badge.word() == "not saved yet"
    welcome.show_state(replace(first_run_state(), models=()), "Opens with a passphrase", True)
    assert welcome.ollama_badge.word() == "not running"
    assert welcome.code_badge.word() == "saved"


def test_what_the_recovery_code_is_for_is_read_whole(qtbot):
    welcome = Welcome()
    qtbot.addWidget(welcome)
    (line,) = [one for one in all_of(QLabel, welcome) if one.text().startswith("Unlocks your chats")]
    assert line.wordWrap()
