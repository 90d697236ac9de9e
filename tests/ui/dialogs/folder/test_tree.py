"""The folder's tree by mouse and key, and painted in both themes."""

from __future__ import annotations

import gc

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QModelIndex, QPoint, QRectF, Qt
from PySide6.QtGui import QColor, QImage, QPainter
from PySide6.QtTest import QAbstractItemModelTester, QTest

from tests.ui.dialogs.folder.test_nodes import PATHS, entries, found, tree
from workbench.domain.files.folder import FileCount, FolderEntry, FolderFilter
from workbench.ui.dialogs.folder.nodes import Node, Tree
from workbench.ui.dialogs.folder.tree import (
    ICON_LEAD,
    MEASURE,
    Column,
    FolderModel,
    FolderTree,
    check_state,
    paint_node,
)
from workbench.ui.look.theme import Theme

LEFT = Qt.MouseButton.LeftButton
SHIFT, PLAIN = Qt.KeyboardModifier.ShiftModifier, Qt.KeyboardModifier.NoModifier
WHITE = QColor("#FFFFFF")
FATAL = QAbstractItemModelTester.FailureReportingMode.Fatal
Role = Qt.ItemDataRole


@pytest.fixture
def view(qapp) -> FolderTree:
    made = FolderTree(tree(0))
    made.resize(760, 500)
    made.show()
    made.open_some()
    return made


def press(view: FolderTree, node: Node, chevron: bool = False) -> None:
    index = view.rows.index_of(node.path)
    box = view.chevron_box(index) if chevron else view.check_box(index)
    QTest.mouseClick(view.viewport(), LEFT, PLAIN, box.center().toPoint())


def ticked(view: FolderTree) -> list[str]:
    return [node.path for node in view.rows.tree.ticked()]


def test_a_box_is_ticked_by_the_mouse_with_all_that_is_below(view: FolderTree):
    told: list[list[Node]] = []
    view.ticked.connect(told.append)
    press(view, found(view.rows.tree, "src"))
    assert ticked(view) == ["src/a.py", "src/b.py"]
    press(view, found(view.rows.tree, "src/a.py"))
    assert ticked(view) == ["src/b.py"]
    press(view, found(view.rows.tree, "src"))
    assert ticked(view) == ["src/a.py", "src/b.py"]
    assert [len(nodes) for nodes in told] == [2, 1, 2]


def test_a_chevron_and_two_clicks_open_and_close(view: FolderTree):
    src = view.rows.index_of("src")
    assert view.isExpanded(src)
    press(view, found(view.rows.tree, "src"), chevron=True)
    assert not view.isExpanded(src)
    place = view.visualRect(src).center() + QPoint(40, 0)
    QTest.mouseDClick(view.viewport(), LEFT, PLAIN, place)
    assert view.isExpanded(src)
    assert ticked(view) == []


def test_everything_is_done_by_keys(view: FolderTree):
    QTest.keyClick(view, Qt.Key.Key_Space)
    assert ticked(view) == ["d.md"]
    QTest.keyClick(view, Qt.Key.Key_Space, SHIFT)
    assert ticked(view) == ["docs/c.md", "src/a.py", "src/b.py", "d.md"]
    for _ in range(3):
        QTest.keyClick(view, Qt.Key.Key_Down)
    assert view.current_node().path == "src"
    QTest.keyClick(view, Qt.Key.Key_Space)
    assert ticked(view) == ["docs/c.md", "d.md"]
    QTest.keyClick(view, Qt.Key.Key_Right)
    assert view.current_node().path == "src/a.py"
    QTest.keyClick(view, Qt.Key.Key_Left)
    QTest.keyClick(view, Qt.Key.Key_Left)
    assert not view.isExpanded(view.rows.index_of("src"))
    QTest.keyClick(view, Qt.Key.Key_Left)
    assert view.current_node() is view.rows.tree.root
    asked: list[str] = []
    view.filter_wanted.connect(lambda: asked.append("filter"))
    view.add_wanted.connect(lambda: asked.append("add"))
    QTest.keyClick(view, Qt.Key.Key_Slash)
    QTest.keyClick(view, Qt.Key.Key_F, Qt.KeyboardModifier.ControlModifier)
    QTest.keyClick(view, Qt.Key.Key_Return)
    assert asked == ["filter", "filter", "add"]


def test_several_rows_are_ticked_together(view: FolderTree):
    view.setCurrentIndex(view.rows.index_of("src/a.py"))
    QTest.keyClick(view, Qt.Key.Key_Down, SHIFT)
    QTest.keyClick(view, Qt.Key.Key_Space)
    assert ticked(view) == ["src/a.py", "src/b.py"]


def test_every_kind_of_row_is_painted(view: FolderTree, theme: Theme):
    made = view.rows.tree
    made.add(entries("x.pdf", "y.png"))
    for standing in ("ignored", "hidden", "binary", "large", "refused"):
        made.add([FolderEntry(f"is {standing}", "other", standing=standing, reason="because")])
    made.set_attached(frozenset({"d.md"}))
    made.count([FileCount("src/a.py", 12_345)])
    view.rows.tell_changes()
    assert view.rowHeight(view.rows.index_of("")) == MEASURE.row
    picture = view.grab().toImage()
    assert len({picture.pixel(x, y) for x in range(0, 760, 3) for y in range(0, 500, 5)}) > 20


def test_icon_and_name_stand_in_by_as_much_as_they_are_told(qapp):
    model = FolderModel(tree())
    cells = [QRectF(200 * column, 0, 200, 26) for column in Column]
    image = QImage(800, 26, QImage.Format.Format_ARGB32_Premultiplied)
    image.fill(WHITE)
    painter = QPainter(image)
    paint_node(painter, model, found(model.tree, "src/a.py"), cells, 40)
    painter.end()
    inked = [x for x in range(800) if any(image.pixelColor(x, y) != WHITE for y in range(26))]
    assert ICON_LEAD + 40 <= inked[0] < ICON_LEAD + 44


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
                model.filter(FolderFilter(["", "*.py", "x", "!a"][number % 4]))
            case _:
                model.show_tree(made)
        model.tell_changes()
    assert tester is not None
    model.show_tree(Tree("q"))


def test_a_place_in_a_tree_that_is_gone_ends_nothing(qapp):
    """Qt held the address of an entry; asked about a place after its tree was let go, the process ended."""
    made = tree()
    model, _tester = under_test(made)
    stale = [model.index_of(node.path) for node in made.root.files()]
    model.show_tree(Tree("q"))
    del made
    gc.collect()
    padding = [bytes(range(100)) for _ in range(10_000)]
    assert padding
    assert {model.data(place) for place in stale} == {None}


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
        return str(model.data(model.index_of(path), Role.AccessibleTextRole))

    assert spoken("src/a.py") == "a.py, file, chosen, 386 tokens"
    assert spoken("shared") == "shared, file, can’t be chosen, refused leads out of the folder"
    assert spoken("src") == "src, folder, partly chosen, ≥ 386 tokens, 2 files"
    name = str(model.data(model.index_of("bad\u202egnp.exe\n")))
    assert name == "bad⟨U+202E⟩gnp.exe⟨U+000A⟩"
    assert [model.headerData(n, Qt.Orientation.Horizontal) for n in Column] == [
        "Name",
        "Tokens",
        "Chosen",
        "Note",
    ]
    assert model.rowCount(QModelIndex()) == 1
