"""The texts of the tree-table."""

from __future__ import annotations

from dataclasses import replace
from typing import get_args

import pytest

from tests.fakes.envelope_views import made_row
from tests.fakes.sample_envelope import over_view, sample_view
from workbench.domain.secrets import FoundSecret
from workbench.domain.shown.envelope_view import CacheMark, LayerRow, Reason, RowKey, RowState, SegmentRow
from workbench.ui.inspector.layers.cells import (
    Column,
    Scale,
    cache_sentence,
    cache_word,
    cell_text,
    cell_tip,
    changed_columns,
    head_text,
    row_tip,
    scale_of,
    spoken,
    state_sentence,
)

VIEW = sample_view()
SCALE = scale_of(VIEW)


def line(item: LayerRow | SegmentRow) -> list[str]:
    unseen = (Column.DIGEST, Column.INFLUENCE, Column.FACTS)
    return [cell_text(item, column, SCALE) for column in Column if column not in unseen]


def row(layer: str, name: str) -> SegmentRow:
    found = next(row for each in VIEW.layers for row in each.rows if row.key == (layer, name))
    return found


def test_the_lines_of_the_picture():
    assert line(VIEW.layers[0]) == ["System", "1,060", "6.6", "", "", "", "", "unchanged since turn 1"]
    assert line(row("L2_PREVIOUS", "docs/api.md")) == [
        "docs/api.md", "365", "2.3", "5", "", "shortened", "hit", "from turn 2",
    ]  # fmt: skip
    assert line(row("L3_TURN", "logs/big.log")) == [
        "logs/big.log", "18,800", "117.5", "10", "", "dropped", "—", "over budget, priority 10",
    ]  # fmt: skip
    assert line(row("L1_SYSTEM", "persona")) == [
        "Instructions", "820", "5.1", "0", "pinned", "locked", "hit", "always first",
    ]  # fmt: skip


def test_a_digest_is_shown_by_eight_letters_and_told_in_full():
    item = row("L3_TURN", "src/auth.py")
    assert cell_text(item, Column.DIGEST, SCALE) == item.digest[:8]
    assert cell_tip(item, Column.DIGEST) == f"The SHA-256 of its text: {item.digest}."


def test_the_heads_of_the_picture():
    assert [head_text(column) for column in Column] == [
        "Segment", "Tokens", "% of window", "Priority", "Pin", "State", "Cache", "Digest", "Reason", "Influence",
        "Facts",
    ]  # fmt: skip


def test_the_largest_line_is_a_layer_and_what_is_not_sent_does_not_count():
    assert SCALE.largest_tokens == 6_130  # in three digits
    assert scale_of(over_view()).largest_tokens == 25_000
    assert SCALE.of_largest(18_800) == 1.0
    small = replace(VIEW, layers=tuple(replace(one, tokens=20) for one in VIEW.layers))
    assert scale_of(small).of_largest(20) < 0.02, "a full bar stood beside 0.2 %"


def test_a_request_without_a_limit_has_no_shares():
    assert Scale().of_limit(7) == 0.0
    assert Scale().of_largest(7) == 0.0


def test_a_row_tells_what_a_narrow_table_leaves_out():
    told = row_tip(row("L3_TURN", "src/auth.py"))
    assert told.split("\n")[:2] == ["src/auth.py", "attached this turn"]
    assert "digest" in told


def test_a_shortened_row_tells_what_it_would_cost_whole():
    item = replace(made_row("L2_PREVIOUS", "a.md", 410), full_tokens=2_000)
    assert cell_tip(item, Column.TOKENS) == "410 tokens, whole it would be 2,000."
    assert "isn’t sent" in cell_tip(row("L3_TURN", "logs/big.log"), Column.TOKENS)


def test_a_line_is_spoken_as_a_whole():
    assert spoken(VIEW.layers[0], SCALE) == "System, 1,060 tokens, 6.6 percent of the window"
    assert spoken(row("L3_TURN", "src/auth.py"), SCALE) == (
        "src/auth.py, 6,120 tokens, 38.2 percent of the window, sent, priority 5, attached this turn"
    )


def test_only_the_cells_that_look_different_have_changed():
    item = made_row("L3_TURN", "a.py")
    assert changed_columns(item, item) == set()
    assert changed_columns(item, replace(item)) == set()
    assert changed_columns(item, replace(item, pinned=True)) == {Column.PIN}
    assert changed_columns(item, replace(item, digest="x")) == {Column.DIGEST}
    assert changed_columns(item, replace(item, reason=Reason("pinned"))) == {Column.REASON}
    assert changed_columns(item, replace(item, tokens=11)) == {Column.TOKENS, Column.SHARE}
    assert changed_columns(item, replace(item, state="dropped", counted=False)) == set(Column)


def test_every_cell_that_reads_differently_has_changed():
    """A cell that changed and was not told of would keep its old text on the screen."""
    lines = [row for layer in VIEW.layers for row in layer.rows]
    for old in lines:
        for new in lines:
            for column in Column:
                if cell_text(old, column, SCALE) != cell_text(new, column, SCALE):
                    assert column in changed_columns(old, new), (old.key, new.key, column)


def test_a_key_names_its_row():
    assert VIEW.row(RowKey("L5_USER", "question")) is row("L5_USER", "question")


def test_a_key_in_a_row_is_what_there_is_to_know_first():
    old = row("L3_TURN", "src/auth.py")
    new = replace(old, secrets=(FoundSecret("github", 3, 4, 8, "ghp_…"),))
    assert cell_text(new, Column.REASON, SCALE) == "looks like a GitHub key (line 3)"
    assert "looks like a GitHub key (line 3)" in row_tip(new)
    assert "looks like a GitHub key (line 3)" in spoken(new, SCALE)
    assert "looks like a GitHub key (line 3)" in cell_tip(new, Column.STATE)
    assert changed_columns(old, new) == {Column.REASON}


def test_of_a_text_that_was_shortened_to_fit_the_reason_says_to_how_much(qapp: object):
    row = SegmentRow(
        RowKey("L3_TURN", "a.pdf"), ("a.pdf",), "pdf", "a.pdf", 420, "compacted", full_tokens=20_545,
        reason=Reason("shortened", "a.pdf"),
    )  # fmt: skip
    assert line(row)[-1] == "420 of 20,545"


@pytest.mark.parametrize("state", get_args(RowState))
def test_every_state_is_explained_in_a_sentence(state: RowState):
    assert state_sentence(state).endswith(".")


@pytest.mark.parametrize("mark", get_args(CacheMark))
def test_every_cache_mark_is_explained_in_a_sentence(mark: CacheMark):
    assert cache_sentence(mark).endswith(".")


def test_the_marks_of_the_picture():
    assert [cache_word(mark) for mark in ("hit", "new", "none")] == ["hit", "new", "—"]
