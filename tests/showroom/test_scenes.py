"""The scenes and what they show."""

from __future__ import annotations

from PySide6.QtCore import QSize
from PySide6.QtWidgets import QApplication

from tests.fakes.scripted_moments import all_moments, moment_of
from tests.fakes.widgets import all_of
from workbench.showroom.scenes import SCENES, Stage
from workbench.ui import formatting
from workbench.ui.explain.overlay import ExplainOverlay


def test_the_scenes_of_the_contract_are_there():
    wanted = {"main", "inspector", "diff", "attachments", "settings", "first-run", "over-limit", "dark"}
    assert wanted <= set(SCENES)


def test_every_scene_is_of_a_moment_that_is_played():
    assert {scene.moment for scene in SCENES.values()} == set(all_moments())


def test_a_stage_shows_the_real_window(qtbot):
    moment = moment_of("main")
    view = moment.state.open[moment.chat].shown
    assert view is not None
    stage = Stage(QSize(1600, 1000), moment)
    assert stage.window.inspector.block.bar.bar().total_tokens == view.total_tokens
    assert "Token refresh" in stage.window.windowTitle()
    stage.select_heaviest()
    stage.close()


def test_what_is_warm_in_the_script_is_warm_in_its_picture(qtbot):
    """The chip went by the real clock and said "cold" beside a share that was cached."""
    moment = moment_of("instructions")
    stage = Stage(QSize(1600, 1000), moment)
    figures = stage.window.inspector.block.figures
    view = moment.state.open[moment.chat].shown
    assert view is not None
    assert (bool(view.cached_tokens), figures.warm.is_cold()) == (True, False)
    stage.close()


def test_the_main_scene_is_explained_with_its_own_figures(qtbot):
    moment = moment_of("explain")
    view = moment.state.open[moment.chat].shown
    assert view is not None
    stage = Stage(QSize(1600, 1000), moment)
    SCENES["explain"].play(stage)
    QApplication.processEvents()
    (overlay,) = all_of(ExplainOverlay, stage.window)
    assert [card.title.text() for card in overlay.cards[:4]] == [
        "Budget bar",
        "A layer row",
        "Drop order",
        "Cached",
    ]
    assert [one.number for one in overlay.pages[0].cards] == [0, 1, 2, 3]
    assert formatting.tokens(view.total_tokens) in overlay.cards[0].accessibleDescription()
    stage.close()
