"""The one memory on the path of a keystroke: faster, never different."""

from __future__ import annotations

import operator
import tracemalloc
from functools import partial

from hypothesis import given
from hypothesis import strategies as st

from workbench.domain.memo import AllByIdentity, ByIdentity, Growing, Memo, made_once
from workbench.domain.segment import Segment


def test_a_value_is_made_once_for_a_key_and_anew_for_another():
    memo, made = Memo(), []

    def make() -> str:
        made.append(1)
        return f"value {len(made)}"

    assert [memo.cached("rows", (key,), make) for key in (1, 1, 2, 1)] == ["value 1"] * 2 + [
        "value 2",
        "value 3",
    ]


def test_names_do_not_know_each_other():
    memo = Memo()
    assert (memo.cached("a", (1,), lambda: "x"), memo.cached("b", (1,), lambda: "y")) == ("x", "y")


def test_a_new_value_is_made_with_a_look_at_the_last_one():
    memo = Memo()
    seen: list[tuple[int, ...] | None] = []

    def make(last: tuple[int, ...] | None) -> tuple[int, ...]:
        seen.append(last)
        return (*(last or ()), len(seen))

    assert [memo.cached_from_last("rows", (key,), make) for key in (1, 1, 2)] == [(1,), (1,), (1, 2)]
    assert seen == [None, (1,)]


def test_the_very_same_object_is_not_an_equal_one():
    one, other = [1], [1]
    assert ByIdentity(one) == ByIdentity(one)
    assert ByIdentity(one) != ByIdentity(other)


@given(st.lists(st.integers(0, 3)))
def test_whatever_was_asked_before_the_value_belongs_to_its_key(keys: list[int]):
    memo = Memo()
    for key in keys:
        assert memo.cached("double", (key,), partial(operator.mul, key, 2)) == key * 2


class Compared:
    """Counts how often it is compared with another one."""

    times = 0

    def __eq__(self, other: object) -> bool:
        Compared.times += 1
        return isinstance(other, Compared)

    __hash__ = None  # type: ignore[assignment]


def test_an_equal_key_takes_the_place_of_the_old_one():
    """A request that was built elsewhere is equal and not the same: comparing it whole once is enough."""
    memo, other = Memo(), Compared()
    memo.cached("a", (Compared(),), lambda: 1)
    memo.cached_from_last("b", (Compared(),), lambda _: 1)
    for _ in range(3):
        assert memo.cached("a", (other,), lambda: 2) == 1
        assert memo.cached_from_last("b", (other,), lambda _: 2) == 1
    assert Compared.times == 2


def test_several_objects_are_the_same_only_one_by_one():
    one, equal = [1], [1]
    assert AllByIdentity(one, 2) == AllByIdentity(one, 2)
    assert AllByIdentity(one, 2) != AllByIdentity(equal, 2)
    assert AllByIdentity(one) != AllByIdentity(one, one)
    assert AllByIdentity(one) != (one,)


@given(st.lists(st.tuples(st.lists(st.integers(0, 2), max_size=6), st.booleans())))
def test_what_grows_is_what_each_item_becomes(steps: list[tuple[list[int], bool]]):
    growing = Growing()
    for items, doubled in steps:
        factor = 2 if doubled else 1
        made = growing.each("times", tuple(items), lambda one, by=factor: one * by, factor)  # type: ignore[misc]
        assert made == tuple(one * factor for one in items)


def test_of_a_list_that_begins_like_the_last_only_the_rest_is_made():
    growing, made = Growing(), list[str]()

    def make(one: str) -> str:
        made.append(one)
        return one.upper()

    told = [growing.each("letters", tuple(letters), make) for letters in ("abc", "abcd", "ab", "abxd")]
    assert ["".join(one) for one in told] == ["ABC", "ABCD", "AB", "ABXD"]
    assert "".join(made) == "abc" + "d" + "" + "xd"


def test_equal_items_are_compared_once_and_then_known_by_sight():
    growing, compared = Growing(), list[int]()

    class Item:
        def __init__(self, value: int) -> None:
            self.value = value

        def __eq__(self, other: object) -> bool:
            compared.append(self.value)
            return isinstance(other, Item) and other.value == self.value

        __hash__ = None  # type: ignore[assignment]

    growing.each("value", (Item(1), Item(2), Item(3)), lambda one: one.value)
    equal = (Item(1), Item(2))
    assert growing.each("value", equal, lambda one: -one.value) == (1, 2)
    assert compared
    compared.clear()
    assert growing.each("value", equal, lambda one: -one.value) == (1, 2)
    assert not compared
    assert growing.each("value", (*equal, Item(3)), lambda one: -one.value) == (1, 2, 3)


@given(st.lists(st.lists(st.integers(0, 2), max_size=8), max_size=8))
def test_what_a_list_comes_to_is_found_from_where_it_differs(lists: list[list[int]]):
    growing = Growing()
    for items in lists:
        found = growing.scan("sum", tuple(items), 0, operator.add)
        assert list(found[: len(items) + 1]) == [sum(items[:count]) for count in range(len(items) + 1)]


def test_only_what_is_new_in_a_list_is_added():
    added: list[int] = []

    def add(total: int, item: int) -> int:
        added.append(item)
        return total + item

    growing = Growing()
    growing.scan("sum", (1, 2, 3), 0, add)
    assert growing.scan("sum", (1, 2, 3, 4), 0, add)[4] == 10
    assert growing.scan("sum", (1, 2), 0, add)[2] == 3
    assert added == [1, 2, 3, 4]


def test_a_property_is_worked_out_once_for_each_thing():
    asked: list[int] = []

    class Thing:
        def __init__(self, number: int) -> None:
            self.number = number

        @made_once
        def square(self) -> int:
            """Its square."""
            asked.append(self.number)
            return self.number**2

    two, three = Thing(2), Thing(3)
    assert [two.square, three.square, two.square] == [4, 9, 4]
    assert asked == [2, 3]
    assert Thing.square.__doc__ == "Its square."


def test_what_is_made_once_of_thousands_of_messages_takes_no_dictionary_each():
    """Made in one go and looked at afterwards, as when a long chat is opened."""
    made = [Segment(str(number), "L4_STRIP", "user", "text", "digest") for number in range(1_000)]
    tracemalloc.start()
    try:
        assert all(one.sent for one in made)
        grown, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert grown < 50 * len(made)
