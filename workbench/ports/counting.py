"""How requests are counted."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from workbench.domain.envelope import WireMessage
from workbench.domain.tool import ToolDefinition


class Tokenizer(Protocol):
    """Counts the tokens of plain text, as one family of models does."""

    @property
    def name(self) -> str:
        """The encoding's name."""

    def count(self, text: str) -> int:
        """How many tokens the text is."""

    def common_prefix(self, left: str, right: str) -> int:
        """How many tokens both texts start with."""


class TokenCounter(Protocol):
    """Prices a request.

    Costs are raw and add up; `total` turns their sum into tokens, which for the `rfc` estimate adds its safety
    margin once, over all messages.
    """

    @property
    def exact(self) -> bool:
        """Whether plain messages are counted exactly as the provider does, including framing."""

    @property
    def spread(self) -> float | None:
        """The relative error that nine in ten of its estimates stay within; None where it is exact or unknown."""

    @property
    def ratio(self) -> float | None:
        """The factor applied to raw counts, learnt from reports; None where none can be."""

    @property
    def reply_cost(self) -> int:
        """What opening the answer costs at the end of every request."""

    @property
    def additive(self) -> bool:
        """Whether raw costs are tokens already, so that `total` changes nothing."""

    @property
    def settled(self) -> bool:
        """Whether a cost never changes once given; otherwise it may be an estimate until its text was counted."""

    def knows(self, messages: Sequence[WireMessage]) -> bool:
        """Tells whether the costs of these messages, a whole request, are final."""

    def costs(self, message: WireMessage) -> tuple[int, ...]:
        """The raw cost of each segment of a message, its framing shared among them."""

    def all_costs(self, messages: Sequence[WireMessage]) -> list[tuple[int, ...]]:
        """Returns the raw costs of each segment of many messages."""

    def sums(self, messages: Sequence[WireMessage]) -> list[int]:
        """The raw cost of each of many messages."""

    def raw_cost(self, messages: Sequence[WireMessage]) -> int:
        """The raw cost of many messages together, without opening the answer."""

    def known_costs(self, message: WireMessage) -> tuple[int, ...] | None:
        """Returns the remembered costs of a message; None where there are none."""

    def count_ahead(self, messages: Sequence[WireMessage]) -> None:
        """Counts messages together in advance, where that is faster."""

    def tool_tokens(self, tool: ToolDefinition) -> int:
        """What announcing a tool costs, in tokens."""

    def total(self, raw: int) -> int:
        """Tokens for a sum of raw costs; monotonic."""

    def common_cost(self, left: WireMessage, right: WireMessage) -> int:
        """The raw cost of what two differing messages have in common at their start."""
