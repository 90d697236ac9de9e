"""The scenes and what they show."""

from __future__ import annotations

from PySide6.QtCore import QSize

from tests.fakes.sample_state import CHAT, sample_state
from workbench.ui.scenes.script import SCENES, Stage, in_chat


def test_the_scenes_of_the_contract_are_there():
    wanted = {"main", "inspector", "diff", "attachments", "settings", "first-run", "over-limit", "dark"}
    assert wanted <= set(SCENES)


def test_a_stage_shows_the_real_window(qtbot):
    stage = Stage(QSize(1600, 1000))
    stage.show(sample_state())
    assert stage.window.inspector.block.bar.bar().total_tokens == 11_686
    assert "Token refresh" in stage.window.windowTitle()
    stage.close()


def test_one_chat_of_a_state_can_be_changed():
    from dataclasses import replace

    changed = in_chat(sample_state(), lambda chat: replace(chat, draft="other"))
    assert changed.open[CHAT].draft == "other"
