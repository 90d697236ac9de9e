"""The parameters of a chat: chips for what is set, a list of the rest, a value changed in place; all by keyboard."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt

from workbench.domain.parameters import TAKES_ALL, ParameterRules, Parameters
from workbench.ui.parameters.editor import ParametersEditor

REFUSES = ParameterRules((("temperature", "it takes none"), ("seed", "it has none")))


@pytest.fixture
def editor(qtbot) -> ParametersEditor:
    made = ParametersEditor()
    qtbot.addWidget(made)
    made.show()
    return made


def test_only_what_is_set_is_a_chip_and_a_refused_one_says_why(editor: ParametersEditor):
    assert editor.nothing.isVisible()
    editor.show_parameters(Parameters(temperature=0.2, top_p=0.9), REFUSES)
    assert list(editor.chips) == ["temperature", "top_p"]
    assert [chip.look() for chip in editor.chips.values()] == ["unseen", "plain"]
    assert "it takes none" in editor.chips["temperature"].toolTip()
    assert editor.unsent.text() == "temperature is not sent: it takes none."
    assert not editor.nothing.isVisible()


def test_the_rest_is_listed_and_what_the_model_refuses_is_grey_with_the_reason(editor: ParametersEditor):
    editor.show_parameters(Parameters(top_p=0.9), REFUSES)
    rest = {action.text(): action.isEnabled() for action in editor.menu_of_rest().actions()}
    assert rest == {
        "temperature  (it takes none)": False, "stop": True, "seed  (it has none)": False,
        "reasoning_effort": True, "response_format": True, "top_k": True, "min_p": True, "frequency_penalty": True,
        "presence_penalty": True, "extra": True,
    }  # fmt: skip


def test_a_value_is_set_changed_and_taken_off_by_keyboard(qtbot, editor: ParametersEditor):
    editor.show_parameters(Parameters(), TAKES_ALL)
    editor.menu_of_rest().actions()[0].trigger()
    assert editor.field is not None
    editor.field.type_in("9")
    qtbot.keyClick(editor.focusWidget(), Qt.Key.Key_Return)
    assert editor.problem.text() == "Not set: expected a number 0..2, got 9."
    editor.field.type_in("0.2")
    with qtbot.waitSignal(editor.changed) as heard:
        qtbot.keyClick(editor.focusWidget(), Qt.Key.Key_Return)
    assert heard.args == [Parameters(temperature=0.2)]
    editor.show_parameters(Parameters(temperature=0.2), TAKES_ALL)
    chip = editor.chips["temperature"]
    qtbot.keyClick(chip, Qt.Key.Key_Return)
    assert editor.field is not None
    editor.field.type_in("1")
    with qtbot.assertNotEmitted(editor.changed):
        qtbot.keyClick(editor.focusWidget(), Qt.Key.Key_Escape)
    assert not editor.set.isVisible()
    with qtbot.waitSignal(editor.changed) as heard:
        qtbot.keyClick(chip, Qt.Key.Key_Delete)
    assert heard.args == [Parameters()]
