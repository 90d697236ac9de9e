"""Which bytes of the body each piece of a request is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from workbench.domain.payload import WireForm
from workbench.ui.inspector.payload.json_text import COMPACT, json_text


@dataclass(frozen=True, slots=True)
class BodyBytes:
    """How long the body is, and the range of each piece in it, by message and piece; the end is not part of it."""

    total_bytes: int
    ranges: Mapping[tuple[int, int], tuple[int, int]]


def body_bytes(form: WireForm) -> BodyBytes:
    """The ranges of the pieces in the bytes that are sent; of a piece in several blocks, from first to last."""
    written = json_text(form, COMPACT)
    found: dict[tuple[int, int], tuple[int, int]] = {}
    at, in_bytes = 0, 0
    for span in written.spans:
        first = in_bytes + len(encoded(written.text[at : span.start]))
        in_bytes = first + len(encoded(written.text[span.start : span.end]))
        at = span.end
        begun = found.get((span.message, span.piece), (first, first))
        found[span.message, span.piece] = (begun[0], in_bytes)
    return BodyBytes(in_bytes + len(encoded(written.text[at:])), found)


def encoded(text: str) -> bytes:
    """The text in UTF-8; half a pair, which has no encoding, takes the three bytes of what is sent in its place."""
    return text.encode("utf-8", "surrogatepass")
