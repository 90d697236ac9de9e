"""Names and icons of rows."""

from __future__ import annotations

from dataclasses import replace

from tests.fakes.envelope_views import made_row, made_view
from tests.fakes.sample_envelope import sample_view
from workbench.domain.shown.envelope_view import DropCard, RowKey, SegmentRow
from workbench.ui.inspector.rows.row_words import (
    card_name,
    listed,
    row_icon,
    row_name,
    rows_named,
    turns_name,
)


def rows_of_sample() -> dict[str, SegmentRow]:
    return {row_name(row): row for layer in sample_view().layers for row in layer.rows}


def test_turns_are_named_by_their_numbers():
    assert turns_name(7, 7) == "turn 7"
    assert turns_name(1, 6) == "turns 1–6"
    assert {"turns 1–6", "turn 7", "turn 8"} <= set(rows_of_sample())


def test_the_icons_of_the_picture():
    icons = {name: row_icon(row) for name, row in rows_of_sample().items()}
    assert icons == {
        "Instructions": "user",
        "Memory": "bulb",
        "project-spec.md": "file",
        "docs/api.md": "file",
        "turns 1–6": "cut",
        "turn 7": "chat",
        "turn 8": "chat",
        "src/auth.py": "file",
        "logs/big.log": "file",
        "Your message": "edit",
    }


def test_rows_in_a_sentence_join_neighbouring_turns():
    turns = tuple(
        replace(made_row("L4_STRIP", f"t{n}"), name="", first_turn=n, last_turn=n) for n in (1, 2, 3, 5)
    )
    view = made_view({"L4_STRIP": turns, "L3_TURN": (made_row("L3_TURN", "a.py"),)})
    keys = [row.key for layer in view.layers for row in layer.rows]
    assert rows_named(view, keys) == "turns 1–3, turn 5 and a.py"
    assert rows_named(view, keys[:2]) == "turns 1–2"
    assert rows_named(view, ()) == ""


def test_a_file_that_stands_in_two_layers_is_named_once():
    view = sample_view()
    keys = [RowKey("L2_PREVIOUS", "project-spec.md"), RowKey("L3_TURN", "project-spec.md")]
    assert rows_named(view, keys) == "project-spec.md"


def test_of_many_names_the_last_ones_are_a_number():
    assert listed(["a", "b", "c"]) == "a, b and c"
    assert listed(["a", "b", "c", "d", "e"]) == "a, b and 3 more"


def test_a_name_cannot_break_out_of_its_line():
    row = made_row("L3_TURN", "evil\n\u202etxt")
    assert row_name(row) == "evil⟨U+000A⟩⟨U+202E⟩txt"
    assert card_name(DropCard(row.key, row.name, 1, 5)) == "evil⟨U+000A⟩⟨U+202E⟩txt"


def test_a_row_without_name_and_turns_is_called_by_its_key():
    assert row_name(replace(made_row("L1_SYSTEM", "tools"), name="")) == "tools"


def test_a_file_called_as_a_part_of_the_instructions_keeps_its_name():
    """Raw ids stood in the table; and only what has no name of its own gets one."""
    assert row_name(replace(made_row("L3_TURN", "persona"), kind="file")) == "persona"
    for kind in ("persona", "system", "tool_guidelines", "project", "memory"):
        assert row_name(replace(made_row("L1_SYSTEM", kind), kind=kind)) != kind
