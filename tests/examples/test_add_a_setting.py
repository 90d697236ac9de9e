"""A setting of one's own, a switch: one field. `--set`, the page in Settings and What if follow from it."""

from dataclasses import dataclass, replace

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from tests.fakes.sample_state import CHAT, sample_state
from workbench.domain.settings.context_settings import ContextSettings
from workbench.domain.settings.control import Control, WhatIf, setting
from workbench.domain.settings.preset import apply_overrides
from workbench.ui.dialogs.settings_dialog import ContextPage
from workbench.ui.inspector.what_if.controls import WhatIfChoice
from workbench.ui.inspector.what_if.panel import WhatIfPanel


@dataclass(frozen=True, slots=True)
class Settings(ContextSettings):
    dates: bool = setting(
        False, Control("Dates", "Says when.", group="history", what_if=WhatIf("Dates", "Says when."))
    )


def test_a_field_is_set_by_its_name_shown_in_settings_and_tried_out(qtbot: QtBot):
    on = apply_overrides(Settings(), {"dates": True})
    page, what_if, state = ContextPage(Settings()), WhatIfPanel(made=Settings), sample_state()
    for widget in (page, what_if):
        qtbot.addWidget(widget)
    with qtbot.waitSignal(page.wishes.intent) as saved:
        QTest.mouseClick(page.fields["dates"].widget, Qt.MouseButton.LeftButton)
    assert saved.args[0].preferences.context == {"dates": True}
    chat = replace(state.open[CHAT], chat=replace(state.open[CHAT].chat, settings=Settings()))
    what_if.show_chat(state, chat)
    choice = what_if.controls["dates"]
    assert isinstance(choice, WhatIfChoice)
    choice.open_menu().actions()[0].trigger()
    assert (what_if.wanted(), what_if.summary()) == (on, "Dates: on")
