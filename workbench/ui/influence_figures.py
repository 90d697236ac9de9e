"""Maps what is known of an answer to the rows of its request: the influence of pieces, and where its facts stand."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from workbench.domain.answer_facts import AnswerFacts
from workbench.domain.influence import Influence, PieceInfluence
from workbench.domain.segment import LayerName
from workbench.domain.shown.envelope_view import EnvelopeView, LayerRow, RowKey, RowPart, SegmentRow
from workbench.ui import formatting
from workbench.ui.translation import tr

_BEFORE = 36
"""So many characters of a line stand before a fact at most."""


@dataclass(frozen=True, slots=True)
class RowFacts:
    """How many facts of an answer stand in each row of its request and in each layer, by its name; and their lines."""

    counts: Mapping[RowKey | str, int] = field(default_factory=dict)
    lines: Mapping[RowKey, tuple[RowPart, ...]] = field(default_factory=dict)


NO_FACTS = RowFacts()


def fact_count_words(count: int) -> str:
    """How many facts there are."""
    return formatting.counted(count, tr("1 fact"), tr("{n} facts"))


def facts_by_row(found: AnswerFacts, view: EnvelopeView) -> RowFacts:
    """The rows of a request that have facts of its answer; one fact may stand in several."""
    every = [row for layer in view.layers for row in layer.rows]
    rows = {(row.key.layer, key): row.key for row in every for key in (*row.members, row.key.id)}
    counts: Counter[RowKey | str] = Counter()
    lines: dict[RowKey, dict[tuple[int, str], set[tuple[int, int]]]] = {}
    for fact in found.facts:
        keys = set()
        for place in fact.where:
            key = rows.get((place.layer, place.key))
            if key is not None:
                keys.add(key)
                spans = lines.setdefault(key, {}).setdefault((place.line, place.text), set())
                spans.add((place.start, place.end))
        counts.update(keys)
        counts.update({key.layer for key in keys})
    parts = {
        key: tuple(
            _fact_line(key.layer, line, text, sorted(spans)) for (line, text), spans in sorted(own.items())
        )
        for key, own in lines.items()
    }
    return RowFacts(dict(counts), parts)


def _fact_line(layer: LayerName, number: int, text: str, spans: Sequence[tuple[int, int]]) -> RowPart:
    text, cut = shortened_before(text, spans[0][0])
    placed = tuple((start - cut, end - cut) for start, end in spans)
    return RowPart("facts", text, 0, number, spans=placed, layer=layer)


def shortened_before(text: str, at: int) -> tuple[str, int]:
    """A line without what would push a place in it out of sight, and how many characters that moves the place."""
    cut = at - _BEFORE if at > _BEFORE else len(text[:at]) - len(text[:at].lstrip())
    return (f"…{text[cut:]}", cut - 1) if at > _BEFORE else (text[cut:], cut)


@dataclass(frozen=True, slots=True)
class RowFigure:
    """The influence of a row, from its `pieces`; of rows left out together only the first has the figure."""

    value: float
    pieces: tuple[PieceInfluence, ...]
    first: bool = True


@dataclass(frozen=True, slots=True)
class Figures:
    """The influence figures of all rows, and of the sentences in them.

    Attributes:
        largest: the figure whose bar is full.
    """

    rows: Mapping[RowKey, RowFigure] = field(default_factory=dict)
    sentences: Mapping[RowKey, tuple[RowPart, ...]] = field(default_factory=dict)
    largest: float = 0.0

    def share(self, value: float | None) -> float:
        """How much of its bar a figure fills; a negative one counts by its size."""
        return min(1.0, abs(value or 0.0) / self.largest) if self.largest > 0 else 0.0

    def piece(self, key: RowKey | None) -> PieceInfluence | None:
        """The strongest piece of a row; None if it has none."""
        found = self.rows.get(key) if key is not None else None
        return max(found.pieces, key=lambda one: one.weight) if found is not None else None


def figure_of(piece: PieceInfluence) -> float:
    """A piece's influence per token of the answer; if measured by asking again, the share of the answer lost."""
    return piece.per_answer_token if piece.per_answer_token is not None else piece.lost or 0.0


def figures_of(result: Influence, view: EnvelopeView) -> Figures:
    """The figures of all rows; pieces of the same row add up, a group's figure is at its first row."""
    found: dict[RowKey, RowFigure] = {}
    sentences: dict[RowKey, tuple[RowPart, ...]] = {}
    for piece in result.pieces:
        rows = list(_rows_of(piece, view))
        for place, row in enumerate(rows):
            old = found.get(row.key)
            value = figure_of(piece) if not place else 0.0
            pieces = (*old.pieces, piece) if old is not None else (piece,)
            first = not place or (old is not None and old.first)
            found[row.key] = RowFigure((old.value if old is not None else 0.0) + value, pieces, first)
        if rows and piece.sentences:
            sentences[rows[0].key] = tuple(_sentences(piece, result.answer_tokens))
    return Figures(found, sentences, max((one.value for one in found.values()), default=0.0))


def piece_at(key: RowKey, result: Influence, view: EnvelopeView) -> PieceInfluence | None:
    """The strongest piece of a row; None if it has none."""
    own = [piece for piece in result.pieces if any(row.key == key for row in _rows_of(piece, view))]
    return max(own, key=lambda one: one.weight, default=None)


def _rows_of(piece: PieceInfluence, view: EnvelopeView) -> Iterator[SegmentRow]:
    members = {piece.id, *piece.members}
    rows = [row for layer in view.layers for row in layer.rows if row.counted]
    own = [row for row in rows if row.key.id in members or not members.isdisjoint(row.members)]
    here = [row for row in own if row.key.layer == piece.layer]
    return iter(here or own)


def _sentences(piece: PieceInfluence, answer_tokens: int) -> Iterator[RowPart]:
    for one in piece.sentences:
        yield RowPart("sentence", one.text, one.tokens, one.line, one.nats / max(1, answer_tokens))
    if piece.more_sentences or piece.more_tokens:
        rest = piece.more_nats / max(1, answer_tokens)
        yield RowPart("sentences", "", piece.more_tokens, piece.more_sentences, rest)


def sorted_view(view: EnvelopeView, figures: Figures) -> EnvelopeView:
    """The request with all rows in one list, most influential first; rows not measured come last, in order."""
    rows = [row for layer in view.layers for row in layer.rows]
    known = figures.rows
    rows.sort(key=lambda row: (row.key not in known, -known[row.key].value if row.key in known else 0.0))
    # As large as the largest of them, so that the bars beside stay as they are.
    tokens = max((layer.tokens for layer in view.layers), default=0)
    return replace(view, layers=(LayerRow("L1_SYSTEM", tokens, tuple(rows)),) if rows else ())
