"""What each column of a comparison says."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.fakes.compared import COLUMNS, COMPARISON, FIRST, MINI
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
