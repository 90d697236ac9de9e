"""Splits a sent request into the pieces that may be left out to measure their influence; never the question."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import ceil

from workbench.context.assembly.exchanges import TurnGroup, exchanges
from workbench.context.assembly.leaving import LEFT
from workbench.context.assembly.references import is_artifact
from workbench.context.text.names import short_name
from workbench.domain.change import Built
from workbench.domain.envelope import Layer
from workbench.domain.files.attachment import Artifact
from workbench.domain.influence import PieceKind
from workbench.domain.recall import FOUND_KINDS, parts_of
from workbench.domain.segment import LayerName, Segment
from workbench.domain.settings.context_settings import ContextSettings
from workbench.domain.text import repair_text
from workbench.domain.turn import TurnInputs
from workbench.domain.workspace import fact_spans

_TOOL = "tool:"


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of a request that may be left out.

    Attributes:
        id: of its row; members: the ids of its segments.
        keys: what it is known by in the turn's inputs: keys, message ids, a fact's text, a tool's name.
        text: what it says, by which copies of it are known.
        place: its rank in wire order.
        nth: of a sentence, how often its text occurs before it in the piece it is part of.
    """

    id: str
    name: str
    layer: LayerName
    kind: PieceKind
    tokens: int
    members: tuple[str, ...]
    keys: tuple[str, ...]
    text: str
    place: int
    first_turn: int = 0
    last_turn: int = 0
    nth: int = 0


@dataclass(frozen=True, slots=True)
class Unit:
    """Pieces that are left out together: copies of one text, or neighbours where there are too many pieces."""

    pieces: tuple[Piece, ...]

    @property
    def first(self) -> Piece:
        return self.pieces[0]

    @property
    def tokens(self) -> int:
        return sum(piece.tokens for piece in self.pieces)

    @property
    def members(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(member for piece in self.pieces for member in piece.members))

    @property
    def copies(self) -> bool:
        """Whether all its pieces are copies of one text."""
        return len({piece.text.strip() for piece in self.pieces}) == 1

    @property
    def name(self) -> str:
        names = tuple(dict.fromkeys(piece.name for piece in self.pieces))
        if self.copies or len(names) < 3:
            return ", ".join(names)
        return f"{names[0]} … {names[-1]}"


def pieces_of(built: Built) -> tuple[Piece, ...]:
    """All pieces of a request, in wire order."""
    finder = _Finder(built)
    found = (
        *finder.tools(),
        *finder.instructions(),
        *finder.artifacts(),
        *finder.exchanges(),
        *finder.turn(),
    )
    ordered = sorted(found, key=lambda piece: piece.place)
    return tuple(replace(piece, place=place) for place, piece in enumerate(ordered))


def units_of(pieces: Sequence[Piece], most: int) -> tuple[Unit, ...]:
    """Group copies of one text, and neighbours of a layer where there would be more than `most` units."""
    by_text: dict[str, list[Piece]] = {}
    for piece in pieces:
        by_text.setdefault(piece.text.strip() or piece.id, []).append(piece)
    units = [Unit(tuple(same)) for same in by_text.values()]
    return tuple(units) if len(units) <= most else tuple(_neighbours(units, most))


def _neighbours(units: Sequence[Unit], most: int) -> Iterator[Unit]:
    """Runs of neighbours in one layer, of about equal length; a long piece stays alone."""
    layers: dict[LayerName, list[Unit]] = {}
    for unit in units:
        layers.setdefault(unit.first.layer, []).append(unit)
    groups = dict.fromkeys(layers, 1)
    while sum(groups.values()) < most:
        # The next group goes to the layer whose groups are longest; one whose units are all apart takes no more.
        open_ones = [name for name, same in layers.items() if groups[name] < len(same)]
        if not open_ones:
            break
        widest = max(open_ones, key=lambda name: sum(one.tokens for one in layers[name]) / groups[name])
        groups[widest] += 1
    for name, same in layers.items():
        yield from _runs(same, groups[name])


def _runs(units: Sequence[Unit], most: int) -> Iterator[Unit]:
    """At most `most` runs, each closed when it has its share of the remaining tokens."""
    left, runs = sum(unit.tokens for unit in units), most
    run: list[Unit] = []
    for place, unit in enumerate(units):
        run.append(unit)
        tokens = sum(one.tokens for one in run)
        more = len(units) - place - 1
        if runs > 1 and (tokens >= ceil(left / runs) or more < runs - 1):
            yield _merged_unit(run)
            left, runs, run = left - tokens, runs - 1, []
    if run:
        yield _merged_unit(run)


def _merged_unit(run: Iterable[Unit]) -> Unit:
    return Unit(tuple(piece for unit in run for piece in unit.pieces))


class _Finder:
    """Finds the pieces of one request; a piece's place is that of its first segment on the wire."""

    def __init__(self, built: Built) -> None:
        self._built = built
        self._places: dict[tuple[LayerName, str], int] = {}
        for place, segment in enumerate(_sent_segments(built)):
            self._places.setdefault((segment.layer, segment.id), place)
        self._tokens: dict[tuple[LayerName, str], int] = {}
        for layer in built.envelope.layers:
            for segment, tokens in _rows(layer):
                key = (layer.name, segment.id)
                self._tokens[key] = self._tokens.get(key, 0) + tokens

    def tools(self) -> Iterator[Piece]:
        for place, segment in enumerate(self._layer("L1_SYSTEM")):
            if segment.kind == "tool":
                name = segment.id.removeprefix(_TOOL)
                # Templates write tools before everything else.
                yield replace(
                    self._piece(segment, "tool", name, (name,)), place=place - len(self._places) - 10_000
                )

    def instructions(self) -> Iterator[Piece]:
        settings = self._built.inputs.settings
        for segment in self._layer("L1_SYSTEM"):
            if segment.kind == "tool":
                continue
            whole = self._piece(segment, "instruction", segment.kind, (segment.kind,))
            parts = instruction_texts(segment.kind, settings)
            yield from _parts(whole, parts) if len(parts) > 1 else (whole,)

    def artifacts(self) -> Iterator[Piece]:
        known = attached_texts(self._built.inputs)
        found: dict[str, list[Segment]] = {}
        for segment in _sent_segments(self._built):
            if is_artifact(segment):
                found.setdefault(segment.id, []).append(segment)
        for key, copies in found.items():
            main = max(copies, key=lambda one: len(one.text))
            name = short_name(known[key]) if key in known else key
            text = known[key].text if key in known else main.text
            layers = dict.fromkeys(one.layer for one in copies)
            tokens = sum(self._tokens.get((layer, key), 0) for layer in layers)
            place = min(self._places[(layer, key)] for layer in layers)
            yield Piece(key, name, main.layer, "artifact", tokens, (key,), (key,), text, place)

    def exchanges(self) -> Iterator[Piece]:
        told = exchanges(self._built.envelope.layer("L4_STRIP"), self._built)
        return (piece for one in told for piece in self._exchange(one))

    def turn(self) -> Iterator[Piece]:
        results = {chunk.id for chunk in self._built.inputs.tool_results}
        titles = {one.id: one.title or one.speaker for one in self._built.inputs.found}
        for segment in self._layer("L3_TURN"):
            if segment.kind in FOUND_KINDS:
                yield self._piece(
                    segment, "quote", titles.get(parts_of(segment.id)[0]) or segment.id, (segment.id,)
                )
            elif segment.id in results:
                yield self._piece(segment, "result", segment.id, (segment.id,))

    def _exchange(self, one: TurnGroup) -> Iterator[Piece]:
        sent = [(segment, tokens) for segment, tokens in one.parts if segment.sent and segment.kind != LEFT]
        if not sent:
            return
        keys = tuple(segment.id for segment, _ in sent if segment.kind not in ("time", *FOUND_KINDS))
        if not keys:
            return
        turns = (
            f"turn {one.first_turn}"
            if one.first_turn == one.last_turn
            else (f"turns {one.first_turn}–{one.last_turn}")
        )
        yield Piece(
            id=one.parts[0][0].id,
            name=f"summary of {turns}" if one.is_summary else turns,
            layer="L4_STRIP",
            kind="summary" if one.is_summary else "exchange",
            tokens=sum(tokens for _, tokens in sent),
            members=tuple(segment.id for segment, _ in sent),
            keys=keys,
            text="\n\n".join(segment.text for segment, _ in sent),
            place=min(self._places.get((segment.layer, segment.id), 0) for segment, _ in sent),
            first_turn=one.first_turn,
            last_turn=one.last_turn,
        )

    def _piece(self, segment: Segment, kind: PieceKind, name: str, keys: tuple[str, ...]) -> Piece:
        place = (segment.layer, segment.id)
        return Piece(
            segment.id, name, segment.layer, kind, self._tokens.get(place, 0), (segment.id,), keys, segment.text,
            self._places.get(place, 0),
        )  # fmt: skip

    def _layer(self, name: LayerName) -> list[Segment]:
        return [segment for segment in self._built.envelope.layer(name).segments if segment.sent]


def instruction_texts(kind: str, settings: ContextSettings) -> list[tuple[str, str]]:
    """The parts of the persona by source, or the facts of the memory; empty for other kinds."""
    match kind:
        case "persona":
            return [(source, text) for source, text in settings.persona.parts(settings.persona_mode)]
        case "memory":
            found = fact_spans(settings.user_memory)
            return [(str(n), settings.user_memory[slice(*span)]) for n, span in enumerate(found)]
        case _:
            return []


def _parts(whole: Piece, parts: Sequence[tuple[str, str]]) -> Iterator[Piece]:
    """The parts as pieces, with tokens in proportion to their length."""
    total = sum(len(text) for _, text in parts)
    kind: PieceKind = "fact" if whole.keys == ("memory",) else "instruction"
    for source, text in parts:
        bare = repair_text(text).removeprefix("- ")
        yield replace(
            whole,
            id=f"{whole.id}:{source}",
            name=bare.splitlines()[0][:60] if kind == "fact" else f"{whole.name} ({source})",
            kind=kind,
            tokens=round(whole.tokens * len(text) / total),
            keys=(f"{whole.keys[0]}:{source}",),
            text=bare,
        )


def _sent_segments(built: Built) -> Iterator[Segment]:
    return (segment for message in built.envelope.messages for segment in message.segments)


def _rows(layer: Layer) -> Iterator[tuple[Segment, int]]:
    return ((s, t) for s, t in zip(layer.segments, layer.tokens, strict=True) if s.sent)


def attached_texts(inputs: TurnInputs) -> Mapping[str, Artifact]:
    """Every artifact attached to a request or in its library, by key."""
    known = {entry.key: entry.latest for entry in inputs.library}
    return known | {artifact.key: artifact for artifact in inputs.attached}


# Sentences inside a piece, so that a second round can say which of them carried the answer.


# A sentence ends with its sign before white space, or with its line: code and logs have no other ends.
_SENTENCE = re.compile(r"[^\n]*?(?:[.!?…。！？][\"'”’»)\]]*(?=\s|$)|\n|$)", re.MULTILINE)
_LEAST_CHARS = 12
MOST = 24
"""The most sentences of a text that are measured; in a longer one neighbours are joined."""


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence of a piece: its first line, and the piece that stands for leaving just it out."""

    line: int
    text: str
    tokens: int
    piece: Piece


def sentences_of(unit: Unit, built: Built) -> tuple[Sentence, ...]:
    """The sentences of a file or of messages as they are sent; empty where there is only one."""
    if unit.first.kind not in ("artifact", "exchange") or not unit.copies:
        return ()
    piece = unit.first
    sent = "\n".join(
        segment.text
        for message in built.envelope.messages
        for segment in message.segments
        if segment.id in unit.members
    )
    spans = [one for one in _spans(piece.text) if piece.text[slice(*one)].strip() in sent]
    if len(spans) < 2:
        return ()
    total = sum(end - start for start, end in spans)
    keys = tuple(dict.fromkeys(key for one in unit.pieces for key in one.keys))
    found = []
    for start, end in _joined_sentences(spans):
        text = piece.text[start:end].strip()
        at = piece.text.index(text, start)
        part = Piece(
            f"{piece.id}#{at}", text, piece.layer, "sentence", 0, unit.members, keys, text, piece.place,
            nth=_occurrences_before(piece.text, text, at),
        )  # fmt: skip
        line = piece.text.count("\n", 0, at) + 1
        found.append(Sentence(line, text, round(unit.tokens * (end - start) / total), part))
    return tuple(found)


def _occurrences_before(whole: str, text: str, at: int) -> int:
    """How often a text occurs in another before a place, overlaps included."""
    count, found = 0, whole.find(text)
    while found < at:
        count, found = count + 1, whole.find(text, found + 1)
    return count


def _spans(text: str) -> Iterator[tuple[int, int]]:
    """Spans of the sentences; very short ones are joined with the next."""
    begun: int | None = None
    for found in _SENTENCE.finditer(text):
        start = found.start() if begun is None else begun
        said = text[start : found.end()].strip()
        ends = found.end() == len(text) or "\n" in text[found.start() : found.end() + 1]
        if said and (len(said) >= _LEAST_CHARS or ends):
            yield start, found.end()
            begun = None
        else:
            begun = start if said else None


def _joined_sentences(spans: Sequence[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """At most a fixed number of spans, with neighbours joined."""
    count = min(MOST, len(spans))
    for place in range(count):
        run = spans[place * len(spans) // count : (place + 1) * len(spans) // count]
        yield run[0][0], run[-1][1]
