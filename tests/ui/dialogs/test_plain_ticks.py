"""Leave to ask a server in one's own network without encryption is ticked once, in its row."""

from __future__ import annotations

from dataclasses import replace

from tests.fakes.sample_state import sample_state
from tests.fakes.widgets import button_with
from workbench.domain.settings.app_preferences import Preferences
from workbench.engine.program_intents import ChangePreferences
from workbench.ui.dialogs.settings_models import ModelsPage, PlainTicks, can_be_plain, origins, without_leave

NAS = "http://NAS.lan:8000/v1"
ORIGIN = "http://nas.lan:8000"


def ticks(qtbot, preferences: Preferences) -> PlainTicks:
    made = PlainTicks(NAS, preferences)
    qtbot.addWidget(made)
    return made


def test_only_servers_that_can_have_leave_are_offered_it():
    assert can_be_plain(NAS)
    for url in ("https://nas.lan", "http://127.0.0.1:1", "http://models.example", "ftp://x", "http://[", ""):
        assert not can_be_plain(url)


def test_the_first_tick_gives_leave_and_the_second_needs_it(qtbot):
    made = ticks(qtbot, Preferences())
    assert not made.key.isEnabled()
    with qtbot.waitSignal(made.changed) as heard:
        made.plain.setChecked(True)
    assert heard.args[0] == Preferences(plain_http=(ORIGIN,))
    made = ticks(qtbot, heard.args[0])
    assert (made.plain.isChecked(), made.key.isEnabled(), made.key.isChecked()) == (True, True, False)
    with qtbot.waitSignal(made.changed) as heard:
        made.key.setChecked(True)
    assert heard.args[0] == Preferences(plain_http=(ORIGIN,), plain_http_with_key=(ORIGIN,))


def test_taking_the_first_back_takes_both_back_and_leaves_other_servers_theirs(qtbot):
    other = "http://other:80"
    made = ticks(qtbot, Preferences(plain_http=(other, NAS), plain_http_with_key=(NAS, other)))
    with qtbot.waitSignal(made.changed) as heard:
        made.plain.setChecked(False)
    assert heard.args[0] == Preferences(plain_http=(other,), plain_http_with_key=(other,))


def test_a_server_s_row_has_the_ticks_and_removing_it_ends_its_leave(qtbot):
    page = ModelsPage()
    qtbot.addWidget(page)
    state = sample_state()
    preferences = replace(state.preferences, servers={"nas": NAS}, plain_http=(ORIGIN,))
    page.show_state(replace(state, preferences=preferences))
    made: list[PlainTicks] = list(page.findChildren(PlainTicks))
    (found,) = made
    assert found.plain.isChecked()
    heard: list[ChangePreferences] = []
    page.wishes.intent.connect(heard.append)
    found.key.setChecked(True)
    button_with("Remove server", page).click()
    assert [one.preferences.plain_http_with_key for one in heard] == [(ORIGIN,), ()]
    assert [one.preferences.plain_http for one in heard] == [(ORIGIN,), ()]


def test_what_cannot_be_read_belongs_to_nothing():
    assert origins((NAS, "nonsense", "http://h:x")) == {ORIGIN}
    assert without_leave(Preferences(plain_http=("nonsense",)), NAS).plain_http == ("nonsense",)
