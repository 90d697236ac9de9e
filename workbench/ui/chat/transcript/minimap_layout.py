"""What the minimap shows: a tick per message with what becomes of it in the next request, and where each tick lies."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from operator import attrgetter
from typing import Literal, NamedTuple

from workbench.domain.shown.envelope_view import LayerRow, SegmentRow
from workbench.ui.chat.messages.feed import Answer, Item, Note, Question
from workbench.ui.chat.messages.tool_line import record_text
from workbench.ui.chat.standing import InRequest

Fate = Literal["cached", "sent", "trimmed", "recalled", "out"]
"""What becomes of a message in the next request; recalled: trimmed, and quoted in full for the question."""
FATES: tuple[Fate, ...] = ("cached", "sent", "trimmed", "recalled", "out")
_TELLING: tuple[Fate, ...] = ("recalled", "out", "trimmed", "sent", "cached")
"""Which fate is shown where one pixel stands for several: the rarest first."""
LEAST, GAP, PAD = 3.0, 1.0, 6.0
LINE_PX = 3.0
"""No line of a message is higher, so that short chats aren't stretched."""
LINE_CHARS = 80


@dataclass(frozen=True, slots=True)
class Tick:
    """One message.

    `row` is the row of the request that holds it: a whole turn, or all that one rule cut. It is compared by its
    tokens alone, the item not at all: neither changes what is painted.
    """

    key: str
    user: bool
    lines: int
    fate: Fate
    pinned: bool
    turn: int
    tokens: int | None
    item: Question | Answer | Note = field(compare=False)


def ticks_of(items: Iterable[Item], history: LayerRow | None) -> tuple[Tick, ...]:
    """The ticks of all messages, in order; `history` has their rows in the next request."""
    rows = {member: row for row in (history.rows if history is not None else ()) for member in row.members}
    ticks: list[Tick] = []
    turn = 0
    for item in items:
        if user := isinstance(item, Question):
            turn = item.turn or turn
        elif isinstance(item, Answer):
            turn = turn if item.turn is None else item.turn.number
        elif not isinstance(item, Note):
            continue
        text, key, standing = record_text(item.record), item.key, item.standing
        row = rows.get(key)
        lines = len(text) // LINE_CHARS + text.count("\n") + 1
        fate, tokens = _fate(standing, row), _tokens(standing, row)
        ticks.append(Tick(key, user, lines, fate, standing.pinned, turn, tokens, item))
    return tuple(ticks)


def _fate(standing: InRequest, row: SegmentRow | None) -> Fate:
    if standing.recalled_for:
        return "recalled"
    if standing.place == "excluded" or (row is not None and row.state in ("excluded", "dropped")):
        return "out"
    if standing.place == "trimmed":
        return "trimmed"
    return "cached" if row is not None and row.cache == "hit" else "sent"


def _tokens(standing: InRequest, row: SegmentRow | None) -> int | None:
    """Tokens of its quote, or of its turn in the request; None where its row holds other turns as well."""
    if standing.recalled_for:
        return standing.recalled_tokens
    return row.tokens if row is not None and row.first_turn == row.last_turn else None


class Block(NamedTuple):
    """Neighbouring ticks painted as one; usually it is only one."""

    first: int
    size: int
    top: float
    height: float
    fate: Fate
    user: bool
    pinned: bool


def lay_out(ticks: Sequence[Tick], height: float) -> tuple[Block, ...]:
    """Where the ticks lie: each as high as its message is long, together at most as high as the strip.

    Where there are more messages than pixels, neighbours of one fate are painted as one.
    """
    slots = max(1, int((height - 2 * PAD) // (LEAST + GAP)))
    groups = _groups(ticks, slots)
    lines = [sum(ticks[place].lines for place in range(first, first + size)) for first, size in groups]
    room = height - 2 * PAD - GAP * len(groups)
    scale = _scale(lines, room)
    top, blocks = PAD, list[Block]()
    for (first, size), long in zip(groups, lines, strict=True):
        some, high = ticks[first : first + size], max(LEAST, long * scale)
        fates = {tick.fate for tick in some}
        fate = next(one for one in _TELLING if one in fates)
        user, pinned = all(tick.user for tick in some), any(tick.pinned for tick in some)
        blocks.append(Block(first, size, top, high, fate, user, pinned))
        top += high + GAP
    return tuple(blocks)


def _groups(ticks: Sequence[Tick], slots: int) -> list[tuple[int, int]]:
    """Begin and length of each group: as few neighbours of one fate in each as the slots allow, else of any fate."""
    runs = [len(list(same)) for _, same in groupby(ticks, key=attrgetter("fate", "pinned"))]
    sizes = (1 << power for power in range(len(ticks).bit_length() + 1))
    most = next((size for size in sizes if sum(-(-run // size) for run in runs) <= slots), 0)
    if not most:
        runs, most = [len(ticks)], -(-len(ticks) // slots)
    groups, first = list[tuple[int, int]](), 0
    for run in runs:
        groups.extend((first + place, min(most, run - place)) for place in range(0, run, most))
        first += run
    return groups


def _scale(lines: Sequence[int], room: float) -> float:
    """Pixels per line: as many as fit, where the shortest are as high as the least."""
    left = sum(lines)
    for place, long in enumerate(sorted(lines)):
        scale = (room - place * LEAST) / left
        if long * scale >= LEAST:  # and so are all that are longer
            return min(LINE_PX, scale)
        left -= long
    return 0.0


def block_of(blocks: Sequence[Block], place: int) -> Block:
    """The block that a message is painted in."""
    return next((block for block in blocks if place < block.first + block.size), blocks[-1])


def y_of(blocks: Sequence[Block], place: int, share: float) -> float:
    """Where a part of a message is painted."""
    block = block_of(blocks, place)
    return block.top + block.height * min(1.0, (place - block.first + share) / block.size)


def place_at(blocks: Sequence[Block], y: float) -> tuple[int, float]:
    """The message painted at a height, and which part of it."""
    block = next((one for one in blocks if y < one.top + one.height + GAP), blocks[-1])
    part = min(1.0, max(0.0, (y - block.top) / block.height)) * block.size
    within = min(int(part), block.size - 1)
    return block.first + within, part - within
