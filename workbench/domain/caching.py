"""Provider caches: their rules, forecasts for the next request, and measurements."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from workbench.domain.reading.constraints import Count, Date, Name, Positive
from workbench.domain.request import RequestMessage

Verdict = Literal[
    "as_predicted", "more", "less", "expired", "elsewhere", "below_minimum", "lookback_exceeded", "our_change",
    "not_reported", "distrusted",
]  # fmt: skip
"""What became of a forecast; `less`: a little was missing, `elsewhere`: it was evicted, or another machine answered,
`distrusted`: more was reported than the whole request."""

Limit = Literal["cold", "below_minimum", "lookback_exceeded"]


@dataclass(frozen=True, slots=True)
class ProviderSays:
    """The provider's own account of why its cache could not continue from the previous request.

    Attributes:
        reason: in its own word ("tools_changed"); "unchanged" where it compared the two and found no difference,
            "pending" where it had not compared them yet.
        missed_tokens: about how many tokens could have been read else; None where it does not say.
    """

    reason: str
    missed_tokens: int | None = None


@dataclass(frozen=True, slots=True)
class CacheForecast:
    """What a cache will do with a request: how many tokens are read from it, written to it, or neither.

    Attributes:
        fresh_tokens: what the cache neither serves nor will hold.
        price_usd: what the request alone costs so; None where no price is known.
        warm_s: for how many more seconds the cache holds the previous request; None where that is unknown.
        limit: why it serves less than the two requests have in common; None where it does not.
        exact: whether the server itself counted, and everything is known that it has read.
        step_tokens: what is served comes in multiples of this.
        observed: whether it is based on observations of the cache, because its rules are unknown.
    """

    provider: str
    predicted_read_tokens: int
    predicted_write_tokens: int
    fresh_tokens: int = 0
    price_usd: float | None = None
    warm_s: float | None = None
    limit: Limit | None = None
    exact: bool = False
    step_tokens: int = 1
    observed: bool = False


@dataclass(frozen=True, slots=True)
class Measurement:
    """A request as the model's own server counts it, and how much of it that server has cached.

    `ends` are the places in the rendered prompt, in characters, at which each token ends; `prompt` is that prompt.
    `cached_tokens` is None where that is unknown; `sure`: everything that the server has read is known.
    It serves multiples of `step_tokens`.
    """

    prompt: str
    ends: tuple[int, ...]
    cached_tokens: int | None
    sure: bool = True
    step_tokens: int = 1

    def served(self, shared_tokens: int) -> int:
        """Tokens it would serve of a held prefix; the last token of a prompt is always read again."""
        most = min(shared_tokens, self.prompt_tokens - 1)
        return max(0, most // self.step_tokens * self.step_tokens)

    @property
    def prompt_tokens(self) -> int:
        return len(self.ends)


@dataclass(frozen=True, slots=True)
class ChatFraming:
    """How a chat template writes messages, where it writes each of them alone.

    Attributes:
        heads, tails: the text before and after a message's text, by role.
        opening: the text before the first message; reply: the text that opens the answer.
        control_tokens: texts that the model reads as control tokens and that must not come from content.
        default_system: what the template puts before a chat that does not begin with a system message.
    """

    heads: tuple[tuple[str, str], ...]
    tails: tuple[tuple[str, str], ...]
    opening: str
    reply: str
    control_tokens: tuple[str, ...] = ()
    default_system: str = ""


@dataclass(frozen=True, slots=True)
class KeptWarm:
    """What it costs to keep a chat's cache warm, what that saves, and how far it is.

    Attributes:
        tokens: what would have to be read again. reread_usd: what that costs more; refresh_usd: what each time costs.
        most: how often in a row it is done: as long as it pays, and no more than the settings say. done: how often it
            was. on: whether somebody wants it.
        until_utc: when the cache forgets it; kept_until_utc: when it would at the latest, with all times.
    """

    tokens: int
    refresh_usd: float
    reread_usd: float
    most: int
    until_utc: str
    kept_until_utc: str = ""
    done: int = 0
    on: bool = False

    @property
    def pays(self) -> bool:
        """Whether keeping it warm once more costs less than reading it again."""
        return self.done < self.most and self.refresh_usd < self.reread_usd


# Where in a request a provider is told to keep what stands before: the ends of its stable parts.


Mark = tuple[int, int]
"""A message's index in the request, and the number of characters of its text before the mark."""


def stable_marks(messages: Sequence[RequestMessage]) -> tuple[Mark, ...]:
    """The marks that messages carry, in order."""
    return tuple((place, mark) for place, one in enumerate(messages) for mark in sorted(one.cache_marks))


def marks_off_answers(messages: Sequence[RequestMessage]) -> tuple[Mark, ...]:
    """The marks where an answer cannot carry one: the message before it does; none on the newest message.

    The provider adds a mark to the newest message itself.
    """
    moved = (_off_answer(messages, mark) for mark in stable_marks(messages))
    return tuple(dict.fromkeys((at, end) for at, end in moved if end and at < len(messages) - 1))


def _off_answer(messages: Sequence[RequestMessage], mark: Mark) -> Mark:
    place, end = mark
    while place >= 0 and messages[place].role == "assistant":
        place -= 1
        end = len(messages[place].text) if place >= 0 else 0
    return place, end


# The published or measured rules of one provider's prompt cache, as dated data.


Match = Literal["prefix", "breakpoints", "units"]
"""How a cache finds what it holds: any common beginning, one that ends at a written mark, or whole kept units."""

OBSERVED = "observed"
"""Id of rules that are only what was seen so far."""


@dataclass(frozen=True, slots=True)
class CacheRules:
    """The rules by which a cache treats requests.

    Attributes:
        minimum_tokens: shorter beginnings are not held. step_tokens: what is served comes in multiples of this.
        lifetime_s: for how many seconds it holds an unused prefix, at least; None where that is unknown.
        keeps_answers: whether it holds what the model answered, too.
        newest_only: whether each request takes the place of the one before.
        rereads: whether at least one token of a request is always processed again.
        most_marks: of `breakpoints`: how many a request may write. lookback: how many blocks before a mark are looked
            through for an older one; 0 where that has no limit. marks_newest: whether the provider itself marks the
            newest message, as one of them; an answer cannot carry one there.
        pictures_apart: whether pictures that come or go leave nothing of the messages in the cache.
        renewed: whether every use makes the lifetime begin again.
        as_of: the ISO date on which this was true; source: where it was read or measured.
    """

    id: Name
    match: Match
    as_of: Date
    source: Name
    minimum_tokens: Count = 1
    step_tokens: Positive = 1
    lifetime_s: Count | None = None
    keeps_answers: bool = False
    newest_only: bool = False
    rereads: bool = False
    most_marks: Count = 4
    lookback: Count = 0
    marks_newest: bool = False
    pictures_apart: bool = False
    renewed: bool = False

    @property
    def observed(self) -> bool:
        """Whether the rules were inferred from this model's reports, not published or measured."""
        return self.id == OBSERVED

    def served(self, shared_tokens: int) -> int:
        """Tokens of a common prefix that are served from the cache."""
        if shared_tokens < self.minimum_tokens:
            return 0
        return shared_tokens - shared_tokens % self.step_tokens
