"""The body as JSON: it is the body, and every piece is where the ranges say."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.fakes.wire_forms import few, pieces_of, wire_forms
from workbench.domain.wire_form import PayloadMessage, Piece, WireForm
from workbench.ui.inspector.payload.json_text import COMPACT, PRETTY, cuts_of, json_text

indents = st.sampled_from((PRETTY, COMPACT))


@few
@given(wire_forms(), indents)
def test_the_text_parses_back_to_the_body(form: WireForm, indent: int):
    assert json.loads(json_text(form, indent).text) == form.body


@few
@given(wire_forms(), indents)
def test_the_ranges_of_a_piece_decode_to_exactly_that_piece(form: WireForm, indent: int):
    """A piece may stand in two blocks of a message: its ranges, one after the other, are the piece."""
    written = json_text(form, indent)
    decoded: dict[tuple[int, int], str] = {}
    for span in written.spans:
        part = json.loads(f'"{written.text[span.start : span.end]}"')
        decoded[span.message, span.piece] = decoded.get((span.message, span.piece), "") + part
    assert decoded == pieces_of(form)


@few
@given(wire_forms())
def test_ranges_follow_each_other_and_never_overlap(form: WireForm):
    ends = [place for span in json_text(form).spans for place in (span.start, span.end)]
    assert ends == sorted(ends)


@few
@given(wire_forms())
def test_in_one_line_it_is_what_a_client_writes(form: WireForm):
    expected = json.dumps(form.body, ensure_ascii=False, separators=(",", ":"))
    assert json_text(form, COMPACT).text == expected


@few
@given(wire_forms())
def test_indented_it_is_what_everyone_is_used_to(form: WireForm):
    assert json_text(form, PRETTY).text == json.dumps(form.body, ensure_ascii=False, indent=2)


def test_a_place_that_holds_something_else_has_no_ranges():
    """A provider may change a text on its way; a range that points at other words would be a lie."""
    form = form_of({"messages": [{"content": "asked, and more"}]}, "asked")
    assert json_text(form).spans == ()
    assert json_text(replace(form, places=(None,))).spans == ()


def test_a_piece_that_reaches_into_the_next_block_has_a_range_in_each():
    body = {"a": ["one t", "", "wo thr", "ee"]}
    places = tuple(("a", number) for number in range(4))
    form = replace(form_of(body, "one ", "two ", "three"), places=(None,), stretches=(places,))
    written = json_text(form, COMPACT)
    shown = [(span.piece, written.text[span.start : span.end]) for span in written.spans]
    assert shown == [(0, "one "), (1, "t"), (1, "wo "), (2, "thr"), (2, "ee")]
    assert cuts_of(form)["a", 1] == (0, ())


@pytest.mark.parametrize("body", [{}, {"a": []}, {"a": {}}, {"a": [[], {}, None, True, 1.5]}])
def test_empty_things_stay_in_their_line(body: dict[str, Any]):
    assert json_text(WireForm((), body)).text == json.dumps(body, indent=2)


def form_of(body: dict[str, Any], *texts: str) -> WireForm:
    pieces = tuple(Piece("L5_USER", str(number), text) for number, text in enumerate(texts))
    return WireForm((PayloadMessage("user", pieces),), body, places=(("messages", 0, "content"),))
