"""Scenes in other languages: whatever is looked up is in the catalogues, and the window is whole."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtWidgets import QLabel, QPushButton, QWidget

from strings import strings
from tests.architecture.source_tree import ROOT
from tests.fakes.scripted_moments import moment_of
from workbench.files import language
from workbench.files.language import use_language
from workbench.showroom.pictures import Shot, staged
from workbench.ui.program.app import bare_app

RESOURCES = ROOT / "resources"


@pytest.fixture
def asked() -> Iterator[set[str]]:
    """The words that are looked up while they are shown as they are."""
    found: set[str] = set()

    def look_up(words: str) -> str:
        found.add(words)
        return words

    language._SHOWN.lookup = look_up
    yield found
    use_language("en", Path())


@pytest.mark.parametrize("scene", ["main"])
def test_every_word_that_is_looked_up_is_in_the_catalogues(scene: str, asked: set[str], qapp, appearance):
    with staged(Shot(scene), moment_of(scene), RESOURCES):
        pass
    known = {one.text for one in strings()}
    assert len(asked) > 50
    assert {words for words in asked if words not in known and any(map(str.isalpha, words))} == set()


def texts(window: QWidget, kind: type[QPushButton] | type[QLabel]) -> set[str]:
    found: Any = window.findChildren(kind)
    return {one.text() for one in found}


@pytest.mark.parametrize(("tag", "send"), [("de", "Senden"), ("zh_CN", "发送")])
def test_a_window_is_in_one_language(tag: str, send: str, qapp, appearance):
    use_language(tag, RESOURCES)
    try:
        with staged(Shot("main"), moment_of("main"), RESOURCES) as stage:
            buttons, labels = texts(stage.window, QPushButton), texts(stage.window, QLabel)
    finally:
        use_language("en", Path())
        bare_app()  # figures and Qt's own menus, too
    assert send in buttons
    assert not {"Send", "Apply", "Reset"} & buttons
    assert not {"Request", "Turns", "What if", "Drop order"} & labels
