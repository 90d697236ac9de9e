"""What a provider's cache will do with the next request, and what it did."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Verdict = Literal[
    "as_predicted", "more", "less", "expired", "elsewhere", "below_minimum", "lookback_exceeded", "our_change",
    "not_reported", "distrusted",
]  # fmt: skip
"""What became of a forecast; `less`: a little was missing, `elsewhere`: it was evicted, or another machine answered,
`distrusted`: more was reported than the whole request."""

Limit = Literal["cold", "below_minimum", "lookback_exceeded"]


@dataclass(frozen=True, slots=True)
class ProviderSays:
    """Why its cache could not go on from the request before, as the provider itself says.

    Attributes:
        reason: in its own word ("tools_changed"); "unchanged" where it compared the two and found no difference,
            "pending" where it had not compared them yet.
        missed_tokens: about how many tokens could have been read else; None where it does not say.
    """

    reason: str
    missed_tokens: int | None = None


@dataclass(frozen=True, slots=True)
class CacheForecast:
    """What a cache will do with a request: its tokens are read from it, written to it, or neither.

    Attributes:
        fresh_tokens: what the cache neither serves nor will hold.
        price_usd: what the request alone costs so; None where no price is known.
        warm_s: for how many seconds more the cache holds the request before; None where nobody can say.
        limit: why it serves less than the two requests have in common; None where it does not.
        exact: whether the server itself counted, and everything is known that it has read.
        step_tokens: what is served comes in multiples of this.
        observed: whether it goes by what was seen of the cache so far, because nobody knows its rules.
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
    """A request as the model's own server counts it, and how much of it that server still has.

    `ends` are the places in the rendered prompt, in characters, at which each token ends; `prompt` is that prompt.
    `cached_tokens` is None where nobody can say; `sure` is whether everything is known that the server has read.
    What it serves comes in whole steps of `step_tokens`.
    """

    prompt: str
    ends: tuple[int, ...]
    cached_tokens: int | None
    sure: bool = True
    step_tokens: int = 1

    def served(self, shared_tokens: int) -> int:
        """What it would serve of so many tokens that it holds; the last one of a prompt is always read again."""
        most = min(shared_tokens, self.prompt_tokens - 1)
        return max(0, most // self.step_tokens * self.step_tokens)

    @property
    def prompt_tokens(self) -> int:
        return len(self.ends)


@dataclass(frozen=True, slots=True)
class ChatFraming:
    """How a chat template writes messages, where it writes each of them alone.

    Attributes:
        heads, tails: what stands before and after a message's text, by role.
        opening: what stands before the first message; reply: what opens the answer.
        control_tokens: texts that the model reads as control tokens and that must not come from content.
        default_system: what the template puts before a chat that does not begin with a system message.
    """

    heads: tuple[tuple[str, str], ...]
    tails: tuple[tuple[str, str], ...]
    opening: str
    reply: str
    control_tokens: tuple[str, ...] = ()
    default_system: str = ""
