"""The columns of a comparison: what each says, and how one is chosen, removed and opened."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QAccessible
from PySide6.QtTest import QTest

from tests.fakes.compared import COLUMNS, COMPARISON, FIRST, MINI
from tests.fakes.read_aloud import unspoken
from tests.fakes.sample_state import CHAT
from workbench.domain.shown.comparison import Comparison
from workbench.domain.variant import Variant
from workbench.ui.inspector.compare.cells import (
    column_bar,
    patch_words,
    price_words,
    rows_of,
    scale_of,
    shown_columns,
)
from workbench.ui.inspector.compare.columns import LEAST_WIDTH, ColumnsView
from workbench.ui.look.theme import DARK, LIGHT, set_theme
from workbench.ui.widgets.labels import tell_roles


def test_each_cell_says_its_figure_and_how_it_differs_from_the_first():
    first, mini, small, _ = shown_columns(COMPARISON)
    assert (first.name, first.patch) == ("Next request", "gpt-4.1, layered")
    assert not any(cell.more for name, cell in first.cells.items() if name != "always")
    assert (mini.cells["tokens"].words, mini.cells["tokens"].more) == ("6,842", "+450")
    assert mini.cells["tokens"].more_token == "err"
    assert mini.cells["L3_TURN"].more == "+450"
    assert mini.cells["L1_SYSTEM"].more == ""
    cached = mini.cells["cached"]
    assert (cached.words, cached.note, cached.more, cached.more_token) == ("3,071", "45 %", "−3,292", "err")
    price = mini.cells["price"]
    assert (price.words, price.more, price.more_token) == ("$0.0022", "−$0.0027", "ok")
    assert mini.cells["shortened"].words == "2 items"
    assert small.cells["tokens"].words == "≈ 3,192"
    assert small.cells["tokens"].more_token == "t2"
    assert (small.cells["dropped"].state, small.cells["dropped"].words) == ("dropped", "refresh.log")
    assert (small.cells["fits"].words, small.cells["fits"].token) == ("over by 120", "err")
    assert small.cells["cached"].words == "unknown"
    assert all(set(one.cells) == {row.name for row in rows_of()} for one in (first, mini, small))


def test_one_that_cannot_be_built_says_why_and_one_that_is_not_there_yet_says_so():
    *_, gone = shown_columns(COMPARISON)
    assert (gone.problem, gone.waiting, gone.bar) == ("gone.md: not attached", False, None)
    assert gone.spoken == "Gone: can’t be built. gone.md: not attached"
    *_, waiting = shown_columns(replace(COMPARISON, problems=()))
    assert (waiting.problem, waiting.waiting) == ("", True)
    assert waiting.spoken == "Gone: being built"
    alone = shown_columns(replace(COMPARISON, columns=()))
    assert [one.waiting for one in alone] == [True, True, False]


def test_a_turn_is_called_as_it_was_sent():
    assert shown_columns(replace(COMPARISON, turn=8))[0].name == "As sent"


@pytest.mark.parametrize(
    ("variant", "words"),
    [
        (Variant("a", {"model": "openai:gpt-4.1-nano"}), "model gpt-4.1-nano"),
        (Variant("a", {"layout": "append_only"}), "layout append-only"),
        (Variant("a", {"context_window": 12_000, "history.threshold": 0.8}), "window 12,000, trim at 80 %"),
        (Variant("a", {"history.threshold": None}), "no trimming"),
        (Variant("a", {"context_window": None}), "the model’s own window"),
        (Variant("a", {"persona.user": "Be brief."}), "other instructions"),
        (Variant("a", priorities={"/home/x/y/a.md": 3}), "y/a.md: priority 3"),
        (Variant("a", attached={"a.md": False, "b.md": True}), "a.md out, b.md in"),
        (Variant("a", {"parameters.temperature": 0.2}), "temperature 0.2"),
        (Variant("a", {"include_memory": False}), "What is remembered: off"),
        (Variant("a"), "nothing changed"),
    ],
)  # fmt: skip
def test_what_a_variant_changes_in_words(variant: Variant, words: str):
    assert patch_words(variant.patch) == words


def test_a_window_is_told_as_the_budget_that_was_moved():
    """What if said 1,600, and the column beside it “window 2,112”."""
    small = Variant("a", {"context_window": 2_112})
    assert patch_words(small.patch, 512) == "budget 1,600"
    assert shown_columns(COMPARISON)[2].patch == "budget 3,072"


def test_the_difference_of_counts_that_are_not_both_exact_is_not_judged():
    """A file that nobody touched was said to have grown, in red: one side was estimated."""
    guessed = replace(FIRST, exact=False, tokens=353, layers=(("L2_PREVIOUS", 128),))
    counted = replace(FIRST, name="Same", tokens=375, layers=(("L2_PREVIOUS", 150),))
    held = Comparison(CHAT, 2, (guessed, counted), variants=(Variant("Same", {"model": "m"}),))
    cells = shown_columns(held)[1].cells
    assert [(cells[row].more, cells[row].more_token) for row in ("tokens", "L2_PREVIOUS")] == [
        ("≈ +22", "t2")
    ] * 2


def test_the_price_is_what_no_cache_holds():
    assert price_words(COLUMNS[1]) == "3,771 tokens not cached, $0.0022"
    assert price_words(COLUMNS[2]) == "cache unknown"


def test_bars_stand_on_one_scale_and_a_window_far_larger_than_any_request_is_cut():
    assert scale_of(COMPARISON) == 11_264 + 1_024
    huge = replace(COMPARISON, columns=(FIRST, replace(COLUMNS[1], limit_tokens=1_000_000)))
    assert scale_of(huge) == round(1.6 * 6_842)
    bar = column_bar(huge.columns[1], scale_of(huge))
    assert bar.scale_tokens == scale_of(huge)
    assert bar.total_tokens == FIRST.tokens
    assert (bar.cached_tokens, bar.threshold_tokens) == (3_071, 9_011)


def test_all_of_a_column_is_read_aloud():
    said = shown_columns(COMPARISON)[1].spoken
    assert said.startswith(f"{MINI.name}, model gpt-4.1-nano. Tokens: 6,842 +450; System: 91;")
    assert "Cached now: 3,071 45 % −3,292" in said
    assert said.endswith("Fits: fits, 4,422 free")


@pytest.fixture
def view(qtbot) -> ColumnsView:
    tell_roles()
    made = ColumnsView()
    qtbot.addWidget(made)
    made.resize(718, 420)
    made.show_columns(shown_columns(COMPARISON))
    made.show()
    return made


def middle(view: ColumnsView, place: int, y: int = 200) -> QPoint:
    return QPoint(round(view.box(place).center().x()), y)


def test_arrows_choose_and_end_at_the_edges(view: ColumnsView):
    view.choose(0)
    heard: list[int] = []
    view.chosen.connect(heard.append)
    for key in (Qt.Key.Key_Left, Qt.Key.Key_Right, Qt.Key.Key_End, Qt.Key.Key_Right, Qt.Key.Key_Home):
        QTest.keyClick(view, key)
    assert heard == [1, 3, 0]


def test_a_press_chooses_and_a_press_on_the_cross_removes(view: ColumnsView, qtbot):
    QTest.mouseClick(view, Qt.MouseButton.LeftButton, pos=middle(view, 1))
    assert view.place() == 1
    with qtbot.waitSignal(view.removed) as heard:
        QTest.mouseClick(view, Qt.MouseButton.LeftButton, pos=view._cross(2).center().toPoint())
    assert heard.args == [2]
    assert view.place() == 1


def test_keys_remove_and_open_a_variant_but_not_the_first(view: ColumnsView):
    heard: list[tuple[str, int]] = []
    view.removed.connect(lambda place: heard.append(("removed", place)))
    view.opened.connect(lambda place: heard.append(("opened", place)))
    for place in (0, 2):
        view.choose(place)
        QTest.keyClick(view, Qt.Key.Key_Delete)
        QTest.keyClick(view, Qt.Key.Key_Return)
    assert heard == [("removed", 2), ("opened", 2)]


def test_what_is_added_is_chosen_and_what_is_chosen_stays_where_there_is_less(view: ColumnsView):
    assert view.place() == 3
    view.show_columns(shown_columns(replace(COMPARISON, variants=COMPARISON.variants[:1])))
    assert view.place() == 1


def test_columns_keep_their_least_width_and_the_view_grows_instead(view: ColumnsView):
    view.resize(300, 420)
    assert view.minimumWidth() >= 4 * LEAST_WIDTH
    assert view.box(1).width() >= LEAST_WIDTH


def test_it_is_read_aloud_as_a_table_by_its_chosen_column(view: ColumnsView):
    view.choose(1)
    interface = QAccessible.queryAccessibleInterface(view)
    assert interface.role() == QAccessible.Role.Table
    assert interface.text(QAccessible.Text.Name) == "Variants side by side"
    assert interface.text(QAccessible.Text.Description).startswith(
        "2 of 4: GPT-4.1 nano, model gpt-4.1-nano. Tokens: "
    )
    assert unspoken(view) == []


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
def test_the_first_is_sunken_and_the_chosen_one_tinted_under_a_line(qapp, view: ColumnsView, theme):
    set_theme(qapp, theme)
    view.choose(1)
    seen = view.grab().toImage()
    ratio = seen.devicePixelRatio()

    def at(place: int, y: float) -> str:
        return seen.pixelColor(round((view.box(place).left() + 4) * ratio), round(y * ratio)).name().upper()

    assert at(0, 200) == theme.sunken
    assert at(1, 200) == theme.accent_tint
    assert at(1, 1) == theme.accent
    assert at(2, 200) == theme.raised
    # Of what could not be built there are words across all rows, and no lines through them.
    assert {at(3, y) for y in range(60, 300)} == {theme.raised}
    set_theme(qapp, LIGHT)
