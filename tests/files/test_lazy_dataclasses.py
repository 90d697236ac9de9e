"""Dataclasses whose methods are compiled late behave as those of the standard library do."""

from __future__ import annotations

import copy
import dataclasses
import sys
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field, fields, replace
from types import ModuleType
from typing import Any

import pytest

from workbench.domain.shown.envelope_view import SegmentRow
from workbench.files import lazy_dataclasses

pytestmark = pytest.mark.skipif(
    not hasattr(dataclasses, "_create_fn"), reason="this version of Python compiles them at once"
)
SOURCE = """
from dataclasses import dataclass, field, InitVar
made = []

@dataclass(frozen=True, slots=True)
class Point:
    x: int
    y: int = 2
    tags: list = field(default_factory=list, compare=False)

@dataclass(frozen=True)
class Named(Point):
    name: str = field(default="", kw_only=True)

@dataclass(order=True)
class Open:
    size: int
    twice: InitVar[int] = 1
    def __post_init__(self, twice):
        self.size *= twice
        made.append(self)

@dataclass(unsafe_hash=True, repr=False)
class Hashed:
    inner: Open
"""


@pytest.fixture(autouse=True)
def late(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("_create_fn", "_frozen_get_del_attr"):
        monkeypatch.setattr(dataclasses, name, dataclasses.__dict__[name])  # put back afterwards
    assert lazy_dataclasses.compile_methods_on_first_call()


@pytest.fixture(params=["workbench.made_up", "elsewhere"])
def classes(request: pytest.FixtureRequest) -> Iterator[Any]:
    """The same classes, once as a module of ours and once as one of somebody else, which is left alone."""
    module = ModuleType(request.param)
    sys.modules[request.param] = module  # `dataclass` looks up its names there
    exec(SOURCE, module.__dict__)
    yield module
    del sys.modules[request.param]


def test_values_are_made_compared_and_shown_as_always(classes: Any) -> None:
    point = classes.Point(1, tags=["a"])
    assert (point.x, point.y, point.tags) == (1, 2, ["a"])
    assert point == classes.Point(1, 2)
    assert point != classes.Point(1, 3)
    assert hash(point) == hash(classes.Point(1))
    assert repr(point) == "Point(x=1, y=2, tags=['a'])"
    assert classes.Point(1).tags is not classes.Point(1).tags
    assert replace(point, y=5).y == 5
    assert [one.name for one in fields(point)] == ["x", "y", "tags"]
    assert copy.deepcopy(point) == point


def test_what_is_frozen_elsewhere_stays_frozen(classes: Any) -> None:
    point = classes.Point(1)
    if classes.__name__.startswith("workbench"):
        assert "__setattr__" not in vars(classes.Point)
        assert "__setattr__" in vars(SegmentRow), "the tests run with ours frozen"
        return
    with pytest.raises(dataclasses.FrozenInstanceError, match="cannot assign to field 'x'"):
        point.x = 3
    with pytest.raises(dataclasses.FrozenInstanceError, match="cannot delete field 'x'"):
        del point.x
    assert point.x == 1


def test_wrong_arguments_are_refused_by_their_names_also_the_first_time(classes: Any) -> None:
    with pytest.raises(TypeError, match=r"Named\.__init__\(\) missing 1 required positional argument: 'x'"):
        classes.Named(name="n")
    with pytest.raises(TypeError, match="unexpected keyword argument 'z'"):
        classes.Point(1, z=2)
    assert classes.Named(1, name="n").name == "n"


def test_what_runs_after_making_and_what_is_inherited(classes: Any) -> None:
    assert classes.Open(2, 3).size == 6
    assert classes.Open(1) < classes.Open(2)
    with pytest.raises(TypeError):
        hash(classes.Open(1))
    with pytest.raises(TypeError, match="unhashable"):
        hash(classes.Hashed(classes.Open(1)))
    assert repr(classes.Hashed(1)).startswith("<")


def test_only_our_own_are_compiled_late(classes: Any) -> None:
    late = classes.Point.__init__.__code__ is lazy_dataclasses._first_call.__code__
    assert late == classes.__name__.startswith("workbench")
    classes.Point(1)
    assert classes.Point.__init__.__code__ is not lazy_dataclasses._first_call.__code__


def test_many_threads_may_call_it_first_at_once() -> None:
    for _ in range(50):
        module = ModuleType("workbench.made_up")
        sys.modules["workbench.made_up"] = module
        exec(SOURCE, module.__dict__)
        begin = threading.Barrier(8)
        seen: list[int] = []

        def make(module: Any = module, begin: threading.Barrier = begin, seen: list[int] = seen) -> None:
            begin.wait()
            seen.append(module.Point(7).y)

        threads = [threading.Thread(target=make) for _ in range(8)]
        for one in threads:
            one.start()
        for one in threads:
            one.join()
        assert seen == [2] * 8
    del sys.modules["workbench.made_up"]


@dataclass(frozen=True)
class _Plain:
    """Not of ours, by its module."""

    values: tuple[int, ...] = field(default=())


def test_a_python_that_works_otherwise_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lazy_dataclasses, "_compile_now", None)
    assert not lazy_dataclasses.compile_methods_on_first_call()
    assert _Plain((1,)) == _Plain((1,))
