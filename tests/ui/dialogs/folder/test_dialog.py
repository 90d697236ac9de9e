"""The dialog on snapshots: it draws what it is given, a little at a time, and sends what is wanted."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QWidget
from pytestqt.qtbot import QtBot

from tests.fakes.sample_envelope import sample_view
from tests.fakes.sample_state import sample_state
from tests.fakes.widgets import all_of
from tests.ui.dialogs.folder.test_nodes import entries
from workbench.domain.files.attached import AttachLimits
from workbench.domain.files.folder import FileCount, FolderRules
from workbench.domain.shown.attachment_view import FolderView
from workbench.engine.attaching_intents import CountFiles, LeaveFolder, ScanFolder, StopScan
from workbench.engine.state import WorkbenchState
from workbench.ui.dialogs.attaching import ManyFilesDialog
from workbench.ui.dialogs.folder.dialog import (
    NEW,
    FolderChoice,
    FolderDialog,
    KindChip,
    ScanLine,
    SumBlock,
    with_new,
)
from workbench.ui.dialogs.folder.nodes import Sums
from workbench.ui.widgets.card import Hairline

VIEW = FolderView(
    1,
    "/home/me/auth-service",
    entries=tuple(entries("src/", "src/a.py", "src/b.py", "c.md", "d.pdf")),
    to_count=3,
)
COUNTS = (FileCount("c.md", 100), FileCount("src/a.py", 200), FileCount("src/b.py", 9_000))


class Talk:
    """A dialog, and what it sent."""

    def __init__(self, qtbot: QtBot) -> None:
        self.qtbot = qtbot
        self.dialog = FolderDialog()
        self.sent: list[object] = []
        self.added: list[FolderChoice] = []
        self.dialog.wishes.intent.connect(self.sent.append)
        self.dialog.added.connect(self.added.append)
        self.state: WorkbenchState = sample_state()
        self.chat = next(iter(self.state.open.values()))
        self.dialog.look_through("/home/me/auth-service", self.chat.chat.id)
        self.dialog.show()

    def show(self, view: FolderView) -> None:
        self.dialog.show_state(replace(self.state, folder=view), self.chat)
        self.rest()

    def rest(self) -> None:
        """Let the dialog do all that it waits for, however long that takes here."""
        waits = (self.dialog._feeding, self.dialog._refreshing, self.dialog._typed)
        self.qtbot.waitUntil(lambda: not any(timer.isActive() for timer in waits), timeout=20_000)


@pytest.fixture
def talk(qtbot: QtBot) -> Talk:
    return Talk(qtbot)


def test_it_asks_for_the_folder_and_shows_it_as_it_comes(talk: Talk):
    dialog = talk.dialog
    assert talk.sent == [ScanFolder(talk.chat.chat.id, "/home/me/auth-service", FolderRules())]
    assert dialog.progress.words.text() == "Looking into the folder…"
    talk.show(VIEW)
    assert dialog.progress.count.text() == "5"
    talk.show(replace(VIEW, listed=True, counts=COUNTS[:1], counted=1, at="src/a.py"))
    assert (dialog.progress.count.text(), dialog.progress.at.text()) == ("1 of 3", "src/a.py")
    assert dialog.add.text() == "Add 1 file"
    talk.show(replace(VIEW, listed=True, counts=COUNTS, counted=3, over=True))
    assert dialog.is_fed()
    assert not dialog.progress.isVisible()
    assert (dialog.add.text(), dialog.sums.chosen.words()) == ("Add 2 files", "300 chosen, 2 files")
    assert {kind: chip.text() for kind, chip in dialog.chips.items()} == {
        "code": "Code 2", "text": "Text 1", "document": "Documents 1",
    }  # fmt: skip


def test_files_come_ticked_also_where_the_first_request_is_ready_only_after_them(talk: Talk):
    """Opened right after the start, the dialog never learned what fits, and nothing came ticked."""
    known, talk.chat = talk.chat, replace(talk.chat, view=None)
    whole = replace(VIEW, listed=True, counts=COUNTS, counted=3, over=True)
    talk.show(whole)
    assert talk.dialog.add.text() == "Add files"
    talk.chat = known
    talk.show(whole)
    assert (talk.dialog.add.text(), talk.dialog.sums.chosen.words()) == ("Add 2 files", "300 chosen, 2 files")


def test_once_all_is_counted_what_the_message_names_is_ticked(talk: Talk):
    talk.chat = replace(talk.chat, draft="What does b do? See b.py and bbbb.")
    files = tuple(entries("aaaa.py", "bbbb.py"))
    view = talk.chat.view
    assert view is not None
    room = (
        view.free_tokens if view.threshold_tokens is None else view.threshold_tokens - view.total_tokens
    ) - 10
    counts = (FileCount("aaaa.py", room), FileCount("bbbb.py", room))
    talk.show(replace(VIEW, entries=files, to_count=2, listed=True, counts=counts, counted=2, over=True))
    assert [node.path for node in talk.dialog.tree.rows.tree.ticked()] == ["bbbb.py"]


def test_the_scan_is_cancelled_and_what_was_found_stays(talk: Talk):
    dialog = talk.dialog
    talk.show(replace(VIEW, listed=True, counts=COUNTS[:2], counted=2))
    QTest.mouseClick(dialog.progress.cancel, Qt.MouseButton.LeftButton)
    assert talk.sent[-1] == StopScan()
    talk.show(replace(VIEW, listed=True, counts=COUNTS[:2], counted=2, over=True, stopped=True))
    assert not dialog.progress.cancel.isVisible()
    assert dialog.progress.at.text() == "cancelled; what was found stays"
    assert dialog.add.text() == "Add 2 files"


def test_a_filter_and_chips_show_fewer(talk: Talk):
    dialog, tree = talk.dialog, talk.dialog.tree.rows
    talk.show(replace(VIEW, listed=True, counts=COUNTS, over=True))
    dialog.filter.setText("*.py !b")
    talk.rest()
    assert [node.path for node in tree.tree.root.files(shown_only=True)] == ["src/a.py"]
    dialog.filter.clear()
    dialog.chips["text"].click()
    assert [node.path for node in tree.tree.root.files(shown_only=True)] == ["c.md"]
    dialog.chips["text"].click()
    assert tree.tree.shown_files() == 4


def test_switches_look_again_and_keep_what_was_ticked(talk: Talk):
    dialog = talk.dialog
    talk.show(replace(VIEW, listed=True, counts=COUNTS, over=True))
    dialog.tree.rows.tree.tick(dialog.tree.rows.tree.root, False)
    dialog.hidden_files.click()
    assert talk.sent[-1] == ScanFolder(talk.chat.chat.id, "/home/me/auth-service", FolderRules(hidden=True))
    talk.show(replace(VIEW, number=2, listed=True, counts=COUNTS, over=True))
    assert dialog.tree.rows.tree.ticked() == []
    dialog.ignoring.click()
    assert talk.sent[-1] == ScanFolder(
        talk.chat.chat.id, "/home/me/auth-service", FolderRules(gitignore=False, hidden=True)
    )


def test_a_document_is_read_when_it_is_ticked(talk: Talk):
    dialog = talk.dialog
    talk.show(replace(VIEW, listed=True, counts=COUNTS, over=True))
    tree = dialog.tree.rows.tree
    pdf = tree.node("d.pdf")
    assert pdf is not None
    dialog.tree.setCurrentIndex(dialog.tree.rows.index_of(pdf.path))
    QTest.keyClick(dialog.tree, Qt.Key.Key_Space)
    assert talk.sent[-1] == CountFiles(("d.pdf",))
    assert dialog.sums.chosen.words() == "≥ 300 chosen, 3 files"


def test_enter_adds_in_one_go_with_priority_and_following(talk: Talk):
    dialog = talk.dialog
    talk.show(replace(VIEW, listed=True, counts=COUNTS, over=True))
    dialog.sums.priority.choose("3")
    dialog.follow.setChecked(True)
    QTest.keyClick(dialog.tree, Qt.Key.Key_Return)
    (choice,) = talk.added
    top = "/home/me/auth-service"
    assert (choice.folder, choice.paths, choice.priority) == (top, (f"{top}/src/a.py", f"{top}/c.md"), 3)
    assert choice.follow is not None
    assert (choice.follow.path, choice.follow.priority) == (top, 3)
    assert not dialog.isVisible()
    assert talk.sent[-1] == LeaveFolder()


def test_escape_leaves_a_filter_first_and_then_the_dialog(talk: Talk):
    dialog = talk.dialog
    talk.show(replace(VIEW, listed=True, over=True))
    dialog.focus_filter()
    QTest.keyClicks(dialog.filter, "x")
    QTest.keyClick(dialog.filter, Qt.Key.Key_Escape)
    assert (dialog.filter.text(), dialog.isVisible()) == ("", True)
    QTest.keyClick(dialog.filter, Qt.Key.Key_Escape)
    assert not dialog.isVisible()
    assert talk.added == []


def test_nothing_ticked_adds_nothing(talk: Talk):
    talk.show(replace(VIEW, listed=True, over=True))
    assert not talk.dialog.add.isEnabled()
    QTest.keyClick(talk.dialog.tree, Qt.Key.Key_Return)
    assert talk.added == []


def test_every_control_has_a_name(talk: Talk):
    talk.show(replace(VIEW, listed=True, counts=COUNTS))
    dialog = talk.dialog
    controls: list[QWidget] = [
        *all_of(QAbstractButton, dialog),
        dialog.filter,
        dialog.tree,
        dialog.sums.priority,
    ]
    nameless = [
        one
        for one in controls
        if one.isVisible() and not (one.accessibleName() or getattr(one, "text", str)())
    ]
    assert nameless == []
    assert all_of(Hairline, dialog)
    assert all_of(KindChip, dialog)
    assert all_of(ScanLine, dialog)


def test_very_many_files_are_one_question(qapp, tmp_path):
    (tmp_path / "a").write_bytes(b"x" * 4_000)
    asked = ManyFilesDialog([str(tmp_path / "a"), str(tmp_path / "gone")] * 60)
    assert asked.windowTitle() == "Attach 120 files?"
    assert asked.line.text() == "Together they are 240.0 kB, about 60k tokens if it’s all text."
    asked.go.click()
    assert asked.result() == ManyFilesDialog.DialogCode.Accepted


CHOSEN = Sums(31, 30, 13, 41_164, 5, 5, 1_062, 4_000)


def test_the_new_part_stands_before_the_question_and_is_ringed(qapp):
    view = sample_view()
    bar = with_new(view, 1_062)
    layers = [one.layer for one in bar.segments]
    assert layers[-1] == "L5_USER"
    assert bar.segments[-2].key == NEW
    assert bar.total_tokens == view.total_tokens + 1_062
    assert with_new(view, 0).total_tokens == view.total_tokens


def test_the_figures_are_those_of_the_bar(qapp):
    block, view = SumBlock(), sample_view()
    block.show_sums(view, CHOSEN, AttachLimits())
    assert block.bar.bar().total_tokens == 12_748
    assert block.bar.cursor_key() == NEW
    said = [one.words() for one in (block.chosen, block.before, block.after, block.total, block.verdict)]
    assert said == [
        "1,062 chosen, 5 files", "4,314 free before", "3,252 free after", "12,748 tokens in request",
        "cache kept 52 under trim at 12,800",
    ]  # fmt: skip
    block.show_sums(view, CHOSEN._replace(guessed=1), AttachLimits())
    assert (block.before.words(), block.total.words()) == ("4,314 free before", "≈ 12,748 tokens in request")
    block.show_sums(view, CHOSEN._replace(chosen_counted=4), AttachLimits())
    assert block.chosen.words().startswith("≥ 1,062")


def test_too_much_is_said(qapp):
    block, view = SumBlock(), sample_view()
    block.show_sums(view, CHOSEN._replace(chosen_tokens=9_000), AttachLimits())
    assert (block.after.token(), block.verdict.token()) == ("err", "err")
    block.show_sums(view, CHOSEN._replace(chosen_bytes=600_000_000), AttachLimits())
    assert block.verdict.words() == "too much at once 600.0 MB, over 500 MB"
    block.show_sums(view, CHOSEN._replace(chosen=101), AttachLimits())
    assert block.verdict.words() == "cache kept more than 100 files at once"
    block.show_sums(None, CHOSEN, AttachLimits())
    assert block.total.words() == "— tokens in request"
