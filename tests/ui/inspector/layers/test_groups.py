"""What came back stands in a group that folds, that the keyboard reaches, and that says how much room there is."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from tests.fakes.recalled_chat import CHAT, fact_id, recalled_state
from workbench.domain.shown.envelope_view import EnvelopeView, RowGroup, RowKey, SegmentRow
from workbench.engine.tuning_intents import TuneMessages
from workbench.ui.inspector.layers.cells import Column, Scale, cell_text, cell_tip, spoken
from workbench.ui.inspector.layers.model import lines_of
from workbench.ui.inspector.layers.painting import tip_with_acts
from workbench.ui.inspector.layers.tuning import EnvelopeTree

GROUP = RowKey("L3_TURN", "recalled:")


@pytest.fixture
def view() -> EnvelopeView:
    found = recalled_state().open[CHAT].view
    assert found is not None
    return found


@pytest.fixture
def tree(qtbot: QtBot, view: EnvelopeView) -> EnvelopeTree:
    made = EnvelopeTree()
    qtbot.addWidget(made)
    made.resize(760, 600)
    made.show_request(recalled_state().open[CHAT], view)
    made.show()
    return made


def fact_row(view: EnvelopeView) -> SegmentRow:
    return next(row for row in view.quotes if row.key.id == fact_id(recalled_state().open[CHAT]))


def hidden(tree: EnvelopeTree, key: RowKey) -> bool:
    index = tree.rows.index_of(key)
    return tree.isRowHidden(index.row(), index.parent())


def test_the_group_stands_above_its_rows_in_wire_order(view: EnvelopeView):
    layer = next(layer for layer in view.layers if layer.name == "L3_TURN")
    lines = lines_of(layer)
    at = next(place for place, line in enumerate(lines) if isinstance(line, RowGroup))
    assert tuple(lines[at + 1 :]) == view.quotes
    empty = replace(layer, rows=(), groups=(RowGroup("recalled", 0, 0, 90, standing=80, used_up=True),))
    (line,) = lines_of(empty)
    assert isinstance(line, RowGroup)
    assert cell_text(line, Column.REASON, Scale()) == "room used up until the next rebuild"
    assert "until the next rebuild" in cell_tip(line, Column.REASON)


def test_its_cells_say_how_many_how_much_and_of_what(view: EnvelopeView):
    group = view.group("recalled")
    assert group is not None
    scale = Scale(view.limit_tokens, 100)
    assert cell_text(group, Column.SEGMENT, scale) == f"recalled {group.count}"
    assert cell_text(group, Column.TOKENS, scale) == str(group.tokens)
    assert cell_text(group, Column.STATE, scale) == "of 60"
    assert spoken(group, scale) == f"recalled {group.count}: {group.tokens} tokens of 60"
    row = fact_row(view)
    assert cell_text(row, Column.SEGMENT, scale) == "turn 2, you"
    assert row.found is not None
    assert cell_text(row, Column.REASON, scale).startswith(f"{row.found.score:.1f}  ")
    assert tip_with_acts(row, Column.STATE).endswith("Why is this here? (W)")


def test_turns_that_were_cut_say_what_comes_back(view: EnvelopeView):
    history = next(layer for layer in view.layers if layer.name == "L4_STRIP")
    cut = next(row for row in history.rows if row.back)
    words = "1 recalled" if cut.back == 1 else f"{cut.back} recalled"
    assert cell_text(cut, Column.REASON, Scale()).startswith(words)
    assert cell_text(replace(cut, back=0, never=2), Column.REASON, Scale()).startswith("2 never recalled")


def test_it_folds_and_is_chosen_by_keyboard(tree: EnvelopeTree, view: EnvelopeView):
    row = fact_row(view)
    tree.select(row.key)
    QTest.keyClick(tree, Qt.Key.Key_Left)
    assert tree.selected_key() == GROUP
    assert tree.selected_row() is None
    QTest.keyClick(tree, Qt.Key.Key_Left)
    assert hidden(tree, row.key)
    QTest.keyClick(tree, Qt.Key.Key_Right)
    assert not hidden(tree, row.key)
    QTest.keyClick(tree, Qt.Key.Key_Space)
    assert hidden(tree, row.key)
    tree.select(row.key)
    assert not hidden(tree, row.key), "what is chosen elsewhere is seen"


def test_always_and_never_by_key(tree: EnvelopeTree, view: EnvelopeView, qtbot: QtBot):
    row = fact_row(view)
    tree.select(row.key)
    with qtbot.waitSignal(tree.wishes.step) as told:
        QTest.keyClick(tree, Qt.Key.Key_Space)
    assert told.args[0].do == (TuneMessages(CHAT, always=frozenset({row.key.id})),)
    with qtbot.waitSignal(tree.wishes.step) as told:
        QTest.keyClick(tree, Qt.Key.Key_Delete)
    assert told.args[0].do == (TuneMessages(CHAT, never=frozenset({row.key.id})),)


def test_the_menu_asks_why(tree: EnvelopeTree, view: EnvelopeView, qtbot: QtBot):
    menu = tree.menu_for(fact_row(view))
    assert menu is not None
    why = next(action for action in menu.actions() if action.text().startswith("Why is this here?"))
    with qtbot.waitSignal(tree.why_wanted) as told:
        why.trigger()
    assert told.args == [fact_row(view).key]
    words = [action.text().partition("\t")[0] for action in menu.actions()]
    assert {"Always recall this", "Never recall this"} <= set(words)
    assert "Summarise…" not in words


def test_a_request_without_quotes_has_no_group_and_folding_is_kept(tree: EnvelopeTree, view: EnvelopeView):
    tree.select(GROUP)
    assert tree.selected_key() == GROUP
    layers = tuple(
        replace(layer, rows=tuple(row for row in layer.rows if row.found is None), groups=())
        for layer in view.layers
    )
    tree.show_view(replace(view, layers=layers))
    assert not tree.rows.index_of(GROUP).isValid()
    tree.show_view(view)
    assert tree.rows.index_of(GROUP).isValid()


def test_the_tools_of_a_server_stand_in_a_group_that_folds(qtbot: QtBot, view: EnvelopeView):
    """There may be a hundred of them, and all began with the same word."""
    names = ("read", "docs__search", "docs__fetch")
    keys = [RowKey("L1_SYSTEM", f"tool:{name}") for name in names]
    tools = tuple(
        SegmentRow(key, (key.id,), "tool", name, 40, "locked") for key, name in zip(keys, names, strict=True)
    )
    group = RowGroup("tools", 2, 80, 0, server="docs")
    first = replace(view.layers[0], rows=tools, tokens=120, groups=(group,))
    assert [cell_text(one, Column.SEGMENT, Scale(1000)) for one in lines_of(first)] == [
        "read", "docs 2", "search", "fetch",
    ]  # fmt: skip
    assert cell_text(group, Column.TOKENS, Scale(1000)) == "80"
    assert cell_text(group, Column.STATE, Scale(1000)) == "", "tools have no room of their own"
    assert spoken(group, Scale(1000)) == "docs 2: 80 tokens"
    made = EnvelopeTree()
    qtbot.addWidget(made)
    made.show_request(recalled_state().open[CHAT], replace(view, layers=(first, *view.layers[1:])))
    assert not hidden(made, keys[1])
    made.toggle_layer(made.rows.index_of(group.key))
    assert [hidden(made, key) for key in keys] == [False, True, True]
    made.select(keys[2])
    assert not hidden(made, keys[2]), "what is chosen elsewhere is seen"


def test_an_attached_file_that_is_in_the_library_already_is_in_sight_once(qtbot: QtBot, view: EnvelopeView):
    """Its row stood in Library, and again in This turn with nothing new."""
    keys = [RowKey("L3_TURN", name) for name in ("a.md", "b.md")]
    rows = tuple(SegmentRow(key, (key.id,), "file", key.id, 9, "reference", tunable=True) for key in keys)
    place = next(at for at, layer in enumerate(view.layers) if layer.name == "L3_TURN")

    def with_turn(*shown: SegmentRow) -> EnvelopeView:
        some = sum(row.state == "reference" for row in shown)
        groups = (RowGroup("references", some, 9 * some, 0),) if some else ()
        layer = replace(view.layers[place], rows=shown, groups=groups)
        return replace(view, layers=(*view.layers[:place], layer, *view.layers[place + 1 :]))

    made, chat = EnvelopeTree(), recalled_state().open[CHAT]
    qtbot.addWidget(made)
    made.show_request(chat, with_turn(*rows))
    assert [hidden(made, key) for key in keys] == [True, True]
    group = with_turn(*rows).layers[place].groups[0]
    assert cell_text(group, Column.SEGMENT, Scale(100)) == "already in Library 2"
    assert cell_text(group, Column.TOKENS, Scale(100)) == "18"
    changed = replace(rows[0], state="sent")
    made.show_request(chat, with_turn(changed, rows[1]))
    assert [hidden(made, key) for key in keys] == [False, True], "it differs from what is in the library"
    made.show_request(chat, with_turn(*rows))
    assert [hidden(made, key) for key in keys] == [True, True]
    made.show_request(chat, with_turn(changed, replace(rows[1], state="sent")))
    assert [hidden(made, key) for key in keys] == [False, False]
    made.show_request(chat, with_turn(*rows))
    made.select(keys[0])
    assert not hidden(made, keys[0]), "what is chosen elsewhere unfolds them"
