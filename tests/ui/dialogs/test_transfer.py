"""Chats out to files and in from them, watched ones too."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel, QPushButton
from pytestqt.qtbot import QtBot

from tests.fakes.sample_state import sample_state
from tests.fakes.watched import CONVERSATION, watched_state
from tests.fakes.widgets import all_of
from workbench.domain.job import Job
from workbench.engine.program_intents import CancelJob, ExportChats, ImportChats, UndoImport
from workbench.ui.dialogs.transfer import ENDINGS, ExportDialog, ImportDialog, formats, watched_formats


@pytest.fixture
def export(qtbot) -> ExportDialog:
    dialog = ExportDialog("c2")
    qtbot.addWidget(dialog)
    dialog.show_state(sample_state())
    return dialog


def test_the_chat_in_view_is_ticked_and_a_place_is_needed(export: ExportDialog):
    assert export.chosen_chats() == ("c2",)
    assert not export.go.isEnabled()
    export.set_path("/tmp/x.json")
    assert export.go.isEnabled()


def test_what_is_ticked_is_exported_in_the_chosen_format(qtbot, export: ExportDialog):
    export.format.choose("markdown")
    export.set_path("/tmp/chats")
    export._checks["c3"].setChecked(True)
    with qtbot.waitSignal(export.wishes.intent) as heard:
        export.go.click()
    (wanted,) = heard.args
    assert isinstance(wanted, ExportChats)
    assert (wanted.chats, wanted.format, wanted.path) == (("c2", "c3"), "markdown", "/tmp/chats")


def test_where_files_lie_is_written_only_where_asked_for(qtbot, export: ExportDialog):
    export.set_path("/tmp/chats")
    wanted: list[ExportChats] = []
    export.wishes.intent.connect(wanted.append)
    for name in ("markdown", "json"):
        export.format.choose(name)
        export.go.click()
        export.paths.setChecked(True)
        export.go.click()
    assert [one.paths for one in wanted] == [False, True, False, False]
    assert not export.paths.isVisibleTo(export)


def test_nothing_moves_while_formats_are_looked_through(export: ExportDialog, qapp):
    export.show()
    places: set[int] = set()
    for name, _, _ in formats():
        export.format.choose(name)
        qapp.processEvents()
        places.add(export.path.y())
    assert len(places) == 1


def test_enter_exports_and_imports(qtbot: QtBot, export: ExportDialog):
    export.set_path("/tmp/chats.json")
    export.show()
    with qtbot.waitSignal(export.wishes.intent) as heard:
        QTest.keyClick(export.path, Qt.Key.Key_Return)
    assert isinstance(heard.args[0], ExportChats)
    dialog = ImportDialog()
    qtbot.addWidget(dialog)
    dialog.show()
    dialog.set_files(["/tmp/a.zip"])
    with qtbot.waitSignal(dialog.wishes.intent) as heard:
        QTest.keyClick(dialog, Qt.Key.Key_Return)
    assert isinstance(heard.args[0], ImportChats)


def test_all_chats_at_once(export: ExportDialog):
    export.everything.setChecked(True)
    assert len(export.chosen_chats()) == 10


def test_work_that_goes_on_can_be_stopped(qtbot, export: ExportDialog):
    running = replace(sample_state(), jobs=(Job("j", "export", "json", done=3, total=10),))
    export.show_state(running)
    with qtbot.waitSignal(export.wishes.intent) as heard:
        export.jobs._rows["j"].cancelled.emit()
    assert heard.args == [CancelJob("j")]
    export.show_state(replace(running, jobs=(Job("j", "export", "json", "cancelled", 3, 10),)))
    assert export.jobs._ended["j"].title.text() == "Stopped after 3"


def test_a_failure_says_why(export: ExportDialog):
    export.show_state(
        replace(sample_state(), jobs=(Job("j", "export", "json", "failed", note="The disk is full."),))
    )
    assert export.jobs._ended["j"].line.text() == "The disk is full."


def test_files_are_chosen_and_taken_over(qtbot):
    dialog = ImportDialog()
    qtbot.addWidget(dialog)
    dialog.show_state(sample_state())
    assert not dialog.go.isEnabled()
    dialog.set_files(["/tmp/a.json", "/tmp/b.md"])
    with qtbot.waitSignal(dialog.wishes.intent) as heard:
        dialog.go.click()
    (wanted,) = heard.args
    assert isinstance(wanted, ImportChats)
    assert wanted.paths == ("/tmp/a.json", "/tmp/b.md")
    done = Job("i", "import", "a.json", "done", 3, 3, chats=("c1", "c2"), there=1)
    dialog.show_state(replace(sample_state(), jobs=(done,)))
    assert dialog.jobs._ended["i"].title.text() == "Imported 2 chats"
    assert "Show file" not in [one.text() for one in all_of(QPushButton, dialog)]


def test_the_first_chat_of_an_import_is_told_once(qtbot):
    dialog = ImportDialog()
    qtbot.addWidget(dialog)
    dialog.set_files(["/tmp/a.workbench.json"])
    told: list[str] = []
    dialog.arrived.connect(told.append)
    with qtbot.waitSignal(dialog.wishes.intent) as heard:
        dialog.go.click()
    done = Job(heard.args[0].job, "import", "a", "done", 2, 2, chats=("c1", "c2"))
    before = Job("earlier", "import", "b", "done", 1, 1, chats=("c0",))
    for _ in range(2):
        dialog.show_state(replace(sample_state(), jobs=(before, done)))
    assert told == ["c1"]


def test_an_import_is_taken_back_with_one_press(qtbot):
    dialog = ImportDialog()
    qtbot.addWidget(dialog)
    done = Job("i", "import", "a.json", "done", 1, 1, chats=("c1",), source="files")
    dialog.show_state(replace(sample_state(), jobs=(done,)))
    (undo,) = (one for one in all_of(QPushButton, dialog) if one.text() == "Undo")
    with qtbot.waitSignal(dialog.wishes.intent) as heard:
        undo.click()
    assert heard.args == [UndoImport("i")]
    dialog.show_state(replace(sample_state(), jobs=(replace(done, undone=True, note="1 chat was removed."),)))
    row = dialog.jobs._ended["i"]
    assert (row.title.text(), row.line.text()) == ("Import undone", "1 chat was removed.")
    assert len(dialog.jobs._ended) == 1


def test_a_folder_is_chosen_too(qtbot):
    dialog = ImportDialog()
    qtbot.addWidget(dialog)
    (choose,) = (one for one in all_of(QPushButton, dialog) if one.text() == "Choose folder…")
    with qtbot.waitSignal(dialog.folder_wanted):
        choose.click()


def test_one_chat_is_one_and_lines_stay_lines(export: ExportDialog):
    """It said 1 chats, and ⟨U+000A⟩ where a line ended."""
    done = Job("j", "export", "json", "done", 1, 1, note="Nothing is left out.\nKeep it safe.")
    export.show_state(replace(sample_state(), jobs=(done,)))
    row = export.jobs._ended["j"]
    assert row.title.text().startswith("Exported 1 chat, ")
    assert row.line.text() == "Nothing is left out.\nKeep it safe."


def test_the_import_dialog_grows_with_what_it_says_and_cuts_nothing(qtbot):
    """Its words were cut above and below: it stayed as high as it was opened."""
    dialog = ImportDialog()
    qtbot.addWidget(dialog)
    dialog.open()
    dialog.set_files([f"/home/me/an-export-with-quite-a-long-name-{n}.zip" for n in range(6)])
    note = "\n".join("Some attachments could not be read: the export has only their names." for _ in range(4))
    jobs = tuple(Job(f"i{n}", "import", "a.zip", "done", chats=("a",), note=note) for n in range(2))
    dialog.show_state(replace(sample_state(), jobs=jobs))
    words = [one for one in all_of(QLabel, dialog) if one.wordWrap() and one.text()]
    assert len(words) == 4
    qtbot.waitUntil(lambda: all(one.height() >= one.heightForWidth(one.width()) for one in words))


def test_the_formats_of_watched_chats_are_offered_for_one_and_each_has_an_ending(qtbot: QtBot):
    state, _ = watched_state()
    offered = {}
    for chosen in (CONVERSATION, ""):
        dialog = ExportDialog(chosen)
        qtbot.addWidget(dialog)
        dialog.show_state(state)
        dialog.show_state(state)
        offered[chosen] = [dialog.format.itemData(place) for place in range(dialog.format.count())]
    usual, more = ([name for name, _, _ in some] for some in (formats(), watched_formats()))
    assert offered == {CONVERSATION: [*usual, *more], "": usual}
    assert set(more) < set(ENDINGS)
