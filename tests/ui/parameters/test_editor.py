"""The parameters of a chat: chips for what is set, a list of the rest, a value changed in place; all by keyboard."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt

from workbench.domain.errors import InvalidInput
from workbench.domain.parameters import PARAMETER_NAMES, TAKES_ALL, ParameterRules, Parameters
from workbench.ui.parameters.editor import ParametersEditor, ValueField, parameter_words, shown_value

REFUSES = ParameterRules((("temperature", "it takes none"), ("seed", "it has none")))
SCHEMA = '{"type":"object"}'
EVERYTHING = Parameters(
    0.5, 0.9, ("END", "\n\n"), 7, "low", SCHEMA, 40, 0.05, -0.5, 1.5, '{"top_a":0.1}', True
)


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
    assert editor.unsent.text() == "temperature isn’t sent: it takes none."
    assert not editor.nothing.isVisible()


def test_the_rest_is_listed_and_what_the_model_refuses_is_grey_with_the_reason(editor: ParametersEditor):
    editor.show_parameters(Parameters(top_p=0.9), REFUSES)
    rest = {action.text(): action.isEnabled() for action in editor.menu_of_rest().actions()}
    assert rest == {
        "temperature  (it takes none)": False, "stop": True, "seed  (it has none)": False,
        "reasoning_effort": True, "response_format": True, "top_k": True, "min_p": True, "frequency_penalty": True,
        "presence_penalty": True, "extra": True, "probabilities": True,
    }  # fmt: skip


def test_a_switch_is_set_by_choosing_it(qtbot, editor: ParametersEditor):
    editor.show_parameters(Parameters(), TAKES_ALL)
    with qtbot.waitSignal(editor.changed) as heard:
        editor.menu_of_rest().actions()[-1].trigger()
    assert heard.args == [Parameters(probabilities=True)]
    assert editor.field is None


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


@pytest.mark.parametrize("name", PARAMETER_NAMES)
def test_a_value_that_is_shown_is_taken_as_it_was(qtbot, name: str):
    field = ValueField(name, TAKES_ALL)
    qtbot.addWidget(field)
    field.show_value(EVERYTHING.given[name])
    assert field.with_value(Parameters()).given == {name: EVERYTHING.given[name]}
    assert parameter_words(name)
    assert shown_value(name, EVERYTHING.given[name])


@pytest.mark.parametrize(
    ("name", "typed", "why"),
    [
        ("temperature", "3", "expected a number 0..2, got 3"),
        ("temperature", "warm", 'expected a number 0..2, got "warm"'),
        ("temperature", "", 'expected a number 0..2, got ""'),
        ("top_p", "0", "expected a number > 0 and <= 1, got 0"),
        ("seed", "-1", "expected an integer"),
        ("stop", "", "write at least one text"),
    ],
)
def test_what_is_no_value_is_said(qtbot, name: str, typed: str, why: str):
    field = ValueField(name, TAKES_ALL)
    qtbot.addWidget(field)
    field.type_in(typed)
    with pytest.raises(InvalidInput) as caught:
        field.with_value(Parameters())
    assert caught.value.reason.startswith(why)


def test_a_comma_is_a_point_and_a_schema_is_json(qtbot):
    warm = ValueField("temperature", TAKES_ALL)
    qtbot.addWidget(warm)
    warm.type_in("0,7")
    assert warm.with_value(Parameters()).temperature == 0.7
    form = ValueField("response_format", TAKES_ALL)
    qtbot.addWidget(form)
    assert form.with_value(Parameters()).response_format == "json"
    form.choose("schema")
    form.type_in("{not json")
    with pytest.raises(InvalidInput):
        form.with_value(Parameters())


def test_only_what_the_model_knows_is_offered(qtbot):
    rules = ParameterRules((("json", "a schema is wanted"),), efforts=("high", "max"))
    effort, form = ValueField("reasoning_effort", rules), ValueField("response_format", rules)
    qtbot.addWidget(effort)
    qtbot.addWidget(form)
    assert effort.with_value(Parameters()).reasoning_effort == "high"
    assert form.with_value(Parameters()).schema is not None


def test_enter_takes_a_line_and_ctrl_enter_takes_lines(qtbot):
    for name, held in (
        ("seed", Qt.KeyboardModifier.NoModifier),
        ("stop", Qt.KeyboardModifier.ControlModifier),
    ):
        field = ValueField(name, TAKES_ALL)
        qtbot.addWidget(field)
        field.show()
        field.focus()
        with qtbot.waitSignal(field.entered):
            qtbot.keyClick(field.focusWidget(), Qt.Key.Key_Return, held)
