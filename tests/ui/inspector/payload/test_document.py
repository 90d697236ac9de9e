"""A request as a document: whose each line is, and what it says."""

from __future__ import annotations

from dataclasses import replace

from tests.fakes.requests_shown import AUTH, view_of
from tests.fakes.sample_envelope import sample_view
from workbench.domain.request import PayloadMessage, Piece, WireForm
from workbench.domain.shown.envelope_view import EnvelopeView, RowKey
from workbench.ui.inspector.payload.document import (
    PayloadDocument,
    document_of,
    fold_words,
    head_words,
    row_index,
)
from workbench.ui.inspector.payload.written import WrittenText, curl_text, json_text, messages_text


def shown(view: EnvelopeView) -> PayloadDocument:
    form = view.wire()
    assert form is not None
    return document_of(view, form, messages_text(form), {})


def test_each_section_knows_whose_it_is():
    document = shown(sample_view())
    owners = [document.key_of(number) for number in range(len(document.sections.all))]
    assert owners[:3] == [None, RowKey("L1_SYSTEM", "persona"), RowKey("L1_SYSTEM", "memory")]
    assert document.layer_of(1) == "L1_SYSTEM"
    section = document.first_section(AUTH)
    assert section is not None
    assert document.text(section).startswith("<file 2d91f6ac")
    assert document.first_section(RowKey("L3_TURN", "logs/big.log")) is None


def test_a_message_belongs_to_the_row_that_stands_for_its_turn():
    """The wire knows messages by their ids; a row of the history stands for several of them."""
    view = view_of("asked")
    layer = view.layers[0]
    row = replace(layer.rows[0], key=RowKey("L4_STRIP", "turn 1"), members=("q1", "a1"))
    view = replace(view, layers=(replace(layer, rows=(row,)),))
    assert row_index(view)["L4_STRIP", "a1"] == row.key
    form = WireForm(lambda: (PayloadMessage("user", (Piece("L4_STRIP", "a1", "said"),)),), {})
    assert document_of(view, form, messages_text(form), {}).keys == (row.key,)


def test_what_no_row_knows_keeps_its_own_key():
    form = WireForm(lambda: (PayloadMessage("user", (Piece("L3_TURN", "unknown", "x"),)),), {})
    assert document_of(view_of("a"), form, messages_text(form), {}).keys == (RowKey("L3_TURN", "unknown"),)


def test_a_fold_says_how_much_it_hides():
    assert fold_words(WrittenText("a\nb\nc\n"), 0, 6) == "⋯ 3 more lines"
    assert fold_words(WrittenText("x" * 5_000), 0, 5_000) == "⋯ 5,000 more characters"


def test_a_head_says_which_message_it_is_and_what_is_special_about_it():
    plain = PayloadMessage("user", ())
    assert head_words(0, 8, plain, trimmed=False) == "message 1 of 8"
    assert head_words(1, 8, plain, trimmed=True) == "message 2 of 8, trimmed"
    busy = PayloadMessage("assistant", (), calls=("read", "edit"), pictures=2)
    assert head_words(2, 8, busy, trimmed=False) == "message 3 of 8, calls read, edit, 2 pictures"


def test_trimmed_messages_are_said_to_be():
    document = shown(sample_view())
    heads = [document.head(message) for message in range(8)]
    assert [head for head in heads if "trimmed" in head] == [
        "message 2 of 8, trimmed",
        "message 3 of 8, trimmed",
    ]


def test_what_is_brought_out_stays_so_when_the_text_before_it_grows():
    """Someone reads an unfolded file while typing: it must not fold under their eyes, nor another one open."""
    long = "".join(f"line {n}\n" for n in range(100))
    before = shown(view_of("short", long))
    before.open(3, (200, 260))
    assert len(before.lines(3)) > len(shown(view_of("short", long)).lines(3))
    view = view_of("much longer than it was", long)
    form = view.wire()
    assert form is not None
    after = document_of(view, form, messages_text(form), before.opened)
    assert after.lines(3) == before.lines(3)


def test_equal_sections_have_equal_signatures_wherever_they_stand():
    one, other = shown(view_of("a", "same")), shown(view_of("another", "same"))
    assert one.signature(3) == other.signature(3)
    assert one.signature(1) != other.signature(1)
    one.open(3, (0, 2))
    assert one.signature(3) != other.signature(3)


def test_between_the_pieces_of_json_nobody_is_named():
    view = view_of("said")
    form = view.wire()
    assert form is not None
    document = document_of(view, form, json_text(form), {})
    assert [document.key_of(number) is None for number in range(3)] == [True, False, True]
    assert document.lines(0)[0].text == "{"


def test_a_picture_is_folded_to_its_length_in_view_and_whole_in_every_copy():
    """Fifteen thousand characters that nobody reads stand before the words after them; a copy must have them all."""
    data = "QUJD" * 4_000
    rows = [{"role": "user", "content": [{"type": "text", "text": "What is it?"}, _pictured(data)]}]
    places = ((("messages", 0, "content", 0, "text"),),)
    message = PayloadMessage("user", (Piece("L5_USER", "q", "What is it?"),), pictures=1)
    form = WireForm(lambda: (message,), {"messages": rows}, "https://x.example/v1", stretches=places)
    for written in (json_text(form), curl_text(form)):
        document = document_of(view_of("q"), form, written, {})
        lines = [line for number in range(len(document.sections.all)) for line in document.lines(number)]
        assert [line.text for line in lines if line.kind == "fold"] == ["… 16,000 characters"]
        assert all(data not in line.text for line in lines)
        assert written.text.count(data) == 1
        folded = next(number for number, one in enumerate(document.sections.all) if one.encoded)
        document.open(folded, (0, 16_000))
        assert "".join(line.text for line in document.lines(folded)) == data


def _pictured(data: str) -> dict[str, object]:
    return {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{data}"}}
