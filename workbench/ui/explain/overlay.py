"""The window dimmed but for what is explained: a ring and a number round each part, and a card beside it."""

from __future__ import annotations

import html
from collections.abc import Sequence
from typing import Literal, NamedTuple

from PySide6.QtCore import QEvent, QMargins, QObject, QPoint, QPointF, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QAccessible,
    QColor,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPainterPath,
    QPaintEvent,
    QPen,
)
from PySide6.QtWidgets import QApplication, QWidget
from shiboken6 import isValid

from workbench.domain.guide import GuidePage
from workbench.ui import formatting
from workbench.ui.explain.cards import CardText
from workbench.ui.look.fonts import font, scale
from workbench.ui.look.painting import fill_rounded, paint_shadow, set_text_style, stroke_rounded
from workbench.ui.look.space import STRETCH, columns, fill, rows
from workbench.ui.look.theme import Theme, colour, theme_of
from workbench.ui.translation import tr
from workbench.ui.widgets.buttons import button, on_click, tool_button
from workbench.ui.widgets.card import Panel
from workbench.ui.widgets.guided import key_now
from workbench.ui.widgets.labels import IconSpot, KeyCap, label, set_text

# Where cards lie: beside what they explain, over none of it, on as few pages as there is room for.


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


CARD_WIDTH, RADIUS, HOLE_RADIUS = 360, 10, 6
BAR_HEIGHT = 44
RING = 2
FORTH = (Qt.Key.Key_Right, Qt.Key.Key_Down, Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space)
BACK = (Qt.Key.Key_Left, Qt.Key.Key_Up)


class Explained(NamedTuple):
    """What is said about a part of the window, and where that is."""

    card: CardText
    hole: QRect


class ExplainOverlay(QWidget):
    """Lies over its parent and takes the keys until it is closed; the focus then goes back to where it was.

    Signals:
        closed: it is gone. tour_wished: the first hints are wanted again. guide_wished: a page of the guide is.
    """

    closed = Signal()
    tour_wished = Signal()
    guide_wished = Signal(str)

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setAccessibleName(tr("What is this?"))
        self._shown: tuple[Explained, ...] = ()
        self._page, self._turning = 0, False
        self._laid_out: tuple[QSize, list[Wanted]] = (QSize(), [])
        self._before: QWidget | None = QApplication.focusWidget()
        self.pages: tuple[CardPage, ...] = ()
        self.cards: list[ExplainCard] = []
        self.bar = ExplainBar(self)
        self.bar.turned.connect(self._turn)
        on_click(self.bar.tour, self.tour_wished)
        on_click(self.bar.guide, lambda: self.guide_wished.emit(self.guide_page()))
        on_click(self.bar.leave, self.leave)
        self.setGeometry(parent.rect())
        parent.installEventFilter(self)

    def explain(self, wanted: Sequence[Explained]) -> None:
        """Show other cards, or the same ones with other figures or in other places; the focus stays where it is."""
        if tuple(wanted) == self._shown and self.pages:
            return
        self._shown = tuple(wanted)
        while len(self.cards) > len(self._shown):
            self.cards.pop().deleteLater()
        while len(self.cards) < len(self._shown):
            self.cards.append(ExplainCard(self))
        for number, (card, one) in enumerate(zip(self.cards, self._shown, strict=True), start=1):
            card.show_text(number, one.card)
        self._place()

    def leave(self) -> None:
        """Go away, and give the focus back."""
        self._turning = True
        self.parent().removeEventFilter(self)
        if self._before is not None and isValid(self._before) and self._before.isVisible():
            self._before.setFocus(Qt.FocusReason.OtherFocusReason)
        self.hide()
        self.closed.emit()
        self.deleteLater()

    def page(self) -> int:
        """Which page is seen, from 0."""
        return self._page

    def guide_page(self) -> GuidePage:
        """Where the guide says more about the card that has the focus."""
        held = self._held()
        return self._shown[held].card.page if 0 <= held < len(self._shown) else ""

    def go(self, step: int) -> None:
        """Give the focus to the next card, then to the bar's buttons, then to the first card again."""
        stops: list[QWidget] = [*self.cards, *self.bar.stops()]
        held = self._held()
        if not 0 <= held < len(self.cards):
            held = next((at for at, one in enumerate(stops) if one.hasFocus()), -1 if step > 0 else 0)
        at = (held + step) % len(stops)
        if at < len(self.cards):
            self._show_page(self._page_of(at))
        stops[at].setFocus(Qt.FocusReason.ShortcutFocusReason)

    # --- what Qt calls ------------------------------------------------------------------------------------

    def focusNextPrevChild(self, forward: bool) -> bool:
        """Tab stays among the cards and the bar: what is behind the scrim can't be reached."""
        if self._turning:  # Qt asks this, too, when what has the focus is hidden
            return False
        self.go(1 if forward else -1)
        return True

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.leave()
        elif event.key() in FORTH:
            self.go(1)
        elif event.key() in BACK:
            self.go(-1)
        event.accept()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """A click on what is explained goes to its card, any other closes."""
        at = event.position().toPoint()
        event.accept()
        for one in self._now().cards:
            if one.hole.contains(at):
                self.cards[one.number].setFocus(Qt.FocusReason.MouseFocusReason)
                return
        self.leave()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Resize and watched is self.parent():
            self.setGeometry(self.parentWidget().rect())
        return False

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() in (QEvent.Type.StyleChange, QEvent.Type.PaletteChange) and getattr(
            self, "pages", None
        ):
            self._place()

    def paintEvent(self, _event: QPaintEvent) -> None:
        theme, painter, page = theme_of(self), QPainter(self), self._now()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        dimmed = QPainterPath()
        dimmed.setFillRule(Qt.FillRule.OddEvenFill)
        dimmed.addRect(QRectF(self.rect()))
        for one in page.cards:
            dimmed.addRoundedRect(QRectF(one.hole), HOLE_RADIUS, HOLE_RADIUS)
        painter.fillPath(dimmed, QColor(theme.scrim))
        for box in (page.bar, *(one.card for one in page.cards)):
            paint_shadow(painter, QRectF(box), theme, RADIUS)
        for one in page.cards:
            if one.line is not None:
                painter.setPen(QPen(colour("accent", theme), RING))
                painter.drawLine(*one.line)
            stroke_rounded(painter, QRectF(one.hole), theme.accent, HOLE_RADIUS, RING)
            paint_disc(painter, QPointF(one.disc), one.number + 1, theme)

    # --- where everything lies ----------------------------------------------------------------------------

    def _now(self) -> CardPage:
        return self.pages[self._page] if self.pages else CardPage(QRect(), ())

    def _held(self) -> int:
        """Which card has the focus; -1 where none has."""
        return next((at for at, card in enumerate(self.cards) if card.hasFocus()), -1)

    def _page_of(self, number: int) -> int:
        return next(
            at for at, page in enumerate(self.pages) if any(one.number == number for one in page.cards)
        )

    def _place(self) -> None:
        """Lay the cards out anew; who reads one goes on reading it, also on another page."""
        held, begun = self._held(), bool(self.pages)
        wanted = [
            Wanted(one.hole, card.size_in(self.width() - 2 * EDGE))
            for card, one in zip(self.cards, self._shown, strict=True)
        ]
        if (self.size(), wanted) != self._laid_out:
            self._laid_out = (self.size(), wanted)
            self.bar.fit(self.width() - 2 * EDGE, len(wanted))
            self.pages = lay_out(self.rect(), wanted, self.bar.size())
        if held >= 0:
            self._page = self._page_of(held)
        self._show_page(min(self._page, len(self.pages) - 1))
        if not begun or (held < 0 and not self.bar.has_focus()):
            self._focus_first()

    def _focus_first(self) -> None:
        first = self.cards[self._now().cards[0].number] if self._now().cards else self.bar.leave
        first.setFocus(Qt.FocusReason.OtherFocusReason)

    def _turn(self, step: int) -> None:
        self._show_page((self._page + step) % len(self.pages))
        self._focus_first()

    def _show_page(self, page: int) -> None:
        self._page, self._turning = page, True
        seen = {one.number: one.card for one in self._now().cards}
        for number, card in enumerate(self.cards):
            if number in seen:
                card.setGeometry(seen[number])
            card.setVisible(number in seen)
        self._turning = False
        self.bar.setGeometry(self._now().bar)
        self.bar.show_page(page, len(self.pages))
        self.update()


class ExplainCard(Panel):
    """A number, a title and sentences, which a screen reader says when the card gets the focus."""

    spoken_role = QAccessible.Role.StaticText

    ground, radius = "raised", RADIUS

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._number = 0
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setProperty("ring", False)
        self.title = label("", "ui_heading")
        self.words = label("", "ui", "t2", wrap=True)
        self.words.setTextFormat(Qt.TextFormat.RichText)  # our own words, what is foreign in them is escaped
        self.words.setAlignment(Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeading)
        down = rows(self, (12 + DISC + 9, 13, 16, 15), 5)
        fill(down, self.title, (self.words, 1))

    def show_text(self, number: int, card: CardText) -> None:
        self._number = number
        set_text(self.title, card.title)
        set_text(self.words, rich(card))
        name = tr("{n}. {title}").format(n=formatting.tokens(number), title=card.title)
        if name != self.accessibleName():
            self.setAccessibleName(name)
        if card.text != self.accessibleDescription():
            self.setAccessibleDescription(card.text)

    def size_in(self, width: int) -> QSize:
        wide = min(round(CARD_WIDTH * scale()), width)
        return QSize(wide, self.layout().totalHeightForWidth(wide))

    def update_look(self) -> None:
        self.border, self.border_width = ("accent", RING) if self.hasFocus() else ("line2", 1)

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        middle = self.title.geometry().center().y() + 0.5
        paint_disc(QPainter(self), QPointF(12 + DISC / 2, middle), self._number, theme_of(self))


class ExplainBar(Panel):
    """What this is, the pages, and what more there is.

    Signals:
        turned: one page back or on.
    """

    turned = Signal(int)

    ground, border, radius = "raised", "line2", RADIUS

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setAccessibleName(tr("What is this?"))
        heading = label(tr("What is this?"), "ui_heading")
        key = KeyCap(key_now("explain", "Shift+F1"))
        self.back = on_click(
            tool_button("chevron-left", tr("Previous cards"), side=24), lambda: self.turned.emit(-1)
        )
        self.forth = on_click(
            tool_button("chevron-right", tr("Next cards"), side=24), lambda: self.turned.emit(1)
        )
        self.count = label("", "small", "t2")
        self.tour = button(tr("Take the tour again"), "link", "refresh")
        self.guide = button(tr("Read the guide"), "link", "book", key_now("guide", "F1"))
        self.leave = button(tr("Close"), "ghost", shortcut_hint=tr("Esc"))
        self._pages: tuple[QWidget, ...] = (self.back, self.count, self.forth)
        self._first_to_go: tuple[QWidget, ...] = (key, heading, self.tour)
        icon = IconSpot("info", "accent_text")
        row = fill(columns(self, (14, 0, 6, 0), 8), icon, heading, key, 4, STRETCH)
        fill(row, fill(columns(None, spacing=2), *self._pages), 8, self.tour, 8, self.guide, 4, self.leave)

    def fit(self, room_px: int, cards: int) -> None:
        """Take the room that there is; in a narrow window some parts go."""
        self.show_page(cards - 1, cards)  # as wide as it can get
        for part in self._first_to_go:
            part.setVisible(not isinstance(part, KeyCap) or bool(part.text()))
        for part in self._first_to_go:
            self.layout().activate()
            if self.layout().sizeHint().width() <= room_px:
                break
            part.setVisible(False)
        self.layout().activate()
        self.resize(min(self.layout().sizeHint().width(), room_px), round(BAR_HEIGHT * scale()))

    def show_page(self, page: int, pages: int) -> None:
        words = tr("{n} of {all}").format(n=formatting.tokens(page + 1), all=formatting.tokens(pages))
        set_text(self.count, words)
        for part in self._pages:
            part.setVisible(pages > 1)

    def stops(self) -> list[QWidget]:
        every = (self.back, self.forth, self.tour, self.guide, self.leave)
        return [one for one in every if not one.isHidden()]

    def has_focus(self) -> bool:
        return any(one.hasFocus() for one in self.stops())


def rich(card: CardText) -> str:
    """The words of a card for Qt, with figures and names standing out."""
    made = (html.escape(text).replace("\n", " ") for text, _ in card.pieces)
    return "".join(
        f"<b>{words}</b>" if piece.strong else words for words, piece in zip(made, card.pieces, strict=True)
    )


def paint_disc(painter: QPainter, middle: QPointF, number: int, theme: Theme) -> None:
    """Paint a number on a disc of the accent."""
    box = QRectF(0, 0, DISC, DISC)
    box.moveCenter(middle)
    fill_rounded(painter, box, theme.accent, DISC / 2)
    set_text_style(painter, font("meta_strong"), colour("on_accent", theme))
    painter.drawText(box, Qt.AlignmentFlag.AlignCenter, formatting.tokens(number))
