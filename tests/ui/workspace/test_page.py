"""The page of a workspace, with the values of one that is really there."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton
from pytestqt.qtbot import QtBot

from tests.fakes.scripted_moments import moment_of
from tests.fakes.widgets import all_of
from workbench.engine.intents import TrySettings
from workbench.engine.state import WorkbenchState
from workbench.engine.workspace_intents import ReviseWorkspace
from workbench.ui.look.theme import Theme
from workbench.ui.steps import Step
from workbench.ui.wishes import BindFolder, DropWorkspace, NewChatIn, ShowSections
from workbench.ui.workspace.page import WorkspacePage
from workbench.ui.workspace.rows import PageRow


def page_of(
    qtbot: QtBot, state: WorkbenchState | None = None
) -> tuple[WorkspacePage, list[Step], list[object]]:
    moment = moment_of("workspace")
    shown = state or moment.state
    page = WorkspacePage()
    qtbot.addWidget(page)
    steps: list[Step] = []
    wishes: list[object] = []
    page.wishes.step.connect(steps.append)
    page.wishes.wish.connect(wishes.append)
    page.tools_there = lambda: shown.open[moment.chat].chat.settings.tools
    page.resize(596, 900)
    page.show_state(shown, shown.open[moment.chat], moment.now_utc)
    page.show()
    return page, steps, wishes


def texts(rows: list[PageRow]) -> list[str]:
    return [row.text.text()[:12] for row in rows]


def test_it_shows_the_figures_of_the_template_and_everything_has_a_name(qtbot: QtBot, theme: Theme):
    page, _, _ = page_of(qtbot)
    chat = moment_of("workspace").state.open[moment_of("workspace").chat]
    assert chat.view is not None
    first = next(layer for layer in chat.view.layers if layer.name == "L1_SYSTEM")
    told = {row.kind: row for row in first.rows}
    assert [row.value.tokens for row in page.memory.facts()] == [part.tokens for part in told["memory"].parts]
    assert page.instructions.sum.text().startswith(str(sum(part.tokens for part in told["persona"].parts)))
    assert texts([row for row in page.files.rows if isinstance(row, PageRow)]) == [
        "project-spec",
        "docs/api.md",
    ]
    assert "~/code/token-client" in page.folder.path.text()
    assert all(made.accessibleName() for made in all_of(QAbstractButton, page) if made.isVisibleTo(page))
    assert page.reach.table.words()[1].startswith("Token refresh in auth.py 4:")
    page.grab()


def test_a_fact_is_edited_removed_added_and_accepted_by_keyboard(qtbot: QtBot):
    page, steps, _ = page_of(qtbot)
    first = page.memory.facts()[0]
    QTest.keyClick(first, Qt.Key.Key_F2)
    page.memory.editor.text.setPlainText("Tokens live 600 s.")
    QTest.keyClick(page.memory.editor.text, Qt.Key.Key_S, Qt.KeyboardModifier.ControlModifier)
    QTest.keyClick(first, Qt.Key.Key_Delete)
    page.memory.action.click()
    QTest.keyClicks(page.memory.editor.text, "New")
    QTest.keyClick(page.memory.editor.text, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    QTest.keyClick(page.memory.rows[-1], Qt.Key.Key_Return)
    made = [step.do[0].after.facts for step in steps if isinstance(step.do[0], ReviseWorkspace)]
    assert [len(facts) for facts in made] == [4, 3, 5, 4]
    assert made[0][0].text == "Tokens live 600 s."
    assert [fact.suggested for fact in made[3]] == [False] * 4
    back = steps[1].undo[0]
    assert isinstance(back, ReviseWorkspace)
    assert len(back.after.facts) == 4


def test_instructions_are_changed_in_place_and_typed_words_are_not_lost_by_one_key(qtbot: QtBot):
    page, steps, _ = page_of(qtbot)
    page.instructions.action.click()
    editor = page.instructions.editor
    sent: list[object] = []
    page.wishes.intent.connect(sent.append)
    editor.text.setPlainText("Only Rust.")
    qtbot.waitUntil(lambda: bool(sent))
    tried = sent[0]
    assert isinstance(tried, TrySettings)
    assert tried.workspace is not None
    assert tried.workspace.instructions == "Only Rust."
    QTest.keyClick(editor.text, Qt.Key.Key_Escape)
    assert editor.isVisible()
    assert "Not saved" in editor.note.text()
    editor.choice.setCurrentIndex(1)
    editor.save.click()
    (step,) = steps
    assert sent[-1] == TrySettings("workspace:w0", None)
    saved = step.do[0]
    assert isinstance(saved, ReviseWorkspace)
    assert (saved.after.instructions, saved.after.joining) == ("Only Rust.", "replace")
    page.instructions.edit()
    QTest.keyClick(editor.text, Qt.Key.Key_Escape)
    assert not editor.isVisible()


def test_head_folder_and_files_say_what_they_want(qtbot: QtBot):
    moment = moment_of("workspace")
    place = replace(moment.state.workspaces["w0"], offered="/elsewhere")
    page, steps, wishes = page_of(qtbot, replace(moment.state, workspaces={"w0": place}))
    page.head.new.click()
    page.folder.use.click()
    page.files.linked.emit("docs/api.md")
    made = page.head.menu_of()
    made.actions()[-1].trigger()
    made.deleteLater()
    page.head.rename()
    page.head.field.setText("Sign in")
    QTest.keyClick(page.head.field, Qt.Key.Key_Return)
    page.folder.decline.click()
    page.files.removed.emit("docs/api.md")
    assert wishes == [
        NewChatIn("w0"),
        BindFolder("w0", "/elsewhere"),
        ShowSections("docs/api.md"),
        DropWorkspace("w0"),
    ]
    assert [step.title for step in steps] == ["Rename Auth service", "Dismiss a folder", "Detach docs/api.md"]
