"""Where cards lie: beside what they explain, over none of it, on as few pages as there is room for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple

from PySide6.QtCore import QMargins, QPoint, QRect, QSize

EDGE = 12
"""What stays free between a card and the window's edge."""
REACH = 28
"""Between a card and its hole, for the line between them."""
APART = 10
"""Between a card and anything else that is explained."""
OVERLAP = 26
"""So much of a card's side is level with its hole, so that the line between them is straight."""
STEP, FURTHER, FURTHEST = 24, 32, 480
"""How finely places are tried beside a hole, and how far from it."""
FAR = 160
"""Only cards that are further away than this are worth another place for the bar."""
CROWDED = 48
"""So near to the bar, what stands beside a hole is covered by it."""
MOST_ON_A_PAGE = 4
DISC = 22

Side = Literal["left", "right", "above", "below"]


class Wanted(NamedTuple):
    """What is explained, in the window's own coordinates, and how large its card is."""

    hole: QRect
    card: QSize


class PlacedCard(NamedTuple):
    """A card in its place, which is the `number`th of all.

    `line` goes from the card to its hole, None where it lies elsewhere; `disc` is the middle of the number beside it;
    `cost` says how far it is from the best place.
    """

    number: int
    hole: QRect
    card: QRect
    disc: QPoint
    line: tuple[QPoint, QPoint] | None = None
    cost: int = 0


class CardPage(NamedTuple):
    """Cards that are seen together, and the place of the bar with the keys."""

    bar: QRect
    cards: tuple[PlacedCard, ...]


def lay_out(room: QRect, wanted: Sequence[Wanted], bar: QSize) -> tuple[CardPage, ...]:
    """All cards in their order; one that finds no place beside the others begins a new page."""
    pages: list[CardPage] = []
    coming = [
        _Beside(room, number, one, _candidates(_grown(room, -EDGE), one)) for number, one in enumerate(wanted)
    ]
    while coming:
        page = _fullest(coming[:MOST_ON_A_PAGE], _bar_places(room, bar))
        if not page.cards:
            page = CardPage(*_alone(coming[0], bar))
        pages.append(page)
        coming = coming[len(page.cards) :]
    return tuple(pages) or (CardPage(_bar_places(room, bar)[0], ()),)


def _fullest(coming: Sequence[_Beside], bars: Sequence[QRect]) -> CardPage:
    """A page with as many cards as can be together, near what they explain; else the bar's first place is its best."""
    pages = [_filled(coming, bar) for bar in bars]
    return min(
        pages,
        key=lambda page: (-len(page.cards), sum(one.cost for one in page.cards) // FAR + _crowded(page)),
    )


def _crowded(page: CardPage) -> int:
    """How many holes the bar is so near to that it covers what belongs to them."""
    around = _grown(page.bar, CROWDED)
    return sum(one.hole.intersects(around) for one in page.cards)


def _filled(coming: Sequence[_Beside], bar: QRect) -> CardPage:
    page = CardPage(bar, ())
    for one in coming:
        placed = one.placed(page)
        if placed is None:
            break
        page = CardPage(bar, (*page.cards, placed))
    return page


def _bar_places(room: QRect, bar: QSize) -> list[QRect]:
    """At the bottom or the top; at the right first, where the inspector is."""
    left, right = room.left() + EDGE, room.right() + 1 - EDGE - bar.width()
    middle = room.center().x() - bar.width() // 2
    bottom, top = room.bottom() + 1 - EDGE - bar.height(), room.top() + EDGE
    return [QRect(QPoint(x, y), bar) for y in (bottom, top) for x in (right, left, middle)]


class _Beside(NamedTuple):
    """A card that looks for its place: everywhere beside its hole, the best first."""

    room: QRect
    number: int
    wanted: Wanted
    places: Sequence[tuple[int, Side, int, int]]

    def placed(self, page: CardPage) -> PlacedCard | None:
        """The best free place; None where the hole itself, or every such place, is taken."""
        hole = self.wanted.hole
        covers = [page.bar, *(one.card for one in page.cards)]
        others = [one.hole for one in page.cards]
        if any(hole.intersects(one) for one in (*(_grown(one, APART) for one in covers), *others)):
            return None
        lines = [_as_rect(one.line) for one in page.cards if one.line is not None]
        taken = [*(_grown(one, APART) for one in (*covers, *others)), *lines]
        for cost, side, x, y in self.places:
            card = QRect(QPoint(x, y), self.wanted.card)
            if any(card.intersects(one) for one in taken):
                continue
            line = _line(side, card, hole)
            way = _as_rect(line)
            if not any(way.intersects(one) for one in (*covers, *others)):
                return PlacedCard(self.number, hole, card, _disc(side, hole, line, self.room), line, cost)
        return None


def _candidates(inner: QRect, wanted: Wanted) -> list[tuple[int, Side, int, int]]:
    """Corners of places beside a hole, the best first: near it, and level with its middle. In numbers, since many."""
    hole, size = wanted.hole, wanted.card
    # Beside a small hole stands what belongs to it: its card rather lies over or under it.
    small = hole.width() < size.width() and hole.height() < size.height()
    middle_x, middle_y = hole.center().x() - size.width() // 2, hole.center().y() - size.height() // 2
    xs = _level(hole.left(), hole.right(), size.width(), (inner.left(), inner.right()))
    ys = _level(hole.top(), hole.bottom(), size.height(), (inner.top(), inner.bottom()))
    last_x, last_y = inner.right() + 1 - size.width(), inner.bottom() + 1 - size.height()
    found: list[tuple[int, Side, int, int]] = []
    for further in range(0, FURTHEST, FURTHER):
        reach = REACH + further
        for side, x in _beside_x(hole, size.width(), reach):
            if inner.left() <= x <= last_x:
                cost = further + (2 * FURTHER if small else 0)
                found += [(cost + abs(y - middle_y) // 4, side, x, y) for y in ys]
        for side, y in _beside_y(hole, size.height(), reach):
            if inner.top() <= y <= last_y:
                cost = further + (0 if small else FURTHER)
                found += [(cost + abs(x - middle_x) // 4, side, x, y) for x in xs]
    return sorted(found, key=lambda one: one[0])


def _beside_x(hole: QRect, width: int, reach: int) -> tuple[tuple[Side, int], ...]:
    return ("left", hole.left() - reach - width), ("right", hole.right() + 1 + reach)


def _beside_y(hole: QRect, height: int, reach: int) -> tuple[tuple[Side, int], ...]:
    return ("above", hole.top() - reach - height), ("below", hole.bottom() + 1 + reach)


def _level(first: int, last: int, length: int, room: tuple[int, int]) -> Sequence[int]:
    """Where something of a length begins that is level with a range, and lies in the room."""
    overlap = min(OVERLAP, (last + 1 - first) // 2)
    low = max(first - length + overlap, room[0])
    high = min(last + 1 - overlap, room[1] + 1 - length)
    if low > high:
        return ()
    middle = min(max((first + last + 1 - length) // 2, low), high)
    return sorted({low, middle, high, *range(low, high, STEP)})


def _line(side: Side, card: QRect, hole: QRect) -> tuple[QPoint, QPoint]:
    if side in ("left", "right"):
        low, high = max(card.top(), hole.top()), min(card.bottom(), hole.bottom())
        y = min(max((low + high) // 2, low), high)
        from_x, to_x = (card.right() + 1, hole.left()) if side == "left" else (card.left(), hole.right() + 1)
        return QPoint(from_x, y), QPoint(to_x, y)
    low, high = max(card.left(), hole.left()), min(card.right(), hole.right())
    x = (low + high) // 2
    from_y, to_y = (card.bottom() + 1, hole.top()) if side == "above" else (card.top(), hole.bottom() + 1)
    return QPoint(x, from_y), QPoint(x, to_y)


def _disc(side: Side, hole: QRect, line: tuple[QPoint, QPoint], room: QRect) -> QPoint:
    """Before the ring where the line meets it; for a line from above or below outside the far corner."""
    half = DISC // 2
    x, y = {
        "left": (hole.left() - half, line[1].y()),
        "right": (hole.right() + half, line[1].y()),
        "above": (hole.right() + half // 2, hole.bottom() + half // 2),
        "below": (hole.right() + half // 2, hole.top() - half // 2),
    }[side]
    inner = _grown(room, -(half + 1))
    return QPoint(min(max(x, inner.left()), inner.right()), min(max(y, inner.top()), inner.bottom()))


def _alone(one: _Beside, bar: QSize) -> tuple[QRect, tuple[PlacedCard, ...]]:
    """A hole that leaves no room beside it: its card where it covers the least of it."""
    room, number, wanted, _ = one
    inner, size = _grown(room, -EDGE), wanted.card
    xs = (inner.left(), inner.center().x() - size.width() // 2, inner.right() + 1 - size.width())
    ys = (inner.top(), inner.center().y() - size.height() // 2, inner.bottom() + 1 - size.height())
    bars = _bar_places(room, bar)
    cards = [QRect(QPoint(max(x, inner.left()), max(y, inner.top())), size) for y in ys for x in xs]
    pairs = [(card, place) for card in cards for place in bars]
    card, at = min(pairs, key=lambda pair: (_area(*pair), _area(pair[0], wanted.hole)))
    disc = _disc("left", wanted.hole, (card.center(), wanted.hole.center()), room)
    return at, (PlacedCard(number, wanted.hole, card, disc),)


def _area(one: QRect, other: QRect) -> int:
    both = one.intersected(other)
    return max(0, both.width()) * max(0, both.height())


def _grown(one: QRect, by: int) -> QRect:
    return one.marginsAdded(QMargins(by, by, by, by))


def _as_rect(line: tuple[QPoint, QPoint]) -> QRect:
    return QRect(line[0], line[1]).normalized().adjusted(-1, -1, 1, 1)
