"""Cards lie beside what they explain, over nothing that is explained, each joined to it by a straight line."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st
from PySide6.QtCore import QRect, QSize

from workbench.ui.explain.overlay import MOST_ON_A_PAGE, CardPage, PlacedCard, Wanted, lay_out

ROOM = QRect(0, 0, 1600, 1000)
BAR = QSize(700, 44)
CARD = QSize(360, 110)


@st.composite
def holes(draw: st.DrawFn) -> Wanted:
    width, height = draw(st.integers(24, 700)), draw(st.integers(24, 300))
    x, y = draw(st.integers(2, 1598 - width)), draw(st.integers(2, 998 - height))
    return Wanted(QRect(x, y, width, height), QSize(360, draw(st.integers(60, 160))))


def covered(page: CardPage) -> list[tuple[QRect, QRect]]:
    """What lies over what, of everything on a page that must be seen."""
    boxes = [page.bar, *(one.card for one in page.cards), *(one.hole for one in page.cards)]
    return [(a, b) for at, a in enumerate(boxes) for b in boxes[at + 1 :] if a.intersects(b)]


@settings(max_examples=15, deadline=None)
@given(st.lists(holes(), max_size=8))
def test_nothing_is_covered_and_every_card_is_joined_to_its_hole_once(wanted: list[Wanted]):
    pages = lay_out(ROOM, wanted, BAR)
    placed = [one for page in pages for one in page.cards]
    assert [one.number for one in placed] == list(range(len(wanted)))
    assert all(ROOM.contains(one.card) and ROOM.contains(page.bar) for page in pages for one in page.cards)
    assert [page for page in pages if covered(page)] == []
    assert max((len(page.cards) for page in pages), default=0) <= MOST_ON_A_PAGE
    assert [one for one in placed if not is_joined(one)] == []


def is_joined(one: PlacedCard) -> bool:
    if one.line is None:
        return False
    start, end = one.line
    straight = start.x() == end.x() or start.y() == end.y()
    ends = one.card.adjusted(-1, -1, 1, 1).contains(start) and one.hole.adjusted(-1, -1, 1, 1).contains(end)
    return straight and ends


def test_where_a_hole_leaves_no_room_its_card_covers_the_least_of_it():
    hole = QRect(2, 2, 796, 400)
    (page,) = lay_out(QRect(0, 0, 800, 560), [Wanted(hole, QSize(360, 140))], QSize(700, 44))
    (one,) = page.cards
    assert one.line is None
    assert not one.card.intersects(page.bar)
    assert one.card.intersected(hole).height() < one.card.height()


def test_with_nothing_to_explain_there_is_one_page_with_the_bar():
    assert lay_out(ROOM, [], BAR) == (CardPage(QRect(888, 944, 700, 44), ()),)


def test_a_small_figure_keeps_its_neighbours_in_sight():
    """Its card lay beside it, over the figures it stands between."""
    figure = QRect(440, 930, 60, 40)
    (page,) = lay_out(ROOM, [Wanted(figure, CARD)], BAR)
    assert page.cards[0].card.bottom() < figure.top()


def test_columns_side_by_side_are_explained_together():
    pair = [Wanted(QRect(1160, 200, 80, 400), CARD), Wanted(QRect(1240, 200, 100, 400), CARD)]
    assert len(lay_out(ROOM, pair, BAR)) == 1


def test_the_bar_goes_elsewhere_rather_than_a_card_far_from_what_it_explains():
    """At the bottom it took the only place beside the last panel, whose card lay at the other end of the window."""
    panels = [Wanted(QRect(860, 712, 735, 150), CARD), Wanted(QRect(860, 870, 735, 125), CARD)]
    (page,) = lay_out(ROOM, panels, BAR)
    assert [one.hole.left() - one.card.right() < 60 for one in page.cards] == [True, True]
    assert page.bar.top() < 100


def test_the_bar_does_not_cover_what_stands_beside_a_hole():
    """In a narrow window it lay over the figures right under the bar that was explained."""
    (page,) = lay_out(QRect(0, 0, 1000, 700), [Wanted(QRect(72, 618, 904, 16), CARD)], BAR)
    assert page.bar.bottom() < 100
