"""No number on a picture was typed: each is derived anew from the state behind it, and that from the bytes sent."""

from __future__ import annotations

import ast
from dataclasses import replace

import pytest
from PySide6.QtCore import QSize
from PySide6.QtWidgets import QApplication

from tests.architecture.source_tree import PACKAGE
from tests.fakes.derived_figures import FIGURE, foreign_figures
from tests.fakes.picture_texts import painted_texts
from tests.fakes.rehearsed_moments import moment_of
from workbench.ui.scenes.script import SCENES, Moment, Stage

PIXELS = {"width", "height", "scale"}


def painted(scene: str, moment: Moment) -> list[str]:
    stage = Stage(QSize(1600, 1000), moment)
    SCENES[scene].play(stage)
    _settle()
    stage.window.chat.transcript.finish_drawing()
    _settle()
    texts = painted_texts(stage.window)
    stage.close()
    return texts


def _settle() -> None:
    for _ in range(20):
        QApplication.processEvents()
        QApplication.sendPostedEvents()


@pytest.mark.parametrize("scene", SCENES)
def test_every_number_on_a_picture_is_derived_from_the_state_behind_it(qapp, appearance, scene: str):
    moment = moment_of(scene)
    texts = painted(scene, moment)
    assert sum(bool(FIGURE.search(text)) for text in texts) > 40
    assert foreign_figures(texts, moment) == []


def test_a_number_that_was_typed_is_found(qapp, appearance):
    moment = moment_of("main")
    chat = moment.state.open[moment.chat]
    assert chat.view is not None
    typed = replace(chat.view, total_tokens=4_205_117)
    state = replace(moment.state, open={moment.chat: replace(chat, view=typed)})
    texts = painted("main", replace(moment, state=state))
    assert any("4,205,117" in text for text in foreign_figures(texts, moment))


def test_nothing_in_the_scenes_is_a_figure():
    """What is typed there is how large a picture is, and nothing that it shows."""
    for path in (PACKAGE / "ui" / "scenes").glob("*.py"):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        sizes = {
            id(value)
            for node in ast.walk(tree)
            if isinstance(node, ast.AnnAssign) and ast.unparse(node.target) in PIXELS and node.value
            for value in ast.walk(node.value)
        }
        typed = [
            node.value
            for node in ast.walk(tree)
            if isinstance(node, ast.Constant)
            and isinstance(node.value, int | float)
            and not isinstance(node.value, bool)
            and id(node) not in sizes
        ]
        assert [value for value in typed if value not in (0, 1, 2, 20, 48)] == [], path
