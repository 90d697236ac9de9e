"""The folder's model keeps Qt's rules under every change, and says everything aloud that it shows."""

from __future__ import annotations

import gc

from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QModelIndex, Qt
from PySide6.QtTest import QAbstractItemModelTester

from tests.ui.dialogs.folder.test_nodes import PATHS, entries, tree
from workbench.domain.files.folder import FileCount, FolderEntry, FolderFilter
from workbench.ui.dialogs.folder.model import Column, FolderModel, check_state
from workbench.ui.dialogs.folder.nodes import Tree

FATAL = QAbstractItemModelTester.FailureReportingMode.Fatal
Role = Qt.ItemDataRole


def under_test(made: Tree) -> tuple[FolderModel, QAbstractItemModelTester]:
    model = FolderModel(made)
    return model, QAbstractItemModelTester(model, FATAL)


ACTS = st.lists(st.tuples(st.integers(0, 4), st.sampled_from(PATHS), st.integers(0, 50)), max_size=40)


@given(ACTS)
def test_qt_s_rules_hold_whatever_comes(qapp, acts: list[tuple[int, str, int]]):
    made = Tree("p", 100)
    model, tester = under_test(made)
    made.add(entries("a/", "a/b/", "c/"))
    for act, path, number in acts:
        match act:
            case 0:
                made.add(entries(path, *PATHS[number % 7 : number % 7 + 3]))
            case 1:
                made.count([FileCount(path, number)])
            case 2:
                made.tick(made.node(path) or made.root, bool(number % 2))
            case 3:
                made.filter(FolderFilter(["", "*.py", "x", "!a"][number % 4]))
            case _:
                model.show_tree(made)
        model.tell_changes()
    assert tester is not None
    model.show_tree(Tree("q"))


def test_a_place_in_a_tree_that_is_gone_ends_nothing(qapp):
    """Qt held the address of an entry; asked about a place after its tree was let go, the process ended."""
    made = tree()
    model, _tester = under_test(made)
    stale = [model.index_of(node) for node in made.root.files()]
    model.show_tree(Tree("q"))
    del made
    gc.collect()
    padding = [bytes(range(100)) for _ in range(10_000)]
    assert padding
    assert {model.data(place) for place in stale} == {"q"}


def test_boxes_know_three_states(qapp):
    made = tree(0)
    model, _tester = under_test(made)
    top = model.index(0, 0)
    assert model.data(top, Role.CheckStateRole) == Qt.CheckState.Unchecked
    made.tick(made.node("src/a.py") or made.root, True)
    src = made.node("src")
    assert src is not None
    assert check_state(src) == Qt.CheckState.PartiallyChecked
    made.tick(made.root, True)
    assert model.data(top, Role.CheckStateRole) == Qt.CheckState.Checked
    assert model.flags(top) & Qt.ItemFlag.ItemIsUserCheckable


def test_everything_is_said_aloud_and_hostile_names_are_written_out(qapp):
    made = tree(1000)
    made.count([FileCount("src/a.py", 386)])
    made.add(
        [
            FolderEntry("bad\u202egnp.exe\n", "other"),
            FolderEntry("shared", standing="refused", reason="leads out of the folder"),
        ]
    )
    model, _tester = under_test(made)

    def spoken(path: str) -> str:
        node = made.node(path)
        assert node is not None
        return str(model.data(model.index_of(node), Role.AccessibleTextRole))

    assert spoken("src/a.py") == "a.py, file, chosen, 386 tokens"
    assert spoken("shared") == "shared, file, cannot be chosen, refused leads out of the folder"
    assert spoken("src") == "src, folder, partly chosen, ≥ 386 tokens, 2 files"
    name = str(model.data(model.index_of(made.node("bad\u202egnp.exe\n") or made.root)))
    assert name == "bad⟨U+202E⟩gnp.exe⟨U+000A⟩"
    assert [model.headerData(n, Qt.Orientation.Horizontal) for n in Column] == [
        "Name",
        "Tokens",
        "Chosen",
        "Note",
    ]
    assert model.rowCount(QModelIndex()) == 1
