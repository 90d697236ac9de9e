"""Reads JSON piece by piece: read at once, a large file would let nothing else in the program run until its end."""

from __future__ import annotations

import json
import re
from typing import Any

_BLANKS = re.compile(r"[ \t\n\r]*")
_OUTER_LEVELS = 4
_SHORT = 32 * 1024
"""So many characters the decoder may read in one go: a fraction of a millisecond."""


class PiecewiseReader:
    """The value of a text; what a decoder raises for a text that is none is raised here too.

    The outer levels, which hold the many things of a large file, are walked here; each thing in them that is short is
    left to the decoder, which is quicker and lets go of nothing while it reads.
    """

    def __init__(self, text: str, decoder: json.JSONDecoder) -> None:
        self._text, self._decoder = text, decoder

    def read(self) -> Any:
        """The one value that the text is."""
        value, at = self._value(self._next(0), 0)
        end = self._next(at)
        if end != len(self._text):
            raise self._wrong("Extra data", end)
        return value

    def _value(self, at: int, depth: int) -> tuple[Any, int]:
        sign = self._text[at : at + 1]
        if depth >= _OUTER_LEVELS or sign not in ("{", "["):
            return self._decoder.raw_decode(self._text, at)
        try:
            # Whatever ends within a short piece is whole: its last sign is the bracket that closes it.
            value, length = self._decoder.raw_decode(self._text[at : at + _SHORT])
            return value, at + length
        except json.JSONDecodeError:
            walk = self._object if sign == "{" else self._array
            return walk(self._next(at + 1), depth)

    def _array(self, at: int, depth: int) -> tuple[Any, int]:
        found: list[Any] = []
        more = self._text[at : at + 1] != "]"
        while more:
            value, at = self._value(at, depth + 1)
            found.append(value)
            at, more = self._after(at, "]")
        return found, at + 1

    def _object(self, at: int, depth: int) -> tuple[Any, int]:
        found: dict[str, Any] = {}
        more = self._text[at : at + 1] != "}"
        while more:
            if self._text[at : at + 1] != '"':
                raise self._wrong("Expecting property name enclosed in double quotes", at)
            name, at = self._decoder.raw_decode(self._text, at)
            at = self._next(at)
            if self._text[at : at + 1] != ":":
                raise self._wrong("Expecting ':' delimiter", at)
            found[name], at = self._value(self._next(at + 1), depth + 1)
            at, more = self._after(at, "}")
        return found, at + 1

    def _after(self, at: int, closing: str) -> tuple[int, bool]:
        """Where a thing is followed by another one, or by the end; and which of the two it is."""
        at = self._next(at)
        sign = self._text[at : at + 1]
        if sign not in (",", closing):
            raise self._wrong("Expecting ',' delimiter", at)
        return (self._next(at + 1), True) if sign == "," else (at, False)

    def _next(self, at: int) -> int:
        blanks = _BLANKS.match(self._text, at)
        return at if blanks is None else blanks.end()

    def _wrong(self, what: str, at: int) -> json.JSONDecodeError:
        return json.JSONDecodeError(what, self._text, at)
