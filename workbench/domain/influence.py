"""Influence: how much less likely an answer becomes without each piece of its request, and how far to trust that."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from workbench.domain.segment import LayerName
from workbench.domain.translation import N_

InfluenceMethod = Literal["leave_one_out", "masks", "asking"]
PieceKind = Literal[
    "artifact", "quote", "result", "exchange", "summary", "fact", "instruction", "tool", "sentence",
]  # fmt: skip
Trust = Literal["reliable", "not_reliable", "too_few"]

# What window and command line say of it alike.
NOISE = N_("differences under {n} mean nothing")
CHANGED = N_("Changed since it was sent: {names}. The figures are about the earlier text.")
NOTHING_CARRIED = N_("Nothing here carried the answer.")
NOTHING_SO_FAR = N_("Nothing measured so far carried the answer.")
REQUESTS_DONE = N_("{n} of {all} requests")
FROM_CACHE = N_("{share} read from cache")
THEN_SENTENCES = N_("{requests}, then one per sentence of the strongest two")

RELIABLE = 0.4
"""Rank correlation from which predictions are called reliable."""
LEAST_HELD_OUT = 16
LEAST_OF_ALL = 8
"""Where no more combinations can be held out; of four, two in five orders by chance are as good as 0.4."""


@dataclass(frozen=True, slots=True)
class InfluenceWish:
    """How influence is to be measured.

    Attributes:
        masks: how many random masks a model is fitted to; 0 leaves pieces out one by one.
        sentences: whether the most influential pieces are measured sentence by sentence.
        most_pieces: more pieces than this are scored in groups of neighbours.
        asking: ask again and compare words, even where log-probabilities are available.
        repeats: how often each request is asked then.
        cap_usd: what asking may cost at most; None for no cap.
    """

    masks: int = 0
    sentences: bool = False
    most_pieces: int = 32
    asking: bool = False
    repeats: int = 1
    cap_usd: float | None = None


@dataclass(frozen=True, slots=True)
class AnswerTokens:
    """A fixed answer as a model's server cuts it: token ids, and the bytes of each."""

    ids: tuple[int, ...]
    pieces: tuple[bytes, ...]


@dataclass(frozen=True, slots=True)
class AnswerScore:
    """The log-probability of every token of a fixed answer under one request.

    Attributes:
        prompt_tokens: the request as the server counts it; cached_tokens: those its cache served, None where not told.
    """

    logprobs: tuple[float, ...]
    prompt_tokens: int
    cached_tokens: int | None = None


@dataclass(frozen=True, slots=True)
class CarriedWords:
    """Words of the answer that a piece made more likely: their position in its text, and by how many nats."""

    start: int
    end: int
    nats: float


@dataclass(frozen=True, slots=True)
class SentenceInfluence:
    """A sentence inside a piece; `line` is where it begins there, counted from 1."""

    line: int
    text: str
    tokens: int
    nats: float


@dataclass(frozen=True, slots=True)
class PieceInfluence:
    """The influence of one piece on the answer.

    Attributes:
        id: the row's id; members: segments that were left out together, copies of the same text among them.
        kind, name, layer, tokens: as the request has it; first_turn, last_turn: of an exchange.
        nats: how much less likely the whole answer is without it; None where that cannot be scored.
        lost: by asking: the share of the answer's facts and words that is gone without it.
        carried: words of the answer, the strongest first; nats that none of them has belong to all others.
        sentences: the strongest sentences; more_sentences, more_tokens, more_nats: all others together.
        grouped: how many pieces were left out together because there were too many to score each.
    """

    id: str
    name: str
    layer: LayerName
    kind: PieceKind
    tokens: int
    members: tuple[str, ...] = ()
    nats: float | None = None
    per_answer_token: float | None = None
    lost: float | None = None
    carried: tuple[CarriedWords, ...] = ()
    sentences: tuple[SentenceInfluence, ...] = ()
    more_sentences: int = 0
    more_tokens: int = 0
    more_nats: float = 0.0
    first_turn: int = 0
    last_turn: int = 0
    grouped: int = 1

    @property
    def weight(self) -> float:
        """The value that pieces are ranked by."""
        return self.nats if self.nats is not None else self.lost or 0.0


@dataclass(frozen=True, slots=True)
class Reliability:
    """Rank correlation of predicted and scored likelihood on masks that the fit has not seen.

    `complete`: every combination of pieces was scored, so there are no more to hold out.
    """

    spearman: float | None = None
    held_out: int = 0
    complete: bool = False

    @property
    def trust(self) -> Trust:
        """The rating of the correlation."""
        least = LEAST_OF_ALL if self.complete else LEAST_HELD_OUT
        if self.spearman is None or self.held_out < least:
            return "too_few"
        return "reliable" if self.spearman >= RELIABLE else "not_reliable"


@dataclass(frozen=True, slots=True)
class CouldGo:
    """The largest piece with next to no influence: leaving it out saves `tokens` in every later request.

    Attributes:
        reread_tokens: what stands after it and is read again once; None where it is not known what is cached.
        saved_usd: what a later request costs less without it; None where no price is known.
    """

    id: str
    tokens: int
    per_answer_token: float
    reread_tokens: int | None = None
    saved_usd: float | None = None


@dataclass(frozen=True, slots=True)
class FinerLook:
    """What scoring so many pieces one by one would cost."""

    pieces: int
    requests: int
    prompt_tokens: int


@dataclass(frozen=True, slots=True)
class Influence:
    """The influence of every piece of a request on its answer, kept with the turn.

    Attributes:
        digest: of the request it is about; with another one it is stale.
        full_logprob: of the whole answer; drift: how far it was off when it was scored again at the end.
        requests, planned: how many were run, of how many.
        prompt_tokens, cached_tokens: of all of them, as the server counted; None where it did not say.
        pieces: the most influential first.
        carried: whether anything in the request carried the answer; otherwise the order of pieces is noise.
        notes: what limits the result, in sentences for the user.
    """

    model: str
    method: InfluenceMethod
    turn: int
    digest: str
    answer_tokens: int
    full_logprob: float | None = None
    drift: float | None = None
    requests: int = 0
    planned: int = 0
    prompt_tokens: int = 0
    cached_tokens: int | None = None
    pieces: tuple[PieceInfluence, ...] = ()
    reliability: Reliability = Reliability()
    carried: bool = True
    could_go: CouldGo | None = None
    finer: FinerLook | None = None
    seconds: float = 0.0
    cost_usd: float | None = None
    notes: tuple[str, ...] = ()
    made_utc: str = ""

    @property
    def complete(self) -> bool:
        """Whether all planned requests were run."""
        return self.requests >= self.planned

    @property
    def drift_per_token(self) -> float | None:
        """The drift in the unit of the pieces' influence: per token of the answer, or the share lost."""
        if self.drift is None or self.method == "asking":
            return self.drift
        return self.drift / max(1, self.answer_tokens)

    @property
    def cached_share(self) -> float | None:
        """The share of all requests' tokens that was read from a cache, as measured."""
        if self.cached_tokens is None or not self.prompt_tokens:
            return None
        return self.cached_tokens / self.prompt_tokens
