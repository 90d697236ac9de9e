"""The dialogs of the window."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import pytest
from PySide6.QtWidgets import QWidget
from shiboken6 import isValid

from tests.fakes.engine import SETTINGS, FilesInMemory, fake_world
from tests.fakes.given import PaperGiven, PaperKeyKeeper
from tests.fakes.qt_loop import in_qt_loop, until
from tests.fakes.window_stage import dialog
from tests.ui.window.test_session import at_work
from workbench.domain.errors import KeyringUnusable
from workbench.domain.files.attached import LeftOut
from workbench.domain.model import ModelFacts
from workbench.domain.watch.request import Watched
from workbench.engine.intents import AttachFiles
from workbench.ui.dialogs.attaching import NotAttachedDialog
from workbench.ui.dialogs.crash_report import CrashDialog
from workbench.ui.dialogs.guide import GuideDialog
from workbench.ui.dialogs.model_facts import ModelFactsDialog
from workbench.ui.dialogs.settings_dialog import SettingsDialog
from workbench.ui.dialogs.shortcut_list import ShortcutList
from workbench.ui.dialogs.transfer import ExportDialog, ImportDialog
from workbench.ui.dialogs.web_search import WebSearchDialog
from workbench.ui.look.theme import theme_of
from workbench.ui.steps import apply_settings
from workbench.ui.wishes import ChangeKeys, CommandId, DeclareModel, OpenGuide, OpenSettings, Wish


def _hidden(widget: QWidget) -> bool:
    return not widget.isVisible()


@in_qt_loop
async def test_each_dialog_opens_and_closes(qapp):
    async with at_work() as working:
        wished: tuple[tuple[Wish, type[QWidget]], ...] = (
            ("guide", GuideDialog),
            (OpenGuide("budget"), GuideDialog),
            ("shortcuts", GuideDialog),
            ("export", ExportDialog),
            ("import", ImportDialog),
            (OpenSettings("privacy"), SettingsDialog),
            ("about", SettingsDialog),
        )
        for wish, kind in wished:
            working.actions.run(wish)
            opened = await dialog(kind)
            opened.close()
            await until(partial(_hidden, opened))
            if isinstance(opened, SettingsDialog):
                assert opened.about is working.session.given.about


@in_qt_loop
async def test_a_search_that_was_closed_is_asked_nothing_more(qapp):
    """Each later state failed on the dialog that was gone, and its report came up again and again."""
    async with at_work() as working:
        working.actions.run("search-web")
        search = await dialog(WebSearchDialog)
        search.close()
        await until(lambda: not isValid(search))
        working.session.rendered.emit()
        working.session.refusals.emit((LeftOut("a.txt", "it is empty"),))
        assert isinstance(await dialog(NotAttachedDialog), NotAttachedDialog)


@in_qt_loop
async def test_for_a_watched_chat_nothing_is_asked_that_would_be_refused(
    qapp, monkeypatch: pytest.MonkeyPatch
):
    async with at_work() as working:
        told: list[str] = []
        chat = working.session.chat
        assert chat is not None
        filed = replace(chat.chat.filed, watched=Watched("claude-cli/2.1.197"))
        watched = replace(chat, chat=replace(chat.chat, filed=filed))
        monkeypatch.setattr(working.session, "tell", told.append)
        monkeypatch.setattr(type(working.session), "chat", property(lambda _: watched))
        wishes: tuple[CommandId, ...] = (
            "attach-files", "attach-folder", "follow-folder", "attach-page", "attach-clipboard", "from-server",
            "search-web",
        )  # fmt: skip
        for wish in wishes:
            working.actions.run(wish)
        assert [one.partition(".")[0] for one in told] == ["This chat can only be read"] * len(wishes)
        monkeypatch.undo()


@in_qt_loop
async def test_the_guide_opens_at_a_page_turns_to_others_and_remembers_the_last(qapp):
    async with at_work() as working:
        working.actions.run("shortcuts")
        guide = await dialog(GuideDialog)
        assert isinstance(guide, GuideDialog)
        listed = guide.view(guide.page())
        assert isinstance(listed, ShortcutList)
        working.actions.run(OpenGuide("request"))
        assert guide.page() == "request"
        listed.table.keys.typed.emit("about", "F9")
        await until(lambda: working.session.state.preferences.shortcuts == {"about": "F9"})
        guide.close()
        await until(partial(_hidden, guide))
        working.actions.run("guide")
        again = await dialog(GuideDialog)
        assert isinstance(again, GuideDialog)
        assert again.page() == "request"
        again.close()
        await until(partial(_hidden, again))


@in_qt_loop
async def test_f1_opens_the_guide_at_what_a_request_is(qapp):
    """It opened at the list of all shortcuts."""
    async with at_work() as working:
        working.actions.run(OpenGuide(""))
        guide = await dialog(GuideDialog)
        assert isinstance(guide, GuideDialog)
        assert guide.page() == "request"
        guide.close()
        await until(partial(_hidden, guide))


@in_qt_loop
async def test_light_and_dark_are_switched_and_kept(qapp, appearance, loop_guard):
    async with at_work() as working:
        loop_guard.stop()  # windows of other tests may still be there, and are dressed anew too
        working.openings.appearance("dark")
        assert theme_of(working.session.window).dark
        assert working.session.memory.mode == "dark"
        working.openings.appearance("light")
        assert not theme_of(working.session.window).dark


@in_qt_loop
async def test_a_model_that_is_picked_is_asked_from_now_on_and_can_be_undone(qapp):
    async with at_work() as working:
        session = working.session
        working.openings._pick("openai:gpt-4o")
        await until(lambda: session.chat is not None and session.chat.chat.settings.model == "openai:gpt-4o")
        assert session.undo.undo_text() == "Ask openai:gpt-4o"
        await until(lambda: "openai:gpt-4o" in session.state.readiness)


@in_qt_loop
async def test_a_model_that_is_changed_by_anything_is_got_ready_at_once(qapp):
    """The dot said for the new model what was never asked, until the first turn."""
    async with at_work() as working:
        session = working.session
        chat = session.chat
        assert chat is not None
        wanted = replace(chat.chat.settings, model="openai:gpt-4o")
        session.do_step(apply_settings(chat, wanted, "Switch"))
        await until(lambda: "openai:gpt-4o" in session.state.readiness)


@in_qt_loop
async def test_the_palette_opens_over_the_chat_and_closes_with_the_same_command(qapp):
    async with at_work() as working:
        working.actions.run("palette")
        palette = working.openings._palette
        assert palette is not None
        assert palette.isVisible()
        working.actions.run("palette")
        assert not palette.isVisible()


@in_qt_loop
async def test_a_crash_is_shown(qapp):
    async with at_work() as working:
        working.openings.crash("builtins.ValueError")
        shown = await dialog(CrashDialog)
        shown.close()


@in_qt_loop
async def test_closing_one_dialog_leaves_the_others_fed(qapp):
    """Closing any dialog made an open export deaf: its job went on, and the dialog never said so."""
    async with at_work() as working:
        working.actions.run("export")
        export = await dialog(ExportDialog)
        working.actions.run("shortcuts")
        guide = await dialog(GuideDialog)
        guide.close()
        await until(partial(_hidden, guide))
        assert working.openings._transfers == [export]
        export.close()
        await until(partial(_hidden, export))
        assert working.openings._transfers == []


@in_qt_loop
async def test_what_cannot_be_done_about_the_keys_is_said_where_it_is_seen(qapp):
    """The words were in the window, under the settings that the button stands in: the button seemed to do nothing."""
    async with at_work() as working:

        class Refusing(PaperKeyKeeper):
            def use_keyring(self, wanted: bool) -> None:
                raise KeyringUnusable("none is running here")

        working.openings._keys._keeper = Refusing
        working.actions.run(OpenSettings("privacy"))
        settings = await dialog(SettingsDialog)
        assert isinstance(settings, SettingsDialog)
        working.actions.run(ChangeKeys("keyring-on"))
        await until(lambda: "none is running here" in settings.said.text())
        assert "--key-file" not in settings.said.text()
        settings.close()
        await until(partial(_hidden, settings))
        working.session.tell("Now in the window")
        assert "Now in the window" not in settings.said.text()


@in_qt_loop
async def test_the_model_of_the_chat_can_be_declared(qapp):
    async with at_work() as working:
        working.actions.run(DeclareModel())
        shown = await dialog(ModelFactsDialog)
        assert isinstance(shown, ModelFactsDialog)
        shown.window_tokens.setValue(4096)
        shown.keep.click()
        await until(lambda: working.session.state.preferences.models.get(SETTINGS.model) == ModelFacts(4096))


@in_qt_loop
async def test_what_cannot_be_attached_is_listed_with_its_reasons(qapp):
    async with at_work() as working:
        working.session.send(AttachFiles(working.session.chat_id, ("gone.md", "https://x.example/page")))
        listed = await dialog(NotAttachedDialog)
        assert isinstance(listed, NotAttachedDialog)
        assert [row.title.text() for row in listed.rows] == ["gone.md", "https://x.example/page"]
        listed.close()
        await until(partial(_hidden, listed))


@in_qt_loop
async def test_one_locked_file_among_many_takes_its_password_and_the_others_are_attached(qapp):
    """All that could be done was to save it without one in another program."""
    files = FilesInMemory(**{f"{number:02}.pdf": f"Words {number}." for number in range(20)})
    files.locked["07.pdf"] = "sesame"
    paper = PaperGiven()
    given = paper.given(world=lambda store, report: fake_world(store=store, attachments=files))
    async with at_work(given=given) as working:
        session = working.session
        session.send(AttachFiles(session.chat_id, tuple(files.texts)))
        listed = await dialog(NotAttachedDialog)
        assert isinstance(listed, NotAttachedDialog)
        assert session.chat is not None
        assert len(session.chat.conversation.attached) == 19
        listed.passwords[0].field.setText("sesame")
        listed.passwords[0].unlock.click()
        await until(lambda: session.chat is not None and len(session.chat.conversation.attached) == 20)
