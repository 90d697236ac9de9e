"""A setting that is one of a few words."""

from __future__ import annotations

import pytest
from pytestqt.qtbot import QtBot

from workbench.ui.inspector.what_if.choice import Option, WhatIfChoice

OPTIONS = (Option("a", "Layered"), Option("b", "Append-only", "not in this version"), Option("c", "Frozen"))


@pytest.fixture
def choice(qtbot: QtBot) -> WhatIfChoice:
    made = WhatIfChoice("Layout", "How a request is laid out.", OPTIONS)
    qtbot.addWidget(made)
    made.show_value("a", changed=False)
    made.show()
    return made


def test_the_chosen_word_is_shown(choice: WhatIfChoice):
    assert choice.word.text() == "Layered"
    assert choice.word.accessibleName() == "Layout"
    assert choice.word.accessibleDescription() == "Layered"


def test_what_cannot_be_chosen_says_why(choice: WhatIfChoice):
    actions = {action.text(): action for action in choice.open_menu().actions()}
    assert not actions["Append-only"].isEnabled()
    assert "not in this version" in actions
    assert actions["Layered"].isChecked()


def test_choosing_another_word_tells_its_value(choice: WhatIfChoice, qtbot: QtBot):
    actions = {action.text(): action for action in choice.open_menu().actions()}
    with qtbot.waitSignal(choice.chosen) as told:
        actions["Frozen"].trigger()
    assert told.args == ["c"]
    with qtbot.assertNotEmitted(choice.chosen):
        actions["Layered"].trigger()


def test_the_word_is_painted_whole(choice: WhatIfChoice):
    assert choice.word.sizeHint() == choice.word.minimumSizeHint()
    choice.show_value("c", changed=True)
    choice.grab()
    assert choice.word.text() == "Frozen"
