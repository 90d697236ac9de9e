"""Pieces: who says what, in which layer, and what makes two of them the same."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.context.watch.pieces import SUMMARY, Pieces, Place, layers_of, picture_at, picture_of
from workbench.domain.watch.request import WatchedPiece


def user_text(words: str) -> WatchedPiece:
    into = Pieces()
    into.add_text(Place("p", "user", 0), words)
    return into.all()[0]


@pytest.mark.parametrize(
    ("words", "kind"),
    [
        ("Why?", "question"),
        ("<b>bold</b> and more", "question"),
        ("<system-reminder>\nx\n</system-reminder>", "reminder"),
        ("<environment_context>x</environment_context>", "reminder"),
        ("<permissions instructions>x</permissions instructions>", "reminder"),
        ("# AGENTS.md instructions for /w\n\nBe kind.", "reminder"),
        ("<my-code>x</my-code> what is this?", "question"),
    ],
)
def test_a_clients_own_words_are_told_from_a_persons(words: str, kind: str):
    assert user_text(words).kind == kind


def test_what_a_client_wrote_in_place_of_the_past_is_a_summary():
    found = user_text("This session is being continued from a previous conversation that ran out of context.")

    assert (found.kind, found.name) == ("reminder", SUMMARY)


def test_a_digest_is_of_what_is_read_and_not_of_where_it_stands():
    one, other = Pieces(), Pieces()
    one.add(Place("a", "user", 0), "question", "Why?", mark="5m")
    other.add(Place("b", "user", 3), "reminder", "Why?")
    assert one.all()[0].digest == other.all()[0].digest

    other.add(Place("b", "assistant", 3), "answer", "Why?")
    assert one.all()[0].digest != other.all()[1].digest


def test_lone_surrogates_do_not_survive():
    assert user_text("\ud800x").text == "\ufffdx"


def test_a_picture_may_be_written_in_the_alphabet_of_addresses():
    """As google-genai sends it."""
    plain = "R0lGODlh+/8CAPv/"

    assert picture_of(plain) == picture_of(plain.replace("+", "-").replace("/", "_"))
    assert picture_of(plain).height == 2


def test_a_picture_that_is_none_still_has_a_digest():
    assert picture_of("not base64!").width == 0
    assert picture_at("https://x/y.png")[0] == "https://x/y.png"
    assert picture_at("data:image/png;base64,AAAA")[0] == ""


def test_a_turn_without_a_question_is_its_last_message():
    assert layers_of([("system", -1), ("answer", 0), ("call", 0), ("result", 1)]) == [
        "L1_SYSTEM",
        "L4_STRIP",
        "L4_STRIP",
        "L3_TURN",
    ]
    assert layers_of([]) == []
    assert layers_of([("tool", -1)]) == ["L1_SYSTEM"]


KINDS = st.sampled_from(
    ["tool", "system", "question", "reminder", "answer", "thought", "call", "result", "picture"]
)


@given(st.lists(st.tuples(KINDS, st.integers(0, 5))))
def test_layers_stand_in_one_order(pieces: list[tuple[str, int]]):
    """L1, then L4, then the newest turn: the order of a request in the house."""
    order = {"L1_SYSTEM": 0, "L4_STRIP": 1, "L3_TURN": 2, "L5_USER": 2}
    found = [order[layer] for layer in layers_of(pieces)]  # type: ignore[arg-type]

    assert found == sorted(found)
    assert len(found) == len(pieces)
