"""Splits a watched body into shared texts and the rest, so that repeated texts are stored once, and joins it again."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import pairwise
from json.encoder import encode_basestring as _unicode
from json.encoder import encode_basestring_ascii as _ascii

from workbench.domain.change import Built
from workbench.domain.envelope import Envelope
from workbench.domain.reading.loose_json import parsed
from workbench.domain.segment import Segment
from workbench.domain.watch.request import Passed

_MARK = "\0"
_STRING = re.compile(r'"(?:[^"\\\0]|\\.)*+"', re.DOTALL)
_MARKED = re.compile("\0([rauR])(-?[0-9]+)\0")
_TOOLS = re.compile(r'(?<!\\)"(?:tools|functions)"\s*:\s*(?=\[)')
_SHORTEST = 32
_LONG = 64
_LINE = 60
"""Shorter than what the store puts aside by its digest: what stands between texts is small once it is compressed."""


def split_body(body: bytes, segments: Sequence[str]) -> Passed:
    """A body without its segments' texts, in wire order; `join_body` restores it byte for byte."""
    text = body.decode("utf-8", "surrogateescape")
    taken = Passed(texts=(text,), lines=(f"{_MARK}R0{_MARK}",))
    if _MARK in text:
        return taken  # no JSON has one
    writer = _Writer(segments)
    at = 0
    for start, end in _stretches(text):
        writer.literal(text[at:start])
        writer.value(text[start:end])
        at = end
    writer.literal(text[at:])
    found = Passed(writer.lines(), tuple(writer.texts))
    return found if join_body(found, segments) == body else taken


def join_body(body: Passed, segments: Sequence[str]) -> bytes:
    """The body as it was sent; `segments` are the texts of its request's segments, in wire order."""
    place = 0

    def text(found: re.Match[str]) -> str:
        nonlocal place
        form, number = found[1], int(found[2])
        if form == "R":
            return body.texts[number]
        place += number
        said = segments[place]
        return said if form == "r" else (_ascii(said) if form == "a" else _unicode(said))

    return _MARKED.sub(text, "".join(body.lines)).encode("utf-8", "surrogateescape")


def wire_segments(envelope: Envelope) -> tuple[Segment, ...]:
    """The segments of a watched request in wire order: tools, then those of its messages."""
    tools = (one for one in envelope.layer("L1_SYSTEM").segments if one.kind == "tool")
    return (*tools, *(one for message in envelope.messages for one in message.segments))


def body_of(built: Built) -> bytes:
    """The body of a watched request, byte for byte; empty where it is not one."""
    passed = built.inputs.passed
    if passed is None:
        return b""
    return join_body(passed, [one.text for one in wire_segments(built.envelope)])


def came_body_of(built: Built) -> bytes:
    """The body of a watched request before rules changed it; empty where none did."""
    passed = built.inputs.passed
    if passed is None or not passed.came_lines:
        return b""
    came = Passed(passed.came_lines, passed.came_texts)
    return join_body(came, [one.text for one in wire_segments(built.envelope)])


def _stretches(text: str) -> Iterator[tuple[int, int]]:
    """The spans of strings worth storing separately, and of the tool list, which hardly ever changes."""
    tools = _tools(text)
    at = 0
    for start, end in (*tools, (len(text), len(text))):
        for found in _STRING.finditer(text, at, start):
            if found.end() - found.start() >= _SHORTEST:
                yield found.span()
        if end > start:
            yield start, end
        at = end


def _tools(text: str) -> list[tuple[int, int]]:
    found = _TOOLS.search(text)
    if found is None:
        return []
    try:
        _, end = json.JSONDecoder().raw_decode(text, found.end())
    except (ValueError, RecursionError):
        return []
    return [(found.end(), end)]


class _Writer:
    def __init__(self, segments: Sequence[str]) -> None:
        self._places: dict[str, list[int]] = defaultdict(list)
        for place, text in enumerate(segments):
            if len(text) >= _SHORTEST - 2:
                self._places[text].append(place)
        self._last = 0
        self._parts: list[str] = []
        self.texts: list[str] = []
        self._known: dict[str, int] = {}

    def literal(self, text: str) -> None:
        self._parts.append(text)

    def value(self, raw: str) -> None:
        """Write a string with its quotes, or the tool list."""
        said = _decoded(raw)
        if said is not None and said in self._places and (form := _form(said, raw)):
            place = self._nearest(said)
            self._parts.append(f"{_MARK}{form}{place - self._last}{_MARK}")
            self._last = place
        elif len(raw) > _LONG + 2:
            number = self._known.setdefault(raw, len(self.texts))
            if number == len(self.texts):
                self.texts.append(raw)
            self._parts.append(f"{_MARK}R{number}{_MARK}")
        else:
            self._parts.append(raw)

    def _nearest(self, said: str) -> int:
        """The next of several segments with the same text, so that index differences stay small."""
        places = self._places[said]
        return next((place for place in places if place > self._last), places[0])

    def lines(self) -> tuple[str, ...]:
        whole = "".join(self._parts)
        cuts = [*range(0, len(whole), _LINE), len(whole)]
        return tuple(whole[start:end] for start, end in pairwise(cuts))


def _decoded(raw: str) -> str | None:
    found = parsed(raw)
    return found if isinstance(found, str) else None


def _form(said: str, raw: str) -> str:
    """The JSON escaping style of a text; empty where it is neither of the usual ones."""
    if _unicode(said) == raw:
        return "u"
    return "a" if _ascii(said) == raw else ""
