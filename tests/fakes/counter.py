"""A counter that needs no tokenizer: a character is a token, and a message costs one more."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import takewhile

from workbench.context.count.counting import CountsOneByOne
from workbench.domain.envelope import WireMessage
from workbench.domain.segment import Segment
from workbench.domain.tool import ToolDefinition


class LetterCounter(CountsOneByOne):
    """Prices by characters; framing is one token, which goes to a message's first segment."""

    exact = False
    additive = True
    settled = True
    spread: float | None = None
    ratio: float | None = None
    reply_cost = 0

    def costs(self, message: WireMessage) -> tuple[int, ...]:
        """Characters of each segment, its native parts included."""
        first, *others = (self._segment(segment) for segment in message.segments)
        return (first + 1, *others)

    def knows(self, messages: Sequence[WireMessage]) -> bool:
        """There is nothing to learn."""
        return True

    def tool_tokens(self, tool: ToolDefinition) -> int:
        """The definition's characters."""
        return len(tool.name + tool.description + tool.schema_json)

    def total(self, raw: int) -> int:
        """Characters are tokens."""
        return raw

    def common_cost(self, left: WireMessage, right: WireMessage) -> int:
        """The framing, and the characters both start with."""
        if left.role != right.role:
            return 0
        pairs = zip(left.content, right.content, strict=False)
        return 1 + sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))

    @staticmethod
    def _segment(segment: Segment) -> int:
        calls = sum(len(call.name + call.arguments) for call in segment.tool_calls)
        return len(segment.lead + segment.text) + calls
