"""The JSON documents of a body: one, one a line, a list, or server-sent events; unreadable ones are skipped."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from workbench.context.watch.pieces import Pieces, compact
from workbench.domain.reading.loose_json import parsed, table_in, text_in
from workbench.domain.usage import Usage
from workbench.domain.watch.request import WatchedAnswer

_LINE_END = re.compile(r"\r\n|\n|\r")
_BETWEEN = re.compile(r"[\s,]*")
_DONE = "[DONE]"
_DECODER = json.JSONDecoder()


@dataclass(frozen=True, slots=True)
class Documents:
    """The objects of a body in order; `streamed`: it came as a stream; `rest`: what was not JSON."""

    found: tuple[dict[str, Any], ...] = ()
    streamed: bool = False
    rest: str = ""


def documents_in(body: bytes) -> Documents:
    """Every complete JSON object of a body."""
    text = body.decode("utf-8-sig", "replace")
    start = text.lstrip()[:1]
    if start == "[":
        return Documents(tuple(_listed(text, text.index("[") + 1)), True)
    if start == "{":
        whole = parsed(text)
        return Documents((whole,)) if isinstance(whole, dict) else _lines(text)
    if re.match(r"\s*(data|event|id|retry)?:", text):
        return Documents(tuple(_events(text)), True)
    return Documents(rest=text)


def _lines(text: str) -> Documents:
    values = [(line, parsed(line)) for line in text.split("\n") if line.strip()]
    rest = "\n".join(line for line, value in values if not isinstance(value, dict))
    return Documents(tuple(value for _, value in values if isinstance(value, dict)), True, rest)


def _listed(text: str, at: int) -> Iterator[dict[str, Any]]:
    """The objects of a list that may be truncated."""
    while True:
        found = _BETWEEN.match(text, at)
        at = found.end() if found else at
        try:
            value, at = _DECODER.raw_decode(text, at)
        except (ValueError, RecursionError):
            return
        if isinstance(value, dict):
            yield value


def _events(text: str) -> Iterator[dict[str, Any]]:
    """The objects in server-sent events; a blank line ends an event."""
    lines: list[str] = []
    for line in (*_LINE_END.split(text), ""):
        field, _, value = line.partition(":")
        if field == "data":
            lines.append(value.removeprefix(" "))
        elif not line and lines:
            joined, lines = "\n".join(lines), []
            found = None if joined == _DONE else parsed(joined)
            if isinstance(found, dict):
                yield found


# An answer put together from its stream, before it is a value.


_LONGEST_ERROR = 500


@dataclass(slots=True)
class Folded:
    """A folded stream; `ended`: its own last event arrived."""

    pieces: Pieces = field(default_factory=Pieces)
    usage: Usage = field(default_factory=Usage)
    finish_reason: str = ""
    error: str = ""
    id: str = ""
    ended: bool = False

    def say_error(self, document: Mapping[str, Any]) -> None:
        """Record an error that a server sent in place of an answer."""
        error = document.get("error")
        said = text_in(table_in(document, "error"), "message") or text_in(document, "message")
        self.error = (said or (error if isinstance(error, str) else compact(document)))[:_LONGEST_ERROR]

    def answer(self) -> WatchedAnswer:
        """The answer as a value."""
        cut = not self.ended and not self.error
        return WatchedAnswer(
            self.pieces.as_answer(), self.usage, self.finish_reason, self.error, self.id, cut
        )
