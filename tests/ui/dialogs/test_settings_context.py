"""How requests of new chats are built, in the names of a trajectory's settings."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtGui import QHideEvent

from tests.fakes.sample_state import sample_state
from workbench.domain.files.attached import AttachLimits
from workbench.domain.settings.context_settings import NEW_CHAT, PersonaSources
from workbench.domain.settings.preset import merge_preferences
from workbench.engine.program_intents import ChangePreferences
from workbench.ui.dialogs.settings_dialog import ChatPage, ContextPage
from workbench.ui.widgets.choice import Choice, NumberField, Switch


@pytest.fixture
def page(qtbot) -> ContextPage:
    made = ContextPage()
    qtbot.addWidget(made)
    made.show_state(sample_state())
    return made


def number(page: ContextPage, name: str) -> NumberField:
    found = page.fields[name].widget
    assert isinstance(found, NumberField)
    return found


def choice(page: ContextPage, name: str) -> Choice:
    found = page.fields[name].widget
    assert isinstance(found, Choice)
    return found


def switch(page: ContextPage, name: str) -> Switch:
    found = page.fields[name].widget
    assert isinstance(found, Switch)
    return found


def test_a_setting_is_written_under_its_name(qtbot, page: ContextPage):
    with qtbot.waitSignal(page.wishes.intent) as heard:
        number(page, "history.keep_last_n_assistant").setValue(4)
    (change,) = heard.args
    assert isinstance(change, ChangePreferences)
    assert change.preferences.context == {"history": {"keep_last_n_assistant": 4}}


def test_never_is_none_and_a_share_is_a_fraction(qtbot, page: ContextPage):
    with qtbot.waitSignal(page.wishes.intent) as heard:
        number(page, "history.threshold").setValue(50)
    assert heard.args[0].preferences.context == {"history": {"threshold": 0.5}}
    with qtbot.waitSignal(page.wishes.intent) as heard:
        number(page, "history.threshold").setValue(0)
    assert heard.args[0].preferences.context == {"history": {"threshold": None}}


def test_what_is_set_is_shown(qtbot, page: ContextPage):
    context = {"context_window": 9000, "freshness": "freeze", "history": {"threshold": 0.5}}
    state = sample_state()
    page.show_state(replace(state, preferences=replace(state.preferences, context=context)))
    assert (
        number(page, "context_window").value(),
        number(page, "history.threshold").value(),
        choice(page, "freshness").chosen(),
    ) == (9000, 50, "freeze")


def test_waiting_by_itself_is_no_number(qtbot):
    page = ChatPage()
    qtbot.addWidget(page)
    page.show_state(sample_state())
    assert page.first.text() == "automatic"
    with qtbot.waitSignal(page.wishes.intent) as heard:
        page.first.setValue(30)
    assert heard.args[0].preferences.timeouts.first_token_s == 30.0


@pytest.mark.parametrize("name", ["file_mb", "total_mb", "ask_files"])
def test_the_limits_of_attaching_are_shown_and_set(qtbot, name: str):
    page, state = ChatPage(), sample_state()
    qtbot.addWidget(page)
    limits = AttachLimits(30, 600, 120)
    page.show_state(replace(state, preferences=replace(state.preferences, attach=limits)))
    field = {"file_mb": page.file_mb, "total_mb": page.total_mb, "ask_files": page.ask_files}[name]
    assert field.value() == getattr(limits, name)
    with qtbot.waitSignal(page.wishes.intent) as heard:
        field.setValue(7)
    assert heard.args[0].preferences.attach == replace(limits, **{name: 7})


@pytest.mark.parametrize(
    ("name", "value"), [("layout", "append_only"), ("edits", "changes"), ("freshness", "refresh")]
)
def test_how_the_cache_is_spared_is_written_under_its_name(qtbot, page: ContextPage, name: str, value: str):
    field = choice(page, name)
    assert field.chosen() == ("full" if name == "edits" else "auto")
    field.choose(value)
    with qtbot.waitSignal(page.wishes.intent) as heard:
        field.activated.emit(field.currentIndex())
    assert heard.args[0].preferences.context == {name: value}


def test_what_comes_back_is_on_in_new_chats_and_written_under_its_names(qtbot, page: ContextPage):
    assert switch(page, "history.recall").isChecked()
    for name, value in (
        ("sections.by_relevance", {"sections": {"by_relevance": True}}),
        ("history.recall_chats", {"history": {"recall_chats": True}}),
        ("history.recall", {"history": {"recall": False}}),
    ):
        page.show_state(sample_state())
        with qtbot.waitSignal(page.wishes.intent) as heard:
            switch(page, name).click()
        assert heard.args[0].preferences.context == value
    page.show_state(sample_state())
    with qtbot.waitSignal(page.wishes.intent) as heard:
        number(page, "history.recall_tokens").setValue(2_000)
    change = heard.args[0]
    assert change.preferences.context == {"history": {"recall_tokens": 2_000}}
    off = replace(change.preferences, context={"history": {"recall": False, "recall_tokens": 300}})
    page.show_state(replace(sample_state(), preferences=off))
    assert (switch(page, "history.recall").isChecked(), number(page, "history.recall_tokens").value()) == (
        False,
        300,
    )
    assert not number(page, "history.recall_tokens").isEnabled()


def test_instructions_of_every_new_chat_are_written_here(qtbot):
    page, state = ChatPage(), sample_state()
    qtbot.addWidget(page)
    page.show_state(state)
    sent: list[ChangePreferences] = []
    page.wishes.intent.connect(sent.append)
    page.instructions.setPlainText("Answer in verse.\n")
    assert not sent, "not with every key"
    page.hideEvent(QHideEvent())
    context = sent[-1].preferences.context
    fresh = merge_preferences(replace(NEW_CHAT, persona=PersonaSources(default="Be kind.")), context)
    assert fresh.persona_text == "Answer in verse."
    page.show_state(replace(state, preferences=sent[-1].preferences))
    assert page.instructions.toPlainText() == "Answer in verse."
    page.instructions.clear()
    page._save_instructions()
    assert sent[-1].preferences.context == {}


def test_notifications_are_switched_off_and_on(qtbot):
    page, state = ChatPage(), sample_state()
    qtbot.addWidget(page)
    page.show_state(state)
    assert page.notify.isChecked()
    with qtbot.waitSignal(page.wishes.intent) as heard:
        page.notify.click()
    kept = heard.args[0].preferences
    assert kept.notify is False
    page.show_state(replace(state, preferences=kept))
    assert not page.notify.isChecked()
