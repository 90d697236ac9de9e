"""Names and icons of rows."""

from __future__ import annotations

from dataclasses import replace
from typing import get_args

import pytest

from tests.fakes.envelope_views import made_row, made_view
from tests.fakes.requests_shown import many_turns, scripted_state, sent_view
from tests.fakes.sample_envelope import sample_view
from workbench.domain.shown.envelope_view import DropCard, Reason, ReasonCode, RowKey, SegmentRow
from workbench.ui.inspector.rows.row_words import (
    IN_FLIGHT,
    MOST_LISTED,
    NEXT,
    card_name,
    in_flight_name,
    listed,
    next_name,
    reason_words,
    row_icon,
    row_name,
    rows_named,
    turn_name,
    turn_options,
    turns_name,
    value_of,
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


def test_requests_have_values_to_choose_them_by():
    assert value_of(sample_view()) == NEXT
    assert value_of(replace(sample_view(), standing="in_flight")) == IN_FLIGHT
    assert value_of(sent_view(7)) == "7"


def test_turns_are_offered_with_the_newest_first_and_none_in_flight(monkeypatch):
    turns = scripted_state()[1].turns
    running = (*turns, replace(turns[-1], number=9, state="running"))
    options = turn_options(running)
    assert [value for value, _ in options] == ["8", "7", "6", "5", "4", "3", "2", "1"]
    assert options[0][1].startswith("Turn 8, sent ")


def test_a_thousand_turns_are_not_all_offered_but_the_one_in_view_is():
    values = [value for value, _ in turn_options(many_turns(1_000), also=3)]
    assert values[:2] == ["1000", "999"]
    assert len(values) == MOST_LISTED + 1
    assert values[-1] == "3"


def test_names():
    assert next_name() == "Next request"
    assert in_flight_name(9) == "In flight, turn 9"
    assert turn_name(8, "") == "Turn 8"


def test_the_words_of_the_picture():
    assert reason_words(Reason("unchanged", number=1)) == "unchanged since turn 1"
    assert reason_words(Reason("over_budget", number=10)) == "over budget, priority 10"
    assert reason_words(Reason("boundary", number=12)) == "trimmed up to message 12"


@pytest.mark.parametrize("code", get_args(ReasonCode))
def test_every_reason_has_words_without_gaps(code: ReasonCode):
    for reason in (Reason(code), Reason(code, "grep", 7)):
        words = reason_words(reason)
        assert bool(words) == bool(code)
        assert "{" not in words
        assert not words.endswith(" ")


def test_a_reason_without_its_number_does_not_speak_of_turn_0():
    assert reason_words(Reason("unchanged")) == "unchanged"


def test_a_foreign_subject_cannot_reorder_the_line():
    assert reason_words(Reason("tool_call", "\u202egrep")) == "calls ⟨U+202E⟩grep"
