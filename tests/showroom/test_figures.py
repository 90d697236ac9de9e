"""No number on a picture was typed: each is derived anew from the state behind it, and that from the bytes sent."""

from __future__ import annotations

import ast
from dataclasses import replace

import pytest
from PySide6.QtGui import QImage

from tests.architecture.source_tree import PACKAGE, ROOT
from tests.fakes.derived_figures import FIGURE, foreign_figures
from tests.fakes.picture_texts import painted_texts
from tests.fakes.read_aloud import unspoken
from tests.fakes.scripted_moments import moment_of
from workbench.showroom.pictures import Shot, photograph, staged
from workbench.showroom.scenes import SCENES
from workbench.showroom.script import Moment

PIXELS = {"width", "height", "scale"}


def looked_at(scene: str, moment: Moment) -> tuple[QImage, list[str], list[str]]:
    """A scene, the texts on it, and what a screen reader misses: drawn once for all, since that is the slow part."""
    with staged(Shot(scene), moment, ROOT / "resources") as stage:
        missed = [line for one in (stage.window, *stage.over) for line in unspoken(one)]
        return photograph(stage.window, 1.0), painted_texts(stage.window), missed


@pytest.mark.parametrize("scene", SCENES)
def test_a_scene_is_drawn_in_the_asked_size_and_every_number_on_it_is_derived_from_the_state_behind_it(
    qapp, appearance, scene: str
):
    moment = moment_of(scene)
    picture, texts, missed = looked_at(scene, moment)
    assert missed == [], "whatever can have the focus has a name and a role, and no markup is read aloud"
    assert (picture.width(), picture.height()) == (1600, 1000)
    seen = {picture.pixel(x, y) for x in range(0, 1600, 37) for y in range(0, 1000, 41)}
    assert len(seen) > 20
    assert sum(bool(FIGURE.search(text)) for text in texts) > 40
    assert foreign_figures(texts, moment) == []


def test_a_number_that_was_typed_is_found(qapp, appearance):
    moment = moment_of("main")
    chat = moment.state.open[moment.chat]
    assert chat.view is not None
    typed = replace(chat.view, total_tokens=4_205_117)
    state = replace(moment.state, open={moment.chat: replace(chat, view=typed)})
    _, texts, _ = looked_at("main", replace(moment, state=state))
    assert any("4,205,117" in text for text in foreign_figures(texts, moment))


def test_nothing_in_the_scenes_is_a_figure():
    """What is typed there is how large a picture is, and nothing that it shows."""
    for path in (PACKAGE / "showroom" / name for name in ("scenes.py", "pictures.py")):
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
