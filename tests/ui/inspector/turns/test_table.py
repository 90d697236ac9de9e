"""The list of turns and its sums."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import QPersistentModelIndex, QRectF, Qt
from PySide6.QtGui import QImage, QPainter
from PySide6.QtTest import QAbstractItemModelTester, QTest
from pytestqt.qtbot import QtBot

from tests.fakes.requests_shown import many_turns, scripted_state
from tests.fakes.watched import watched_state
from workbench.domain.answer import Failure
from workbench.domain.shown.turn_view import TurnRow
from workbench.domain.watch.exchange import OWN_WORDS
from workbench.ui.inspector.turns.page import HistoryPage, log_words
from workbench.ui.inspector.turns.table import (
    EDGE,
    HEAD_HEIGHT,
    LEAST_CACHE,
    ROW_HEIGHT,
    Column,
    TurnModel,
    TurnSums,
    TurnTable,
    cell_text,
    head_text,
    head_tip,
    inner_box,
    layout_word,
    paint_cell,
    paint_turn,
    price,
    tokens_in,
    widths,
)
from workbench.ui.look.fonts import font
from workbench.ui.look.theme import Theme, colour
from workbench.ui.model_button import model_name
from workbench.ui.widgets.items.item_model import ITEM


@pytest.fixture
def table(qtbot) -> TurnTable:
    made = TurnTable()
    qtbot.addWidget(made)
    made.resize(752, 250)
    made.show_turns(scripted_state()[1].turns)
    made.show()
    return made


def test_a_click_and_the_arrows_choose_a_turn(table: TurnTable):
    picked: list[int] = []
    table.picked.connect(picked.append)
    where = table.visualRect(table.model().index(1, 3)).center()
    QTest.mouseClick(table.viewport(), Qt.MouseButton.LeftButton, pos=where)
    QTest.keyClick(table, Qt.Key.Key_Down)
    QTest.keyClick(table, Qt.Key.Key_End)
    assert picked == [7, 6, 1]


def test_enter_wants_more_of_it(table: TurnTable):
    opened: list[int] = []
    table.opened.connect(opened.append)
    table.select(5)
    QTest.keyClick(table, Qt.Key.Key_Return)
    assert opened == [5]


def test_choosing_from_outside_tells_nobody_and_can_be_taken_back(table: TurnTable):
    picked: list[int] = []
    table.picked.connect(picked.append)
    table.select(7)
    assert [index.data() for index in table.selectedIndexes() if index.column() == 0] == ["7"]
    table.select(None)
    assert table.selectedIndexes() == []
    assert picked == []


def test_it_is_no_higher_than_its_rows(table: TurnTable):
    assert table.maximumHeight() == HEAD_HEIGHT + 8 * ROW_HEIGHT
    table.show_turns(many_turns(1_000))
    assert table.maximumHeight() == HEAD_HEIGHT + 1_000 * ROW_HEIGHT


def test_where_it_is_narrow_the_layout_gives_way(table: TurnTable):
    table.resize(588, 250)
    assert table.isColumnHidden(Column.LAYOUT)
    table.resize(752, 250)
    assert not table.isColumnHidden(Column.LAYOUT)


def test_a_request_that_no_server_got_is_said_and_not_summed(qtbot):
    newest, *others = scripted_state()[1].turns
    refused = replace(newest, failure=Failure("request", f"{OWN_WORDS} Nothing was sent."))
    sums, without = TurnSums(), TurnSums()
    qtbot.addWidget(sums)
    qtbot.addWidget(without)
    sums.show_turns((refused, *others))
    without.show_turns(tuple(others))
    assert (cell_text(refused, Column.SENT), cell_text(refused, Column.TOKENS_IN)) == ("not sent", "—")
    assert sums.words(Column.TOKENS_IN) == without.words(Column.TOKENS_IN)
    assert sums.words(Column.PREDICTED) == without.words(Column.PREDICTED)


def test_sums_stand_under_their_columns(qtbot):
    sums = TurnSums()
    qtbot.addWidget(sums)
    sums.resize(752, 28)
    sums.show_turns(scripted_state()[1].turns)
    assert {column.name: sums.words(column) for column in Column if sums.words(column)} == {
        "TURN": "8",
        "SENT": "turns",
        "TOKENS_IN": "57,283",
        "PREDICTED": "31,872",
        "REPORTED": "23,680",
        "CACHE": "41 % read from cache",
        "OUT": "6,064",
        "PRICE": "≈ $0.025",
    }
    assert "Tokens in 57,283" in sums.accessibleDescription()
    sums.set_room(740)
    sums.grab()


def test_what_has_no_price_has_no_sum_of_prices(qtbot):
    sums = TurnSums()
    qtbot.addWidget(sums)
    sums.show_turns(())
    assert sums.words(Column.PRICE) == "—"
    assert sums.words(Column.CACHE) == "nothing reported"
    sums.show_turns((replace(scripted_state()[1].turns[0], local=True, cost_usd=0.0),))
    assert sums.words(Column.PRICE) == "no cost"


def test_the_sum_names_the_layout_of_the_chat_and_leaves_out_what_nobody_reported(qtbot):
    sums = TurnSums()
    qtbot.addWidget(sums)
    told, silent = scripted_state()[1].turns[1], replace(scripted_state()[1].turns[2], cached_tokens=None)
    sums.show_turns((told, silent), "auto")
    assert sums.words(Column.SENT) == "turns, layout auto"
    assert sums.words(Column.REPORTED) == "1,024"
    assert sums.words(Column.CACHE) == "17 % read from cache"
    several = replace(
        told, requests=2, cached_tokens=9_000, last_prompt_tokens=6_000, last_cached_tokens=3_000
    )
    sums.show_turns((several, silent), "auto")
    assert sums.words(Column.REPORTED) == "3,000"
    assert sums.words(Column.CACHE) == "50 % of last requests cached"


def test_left_and_right_go_by_turn_as_in_the_chart(table: TurnTable):
    picked: list[int] = []
    table.picked.connect(picked.append)
    table.select(5)
    for key in (Qt.Key.Key_Left, Qt.Key.Key_Left, Qt.Key.Key_Right):
        QTest.keyClick(table, key)
    assert picked == [4, 3, 4]


def test_a_row_says_who_answered(table: TurnTable):
    told = table.model().index(0, 0).data(Qt.ItemDataRole.AccessibleTextRole)
    assert told.endswith("Model: gpt-4.1-mini.")


def inked(paint) -> list[int]:
    image = QImage(100, 28, QImage.Format.Format_RGB32)
    image.fill(0xFFFFFF)
    painter = QPainter(image)
    painter.setFont(font("small"))
    paint(painter, QRectF(0, 0, 100, 28))
    painter.end()
    return [x for x in range(100) if any(image.pixelColor(x, y).lightness() < 128 for y in range(28))]


def test_the_first_and_the_last_column_keep_the_edge_of_the_pane():
    box = QRectF(0, 0, 100, 28)
    assert inner_box(box, Column.TURN).left() == EDGE
    assert inner_box(box, Column.PRICE).right() == 100 - EDGE


def test_figures_stand_at_the_end_and_numbers_of_turns_at_the_beginning(qapp):
    assert inked(lambda p, box: paint_cell(p, box, "1,792", at_end=True))[-1] > 90
    assert inked(lambda p, box: paint_turn(p, box, "1,000"))[0] < 10


def test_the_chosen_turn_has_its_ground_and_its_edge(qtbot, theme: Theme):
    table = TurnTable()
    qtbot.addWidget(table)
    table.resize(752, 260)
    table.show_turns(scripted_state()[1].turns)
    table.select(7)
    table.show()
    table.clearFocus()
    seen = table.viewport().grab().toImage()
    row = table.visualRect(table.model().index(1, 0))
    assert seen.pixelColor(1, row.center().y()) == colour(theme.accent)
    assert seen.pixelColor(6, row.top() + 3) == colour(theme.sel)


def test_the_page_has_models_and_no_layouts(qtbot: QtBot, qapp, appearance):
    state, chat = watched_state()
    page = HistoryPage()
    qtbot.addWidget(page)
    sent: list[object] = []
    page.wishes.intent.connect(sent.append)
    page.resize(700, 600)
    page.show()
    page.show_state(state, chat)
    assert sent == []
    assert page.shares.isHidden()
    assert page.table.head.watched
    assert page.card.settings.isHidden()
    assert page.card.close_button.isHidden()
    assert (head_text(Column.LAYOUT, True), cell_text(chat.turns[0], Column.LAYOUT)) == (
        "Model",
        "claude-sonnet-4-5",
    )


def test_what_a_log_would_have_cost_is_said_where_all_prices_are_known():
    _, chat = watched_state()
    assert log_words(chat.turns) == ""
    *before, last = chat.turns
    known = (*before, replace(last, log_usd=0.12))
    assert log_words(known) == "These requests cost $0.275. Had each only added to the one before: $0.120."
    assert log_words((*before, replace(last, log_usd=0.12, cost_usd=None))) == ""
    assert log_words(()) == ""


def turn(number: int) -> TurnRow:
    return scripted_state()[1].turns[number - 1]


def test_a_turn_in_its_cells():
    texts = [cell_text(turn(7), column) for column in Column if column != Column.SENT]
    assert texts == [
        "7",
        "—",
        "3,379",
        "1,792",
        "1,792",
        "as predicted, trimmed",
        "835",
        "$0.0021",
    ]
    assert cell_text(turn(1), Column.PREDICTED) == "—"
    assert cell_text(turn(5), Column.CACHE) == "expired"
    assert cell_text(turn(8), Column.SENT)


@pytest.mark.parametrize("total", [480, 556, 588, 699, 700, 752, 1_200])
def test_the_columns_fill_the_room_and_no_more(total: int):
    found = widths(total)
    assert sum(found.values()) <= total
    assert all(width >= 0 for width in found.values())
    assert found[Column.TOKENS_IN] > 0
    assert found[Column.CACHE] >= LEAST_CACHE
    assert (found[Column.LAYOUT] == 0) == (total < 682)


def test_at_the_width_of_the_pictures_every_column_is_there():
    found = widths(752)
    assert min(found.values()) > 0
    assert found[Column.CACHE] >= 200


def test_a_layout_has_its_name_and_one_that_was_not_noted_a_dash():
    assert [layout_word(each) for each in ("auto", "append_only", "layered", None)] == [
        "auto", "append-only", "layered", "—",
    ]  # fmt: skip
    assert cell_text(replace(turn(8), layout="append_only"), Column.LAYOUT) == "append-only"


def test_every_column_has_a_head():
    assert [head_text(column) for column in Column][:3] == ["Turn", "Sent", "Layout"]


def test_what_the_provider_counted_goes_before_what_we_did():
    assert tokens_in(replace(turn(8), prompt_tokens=4_300)) == 4_300
    assert tokens_in(replace(turn(8), prompt_tokens=None)) == 4_275


def test_figures_of_a_turn_with_tools_are_of_one_request_and_say_so():
    several = replace(
        turn(8), requests=3, prompt_tokens=12_000, cached_tokens=9_000, last_prompt_tokens=4_300,
        last_cached_tokens=3_100,
    )  # fmt: skip
    shown = [cell_text(several, column) for column in (Column.TOKENS_IN, Column.PREDICTED, Column.REPORTED)]
    assert shown == ["4,300", "3,200", "3,100"]
    last = (Column.TOKENS_IN, Column.PREDICTED, Column.REPORTED, Column.CACHE)
    assert [column for column in last if "the turn’s last request" not in head_tip(column).lower()] == []
    assert head_tip(Column.PRICE) == "All requests of the turn together, at the model’s listed prices."
    assert head_tip(Column.SENT) == ""


def test_models_and_prices_as_a_person_reads_them():
    assert [model_name(name) for name in ("openai:gpt-4.1", "ollama:qwen3:8b", "builtin")] == [
        "gpt-4.1",
        "qwen3:8b",
        "Built-in SmolLM2",
    ]
    assert price(replace(turn(8), cost_usd=None)) == "—"
    assert price(replace(turn(8), local=True)) == "no cost"


class Watched:
    """A model under the tester, and what it told."""

    def __init__(self) -> None:
        self.model = TurnModel()
        mode = QAbstractItemModelTester.FailureReportingMode.Fatal
        self.tester = QAbstractItemModelTester(self.model, mode)
        self.told: list[object] = []
        self.model.rowsInserted.connect(lambda _parent, first, last: self.told.append(("in", first, last)))
        self.model.modelReset.connect(lambda: self.told.append("reset"))
        self.model.dataChanged.connect(lambda first, _last: self.told.append(("changed", first.row())))


@pytest.fixture
def watched(qapp) -> Watched:
    return Watched()


def test_the_newest_turn_comes_first(watched: Watched):
    watched.model.show(scripted_state()[1].turns)
    assert [watched.model.index(row, 0).data() for row in range(8)] == [
        "8",
        "7",
        "6",
        "5",
        "4",
        "3",
        "2",
        "1",
    ]
    assert watched.model.index(0, Column.CACHE).data() == "as predicted"
    assert watched.model.index(0, 0).data(ITEM).number == 8
    assert watched.model.index_of(3).row() == 5
    assert not watched.model.index_of(99).isValid()
    assert watched.model.largest_tokens == 12_590


def test_a_turn_more_is_one_row_more(watched: Watched):
    turns = many_turns(1_001)
    watched.model.show(turns[:1_000])
    watched.told.clear()
    watched.model.show(turns)
    assert watched.told == [("in", 0, 0)]


def test_a_turn_that_ended_changes_its_row_and_no_other(watched: Watched):
    turns = scripted_state()[1].turns
    running = (*turns[:-1], replace(turns[-1], state="running"))
    watched.model.show(running)
    watched.told.clear()
    watched.model.show(turns)
    watched.model.show(turns)
    assert watched.told == [("changed", 0)]


def test_on_another_branch_the_turns_that_both_have_stay(watched: Watched):
    turns = scripted_state()[1].turns
    watched.model.show(turns)
    kept = QPersistentModelIndex(watched.model.index_of(3))
    watched.told.clear()
    watched.model.show(turns[:3])
    assert (kept.row(), watched.model.rowCount(), watched.told) == (0, 3, [])
    watched.model.show(())
    assert not kept.isValid()


def test_a_row_is_spoken_as_a_whole_and_its_tooltip_says_why(watched: Watched):
    watched.model.show(scripted_state()[1].turns)
    index = watched.model.index(1, 0)
    assert index.data(Qt.ItemDataRole.AccessibleTextRole).startswith("Turn 7: 3,379 tokens in")
    assert "trimmed up to message 12" in index.data(Qt.ItemDataRole.ToolTipRole).replace("\n", " ")
    assert watched.model.headerData(0, Qt.Orientation.Horizontal) == "Turn"
    assert watched.model.headerData(0, Qt.Orientation.Vertical) is None
