"""What is set for the chat in view, over a real engine: parameters, presets, one message, new chats."""

from __future__ import annotations

from dataclasses import replace

from tests.fakes.qt_loop import in_qt_loop, until
from tests.ui.window.test_session import at_work
from workbench.domain.parameters import Parameters
from workbench.domain.settings.context_settings import ContextSettings, SectionSettings
from workbench.engine.intents import EditDraft
from workbench.engine.program_intents import ChangePreferences
from workbench.ui.dialogs.settings_privacy import PrivacyPage
from workbench.ui.widgets.choice import Switch
from workbench.ui.window.chat_settings import ChatSettings


def opened(settings: ChatSettings):
    return settings._parameters, settings._presets, settings._once


@in_qt_loop
async def test_parameters_are_set_undone_kept_as_a_preset_applied_and_sent_once(qapp):
    async with at_work() as working:
        session, chat_settings = working.session, working.actions._chat_settings

        def own() -> Parameters:
            assert session.chat is not None
            return session.chat.chat.settings.parameters

        # A window that comes to the front closes what popped up before.
        await until(lambda: session.window.isActiveWindow() and own() == Parameters())
        await until(lambda: session.chat is not None and session.chat.view is not None)
        working.actions.run("parameters")
        popup = opened(chat_settings)[0]
        assert popup is not None
        popup.parts.editor.changed.emit(Parameters(temperature=0.2))
        await until(lambda: own() == Parameters(temperature=0.2))
        await until(lambda: list(popup.parts.editor.chips) == ["temperature"])
        assert session.undo.undo_text() == "Set temperature"
        session.undo.undo()
        await until(lambda: own() == Parameters())
        session.undo.redo()
        await until(lambda: own() == Parameters(temperature=0.2))
        popup.close()
        working.actions.run("presets")
        dialog = opened(chat_settings)[1]
        assert dialog is not None
        dialog.name.setText("cool")
        dialog.save.click()
        await until(lambda: "cool" in session.state.presets)
        session.undo.undo()
        await until(lambda: dialog.heading.text() == "“cool” would change 1 setting of this chat")
        dialog.apply.click()
        await until(lambda: own() == Parameters(temperature=0.2))
        assert session.undo.undo_text() == "Apply the preset cool"
        dialog.first.click()
        await until(lambda: session.state.preferences.persona == "cool")
        dialog.close()
        first = session.chat_id
        session.start_chat()
        await until(lambda: session.chat_id not in ("", first))
        await until(lambda: own() == Parameters(temperature=0.2))
        await _sent_once(working)


async def _sent_once(working) -> None:
    session, chat_settings = working.session, working.actions._chat_settings
    session.send(EditDraft(session.chat_id, "Well?"))
    await until(lambda: session.chat.draft == "Well?" and session.chat.view is not None)
    working.actions.run("send-once")
    once = opened(chat_settings)[2]
    once.editor.changed.emit(Parameters(seed=7))
    await until(once.send.isEnabled)
    assert session.chat.trial.settings.parameters == Parameters(seed=7)
    once.send.click()
    await until(lambda: session.chat.ended is not None and session.chat.running is None)
    sent = session.chat.conversation.previous.inputs.settings
    assert sent.parameters == Parameters(seed=7)
    assert session.chat.chat.settings.parameters == Parameters(temperature=0.2)
    assert session.chat.trial is None


@in_qt_loop
async def test_two_settings_changed_within_a_frame_are_both_kept(qapp):
    """The second was a copy of all settings as they were drawn last, and took the first one back."""
    async with at_work() as working:
        session, chat_settings = working.session, working.actions._chat_settings

        def own() -> ContextSettings:
            assert session.chat is not None
            return session.chat.chat.settings

        await until(lambda: session.window.isActiveWindow() and session.chat is not None)
        before = own()
        working.actions.run("parameters")
        popup = opened(chat_settings)[0]
        assert popup is not None
        popup.parts.editor.changed.emit(Parameters(seed=7))
        switch = popup.recall.fields["sections.by_relevance"].widget
        assert isinstance(switch, Switch)
        switch.click()
        wanted = replace(before, parameters=Parameters(seed=7), sections=SectionSettings(by_relevance=True))
        await until(lambda: session.bridge.pending() == [])
        assert own() == wanted
        session.undo.undo()
        await until(lambda: own() == replace(before, parameters=Parameters(seed=7)))
        popup.close()


@in_qt_loop
async def test_two_preferences_changed_within_a_frame_are_both_kept(qapp):
    async with at_work() as working:
        session = working.session
        before = session.state.preferences
        page = PrivacyPage("")
        page.wishes = session.window.wishes
        page.show_state(session.state)
        page.lock_after.setValue(7)
        page.redaction.choose("replace")
        page.redaction.activated.emit(page.redaction.currentIndex())
        await until(lambda: session.bridge.pending() == [])
        assert session.state.preferences == replace(before, lock_after_minutes=7, redaction="replace")


@in_qt_loop
async def test_a_preset_that_is_gone_keeps_no_new_chat_from_beginning(qapp):
    async with at_work() as working:
        session = working.session
        session.send(ChangePreferences(replace(session.state.preferences, persona="gone")))
        await until(lambda: session.state.preferences.persona == "gone")
        first = session.chat_id
        session.start_chat()
        await until(lambda: session.chat_id not in ("", first))
