"""Three ways to price a request: the model's own tokenizer, bytes / 3.5 (`rfc`), and characters / 4 (`chars4`)."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Callable, Iterable, MutableMapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import accumulate, pairwise
from operator import itemgetter
from weakref import WeakKeyDictionary

from workbench.context.count.memo import CountMemo, common_tokens, first_safe_cut, is_safe_cut, last_safe_cut
from workbench.context.text.changed_text import common_length
from workbench.domain.envelope import WireMessage
from workbench.domain.memo import common_prefix_length
from workbench.domain.message import Image, ToolCall
from workbench.domain.model import ModelCard, PictureRule
from workbench.domain.segment import Segment
from workbench.domain.tool import ToolDefinition
from workbench.ports.counting import Tokenizer

# What a picture costs, by the rule that its provider publishes; where there is none, an estimate, called so.


# OpenAI's tiles: https://platform.openai.com/docs/guides/images-vision
_TILE, _LONGEST_SIDE, _SHORTER_SIDE = 512, 2048, 768
_PATCH = 32
_UNKNOWN_TOKENS = 765  # one 1024 × 1024 picture in high detail, the usual size of a screenshot
_ESTIMATE = PictureRule("tiles", base_tokens=85, tile_tokens=170)


def pictures_tokens(images: Iterable[Image], rule: PictureRule | None) -> int:
    """What pictures cost together."""
    return sum(picture_tokens(image, rule) for image in images)


def picture_tokens(image: Image, rule: PictureRule | None) -> int:
    """Tokens of a picture: as declared, by the model's rule, or a rough estimate."""
    if image.tokens is not None:
        return image.tokens
    if not (image.width and image.height):
        return _UNKNOWN_TOKENS
    rule = rule or _ESTIMATE
    match rule.rule:
        case "tiles":
            return _by_tiles(image.width, image.height, rule)
        case "patches":
            return _by_patches(image.width, image.height, rule)
        case "pixels":
            return _by_pixels(image.width, image.height, rule)


def is_guess(image: Image, rule: PictureRule | None) -> bool:
    """Whether a picture's tokens are a guess, because its size or the model's rule is unknown."""
    return image.tokens is None and (rule is None or not (image.width and image.height))


def _by_tiles(width: int, height: int, rule: PictureRule) -> int:
    """Shrunk into 2048 × 2048, then until the shorter side is at most 768: a base, and a price for each tile of 512."""
    scale = min(
        Fraction(1),
        Fraction(_LONGEST_SIDE, max(width, height)),
        Fraction(_SHORTER_SIDE, min(width, height)),
    )
    tiles = math.ceil(width * scale / _TILE) * math.ceil(height * scale / _TILE)
    return rule.base_tokens + rule.tile_tokens * max(1, tiles)


def _by_patches(width: int, height: int, rule: PictureRule) -> int:
    """Patches of 32 × 32, shrunk where they are too many, times the model's multiplier, rounded up."""
    patches = math.ceil(width / _PATCH) * math.ceil(height / _PATCH)
    if rule.most_patches and patches > rule.most_patches:
        across, down = _shrunk(width / _PATCH, height / _PATCH, rule.most_patches)
        patches = min(rule.most_patches, across * down)
    return math.ceil(Fraction(patches * rule.multiplier_percent, 100))


def _shrunk(across: float, down: float, most: int) -> tuple[int, int]:
    """Sides in patches, shrunk to at most `most` patches so that one side is a whole number, as OpenAI describes."""
    scale = math.sqrt(most / (across * down))
    scale *= min(max(1, math.floor(side * scale)) / (side * scale) for side in (across, down))
    # A side that is whole may come out as 33.0000000001, which is not 34 patches.
    return max(1, math.ceil(round(across * scale, 6))), max(1, math.ceil(round(down * scale, 6)))


def _by_pixels(width: int, height: int, rule: PictureRule) -> int:
    """One token for so many pixels, rounded up, after shrinking to the longest edge and to the most tokens allowed."""
    scale = min(Fraction(1), Fraction(rule.longest_edge or max(width, height), max(width, height)))
    tokens = math.ceil(width * scale * height * scale / rule.pixels_per_token)
    return min(tokens, rule.most_tokens or tokens)


# Estimates that need no tokenizer. `rfc` errs on the safe side: bytes / 3.5 is above what tokenizers find in most text.

RFC_MESSAGE_TOKENS = 8
RFC_PART_TOKENS = 3
RFC_NATIVE_EXTRA_BYTES = 30  # added to the bytes of a tool call, and to those of a tool result
RFC_IMAGE_TOKENS = 2000


def rfc_text_tokens(byte_count: int) -> int:
    """Estimates the tokens of a text as its bytes / 3.5, rounded up."""
    return _divide_up(2 * byte_count, 7)


def rfc_buffered(raw: int) -> int:
    """A sum of message estimates with the 5 % safety margin, rounded up."""
    return _divide_up(105 * raw, 100)


def rfc_tool_tokens(name: str, description: str, schema_json: str) -> int:
    """A tool definition: its UTF-8 bytes with 20 % for JSON around them, and the overhead of a message."""
    byte_count = sum(len(part.encode("utf-8", "replace")) for part in (name, description, schema_json))
    return rfc_text_tokens(_divide_up(6 * byte_count, 5)) + RFC_MESSAGE_TOKENS


def chars4_tokens(text: str) -> int:
    """Characters / 4, rounded up."""
    return _divide_up(len(text), 4)


def _divide_up(dividend: int, divisor: int) -> int:
    return -(-dividend // divisor)


_CLOSING_TOKENS = 1
_CALL_FRAMING_TOKENS = 8
_STRIPS = 4  # of the last two turns: the history, all of a request, what it shares with the one before
_WORTH_A_STRIP = 64
_AT_ONCE = 512  # texts that are counted in a row: the tokenizer is quicker with nothing else in between
_MANY_SEGMENTS = 8
_TOOL_FRAMING_TOKENS = 8


@dataclass(frozen=True, slots=True)
class _Strip:
    """The costs of messages that were priced together; the next turn's messages begin with most of them."""

    messages: tuple[WireMessage, ...] = ()
    costs: list[tuple[int, ...]] = field(default_factory=list)
    sums: list[int] = field(default_factory=list)
    raw: int = 0


class CountsOneByOne:
    """Mixin for counters that are fast or cache themselves: prices many messages one at a time."""

    @abstractmethod
    def costs(self, message: WireMessage) -> tuple[int, ...]:
        """The raw cost of each segment of a message."""

    def all_costs(self, messages: Sequence[WireMessage]) -> list[tuple[int, ...]]:
        return [*map(self.costs, messages)]

    def sums(self, messages: Sequence[WireMessage]) -> list[int]:
        return [*map(sum, map(self.costs, messages))]

    def raw_cost(self, messages: Sequence[WireMessage]) -> int:
        return sum(map(sum, map(self.costs, messages)))

    def known_costs(self, message: WireMessage) -> tuple[int, ...] | None:
        return None

    def count_ahead(self, messages: Sequence[WireMessage]) -> None:
        """Do nothing: counting ahead would not be faster."""


class TokenizerCounter:
    """Counts with a tokenizer and the framing of OpenAI's chat format.

    Every message costs its framing (start, role, separator, end), which goes to its first segment. A segment is
    priced as what it adds to the message so far, so segments sum to the count of the joined text wherever the cut
    falls, and none changes its price because of what follows it.
    """

    additive = True
    settled = True
    spread: float | None = None
    ratio: float | None = None

    def __init__(self, tokenizer: Tokenizer, card: ModelCard) -> None:
        self._tokenizer = tokenizer if isinstance(tokenizer, CountMemo) else CountMemo(tokenizer)
        self._count = self._tokenizer.count
        self._message_tokens = card.message_tokens
        self._pictures = card.pictures
        self._strips: list[_Strip] = []
        # Weak: a message that nobody has any more, such as for every letter of a draft, takes what it cost along.
        self._known: MutableMapping[WireMessage, tuple[int, ...]] = WeakKeyDictionary()
        self.exact = card.exact
        if not card.exact:
            self.ratio = 1.0
        self.reply_cost = card.reply_tokens

    def costs(self, message: WireMessage) -> tuple[int, ...]:
        """Raw cost of each segment, computed once for each message."""
        known = self._known.get(message)
        if known is None:
            known = self._known[message] = self._count_message(message)
        return known

    def known_costs(self, message: WireMessage) -> tuple[int, ...] | None:
        return self._known.get(message)

    def all_costs(self, messages: Sequence[WireMessage]) -> list[tuple[int, ...]]:
        # Most of them are known: a history of thousands is priced every turn.
        return self._priced_strip(tuple(messages)).costs

    def count_ahead(self, messages: Sequence[WireMessage]) -> None:
        """Count messages that will be asked about, their texts in one go."""
        new = [one for one in messages if one not in self._known]
        for start in range(0, len(new), _AT_ONCE):
            some = new[start : start + _AT_ONCE]
            self._tokenizer.count_all(one.segments[0] for one in some if one.is_one_text)
            self._known.update(zip(some, map(self._count_message, some), strict=True))

    def sums(self, messages: Sequence[WireMessage]) -> list[int]:
        """What each message costs."""
        return [*self._priced_strip(tuple(messages)).sums]

    def raw_cost(self, messages: Sequence[WireMessage]) -> int:
        if len(messages) < _WORTH_A_STRIP:
            return sum(map(sum, map(self.costs, messages)))
        return self._priced_strip(tuple(messages)).raw

    def _priced_strip(self, priced: tuple[WireMessage, ...]) -> _Strip:
        for strip in self._strips:
            if strip.messages == priced:  # without touching any of thousands of messages
                return strip
        known = [(common_prefix_length(one.messages, priced), one) for one in self._strips]
        begun, strip = max(known, key=itemgetter(0), default=(0, _Strip()))
        if len(priced) - begun >= _WORTH_A_STRIP and priced[begun] not in self._known:
            self.count_ahead(priced[begun:])
        # Added, lists have no room to spare, which is an eighth of them: 20 KB of each at 10,000 turns.
        costs = strip.costs[:begun] + [*map(self.costs, priced[begun:])]  # noqa: RUF005
        sums = strip.sums[:begun] + [*map(sum, costs[begun:])]  # noqa: RUF005
        longer = _Strip(priced, costs, sums, sum(sums))
        if len(priced) >= _WORTH_A_STRIP:
            self._strips = [longer, *self._strips][:_STRIPS]
        return longer

    def let_go(self) -> None:
        """Hold no messages any more: a chat was closed, and all of it would stay in memory with their sums."""
        self._strips = []

    def knows(self, messages: Sequence[WireMessage]) -> bool:
        return True

    def tool_tokens(self, tool: ToolDefinition) -> int:
        """An estimate, since providers do not publish how they write tool definitions for the model."""
        parts = (tool.name, tool.description, tool.schema_json)
        return _TOOL_FRAMING_TOKENS + sum(self._count(part) for part in parts)

    def total(self, raw: int) -> int:
        """The raw sum unchanged: exact costs are tokens already."""
        return raw

    def common_cost(self, left: WireMessage, right: WireMessage) -> int:
        """Cost of a common start: the framing, if the roles are equal, and the tokens both contents begin with."""
        if left.role != right.role:
            return 0
        shared = shared_segments(left, right)
        if left.role == "tool":
            return self._common_results(left, right, shared)
        tail = "".join(segment.lead + segment.text for segment in right.segments[:shared])
        known = sum(joined_costs([(s.lead, s.text) for s in right.segments[:shared]], self._count)[0])
        cut = last_safe_cut(tail)
        known -= self._count(tail[cut:]) if cut < len(tail) else 0
        ours, theirs = (_rest(message, shared, tail[cut:]) for message in (left, right))
        opening = self._message_tokens + self._count(left.role) - _CLOSING_TOKENS
        return opening + known + common_tokens(ours, theirs, self._tokenizer)

    def _common_results(self, left: WireMessage, right: WireMessage, shared: int) -> int:
        """Cost of the common start of tool results: those that are equal, then what the next pair starts with."""
        equal = sum(self.costs(right)[:shared])
        if shared == min(len(left.segments), len(right.segments)):
            return equal
        ours, theirs = left.segments[shared].text, right.segments[shared].text
        opening = self._message_tokens + self._count("tool") - _CLOSING_TOKENS
        return equal + opening + common_tokens(ours, theirs, self._tokenizer)

    def _count_message(self, message: WireMessage) -> tuple[int, ...]:
        # Tool results are messages of their own on the wire, whatever they were merged into.
        framing = self._message_tokens + self._count(message.role)
        if message.is_one_text:
            only = message.segments[0]
            return (framing + self._tokenizer.count_segment(only),)
        if message.role == "tool":
            return tuple(framing + self._count(segment.text) for segment in message.segments)
        if len(message.segments) >= _MANY_SEGMENTS:
            self._tokenizer.count_all(filter(_is_lines, message.segments))
        texts, _ = joined_costs([(segment.lead, segment.text) for segment in message.segments], self._count)
        costs = [cost + self._native(segment) for cost, segment in zip(texts, message.segments, strict=True)]
        costs[0] += framing
        return tuple(costs)

    def _native(self, segment: Segment) -> int:
        if not (segment.tool_calls or segment.images):
            return 0
        calls = sum(
            _CALL_FRAMING_TOKENS + self._count(call.name) + self._count(call.arguments)
            for call in segment.tool_calls
        )
        return calls + pictures_tokens(segment.images, self._pictures)


class RfcCounter(CountsOneByOne):
    """A conservative estimate (`rfc`): bytes / 3.5, overheads by kind of part, 5 % on the sum."""

    exact = False
    additive = False
    settled = True
    spread: float | None = None
    ratio: float | None = None
    reply_cost = 0

    def costs(self, message: WireMessage) -> tuple[int, ...]:
        """Raw cost of each segment: a list of parts where the RFC has a list, else one string."""
        segments = message.segments
        if message.role == "tool" or message.merged or any(s.tool_calls or s.images for s in segments):
            costs = [self._parts(segment) for segment in segments]
        else:
            costs = _shares(len((s.lead + s.text).encode()) for s in segments)
        costs[0] += RFC_MESSAGE_TOKENS
        return tuple(costs)

    def knows(self, messages: Sequence[WireMessage]) -> bool:
        return True

    def tool_tokens(self, tool: ToolDefinition) -> int:
        """The definition's bytes with 20 % for JSON, and the overhead of a message."""
        return rfc_tool_tokens(tool.name, tool.description, tool.schema_json)

    def total(self, raw: int) -> int:
        """The sum with the 5 % safety margin, added once."""
        return rfc_buffered(raw)

    def common_cost(self, left: WireMessage, right: WireMessage) -> int:
        """The overhead of a message and its shared bytes."""
        if left.role != right.role:
            return 0
        shared = common_length(left.content, right.content)
        return RFC_MESSAGE_TOKENS + len(left.content[:shared].encode()) * 2 // 7

    def _parts(self, segment: Segment) -> int:
        size = len(segment.text.encode())
        costs: list[int] = []
        if segment.tool_call_id is not None:
            costs.append(rfc_text_tokens(size + RFC_NATIVE_EXTRA_BYTES))
        elif segment.text:
            costs.append(rfc_text_tokens(size))
        costs += [self._call(call) for call in segment.tool_calls]
        costs += [RFC_IMAGE_TOKENS] * len(segment.images)
        return sum(costs) + RFC_PART_TOKENS * len(costs)

    @staticmethod
    def _call(call: ToolCall) -> int:
        size = len(call.name.encode()) + len(call.arguments.encode())
        return rfc_text_tokens(size + RFC_NATIVE_EXTRA_BYTES)


class CharsCounter(CountsOneByOne):
    """Characters / 4, rounded up a segment (`chars4`); pictures by the model's rule."""

    def __init__(self, pictures: PictureRule | None = None) -> None:
        self._pictures = pictures

    exact = False
    additive = True
    settled = True
    spread: float | None = None
    ratio: float | None = None
    reply_cost = 0

    def costs(self, message: WireMessage) -> tuple[int, ...]:
        """Raw cost of each segment, without any framing."""
        return tuple(self._segment(segment) for segment in message.segments)

    def knows(self, messages: Sequence[WireMessage]) -> bool:
        return True

    def tool_tokens(self, tool: ToolDefinition) -> int:
        """The definition's characters / 4."""
        return chars4_tokens(tool.name + tool.description + tool.schema_json)

    def total(self, raw: int) -> int:
        """The raw sum unchanged."""
        return raw

    def common_cost(self, left: WireMessage, right: WireMessage) -> int:
        """The shared characters / 4, rounded down."""
        return common_length(left.content, right.content) // 4 if left.role == right.role else 0

    def _segment(self, segment: Segment) -> int:
        calls = "".join(call.name + call.arguments for call in segment.tool_calls)
        words = chars4_tokens(segment.lead + segment.text + calls)
        return words + pictures_tokens(segment.images, self._pictures)


def joined_costs(
    texts: Sequence[tuple[str, str]], count: Callable[[str], int], open_line: str = ""
) -> tuple[list[int], str]:
    """Tokens that each (lead, text) adds to all before it; exact for any cut, fast where texts meet at a line end.

    `open_line` is the text before them that tokens could still merge with; the same after them is returned.
    """
    costs = []
    for pair in texts:
        cost = 0
        for piece in filter(None, pair):
            added, open_line = _append(open_line, piece, count)
            cost += added
        costs.append(cost)
    return costs, open_line


def _append(open_line: str, piece: str, count: Callable[[str], int]) -> tuple[int, str]:
    """Tokens that a piece adds, and the end of it that the next piece could still merge with."""
    if not open_line or is_safe_cut(open_line, piece):
        return count(piece), piece[last_safe_cut(piece) :]
    cut = first_safe_cut(piece)
    head, rest = piece[:cut], piece[cut:]
    added = count(open_line + head) - count(open_line)
    if not rest:
        return added, open_line + head
    return added + count(rest), rest[last_safe_cut(rest) :]


def _shares(sizes: Iterable[int]) -> list[int]:
    """Split the tokens of one string among its pieces, so that they sum to the tokens of the whole."""
    totals = [0, *(rfc_text_tokens(size) for size in accumulate(sizes))]
    return [after - before for before, after in pairwise(totals)]


def shared_segments(left: WireMessage, right: WireMessage) -> int:
    """How many leading segments two messages have in common."""
    pairs = zip(left.segments, right.segments, strict=False)
    for index, (one, other) in enumerate(pairs):
        if (one.lead, one.text) != (other.lead, other.text):
            return index
    return min(len(left.segments), len(right.segments))


def _is_lines(segment: Segment) -> bool:
    """Whether a segment is nothing but whole lines, as artifacts and references are: these are counted apart."""
    native = segment.tool_calls or segment.tool_call_id or segment.images
    return segment.text.endswith("\n") and not native


def _rest(message: WireMessage, shared: int, tail: str) -> str:
    return tail + "".join(segment.lead + segment.text for segment in message.segments[shared:])
