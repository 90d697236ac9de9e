"""The attachments as an item model."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st
from PySide6.QtCore import QModelIndex, QPersistentModelIndex, Qt
from PySide6.QtTest import QAbstractItemModelTester

from tests.fakes.effort import tries
from workbench.domain.shown.attachment_view import AttachmentRow
from workbench.ui.attachments.model import MANY, AttachmentsModel

FATAL = QAbstractItemModelTester.FailureReportingMode.Fatal
NAMES = [f"{folder}{n}" for folder in ("", "a/", "b/") for n in range(6)]


def row(name: str, tokens: int = 10) -> AttachmentRow:
    return AttachmentRow(name, "file", name, tokens, 5, False, "sent")


def names(model: AttachmentsModel, parent: QModelIndex | None = None) -> list[object]:
    """All names, those of a folder in a list behind it."""
    above = parent or QModelIndex()
    found: list[object] = []
    for place in range(model.rowCount(above)):
        index = model.index(place, 0, above)
        found.append(index.data())
        if model.rowCount(index):
            found.append(names(model, index))
    return found


@settings(max_examples=tries(60), deadline=None)
@given(st.lists(st.lists(st.sampled_from(NAMES), unique=True), max_size=6))
def test_any_lists_one_after_the_other_are_told_as_a_sound_model(qapp: object, lists: list[list[str]]):
    """Folders come, go, and lose and get files; a view that keeps indexes must never be told nonsense."""
    model, fresh = AttachmentsModel(), AttachmentsModel()
    tester = QAbstractItemModelTester(model, FATAL)
    kept: list[QPersistentModelIndex] = []
    for listed in lists:
        model.show_rows([row(name) for name in listed])
        fresh.show_rows([])
        fresh.show_rows([row(name) for name in listed])
        assert names(model) == names(fresh)
        kept += [QPersistentModelIndex(index) for name in listed if (index := model.index_of(name)).isValid()]
        for each in kept:
            assert not each.isValid() or model.row(each) is not None
    assert tester is not None


def test_files_of_a_folder_stay_selected_while_folders_come_before_it(qapp: object):
    """An index that knew its folder by its row would point into another folder."""
    model = AttachmentsModel()
    model.show_rows([row(f"b/{n}") for n in range(MANY)])
    kept = QPersistentModelIndex(model.index_of("b/3"))
    model.show_rows([row("x"), row("a/1"), row("a/2"), *(row(f"b/{n}") for n in range(MANY))])
    assert kept.data() == "3"
    assert kept.parent().row() == 2


def test_only_what_changed_is_told(qapp: object):
    model = AttachmentsModel()
    rows = [row(f"b/{n}") for n in range(MANY)]
    model.show_rows(rows)
    assert names(model) == ["b", [str(n) for n in range(MANY)]]
    told: list[str] = []
    model.dataChanged.connect(lambda first, _last: told.append(first.data()))
    model.rowsRemoved.connect(lambda *_: told.append("removed"))
    model.rowsInserted.connect(lambda *_: told.append("inserted"))
    model.show_rows([*rows[:2], replace(rows[2], pinned=True), *rows[3:]])
    assert told == ["b", "2"]
    told.clear()
    model.show_rows([*rows[:2], replace(rows[2], pinned=True), *rows[3:]])
    assert told == []


def test_a_folder_stands_for_all_its_files(qapp: object):
    model = AttachmentsModel()
    model.show_rows([row(f"b/{n}") for n in range(MANY)])
    folder = model.index(0, 0)
    assert model.row(folder) is None
    assert [each.key for each in model.rows(folder)] == [f"b/{n}" for n in range(MANY)]
    assert model.rows(QModelIndex()) == ()
    assert folder.data(Qt.ItemDataRole.AccessibleTextRole) == f"folder b, {MANY} files, {10 * MANY} tokens"


def test_what_is_not_there_is_not_found(qapp: object):
    model = AttachmentsModel()
    model.show_rows([row("a")])
    assert not model.index_of("b").isValid()
    assert model.index_of("a").row() == 0
