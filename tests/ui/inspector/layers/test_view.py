"""The tree-table as it is seen."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import QModelIndex, QPoint, Qt
from PySide6.QtGui import QColor, QPainter
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QHeaderView
from pytestqt.qtbot import QtBot

from tests.fakes.envelope_views import made_row, made_view, wandering
from tests.fakes.sample_envelope import sample_view, trial_view
from workbench.domain.shown.envelope_view import EnvelopeView, LayerRow, RowKey, RowPart, SegmentRow
from workbench.ui.inspector.layers.cells import Column
from workbench.ui.inspector.layers.delegates import NAME_LEAD, Cell, TokensDelegate
from workbench.ui.inspector.layers.tuning import EnvelopeTree
from workbench.ui.inspector.layers.view import NARROW, WIDE, SegmentTree, TreeHeader, columns_for
from workbench.ui.look.fonts import metrics
from workbench.ui.look.theme import Theme

FILE = RowKey("L3_TURN", "src/auth.py")
TURN_7 = RowKey("L4_STRIP", "turn 7")
TURN_8 = RowKey("L4_STRIP", "turn 8")


@pytest.fixture
def tree(qtbot: QtBot) -> SegmentTree:
    made = SegmentTree()
    qtbot.addWidget(made)
    made.resize(752, 500)
    made.show_view(sample_view())
    made.show()
    return made


def names(tree: SegmentTree) -> list[str]:
    """What can be seen, from top to bottom."""
    found, index = [], tree.indexAt(QPoint(5, 1))
    while index.isValid():
        found.append(str(index.siblingAtColumn(0).data()))
        index = tree.indexBelow(index)
    return found


def test_all_layers_are_open_at_first(tree: SegmentTree):
    assert names(tree) == [
        "System", "Instructions", "Memory", "Library", "project-spec.md", "docs/api.md", "History", "turns 1–6",
        "turn 7", "turn 8", "This turn", "project-spec.md", "src/auth.py", "logs/big.log",
        "Your message", "Your message",
    ]  # fmt: skip


def test_a_layer_that_was_folded_stays_so_while_its_rows_change(tree: SegmentTree):
    history = tree.rows.index(2, 0)
    tree.setExpanded(history, False)
    tree.show_view(trial_view())
    assert "turn 8" not in names(tree)


def test_a_layer_that_comes_is_open(tree: SegmentTree):
    view = sample_view()
    tree.show_view(replace(view, layers=view.layers[:2]))
    tree.show_view(view)
    assert "turn 8" in names(tree)


def test_choosing_a_row_tells_its_key(tree: SegmentTree, qtbot: QtBot):
    with qtbot.waitSignal(tree.selected) as told:
        tree.setCurrentIndex(tree.rows.index_of(FILE))
    assert told.args == [FILE]
    with qtbot.waitSignal(tree.selected) as told:
        tree.setCurrentIndex(tree.rows.index(0, 0))
    assert told.args == [None]


def test_a_row_is_chosen_from_outside_and_its_layer_opens(tree: SegmentTree):
    tree.setExpanded(tree.rows.index(2, 0), False)
    tree.select(TURN_8)
    assert tree.selected_key() == TURN_8
    assert "turn 8" in names(tree)
    tree.select(None)
    assert tree.selected_key() is None


def test_an_unknown_key_leaves_the_choice_alone(tree: SegmentTree):
    tree.select(FILE)
    tree.select(RowKey("L3_TURN", "gone.py"))
    assert tree.selected_key() == FILE


def test_the_chosen_row_stays_chosen_when_rows_before_it_go(tree: SegmentTree, qtbot: QtBot):
    tree.select(TURN_8)
    with qtbot.assertNotEmitted(tree.selected):
        tree.show_view(trial_view())
    assert tree.selected_key() == TURN_8


def test_the_chosen_row_stays_chosen_where_it_moves(tree: SegmentTree, qtbot: QtBot):
    rows = tuple(made_row("L3_TURN", name) for name in "abc")
    tree.show_view(made_view({"L3_TURN": rows}))
    tree.select(rows[0].key)
    with qtbot.assertNotEmitted(tree.selected):
        tree.show_view(made_view({"L3_TURN": (rows[1], rows[2], rows[0])}))
    assert tree.selected_key() == rows[0].key
    assert tree.selectionModel().isRowSelected(2, tree.rows.index(0, 0))


def test_when_the_chosen_row_goes_none_is_chosen_and_that_is_told(tree: SegmentTree, qtbot: QtBot):
    gone = RowKey("L4_STRIP", "turns 1-6")
    tree.select(gone)
    with qtbot.waitSignal(tree.selected) as told:
        tree.show_view(trial_view())
    assert told.args == [None]
    assert tree.selected_row() is None, "the next key would be meant for it"


def test_a_file_that_changes_its_layer_stays_chosen(tree: SegmentTree, qtbot: QtBot):
    """Left out of the library it stands below This turn; the second Del left its neighbour out instead."""
    a, b, moved = (made_row("L2_PREVIOUS", "a"), made_row("L2_PREVIOUS", "b"), made_row("L3_TURN", "a"))
    tree.show_view(made_view({"L2_PREVIOUS": (a, b)}))
    tree.select(a.key)
    with qtbot.waitSignal(tree.selected) as told:
        tree.show_view(made_view({"L2_PREVIOUS": (b,), "L3_TURN": (moved,)}))
    assert told.args == [moved.key]
    assert tree.selected_key() == moved.key


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_whatever_changes_the_choice_is_a_row_that_is_there(tree: SegmentTree, seed: int):
    for view in wandering(seed, 30):
        tree.show_view(view)
        first = next((row for layer in (view.layers if view else ()) for row in layer.rows), None)
        if first is not None and tree.selected_key() is None:
            tree.select(first.key)
        key = tree.selected_key()
        assert key is None or (view is not None and view.row(key) is not None)


def test_the_filter_hides_rows_and_keeps_layers(tree: SegmentTree):
    tree.set_filter("API")
    assert names(tree) == ["System", "Library", "docs/api.md", "History", "This turn", "Your message"]
    assert tree.shown_rows() == 1
    tree.set_filter("")
    assert tree.shown_rows() == 11


def test_a_row_that_comes_is_filtered_too(tree: SegmentTree):
    tree.set_filter("spec")
    view = sample_view()
    library = view.layers[1]
    more = replace(library, rows=(*library.rows, made_row("L2_PREVIOUS", "other.md")))
    tree.show_view(replace(view, layers=(view.layers[0], more, *view.layers[2:])))
    assert "other.md" not in names(tree)
    assert tree.shown_rows() == 2


def test_layers_chosen_and_hovered_rows_have_their_grounds(tree: SegmentTree, theme: Theme):
    tree.select(FILE)
    persona = tree.rows.index_of(RowKey("L1_SYSTEM", "persona"))
    for away in (QPoint(0, 60), QPoint(0, 0)):
        QTest.mouseMove(tree.viewport(), tree.visualRect(persona).center() + away)
    image = tree.viewport().grab().toImage()
    x = tree.viewport().width() - 3
    grounds = {
        index.row(): image.pixelColor(x, tree.visualRect(index).center().y()).name()
        for index in (tree.rows.index(0, 0), tree.rows.index_of(FILE))
    }
    assert grounds == {0: QColor(theme.sunken).name(), 1: QColor(theme.sel).name()}
    assert image.pixelColor(x, tree.visualRect(persona).center().y()).name() == QColor(theme.hover).name()


def test_the_same_view_is_not_looked_at_again(tree: SegmentTree, qtbot: QtBot):
    view = trial_view()
    tree.show_view(view)
    with qtbot.assertNotEmitted(tree.rows.dataChanged):
        tree.show_view(view)


def test_the_table_has_a_name(tree: SegmentTree):
    assert tree.accessibleName()
    assert tree.focusPolicy() != Qt.FocusPolicy.NoFocus


def test_taking_the_focus_chooses_nothing(tree: SegmentTree, qtbot: QtBot):
    with qtbot.assertNotEmitted(tree.selected):
        tree.setFocus()
    assert tree.selected_key() is None
    with qtbot.waitSignal(tree.selected) as told:
        QTest.keyClick(tree, Qt.Key.Key_Down)
    assert told.args == [RowKey("L1_SYSTEM", "persona")]


def test_a_chosen_row_that_was_in_sight_stays_in_sight(tree: SegmentTree):
    tree.select(RowKey("L5_USER", "question"))
    tree.resize(752, 200)
    rect = tree.visualRect(tree.currentIndex())
    assert tree.viewport().rect().contains(rect.center())


PERSONA, MEMORY = RowKey("L1_SYSTEM", "persona"), RowKey("L1_SYSTEM", "memory")


def _instructions(*parts: RowPart, facts: tuple[RowPart, ...] = ()) -> EnvelopeView:
    persona = SegmentRow(PERSONA, ("persona",), "persona", "persona", 30, "locked", parts=parts)
    memory = SegmentRow(MEMORY, ("memory",), "memory", "memory", 9, "locked", parts=facts)
    return EnvelopeView(1, "m", (LayerRow("L1_SYSTEM", 39, (persona, memory)),), 39, 1000, 0)


def test_instructions_unfold_into_who_says_them_and_facts_into_lines(qtbot: QtBot):
    tree = EnvelopeTree()
    qtbot.addWidget(tree)
    tree.resize(900, 400)
    default, own = RowPart("default", "Be kind.", 3), RowPart("chat", "Only rounding.", 4)
    tree.show_view(_instructions(default))
    assert tree.rows.rowCount(tree.rows.index_of(PERSONA)) == 0, "the default alone is all of the row"
    tree.show_view(_instructions(default, own, facts=(RowPart("fact", "Tokens live 900 s.", 5),)))
    rows, persona = tree.rows, tree.rows.index_of(PERSONA)
    assert tree.isExpanded(persona)
    said = [rows.index(place, 0, persona) for place in range(rows.rowCount(persona))]
    assert [index.data() for index in said] == ["default", "this chat"]
    assert said[1].siblingAtColumn(Column.TOKENS).data() == "4"
    assert said[1].data(Qt.ItemDataRole.AccessibleTextRole) == "this chat: Only rounding., 4 tokens"
    assert said[0].parent() == persona
    tree.setCurrentIndex(said[1])
    assert tree.selected_key() == PERSONA, "a part is chosen with its row"
    tree.show_view(_instructions(default, RowPart("workspace", "All in cents.", 6), own))
    assert [rows.index(place, 0, persona).data() for place in range(3)] == [
        "default",
        "workspace",
        "this chat",
    ]
    assert rows.rowCount(rows.index_of(MEMORY)) == 0
    assert tree.grab().width() == 900
    tree.show_view(_instructions(default))
    assert rows.rowCount(persona) == 0


def test_a_click_on_a_line_of_the_instructions_edits_it(qtbot: QtBot):
    tree = EnvelopeTree()
    qtbot.addWidget(tree)
    tree.resize(900, 400)
    edited: list[RowKey] = []
    tree.edit_wanted.connect(edited.append)
    view = _instructions(RowPart("default", "Be kind.", 3), RowPart("chat", "Only rounding.", 4))
    tree.show_view(view)

    def click(index: QModelIndex) -> None:
        at = tree.visualRect(index).center()
        QTest.mouseClick(tree.viewport(), Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, at)

    row = tree.rows.index_of(PERSONA)
    click(row)
    assert not edited, "the first click on a row chooses it"
    click(row)
    click(tree.rows.index(1, 0, row))
    assert edited == [PERSONA, PERSONA]
    tree.show_view(replace(view, standing="sent"))
    click(tree.rows.index(1, 0, row))
    assert len(edited) == 2, "what was sent is not written any more"


def test_a_row_of_instructions_is_written_where_others_show_their_bytes(qtbot: QtBot):
    tree = EnvelopeTree()
    qtbot.addWidget(tree)
    tree.resize(900, 400)
    edited: list[RowKey] = []
    shown: list[RowKey] = []
    tree.edit_wanted.connect(edited.append)
    tree.bytes_wanted.connect(lambda key, _words: shown.append(key))
    own = RowPart("chat", "Only rounding.", 4)
    view = _instructions(RowPart("default", "Be kind.", 3), own)
    tree.show_view(view)
    tree.select(PERSONA)
    QTest.keyClick(tree, Qt.Key.Key_Return)
    QTest.keyClick(tree, Qt.Key.Key_F2)
    part = tree.rows.index(1, 0, tree.rows.index_of(PERSONA))
    at = tree.visualRect(part).center()
    QTest.mouseDClick(tree.viewport(), Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, at)
    assert edited == [PERSONA, PERSONA, PERSONA]
    tree.setCurrentIndex(part)
    QTest.keyClick(tree, Qt.Key.Key_Left)
    assert tree.currentIndex() == tree.rows.index_of(PERSONA)
    QTest.keyClick(tree, Qt.Key.Key_Left)
    assert not tree.isExpanded(tree.rows.index_of(PERSONA))
    tree.show_view(replace(view, standing="sent"))
    QTest.keyClick(tree, Qt.Key.Key_Return)
    assert shown == [PERSONA], "what was sent can only be read"


class CountingDelegate(TokensDelegate):
    """Counts the cells that it really paints."""

    painted = 0

    def paint_cell(self, painter: QPainter, cell: Cell) -> None:
        CountingDelegate.painted += 1
        super().paint_cell(painter, cell)


def test_only_cells_that_changed_are_painted(tree: SegmentTree, qtbot: QtBot):
    """Qt would draw every cell of a line in which one changed."""
    for column in (Column.SEGMENT, Column.TOKENS):
        tree.setItemDelegateForColumn(column, CountingDelegate(tree.rows, tree))
    with qtbot.waitExposed(tree):
        tree.repaint()
    qtbot.wait(50)
    CountingDelegate.painted = 0
    view = sample_view()
    *layers, asked = view.layers
    (row,) = asked.rows
    longer = replace(asked, tokens=asked.tokens + 1, rows=(replace(row, tokens=row.tokens + 1),))
    tree.show_view(replace(view, layers=(*layers, longer)))
    qtbot.waitUntil(lambda: CountingDelegate.painted > 0)
    assert CountingDelegate.painted == 2  # the figure of the question and that of its layer; no name


NONE: frozenset[Column] = frozenset()


def widths(tree: SegmentTree) -> dict[Column, int]:
    head = tree.head
    return {column: head.sectionSize(column) for column in Column if not head.isSectionHidden(column)}


def test_digest_goes_first_then_reason_then_cache(qtbot: QtBot):
    every = set(Column) - {Column.INFLUENCE, Column.FACTS}
    gone = {width: every - set(columns_for(width, NONE)) for width in (752, 660, 588, 480)}
    assert gone == {
        752: set(),
        660: {Column.DIGEST},
        588: {Column.DIGEST, Column.REASON},
        480: {Column.DIGEST, Column.REASON, Column.CACHE},
    }


def test_wide_the_columns_have_the_widths_of_the_design_and_reason_takes_the_rest(tree: SegmentTree):
    found = widths(tree)
    rest = found.pop(Column.REASON)
    off_or_rest = (
        Column.DIGEST,
        Column.REASON,
        Column.INFLUENCE,
        Column.FACTS,
    )  # a digest is for experts: off until chosen
    assert found == {column: width for column, width in WIDE.items() if column not in off_or_rest}
    assert sum(found.values()) + rest == tree.viewport().width()


def test_with_influence_reason_gives_way_and_nothing_is_cut_off(tree: SegmentTree):
    tree.head.show_influence(True, tree.viewport().width())
    assert Column.INFLUENCE in widths(tree)
    assert sum(widths(tree).values()) == tree.viewport().width()


def test_narrow_the_segment_takes_the_rest(tree: SegmentTree, qtbot: QtBot):
    tree.resize(588, 500)
    found = widths(tree)
    segment = found.pop(Column.SEGMENT)
    assert found == {column: NARROW[column] for column in found}
    assert sum(found.values()) + segment == tree.viewport().width()


def test_a_width_changed_by_hand_stays_after_a_narrow_time(tree: SegmentTree, qtbot: QtBot):
    with qtbot.waitSignal(tree.head.rearranged):
        tree.head.resizeSection(Column.STATE, 120)
    tree.resize(588, 500)
    tree.resize(752, 500)
    assert widths(tree)[Column.STATE] == 120


def test_what_was_left_is_found_again(tree: SegmentTree, qtbot: QtBot):
    tree.head.resizeSection(Column.TOKENS, 70)
    tree.head.want(Column.DIGEST, False, 752)
    kept = tree.head.remembered()
    other = SegmentTree()
    qtbot.addWidget(other)
    other.resize(752, 500)
    other.show_view(sample_view())
    other.show()
    other.head.restore(kept, 752)
    assert widths(other)[Column.TOKENS] == 70
    assert other.head.isSectionHidden(Column.DIGEST)
    assert other.head.unwanted() == {Column.DIGEST}


@pytest.mark.parametrize(
    "text", ["", "x", "1,2;3,4;5", "1,2,3;;", ",".join("1" * 9) + ";" + ",".join("1" * 9) + ";"]
)
def test_what_cannot_be_read_changes_nothing(tree: SegmentTree, text: str):
    before = widths(tree)
    tree.head.restore(text, 752)
    assert widths(tree) == before


def test_the_first_column_cannot_be_switched_off(tree: SegmentTree):
    tree.head.want(Column.SEGMENT, False, 752)
    assert not tree.head.isSectionHidden(Column.SEGMENT)


def test_widths_can_be_changed_by_hand(tree: SegmentTree):
    assert isinstance(tree.head, TreeHeader)
    assert tree.head.sectionResizeMode(Column.STATE) is QHeaderView.ResizeMode.Interactive


def test_a_head_is_as_high_as_a_row(tree: SegmentTree):
    assert tree.head.sizeHint().height() == 26


def test_influence_stands_beside_the_tokens_in_the_place_of_what_can_be_tuned(tree: SegmentTree):
    assert Column.INFLUENCE not in widths(tree)
    tree.head.show_influence(True, tree.viewport().width())
    found = widths(tree)
    assert found[Column.INFLUENCE] == WIDE[Column.INFLUENCE]
    assert found.keys().isdisjoint({Column.PRIORITY, Column.PIN})
    assert tree.head.visualIndex(Column.INFLUENCE) == tree.head.visualIndex(Column.TOKENS) + 1


def test_in_a_narrow_table_the_name_of_a_usual_file_is_whole(qtbot: QtBot):
    """The other columns took so much that "project-spec.md" was cut."""
    tree = SegmentTree()
    qtbot.addWidget(tree)
    tree.resize(542, 400)
    tree.show()
    room = tree.head.sectionSize(Column.SEGMENT) - NAME_LEAD - 6
    assert room >= metrics("row").horizontalAdvance("project-spec.md")
