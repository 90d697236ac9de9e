"""What a provider's cache will do with the next request, and what it did."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Verdict = Literal[
    "as_predicted", "expired", "below_minimum", "lookback_exceeded", "our_change", "not_reported"
]


@dataclass(frozen=True, slots=True)
class CacheForecast:
    """How much of a request a cache will serve, and how much will be written to it."""

    provider: str
    predicted_read_tokens: int
    predicted_write_tokens: int


@dataclass(frozen=True, slots=True)
class Measurement:
    """A request as the model's own server counts it, and how much of it that server still has.

    `ends` are the places in the rendered prompt, in characters, at which each token ends; `prompt` is that prompt.
    """

    prompt: str
    ends: tuple[int, ...]
    cached_tokens: int

    @property
    def prompt_tokens(self) -> int:
        """How many tokens the request is."""
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
