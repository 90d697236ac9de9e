"""The button that says which model is asked."""

from __future__ import annotations

from pytestqt.qtbot import QtBot

from workbench.engine.state import Readiness
from workbench.ui.model_button import ModelButton


def test_its_name_says_what_its_dot_shows(qtbot: QtBot):
    made = ModelButton()
    qtbot.addWidget(made)
    made.show_model("gpt-4.1-mini", Readiness(True))
    assert made.accessibleName() == "Model: gpt-4.1-mini, ready"
    made.show_model("gpt-4.1-mini", None)
    assert "not started" in made.accessibleName()
