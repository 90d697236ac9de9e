"""Keys: typed once, handed on once, never shown."""

from __future__ import annotations

from workbench.ui.dialogs.settings_models import KeyAction


def test_the_field_appears_when_a_key_is_to_be_typed_and_forgets_it(qtbot):
    action = KeyAction("OpenAI", known=False)
    qtbot.addWidget(action)
    action.show()
    assert not action.field.isVisible()
    action.begin.click()
    assert action.field.isVisible()
    assert not action.save.isEnabled()
    action.field.setText(" sk-1 ")
    with qtbot.waitSignal(action.typed) as heard:
        action.save.click()
    assert heard.args == ["sk-1"]
    assert action.field.text() == ""


def test_a_known_key_can_be_removed(qtbot):
    action = KeyAction("OpenAI", known=True)
    qtbot.addWidget(action)
    action.show()
    with qtbot.waitSignal(action.removed):
        action.forget.click()
