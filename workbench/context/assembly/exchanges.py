"""Groups history into exchanges (a question with everything that answers it) for display."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby
from typing import Literal

from workbench.context.assembly.leaving import LEFT
from workbench.context.assembly.select import Admission
from workbench.context.assembly.summaries import summarised_in
from workbench.context.count.counting import is_guess
from workbench.domain.change import Built
from workbench.domain.chunk import command_of
from workbench.domain.envelope import Layer
from workbench.domain.message import Entry, is_steered
from workbench.domain.model import PictureRule
from workbench.domain.recall import FOUND_KINDS
from workbench.domain.segment import Segment

Part = tuple[Segment, int]
_BESIDE = ("time", *FOUND_KINDS)
Fate = Literal[
    "sent", "shortened", "trimmed", "left", "capped", "filtered", "left_out", "repaired", "summarised"
]
"""What became of an exchange.

`left`: it was among the oldest when the chat was full, and left whole;
`shortened`: a result in it is sent in short; `capped`: beyond the last N messages or the tokens that history may have;
`summarised`: a summary replaces it, which is an exchange of its own (`is_summary`).
"""


@dataclass(frozen=True, slots=True)
class TurnGroup:
    """One turn of history, or several that one rule cut.

    Attributes:
        parts: segments and their tokens, in wire order.
        left_out: how many of its messages the user left out.
        alone: whether it is not grouped with others, because the user decided something about it.
        pictures: how its pictures are counted.
        summary: the one that replaces it; is_summary: it is a summary itself.
    """

    first_turn: int
    last_turn: int
    parts: tuple[Part, ...]
    fate: Fate
    left_out: int = 0
    alone: bool = False
    pictures: PictureRule | None = None
    is_summary: bool = False
    summary: str = ""

    @property
    def guessed(self) -> bool:
        """Whether its cost is a guess, because the tokens of its pictures are unknown."""
        return any(is_guess(image, self.pictures) for segment, _ in self.parts for image in segment.images)

    @property
    def sent(self) -> bool:
        return self.fate in ("sent", "shortened", "trimmed") or any(one.kind == LEFT for one, _ in self.parts)


def exchanges(layer: Layer, built: Built) -> list[TurnGroup]:
    """The exchanges of history; those cut by one rule are grouped."""
    commands = frozenset(entry.id for entry in built.inputs.history if command_of(entry) is not None)
    own = built.inputs.tuning.summary_ids
    rows = list(zip(layer.segments, layer.tokens, strict=True))
    groups = list(_by_question((part for part in rows if part[0].id not in own), commands))
    # The newest is the turn before this one: messages that were deleted do not renumber those after them.
    first = max(1, built.inputs.turn - len(groups))
    judge = _FateFinder(built)
    judged = [judge.turn_group(number, parts) for number, parts in enumerate(groups, start=first)]
    trimmed_up_to = max((one.last_turn for one in judged if one.fate == "trimmed"), default=0)
    runs = groupby(judged, key=lambda exchange: _rule(exchange, trimmed_up_to))
    told = [one for _, run in runs for one in _merged_run(list(run))]
    return _with_summaries(told, [part for part in rows if part[0].id in own], built) if own else told


def _with_summaries(told: list[TurnGroup], summaries: list[Part], built: Built) -> list[TurnGroup]:
    """The exchanges with each summary as an exchange of its own before those that it replaces."""
    first = {
        one.replaces[0]: part
        for one in built.inputs.tuning.summaries
        for part in summaries
        if part[0].id == one.id
    }
    found: list[TurnGroup] = []
    for exchange in told:
        own = [first[segment.id] for segment, _ in exchange.parts if segment.id in first]
        turns = exchange.first_turn, exchange.last_turn
        found += [
            TurnGroup(*turns, (part,), "sent", alone=True, is_summary=True, summary=part[0].id)
            for part in own
        ]
        found.append(exchange)
    return found


def _rule(exchange: TurnGroup, trimmed_up_to: int) -> str | int:
    """The rule that cut an exchange; its own number where it is not to be grouped."""
    if exchange.alone:
        return exchange.first_turn
    if exchange.summary:
        return f"in {exchange.summary}"
    if exchange.sent and exchange.fate != "left":
        # An answer shorter than its placeholder stays; among trimmed ones that is no difference worth a row.
        return "trimmed" if exchange.first_turn <= trimmed_up_to else exchange.first_turn
    return exchange.fate


def _merged_run(run: Sequence[TurnGroup]) -> Iterator[TurnGroup]:
    fates = {one.fate for one in run}
    if len(run) == 1 or fates == {"sent"}:
        yield from run
        return
    parts = tuple(part for one in run for part in one.parts)
    fate: Fate = "trimmed" if "trimmed" in fates else run[0].fate
    turns = run[0].first_turn, run[-1].last_turn
    yield TurnGroup(*turns, parts, fate, pictures=run[0].pictures, summary=run[0].summary)


def _by_question(parts: Iterable[Part], commands: frozenset[str]) -> Iterator[tuple[Part, ...]]:
    """Each question with its commands' results and what follows; anything before the first belongs to that."""
    group: list[Part] = []
    found: list[Part] = []
    asked = False
    for part in parts:
        # In a log the time, and what was quoted, stand with their question.
        if part[0].kind == LEFT and group:
            group.append(part)  # the line about what left stands with that
            continue
        if part[0].id in commands or part[0].kind in (*_BESIDE, LEFT):
            found.append(part)
            continue
        if part[0].kind == "user" and not is_steered(part[0].id):
            if asked:
                yield tuple(group)
                group = []
            asked = True
        group += [*found, part]
        found = []
    if group or found:
        yield (*group, *found)


class _FateFinder:
    """Determines what became of an exchange, and by which rule."""

    def __init__(self, built: Built) -> None:
        self._inputs = built.inputs
        self._tuning = built.inputs.tuning
        self._admission = Admission(built.inputs.settings.filters)
        self._summarised = summarised_in(built)
        self._repaired = {repair.id for repair in built.envelope.cuts.repairs}

    @cached_property
    def _entries(self) -> dict[str, Entry]:
        return {entry.id: entry for entry in self._inputs.history}

    def turn_group(self, number: int, parts: tuple[Part, ...]) -> TurnGroup:
        tuning = self._tuning
        unsent = [segment for segment, _ in parts if not segment.sent]
        if not (unsent or tuning.pinned):
            return TurnGroup(
                number, number, parts, _fate_of_sent(parts), pictures=self._inputs.model.pictures
            )
        left_out = sum(self._why(segment) == "left_out" for segment in unsent)
        pinned = any(segment.id in tuning.pinned for segment, _ in parts)
        fate = self._fate(parts, unsent)
        alone = pinned or left_out > 0
        found = (self._summarised[one.id] for one in unsent if one.id in self._summarised)
        within = next(found, "") if fate == "summarised" else ""
        pictures = self._inputs.model.pictures
        return TurnGroup(number, number, parts, fate, left_out, alone, pictures, summary=within)

    def _fate(self, parts: tuple[Part, ...], unsent: list[Segment]) -> Fate:
        reasons = [self._why(segment) for segment in unsent]
        if reasons and set(reasons) == {"summarised"}:
            return "summarised" if len(unsent) == len(parts) else _fate_of_sent(parts)
        if "left" in reasons:
            return "left"
        if len(unsent) < len(parts):
            return "trimmed" if "capped" in reasons else _fate_of_sent(parts)
        told = ("left_out", "summarised")
        return next((fate for fate in told if fate in reasons), reasons[0])

    def _why(self, segment: Segment) -> Fate:
        if segment.id in self._summarised:
            return "summarised"
        if segment.id in self._tuning.excluded:
            return "left_out"
        if segment.form == "trimmed":
            return "left"
        entry = self._entries.get(segment.id)
        if entry is not None and not self._admission.admits(entry):
            return "filtered"
        return "repaired" if segment.id in self._repaired else "capped"


def _fate_of_sent(parts: tuple[Part, ...]) -> Fate:
    forms = {segment.form for segment, _ in parts}
    return "trimmed" if "trimmed" in forms else "shortened" if "compacted" in forms else "sent"
