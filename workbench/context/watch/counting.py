"""Counts of watched requests: what was counted when they were understood is what every view adds up."""

from __future__ import annotations

from collections.abc import Sequence

from workbench.domain.change import Built
from workbench.domain.envelope import WireMessage
from workbench.domain.segment import Segment
from workbench.domain.tool import ToolDefinition


class KeptCounter:
    """Prices the segments of a kept request by what is kept with them → TokenCounter."""

    spread: float | None = None
    ratio: float | None = None
    reply_cost = 0
    additive = True
    settled = True

    def __init__(self, built: Built) -> None:
        self.exact = built.envelope.exact
        self._tokens = {
            (segment.id, segment.digest): tokens
            for layer in built.envelope.layers
            for segment, tokens in zip(layer.segments, layer.tokens, strict=True)
        }
        self._tools = {key: tokens for (key, _), tokens in self._tokens.items() if key.startswith("tool:")}

    def knows(self, messages: Sequence[WireMessage]) -> bool:
        return True

    def costs(self, message: WireMessage) -> tuple[int, ...]:
        return tuple(map(self._cost, message.segments))

    def tool_tokens(self, tool: ToolDefinition) -> int:
        return self._tools.get(f"tool:{tool.name}", 0)

    def total(self, raw: int) -> int:
        return raw

    def common_cost(self, left: WireMessage, right: WireMessage) -> int:
        """Whole segments only: where within one a difference stands, nobody has counted."""
        shared = 0
        for one, other in zip(left.segments, right.segments, strict=False):
            if one.digest != other.digest:
                break
            shared += self._cost(other)
        return shared

    def _cost(self, segment: Segment) -> int:
        return self._tokens.get((segment.id, segment.digest), 0)
