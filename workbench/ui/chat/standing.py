"""What becomes of each message in the next request: sent as it is, trimmed, left out, or recalled."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

from workbench.domain.shown.envelope_view import EnvelopeView
from workbench.domain.summary import Summary
from workbench.domain.turn import Tuning

Inclusion = Literal["", "excluded", "trimmed"]
"""How the next request sends a message: as it is (empty), not at all, or trimmed."""
Recalling = Literal["", "always", "never"]
"""What the user decided about recalling a message: only if it fits (empty), always, or never."""


@dataclass(frozen=True, slots=True)
class InRequest:
    """What becomes of a message in the next request; `saved_tokens` is what leaving it out saves, if known.

    Attributes:
        recalled_for: the turn for which the trimmed message is recalled; 0 if it is not.
        recalled_tokens: what its quote costs.
        wanted: what the user decided about recalling it; recallable: whether this chat recalls messages at all.
    """

    place: Inclusion = ""
    pinned: bool = False
    saved_tokens: int = 0
    recalled_for: int = 0
    recalled_tokens: int = 0
    wanted: Recalling = ""
    recallable: bool = False

    @property
    def quiet(self) -> bool:
        return bool(self.place) and not self.recalled_for


PLAIN, RECALLABLE = InRequest(), InRequest(recallable=True)


@dataclass(frozen=True, slots=True)
class Marks:
    """What becomes of all messages in the next request; it changes less often than the request itself.

    `quoted` has the tokens of each message that is recalled for the request of `turn`; `recalls` says if any may be.
    """

    trimmed: tuple[str, ...] = ()
    trimmed_tokens: int = 0
    threshold_tokens: int | None = None
    excluded: frozenset[str] = frozenset()
    pinned: frozenset[str] = frozenset()
    tokens: Mapping[str, int] = field(default_factory=dict)
    summaries: tuple[Summary, ...] = ()
    turn: int = 0
    quoted: Mapping[str, int] = field(default_factory=dict)
    always: frozenset[str] = frozenset()
    never: frozenset[str] = frozenset()
    recalls: bool = False

    def standings(self) -> Callable[[str], InRequest]:
        """A function from a message id to what becomes of that message; most share one value."""
        trimmed = frozenset(self.trimmed)
        special = self.excluded.union(self.pinned, self.quoted, self.always, self.never)
        known = dict.fromkeys(trimmed, InRequest("trimmed", recallable=self.recalls))
        known.update((message, self._standing(message, trimmed)) for message in special)
        usual = RECALLABLE if self.recalls else PLAIN
        return lambda message: known.get(message, usual)

    def _standing(self, message: str, trimmed: frozenset[str]) -> InRequest:
        place: Inclusion = "excluded" if message in self.excluded else "trimmed" if message in trimmed else ""
        saved = self.tokens.get(message, 0) if place == "excluded" else 0
        cost = self.quoted.get(message, 0)
        wanted: Recalling = "always" if message in self.always else "never" if message in self.never else ""
        turn = self.turn if cost else 0
        return InRequest(place, message in self.pinned, saved, turn, cost, wanted, self.recalls)


def marks_of(view: EnvelopeView | None, tuning: Tuning, recalls: bool = False) -> Marks:
    """The marks of a request; they stay equal while the user types."""
    by_hand = Marks(
        excluded=tuning.excluded,
        pinned=tuning.pinned,
        always=tuning.recalled,
        never=tuning.unrecalled,
        recalls=recalls,
    )
    if view is None:
        return by_hand
    saved: dict[str, int] = {}
    for layer in view.layers:
        for row in layer.telling if layer.name == "L4_STRIP" else ():
            if row.state == "excluded" and len(row.members) == 1:
                saved[row.members[0]] = row.tokens
    there = {row.key.id for layer in view.layers for row in layer.telling if row.kind == "summary"}
    quoted = {row.members[0]: row.tokens for row in view.quotes if row.kind == "recalled"}
    return replace(
        by_hand,
        trimmed=view.trimmed,
        trimmed_tokens=view.trimmed_tokens,
        threshold_tokens=view.threshold_tokens if view.trimmed else None,
        tokens=saved,
        summaries=tuple(one for one in tuning.summaries if one.id in there),
        turn=view.turn if quoted else 0,
        quoted=quoted,
    )
