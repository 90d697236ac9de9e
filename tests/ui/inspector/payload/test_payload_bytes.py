"""Which bytes each piece is, whatever script it is written in."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from hypothesis import given

from tests.fakes.wire_forms import few, pieces_of, wire_forms
from workbench.domain.request import PayloadMessage, Piece, WireForm
from workbench.ui.inspector.payload.page import body_bytes, encoded
from workbench.ui.inspector.payload.written import COMPACT, json_text, sent_text


@few
@given(wire_forms(in_blocks=False))
def test_each_range_of_bytes_decodes_to_its_piece(form: WireForm):
    body = json.dumps(form.body, ensure_ascii=False, separators=(",", ":")).encode()
    found = body_bytes(form)
    assert found.total_bytes == len(body)
    decoded = {key: json.loads(f'"{body[start:end].decode()}"') for key, (start, end) in found.ranges.items()}
    assert decoded == pieces_of(form)


@pytest.mark.parametrize(
    ("text", "n_bytes"),
    [("ascii", 5), ("é", 2), ("日本", 6), ("😀", 4), ("\n", 2), ("\x00", 6), ("👩\u200d👧", 11)],
)
def test_a_range_counts_bytes_and_not_letters(text: str, n_bytes: int):
    start, end = body_bytes(form_of("first", text)).ranges[0, 1]
    assert end - start == n_bytes
    assert start == len(b'{"m":"first')


def test_half_a_pair_takes_three_bytes_and_breaks_nothing():
    start, end = body_bytes(form_of("\ud83d", "after")).ranges[0, 1]
    assert (start, end) == (9, 14)


def test_a_piece_in_two_blocks_reaches_from_the_first_to_the_last():
    form = replace(
        form_of("one ", "two"), body={"m": ["on", "e two"]}, places=(None,), stretches=((("m", 0), ("m", 1)),)
    )
    body = b'{"m":["on","e two"]}'
    start, end = body_bytes(form).ranges[0, 0]
    assert body[start:end] == b'on","e '


def test_encoding_never_fails():
    assert encoded("\ud800") == b"\xed\xa0\x80"


def form_of(*texts: str) -> WireForm:
    pieces = tuple(Piece("L5_USER", str(number), text) for number, text in enumerate(texts))
    return WireForm(lambda: (PayloadMessage("user", pieces),), {"m": "".join(texts)}, places=(("m",),))


def test_what_is_copied_and_counted_is_what_is_written_with_the_ranges():
    """Python's own JSON writes the body many times faster than the writer that notes where pieces are."""
    for form in (form_of("first", "\ud83d“ß”\n\x00</script>"), form_of(*("piece " * 40 for _ in range(9)))):
        assert sent_text(form) == json_text(form, COMPACT).text
