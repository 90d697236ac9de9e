"""The commands of what is written for later are all there; tests/ui/whole uses them in the real window."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject
from PySide6.QtWidgets import QApplication, QWidget

from tests.fakes.engine import SETTINGS
from tests.fakes.qt_loop import in_qt_loop, until
from tests.fakes.scripted_moments import moment_of
from tests.ui.window.test_session import at_work
from workbench.domain.workspace import SavedPrompt, Workspace
from workbench.engine.workspace_intents import SavePrompt, StartWorkspace
from workbench.ui.commands import specs
from workbench.ui.dialogs.prompts import PromptsDialog
from workbench.ui.window.kept_texts import KeptTexts
from workbench.ui.wishes import KeepPrompt


def test_every_command_has_a_place_in_the_menu():
    wanted = {"edit-instructions", "memory", "remember", "suggest-facts", "prompts", "save-prompt"}
    assert wanted <= {spec.id for spec in specs()}
    assert callable(KeptTexts.table)


def test_the_scene_of_instructions_is_priced_in_a_workspace():
    moment = moment_of("instructions")
    chat = moment.state.open[moment.chat]
    assert chat.chat.filed.workspace in moment.state.workspaces
    assert chat.price is not None
    assert chat.price.tag.tokens_delta > 0
    assert chat.trial is not None


@in_qt_loop
async def test_a_prompt_that_cannot_be_moved_stays_where_it_was(qapp):
    """Were the old one deleted first, a name that is refused would be the end of the text."""
    kept = SavedPrompt("Review", "Look at it twice.")
    async with at_work() as working:
        session = working.session
        session.bridge.send_all((StartWorkspace(Workspace("w", "Billing"), SETTINGS), SavePrompt(kept)))
        await until(lambda: session.state.prompts == (kept,))
        working.actions.run("prompts")
        library = working.actions._words._prompts
        assert library is not None
        assert library.written() == kept
        library.name.setText("R" * 90)
        library.where.choose("w")
        library.save.click()
        await until(lambda: "needs a name" in library.said.text())
        assert session.state.prompts == (kept,)
        library.name.setText("Review well")
        library.save.click()
        await until(lambda: session.state.prompts == (SavedPrompt("Review well", kept.text, "w"),))
        library.close()


class Shown(QObject):
    """Notes which field of a dialog of prompts has the focus when it is shown."""

    fields: list[QWidget | None]

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if isinstance(watched, PromptsDialog) and event.type() == QEvent.Type.Show:
            self.fields.append(watched.focusWidget())
        return False


@in_qt_loop
async def test_a_prompt_that_is_saved_is_named_first_and_no_other_field_has_had_the_focus(qapp: QApplication):
    """On X11 two fields showed a caret: the focus went on before the window was active."""
    async with at_work() as working:
        watching = Shown(qapp)
        watching.fields = []
        qapp.installEventFilter(watching)
        working.actions.run(KeepPrompt("Look at it twice."))
        qapp.removeEventFilter(watching)
        library = working.actions._words._prompts
        assert library is not None
        assert watching.fields == [library.name]
        library.close()
