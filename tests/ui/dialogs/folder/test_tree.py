"""The folder's tree by mouse and key, and painted in both themes."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, QRectF, Qt
from PySide6.QtGui import QColor, QImage, QPainter
from PySide6.QtTest import QTest

from tests.ui.dialogs.folder.test_nodes import entries, found, tree
from workbench.domain.files.folder import FileCount, FolderEntry
from workbench.ui.dialogs.folder.model import Column, FolderModel
from workbench.ui.dialogs.folder.nodes import Node
from workbench.ui.dialogs.folder.tree import ICON_LEAD, MEASURE, FolderTree, paint_node
from workbench.ui.look.theme import Theme

LEFT = Qt.MouseButton.LeftButton
SHIFT, PLAIN = Qt.KeyboardModifier.ShiftModifier, Qt.KeyboardModifier.NoModifier
WHITE = QColor("#FFFFFF")


@pytest.fixture
def view(qapp) -> FolderTree:
    made = FolderTree(tree(0))
    made.resize(760, 500)
    made.show()
    made.open_some()
    return made


def press(view: FolderTree, node: Node, chevron: bool = False) -> None:
    index = view.rows.index_of(node)
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
    src = view.rows.index_of(found(view.rows.tree, "src"))
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
    assert not view.isExpanded(view.rows.index_of(found(view.rows.tree, "src")))
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
    view.setCurrentIndex(view.rows.index_of(found(view.rows.tree, "src/a.py")))
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
    assert view.rowHeight(view.rows.index_of(made.root)) == MEASURE.row
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
