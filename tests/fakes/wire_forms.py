"""Requests as they go out, of any text that can be written: for tests of what shows them."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from hypothesis import settings
from hypothesis import strategies as st

from tests.fakes.effort import tries
from workbench.domain.message import ROLES
from workbench.domain.reading.node import JsonPath
from workbench.domain.request import PayloadMessage, Piece, WireForm
from workbench.domain.segment import LayerName

LAYERS: tuple[LayerName, ...] = ("L1_SYSTEM", "L2_PREVIOUS", "L4_STRIP", "L3_TURN", "L5_USER")
TRICKY = (
    "", "\\", "\\n", '"', "\n", "\r\n", "\t", "日本語\n", "👩\u200d👧", "a\u202eb", "\x00", "\u2028", "é", "</file>",
    "x" * 1_200,
)  # fmt: skip

few = settings(max_examples=tries(40), deadline=None)
"""For what is drawn slowly: the interesting texts are listed above, and come up often."""

texts = st.one_of(
    st.text(st.characters(exclude_categories=["Cs"]), max_size=30),
    st.lists(st.sampled_from(TRICKY), max_size=5).map("".join),
)
pieces = st.builds(Piece, st.sampled_from(LAYERS), st.sampled_from(("a", "b", "c")), texts)
messages = st.builds(
    PayloadMessage, st.sampled_from(ROLES), st.lists(pieces, max_size=3).map(tuple), st.integers(0, 9_999)
)
json_values: st.SearchStrategy[Any] = st.recursive(
    st.one_of(
        st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False, allow_infinity=False), texts
    ),
    lambda inner: st.one_of(st.lists(inner, max_size=2), st.dictionaries(texts, inner, max_size=2)),
    max_leaves=4,
)


@st.composite
def wire_forms(draw: st.DrawFn, in_blocks: bool | None = None) -> WireForm:
    """A request whose messages stand as plain texts or cut into blocks, among other fields."""
    said = tuple(draw(st.lists(messages, max_size=4)))
    cut = draw(st.booleans()) if in_blocks is None else in_blocks
    contents = ["".join(piece.text for piece in message.pieces) for message in said]
    blocks = [_blocks(draw, content) if cut else [content] for content in contents]
    body: dict[str, Any] = {"model": draw(texts)}
    body["messages"] = [
        {"role": message.role, "content": [{"type": "text", "text": text} for text in own] if cut else own[0]}
        for message, own in zip(said, blocks, strict=True)
    ]
    body["rest"] = draw(json_values)
    return WireForm(
        lambda: said,
        body,
        "https://models.example/v1/chat",
        places=tuple(None if cut else ("messages", number, "content") for number in range(len(said))),
        stretches=tuple(_stretches(number, len(own)) for number, own in enumerate(blocks)) if cut else (),
    )


def pieces_of(form: WireForm) -> dict[tuple[int, int], str]:
    """The text of every piece, by message and piece."""
    return {
        (number, index): piece.text
        for number, message in enumerate(form.messages)
        for index, piece in enumerate(message.pieces)
    }


def _blocks(draw: st.DrawFn, content: str) -> list[str]:
    ends = sorted(draw(st.lists(st.integers(0, len(content)), max_size=3)))
    edges = [0, *ends, len(content)]
    return [content[start:end] for start, end in pairwise(edges)]


def _stretches(number: int, count: int) -> tuple[JsonPath, ...]:
    return tuple(("messages", number, "content", block, "text") for block in range(count))
