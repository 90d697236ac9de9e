"""Every scene as a screen reader has it: whatever can have the focus has a name and says what it is."""

from __future__ import annotations

import pytest
from PySide6.QtWidgets import QPushButton, QVBoxLayout, QWidget

from tests.architecture.source_tree import ROOT
from tests.fakes.read_aloud import unspoken
from tests.fakes.scripted_moments import moment_of
from workbench.showroom.pictures import Shot, staged
from workbench.showroom.scenes import SCENES


@pytest.mark.parametrize("scene", SCENES)
def test_whatever_can_have_the_focus_has_a_name_and_a_role_and_no_markup(qapp, appearance, scene: str):
    with staged(Shot(scene), moment_of(scene), ROOT / "resources") as stage:
        assert [line for one in (stage.window, *stage.over) for line in unspoken(one)] == []


def test_what_has_none_is_found(qtbot):
    holder = QWidget()
    column = QVBoxLayout(holder)
    for words, told in (("", ""), ("Named", "<p style=''>Markup</p>")):
        made = QPushButton(words)
        made.setToolTip(told)
        column.addWidget(made)
    qtbot.addWidget(holder)
    holder.show()
    nameless, marked = unspoken(holder)
    assert nameless.endswith("has no name")
    assert marked.endswith("'Named' has markup: \"<p style=''>Markup</p>\"")
