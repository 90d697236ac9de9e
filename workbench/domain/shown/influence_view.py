"""An influence measurement in progress: its progress, remaining time, and result."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from workbench.domain.files.attachment import Artifact
from workbench.domain.influence import Influence, InfluenceWish
from workbench.domain.recall import MatchedWord, WordKind
from workbench.domain.shown.envelope_view import EnvelopeView

InfluenceStage = Literal["offered", "working", "done", "failed"]


@dataclass(frozen=True, slots=True)
class InfluenceView:
    """One measurement; only the newest is shown.

    Attributes:
        question, reply: which turn of the chat it is about.
        done, planned: how many requests are through; left_s: how long the others take, once that can be told. In an
            offer, how long all of them take where each takes as long as the answer did.
        cost_usd: what it costs at most, told before; 0 where the model runs here, None where no price is known.
        open_end: in an offer, whether requests for sentences follow, whose number is not known yet.
        result: what there is so far; kept with the answer where it is done, also when it was stopped.
        problem: why there is none, in words.
    """

    chat: str
    question: str
    reply: str
    wish: InfluenceWish
    stage: InfluenceStage = "working"
    done: int = 0
    planned: int = 0
    left_s: float | None = None
    cost_usd: float | None = None
    open_end: bool = False
    result: Influence | None = None
    problem: str = ""


@dataclass(frozen=True, slots=True)
class KeptInfluence:
    """The stored influence of the answer in view.

    Attributes:
        message: the one that holds the answer; offset: where in its text the words begin that were scored.
        result: what was measured before; stale: whether that is about another request.
        texts: the attached texts of the request by their keys, as digests.
    """

    turn: int
    question: str
    reply: str
    message: str
    offset: int = 0
    result: Influence | None = None
    stale: bool = False
    texts: Mapping[str, str] = field(default_factory=dict)


def changed_since(
    kept: KeptInfluence, sent: EnvelopeView, coming: EnvelopeView, attached: Iterable[Artifact]
) -> tuple[str, ...]:
    """Ids of what the next request says differently than the measured one: instructions, then attachments."""
    said, now = _instructions(sent), _instructions(coming)
    other = [name for name, digest in said.items() if now.get(name, digest) != digest]
    changed = [
        one.key for one in attached if kept.texts.get(one.key, one.content_digest) != one.content_digest
    ]
    return (*other, *changed)


def _instructions(view: EnvelopeView) -> dict[str, str]:
    rows = (row for layer in view.layers if layer.name == "L1_SYSTEM" for row in layer.rows)
    return {row.key.id: row.digest for row in rows if row.counted and row.digest}


def live_on(kept: KeptInfluence, live: InfluenceView | None, chat: str) -> InfluenceView | None:
    """The measurement requested last, where it is about this answer."""
    if live is None or (live.chat, live.question) != (chat, kept.question):
        return None
    return live if live.reply in ("", kept.reply) else None


def result_on(kept: KeptInfluence, live: InfluenceView | None, chat: str) -> tuple[Influence | None, bool]:
    """The newest result about an answer, and whether it is stale."""
    now = live_on(kept, live, chat)
    if now is not None and now.result is not None:
        return now.result, False
    return kept.result, kept.stale


# Why something of the past is in a request: the quote with its words marked, and what stands beside it.


NeighbourState = Literal["cut", "along", "recalled", "sent"]
"""Whether it is not sent, quoted because the user wants it, recalled automatically, or sent anyway."""


class MarkedWord(NamedTuple):
    """A range of the quote that matches the question."""

    start: int
    end: int
    kind: WordKind


class Neighbour(NamedTuple):
    """The message before or after the quoted one; `tokens` is the cost of quoting it."""

    id: str
    role: str
    turn: int
    text: str
    tokens: int
    state: NeighbourState = "cut"


@dataclass(frozen=True, slots=True)
class WhyView:
    """The explanation of one quote.

    Attributes:
        id: what is quoted; text: its own words, as they are quoted.
        words: why it fits, the most important first; their parts sum up to `score`.
        place: its rank among all messages, the best being 1; 0 where not ranked yet. messages: how many there are.
        before, after: what was said right before it and right after it.
    """

    id: str
    text: str
    score: float = 0.0
    words: tuple[MatchedWord, ...] = ()
    marks: tuple[MarkedWord, ...] = ()
    place: int = 0
    messages: int = 0
    before: Neighbour | None = None
    after: Neighbour | None = None
