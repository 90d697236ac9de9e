"""The text of the messages, and the places of the pieces in it."""

from __future__ import annotations

from hypothesis import given

from tests.fakes.sample_payload import wire_form
from tests.fakes.wire_forms import few, wire_forms
from workbench.domain.wire_form import WireForm
from workbench.ui.inspector.payload.written import BETWEEN_MESSAGES, messages_text


@few
@given(wire_forms())
def test_each_range_holds_exactly_its_piece(form: WireForm):
    written = messages_text(form)
    pieces = [piece.text for message in form.messages for piece in message.pieces]
    assert [written.text[span.start : span.end] for span in written.spans] == pieces


@few
@given(wire_forms())
def test_the_pieces_of_a_message_stand_side_by_side_and_are_the_message(form: WireForm):
    written = messages_text(form)
    contents = ["".join(piece.text for piece in message.pieces) for message in form.messages]
    assert written.text == BETWEEN_MESSAGES.join(contents)
    for head, content in zip(written.heads, contents, strict=True):
        assert written.text[head.at :].startswith(content)


def test_a_piece_is_named_by_its_message_and_its_place_in_it():
    spans = messages_text(wire_form()).spans
    assert [(span.message, span.piece) for span in spans[:5]] == [(0, 0), (0, 1), (0, 2), (0, 3), (1, 0)]


def test_nothing_is_text_without_messages():
    assert messages_text(WireForm((), {})).text == ""
