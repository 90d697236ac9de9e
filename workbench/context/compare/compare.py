"""Two consecutive requests: identical, extended, shrunk or diverged, and what they share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from workbench.context.assembly.render import tool_segments
from workbench.context.compare.causes import find_causes
from workbench.context.count.measure import raw_cost
from workbench.domain.change import Built, Change, Divergence, PrefixChange
from workbench.domain.envelope import WireMessage
from workbench.domain.segment import Segment
from workbench.ports.counting import TokenCounter


@dataclass(frozen=True, slots=True)
class Shared:
    """What two requests have in common at their beginning, in tokens.

    `whole` is whether that is every message of the earlier one, to its end.
    """

    tokens: int
    change: Change = "diverged"
    index: int = 0
    same_tools: bool = True
    whole: bool = False

    @property
    def extends(self) -> bool:
        """Whether the later one has everything that the earlier one had; its last message may have become longer."""
        return self.change in ("identical", "extended")


def shared_beginning(previous: Built, current: Built, counter: TokenCounter) -> Shared:
    """How far two requests are the same, in wire order: tools, then messages."""
    if previous.inputs.settings.model != current.inputs.settings.model:
        return Shared(0)
    same = _shared_tools(previous, current)
    tools = _tool_tokens(current, same, counter)
    if max(len(previous.inputs.settings.tools), len(current.inputs.settings.tools)) > same:
        return Shared(tools, index=same, same_tools=False)
    before, after = previous.envelope.messages, current.envelope.messages
    index = _shared_messages(before, after)
    reused = tools + counter.total(_shared_cost(before, after, index, counter))
    return Shared(reused, _classify(before, after, index), index, whole=index == len(before))


def compare(previous: Built | None, current: Built, counter: TokenCounter) -> PrefixChange:
    """Classify the step from one request to the next, in wire order: tools, then messages."""
    if previous is None:
        return PrefixChange()
    if previous.inputs.settings.model != current.inputs.settings.model:
        return _diverged(previous, current, _first_segment(current), 0)
    shared = shared_beginning(previous, current, counter)
    if not shared.same_tools:
        return _diverged(previous, current, _tool_at(current, shared.index), shared.tokens)
    if shared.extends:
        return PrefixChange(shared.change, reused_tokens=shared.tokens)
    if shared.change == "shrunk":
        return PrefixChange(shared.change, None, find_causes(previous, current), shared.tokens)
    before, after = previous.envelope.messages[shared.index], current.envelope.messages[shared.index]
    return _diverged(previous, current, _first_difference(before, after), shared.tokens)


def _diverged(previous: Built, current: Built, where: Segment | None, tokens: int) -> PrefixChange:
    at = None if where is None else Divergence(where.layer, where.id, tokens)
    return PrefixChange("diverged", at, find_causes(previous, current), tokens)


def _classify(before: Sequence[WireMessage], after: Sequence[WireMessage], index: int) -> Change:
    if index == len(before) == len(after):
        return "identical"
    if index == len(before):
        return "extended"
    if index == len(after):
        return "shrunk"
    grew = index == len(before) - 1 and before[index].role == after[index].role
    return "extended" if grew and _continues(before[index], after[index]) else "diverged"


def _continues(before: WireMessage, after: WireMessage) -> bool:
    native = any(s.tool_calls or s.images for s in before.segments)
    return not native and before.role != "tool" and after.content.startswith(before.content)


def _shared_messages(before: Sequence[WireMessage], after: Sequence[WireMessage]) -> int:
    # Long histories are the same objects but for the last: to see that takes no loop.
    same = max(0, min(len(before), len(after)) - 1)
    start = same if before[:same] == after[:same] else 0
    for index, (old, new) in enumerate(zip(before[start:], after[start:], strict=False), start):
        if old is not new and not _equal(old, new):
            return index
    return min(len(before), len(after))


def _equal(old: WireMessage, new: WireMessage) -> bool:
    return old.role == new.role and _native(old) == _native(new) and old.content == new.content


def _native(message: WireMessage) -> list[object]:
    return [
        (s.tool_calls, s.tool_call_id, s.images, s.text if s.tool_call_id else None)
        for s in message.segments
        if s.tool_calls or s.tool_call_id or s.images
    ]


def _shared_cost(
    before: Sequence[WireMessage], after: Sequence[WireMessage], index: int, counter: TokenCounter
) -> int:
    """The raw cost of the common messages, and of what the first differing pair starts with."""
    # The system message is made anew every turn; what follows it is what the last comparison began with.
    raw = raw_cost(after[: min(index, 1)], counter) + raw_cost(after[1:index], counter)
    if index < len(before) and index < len(after):
        return raw + counter.common_cost(before[index], after[index])
    # A request ends by opening an answer; that opening is shared where the other goes on with one, or ends too.
    longer = max(before, after, key=len)
    follows = longer[index].role if index < len(longer) else "assistant"
    # A request without messages opens nothing.
    return raw + (counter.reply_cost if index and follows == "assistant" else 0)


def _first_difference(old: WireMessage, new: WireMessage) -> Segment:
    for one, other in zip(old.segments, new.segments, strict=False):
        if (one.lead, one.text) != (other.lead, other.text) or one.digest != other.digest:
            return other
    # One of them ends here: what the other goes on with is what makes the difference.
    longer = max(old, new, key=lambda message: len(message.segments))
    return longer.segments[min(len(old.segments), len(new.segments), len(longer.segments) - 1)]


def _first_segment(built: Built) -> Segment | None:
    return next(
        (segment for layer in built.envelope.layers for segment in layer.segments if segment.sent), None
    )


def _shared_tools(previous: Built, current: Built) -> int:
    pairs = zip(previous.inputs.settings.tools, current.inputs.settings.tools, strict=False)
    return next((i for i, (old, new) in enumerate(pairs) if old != new), _fewer_tools(previous, current))


def _fewer_tools(previous: Built, current: Built) -> int:
    return min(len(previous.inputs.settings.tools), len(current.inputs.settings.tools))


def _tool_tokens(built: Built, number: int, counter: TokenCounter) -> int:
    return sum(counter.tool_tokens(tool) for tool in built.inputs.settings.tools[:number])


def _tool_at(built: Built, index: int) -> Segment | None:
    """The first tool that differs, or what now stands where removed ones stood."""
    tools = tool_segments(built.inputs.settings.tools[index : index + 1])
    if tools:
        return tools[0]
    return next((s for message in built.envelope.messages for s in message.segments), None)
