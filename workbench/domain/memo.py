"""Caches of last results by name: the one memory on the path of a keystroke."""

from __future__ import annotations

from collections.abc import Callable
from itertools import accumulate, islice
from operator import is_
from typing import Any, Generic, Self, TypeVar, overload

T = TypeVar("T")
R = TypeVar("R")


class Memo:
    """Caches for each name the last value and its key.

    It makes things faster and never different: a value is reused only for an equal key, so a key must hold everything
    the value depends on. Use one memo for each thing that is shown repeatedly.
    """

    def __init__(self) -> None:
        self._known: dict[str, tuple[tuple[object, ...], Any]] = {}

    def cached(self, name: str, key: tuple[object, ...], make: Callable[[], T]) -> T:
        """The cached value of that name if its key is equal, else a new one."""
        known = self._known.get(name)
        # The newest key is kept also where it is equal: what it holds is asked for again, and then found by a glance.
        known = self._known[name] = (key, make() if known is None or known[0] != key else known[1])
        value: T = known[1]
        return value

    def cached_from_last(self, name: str, key: tuple[object, ...], make: Callable[[T | None], T]) -> T:
        """Like `cached`, but a new value is made from the last one, to reuse its equal parts."""
        known = self._known.get(name)
        if known is not None and known[0] == key:
            self._known[name] = (key, known[1])
            value: T = known[1]
            return value
        made = make(None if known is None else known[1])
        self._known[name] = (key, made)
        return made


class Growing:
    """Caches what each item of a list became; for a list that begins like the last one, only the rest is computed.

    Faster and never different: an item's result must depend only on the item and on `about`.
    """

    def __init__(self) -> None:
        self._known: dict[str, tuple[tuple[Any, ...], tuple[object, ...], tuple[Any, ...]]] = {}

    def copy(self) -> Growing:
        """A copy with the same contents, independent from then on."""
        other = Growing()
        other._known = dict(self._known)
        return other

    def each(self, name: str, items: tuple[T, ...], make: Callable[[T], R], *about: object) -> tuple[R, ...]:
        """Map every item, reusing the results of the last list's common prefix."""
        known, made_for, made = self._known.get(name, ((), about, ()))
        begun = common_prefix_length(known, items) if made_for == about else 0
        if begun < len(items) or made_for != about:
            made = (*made[:begun], *map(make, items[begun:]))
            self._known[name] = (items, about, made)
        elif begun and known[begun - 1] is not items[-1]:
            # Equal, and others: these are asked for again, and then found by a glance.
            self._known[name] = ((*items, *known[begun:]), about, made)
        return made[: len(items)]

    def scan(
        self, name: str, items: tuple[T, ...], first: R, step: Callable[[R, T], R], *about: object
    ) -> tuple[R, ...]:
        """Running results as by `itertools.accumulate`, starting with `first`; may extend beyond the given items."""
        known, made_for, made = self._known.get(name, ((), about, (first,)))
        begun = common_prefix_length(known, items) if made_for == about else 0
        if begun < len(items) or made_for != about:
            done = made[: begun + 1] if begun else (first,)
            made = (*done, *islice(accumulate(items[begun:], step, initial=done[-1]), 1, None))
            self._known[name] = (items, about, made)
        return made


def common_prefix_length(one: tuple[object, ...], other: tuple[object, ...]) -> int:
    """The length of the common prefix of two tuples, by bisection: nearly always all of the shorter."""
    most = min(len(one), len(other))
    least = most if one[:most] == other[:most] else 0
    while least < most:
        middle = (least + most + 1) // 2
        if one[least:middle] == other[least:middle]:
            least = middle
        else:
            most = middle - 1
    return least


class made_once(Generic[R]):  # noqa: N801  (a decorator, as `property` is)
    """A property that is computed once: `functools.cached_property` without the lock that it has in Python 3.11.

    A long chat has tens of thousands; two threads may both compute one, with the same result.
    """

    def __init__(self, make: Callable[[Any], R]) -> None:
        self._make, self._name = make, make.__name__
        self.__doc__ = make.__doc__

    @overload
    def __get__(self, one: None, owner: type) -> Self: ...
    @overload
    def __get__(self, one: object, owner: type) -> R: ...
    def __get__(self, one: object | None, owner: type) -> Self | R:
        if one is None:
            return self
        value = self._make(one)
        # Not by `__dict__`: asking for it makes a dictionary for every object, twice as large as the object itself.
        object.__setattr__(one, self._name, value)
        return value


def make_all_once(first: object) -> None:
    """Compute every `made_once` of the first object of a class, so that all others have room for them.

    CPython gives the objects of a class the attributes that the first ones had; one that comes later costs each object
    a dictionary of its own. Messages of a long chat took 1.4 KB instead of 0.7.
    """
    for name, one in vars(type(first)).items():
        if isinstance(one, made_once):
            getattr(first, name)


class ByIdentity:
    """Wraps an object in a memo key that is compared by identity, where comparing by value would be slow."""

    __slots__ = ("_one",)

    def __init__(self, one: object) -> None:
        self._one = one

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ByIdentity) and other._one is self._one

    __hash__ = None  # type: ignore[assignment]


class AllByIdentity:
    """Wraps several objects in a memo key that are compared by identity, one by one."""

    __slots__ = ("_all",)

    def __init__(self, *objects: object) -> None:
        self._all = objects

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, AllByIdentity) or len(self._all) != len(other._all):
            return False
        return all(map(is_, self._all, other._all))

    __hash__ = None  # type: ignore[assignment]
