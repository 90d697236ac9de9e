"""An answer while it passes: its bytes come in pieces, and each piece is read once."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, Literal, NamedTuple

from workbench.context.watch.reading import protocol_of
from workbench.domain.reading.loose_json import table_in, text_in
from workbench.domain.text import repair_text
from workbench.domain.watch.exchange import WatchedFormat

_DATA = b"data:"


class Grown(NamedTuple):
    """What came: words of the answer, words of a thought, or the name of a tool that is being called."""

    kind: Literal["answer", "thought", "call"]
    text: str


class ArrivingAnswer:
    """Reads a stream line by line; an answer that is no stream has nothing to show before its end."""

    def __init__(self, name: WatchedFormat) -> None:
        self._format: WatchedFormat = name
        self._rest: list[bytes] = []

    def take(self, piece: bytes) -> tuple[Grown, ...]:
        """What a piece brings; words of one kind that follow each other are one."""
        first, *others = piece.split(b"\n")
        self._rest.append(first)
        if not others:
            return ()
        lines = [b"".join(self._rest), *others[:-1]]
        self._rest = others[-1:]
        return tuple(_joined(one for line in lines for one in self._grown(line)))

    def _grown(self, line: bytes) -> Iterator[Grown]:
        told = line.strip().removeprefix(_DATA)
        if not told.lstrip().startswith(b"{"):
            return
        try:
            event = json.loads(told)
            if isinstance(event, dict):
                yield from grown_by(self._format, event)
        except (ValueError, RecursionError):
            return


def grown_by(name: WatchedFormat, event: Mapping[str, Any]) -> Iterator[Grown]:
    """What one event of a stream brings."""
    if name == "anthropic":
        found = _anthropic(event)
    elif name == "responses":
        found = _responses(event)
    else:
        # Each event of these is a small answer of its own.
        pieces = protocol_of(name).fold([event]).pieces.as_answer()
        found = (_piece(one.kind, one.name if one.kind == "call" else one.text) for one in pieces)
    yield from (one for one in found if one is not None and one.text)


def _anthropic(event: Mapping[str, Any]) -> Iterator[Grown | None]:
    block, delta = table_in(event, "content_block"), table_in(event, "delta")
    kinds = {"text_delta": "answer", "thinking_delta": "thought", "text": "answer", "thinking": "thought"}
    for some in (block, delta):
        kind = text_in(some, "type")
        yield _piece(kinds.get(kind, ""), text_in(some, kind.removesuffix("_delta")))
    if text_in(block, "type").endswith("tool_use"):
        yield Grown("call", text_in(block, "name"))


def _responses(event: Mapping[str, Any]) -> Iterator[Grown | None]:
    match text_in(event, "type"):
        case "response.output_text.delta" | "response.refusal.delta":
            yield _piece("answer", text_in(event, "delta"))
        case "response.reasoning_summary_text.delta" | "response.reasoning_text.delta":
            yield _piece("thought", text_in(event, "delta"))
        case "response.output_item.added":
            yield Grown("call", text_in(table_in(event, "item"), "name"))


def _piece(kind: str, text: str) -> Grown | None:
    match kind:
        case "answer" | "thought" | "call":
            return Grown(kind, repair_text(text))
    return None


def _joined(grown: Iterator[Grown]) -> Iterator[Grown]:
    waiting: list[Grown] = []
    for one in grown:
        if waiting and (one.kind == "call" or one.kind != waiting[0].kind):
            yield _one(waiting)
            waiting = []
        waiting.append(one)
    if waiting:
        yield _one(waiting)


def _one(some: list[Grown]) -> Grown:
    return Grown(some[0].kind, "".join(one.text for one in some))
